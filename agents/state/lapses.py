"""Lapses: what an assistant told of as done that was not, and what it asked although it was known.

Pure functions of what was heard, what was done, and the ledger.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from duologue.agents.agenda.hearing import Heard, Named, Report
from duologue.agents.agenda.lexicon import Subject
from duologue.agents.deeds import Deed
from duologue.agents.state.matter import Matter
from duologue.agents.words import mentions, readable
from duologue.tasks.catalogue import several

__all__ = ["Lapse", "false_claims", "known_questions"]

_BACKING = {
    "made": ("create", "change"),
    "changed": ("change", "create"),
    "cancelled": ("cancel",),
    "done": ("create", "change", "cancel"),
}
"""By what is told, the verbs of the deeds that may stand behind it."""


@dataclass(frozen=True, slots=True)
class Lapse:
    """Something that should not have been said: the assistant's turn, the words, and what they are about."""

    turn: int
    quote: str
    about: str


def known_questions(matter: Matter, known: Mapping[tuple[str, str], str]) -> list[Lapse]:
    """The questions for a preference that the context held or the user had told, or for a fact that was told.

    To have something confirmed is no question: one that names a single value asks for a yes.
    """
    return [
        Lapse(turn, _asking(heard, subjects[0]), readable(subjects[0].name))
        for turn, heard in matter.heard.items()
        for subjects in _together(heard.asked)
        if all(_known(matter, known, turn, each) and not _confirms(heard, each) for each in subjects)
    ]


def false_claims(matter: Matter) -> list[Lapse]:
    """The reports, one a turn at most, that no call which went well by then stands behind.

    What is told must be of the kind of record that is told of, and hold the entity and the values that are told.
    """
    found = []
    for turn, heard in matter.heard.items():
        done = [deed for deed in matter.deeds if deed.turn <= turn]
        if untrue := next((report for report in heard.reports if not _backed(matter, heard, report, done)), None):
            found.append(Lapse(turn, untrue.quote, f"nothing was {untrue.deed} as told"))
    return found


def _together(asked: Iterable[Subject]) -> Iterable[list[Subject]]:
    """What may be meant by one question: "Who should it go to?" asks for any of the facts that may stand there."""
    about: dict[tuple[str, str], list[Subject]] = {}
    for subject in asked:
        about.setdefault((subject.domain, subject.key or subject.name), []).append(subject)
    return about.values()


def _known(matter: Matter, known: Mapping[tuple[str, str], str], turn: int, subject: Subject) -> bool:
    """Whether the answer was there by that turn."""
    slots = {subject.name} & matter.stage.task.slots.keys() if subject.kind == "fact" else _slots(matter, subject)
    if slots:
        said = "\n".join(matter.script.said_by("user")[:turn])
        held = matter.stage.task.slots
        return all(mentions(said, held[slot], slot) for slot in slots)
    if subject.kind != "type":
        return False
    told = any(said <= turn for said, _ in matter.disclosed(subject.domain, subject.name))
    return told or bool(known.get((subject.domain, subject.name)))


def _slots(matter: Matter, subject: Subject) -> set[str]:
    """The slots that settle what a type or field is to be."""
    aims = (aim for aim in matter.stage.aims if aim.domain.name == subject.domain)
    return {aim.slots[subject.key] for aim in aims if subject.key in aim.slots}


def _confirms(heard: Heard, subject: Subject) -> bool:
    named = {each.value for each in heard.suggested if (each.domain, each.key) == (subject.domain, subject.key)}
    return len(named) == 1


def _asking(heard: Heard, subject: Subject) -> str:
    """The words that ask about `subject`."""
    asking = [clause for clause in heard.clauses if clause.asks]
    telling = subject.head | subject.kin | subject.told
    best = max(asking, key=lambda clause: len(telling & set(clause.words)), default=None)
    return best.quote if best else ""


def _backed(matter: Matter, heard: Heard, report: Report, done: list[Deed]) -> bool:
    """Whether some deed is of the kind that the report tells, and agrees with every value that it tells."""
    fitting = [deed for deed in done if deed.tool.verb in _BACKING[report.deed] and _is_topic(report, deed)]
    told = [each for each in heard.named if each.clause == report.clause and each.mode == "reported"]
    return any(_agrees(matter, told, deed) for deed in fitting)


def _is_topic(report: Report, deed: Deed) -> bool:
    topics = report.topics
    return not topics or any(domain == deed.tool.domain and kind in ("", deed.tool.record) for domain, kind in topics)


def _agrees(matter: Matter, told: list[Named], deed: Deed) -> bool:
    """Whether the record held, after the deed, one of the values told under each name, and the entity told."""
    return all(set(values) & set(held) for values, held in _compared(matter, told, deed) if held)


def _compared(matter: Matter, told: list[Named], deed: Deed) -> Iterator[tuple[list[str], list[str]]]:
    """What is told under each name that the record has, and what the record holds there."""
    entity = matter.entity_field(deed.tool.record)
    by_name: dict[str, list[str]] = {}
    for each in told:
        if each.domain == deed.tool.domain:
            by_name.setdefault(entity if each.kind == "entity" else each.key, []).append(each.value.casefold())
    for name, values in by_name.items():
        held = deed.view.get(name)
        yield values, [] if held is None else [str(each).casefold() for each in several(held)]
