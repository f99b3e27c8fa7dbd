"""Marks: what a judge found in the exam, and what it found where nothing was."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from duologue.agents.rubric import Dimension, Rubric, Scale
from duologue.agents.usage import Usage
from duologue.agents.verdict import PreferenceVerdict, Score, Verdict
from duologue.exam.paper import Item, Kind, Sign
from duologue.scoring.consensus import told
from duologue.scoring.judging import BETWEEN
from duologue.tasks.written import Written

__all__ = ["Mark", "Marks", "Share", "Tally", "marks"]


class Share(Written):
    """`count` of `of`, with Wilson's 95 % interval of the share. The ends are None where there is nothing to count."""

    count: int
    of: int
    low: float | None = None
    high: float | None = None


class Mark(Written):
    """What the judge made of one planted fault. None is unscored, and `why` says why."""

    item: str
    kind: str
    asked: str = ""
    """What was to show it, such as `success` or `outcome of Train, zone`; empty where the rubric asks no such thing."""
    found: bool | None = None
    """Whether the judge sees the fault in the faulty dialogue."""
    alarmed: bool | None = None
    """Whether it sees it in the good one too."""
    apart: bool | None = None
    """Whether the faulty one comes out worse than the good one."""
    likelier: bool | None = None
    """The same by the expected scores, where the judge's endpoint gives log-probabilities."""
    faulty: str = ""
    """What the judge said of the faulty dialogue, and of the good one."""
    sound: str = ""
    faulty_cell: str
    sound_cell: str
    why: str = ""


class Tally(Written):
    """The marks of one kind of fault, or of all."""

    kind: str
    title: str
    faults: int
    """How many are planted."""
    not_asked: int
    """How many of them nothing that the rubric asks could show."""
    unscored: int
    """How many of those asked about have no score, of the faulty dialogue or of the good one."""
    found: Share
    alarms: Share
    """Over the good dialogues: of two faults that the same answer would show in one of them, it counts once."""
    apart: Share
    likelier: Share | None = None


class Marks(Written):
    """The exam of a judge, or of a panel."""

    judge: str
    """Its model, or those of a panel with ` + ` between them."""
    rubric: str
    rubric_name: str
    dialogues: int
    """How many were judged."""
    overall: Tally
    kinds: tuple[Tally, ...]
    usage: Usage | None
    seconds: float
    items: tuple[Mark, ...]
    looks: int = 1
    """How often it, or each of the panel, looked at a dialogue."""
    careful: tuple[str, ...] = ()
    """What the marks say against ranking by this judge, a sentence each."""


def marks(
    items: Sequence[Item], kinds: Iterable[Kind], rubric: Rubric, verdicts: Mapping[str, Sequence[Verdict]]
) -> Marks:
    """What `verdicts`, by cell all looks of all judges, say of the planted faults: several are folded into one."""
    agreed = {cell: told(held) for cell, held in verdicts.items()}
    made = [_mark(item, rubric, agreed) for item in items]
    given = [verdict for held in verdicts.values() for verdict in held]
    used = [verdict.usage for verdict in given if verdict.usage]
    overall = _tally("", "all", made)
    return Marks(
        judge=BETWEEN.join(dict.fromkeys(verdict.judge for verdict in given)),
        rubric=rubric.fingerprint,
        rubric_name=rubric.name,
        dialogues=len(verdicts),
        overall=overall,
        kinds=tuple(_tally(kind.name, kind.title, [m for m in made if m.kind == kind.name]) for kind in kinds),
        usage=sum(used[1:], used[0]) if used else None,
        seconds=sum(verdict.seconds for verdict in given),
        items=tuple(made),
        looks=max((verdict.look for verdict in given), default=1),
        careful=tuple(_careful(overall)),
    )


def _careful(overall: Tally) -> Iterator[str]:
    """Where it tells no more pairs apart, or hardly more, than one would who does not read them."""
    found, alarms, apart = overall.found, overall.alarms, overall.apart
    if not apart.of:
        return
    if not apart.count:
        yield "this judge tells no faulty dialogue from a sound one; do not rank by it"
    elif apart.count < apart.of / 2:
        yield "this judge tells fewer than half of the faulty dialogues from the sound ones; hardly rank by it"
    if alarms.of and alarms.count / alarms.of >= 1 / 2:
        yield "it sees faults in half or more of what is sound; its low scores say little"
    if found.of and found.count / found.of < 1 / 2:
        yield "it misses more than half of the faults; its high scores say little"


def _mark(item: Item, rubric: Rubric, verdicts: Mapping[str, Verdict]) -> Mark:
    bare = Mark(item=item.name, kind=item.kind.name, faulty_cell=item.faulty.cell, sound_cell=item.sound.cell)
    sign = item.sign(rubric)
    if sign is None:
        return bare.changed(why="the rubric asks nothing that would show it")
    faulty, sound = (_answer(sign, item, verdicts.get(each.cell)) for each in (item.faulty, item.sound))
    found, alarmed = (_shows(sign, answer, rubric) for answer in (faulty, sound))
    return bare.changed(
        asked=_asked(sign, item),
        found=found,
        alarmed=alarmed,
        apart=_apart(faulty, sound, found, alarmed),
        likelier=_likelier(faulty, sound),
        faulty=_said(sign, faulty),
        sound=_said(sign, sound),
        why="; ".join(dict.fromkeys(filter(None, map(_lacking, (faulty, sound), (found, alarmed))))),
    )


Answer = Score | PreferenceVerdict | str
"""The part of a verdict that a sign is about, or why there is none."""


def _asked(sign: Sign, item: Item) -> str:
    if sign.score or item.preference is None:
        return sign.score
    return f"{'outcome' if sign.outcome else 'route'} of {item.preference.domain}, {item.preference.type}"


def _answer(sign: Sign, item: Item, verdict: Verdict | None) -> Answer:
    if verdict is None or verdict.unscored:
        return verdict.unscored if verdict else "not judged"
    if sign.score:
        return verdict.scores.get(sign.score, "not in the verdict")
    about = item.preference
    given = (each for each in verdict.preferences if about and (each.domain, each.type) == (about.domain, about.type))
    return next(given, "not in the verdict")


def _shows(sign: Sign, answer: Answer, rubric: Rubric) -> bool | None:
    """Whether the answer shows the fault; None where it is unscored."""
    if isinstance(answer, str):
        return None
    if isinstance(answer, Score):
        dimension = next(each for each in rubric.dimensions if each.name == sign.score)
        return None if answer.value is None else _is_low(answer.value, dimension)
    if sign.outcome:
        return None if answer.outcome == "unscored" else answer.outcome in sign.outcome
    return None if answer.outcome == "unscored" or not answer.route else answer.route in sign.route


def _is_low(value: bool | float, dimension: Dimension) -> bool:
    if isinstance(dimension.scale, Scale):
        return value <= (dimension.scale.low + dimension.scale.high) / 2
    return not value


def _apart(faulty: Answer, sound: Answer, found: bool | None, alarmed: bool | None) -> bool | None:
    """Whether the faulty one comes out worse: with a lower score, or by showing the fault where the other does not."""
    if found is None or alarmed is None:
        return None
    if not isinstance(faulty, Score) or not isinstance(sound, Score):
        return found and not alarmed
    return faulty.value is not None and sound.value is not None and faulty.value < sound.value


def _likelier(faulty: Answer, sound: Answer) -> bool | None:
    if not isinstance(faulty, Score) or not isinstance(sound, Score):
        return None
    if faulty.expected is None or sound.expected is None:
        return None
    return faulty.expected < sound.expected


def _said(sign: Sign, answer: Answer) -> str:
    if isinstance(answer, str):
        return ""
    if isinstance(answer, Score):
        value = answer.value
        return "" if value is None else f"{value:g}" if not isinstance(value, bool) else "yes" if value else "no"
    return answer.outcome if sign.outcome else answer.route


def _lacking(answer: Answer, shown: bool | None) -> str:
    if shown is not None:
        return ""
    if isinstance(answer, str):
        return answer
    return answer.unscored or "no route was given"


def _tally(kind: str, title: str, made: Sequence[Mark]) -> Tally:
    asked = [mark for mark in made if mark.asked]
    alarms = {(mark.sound_cell, mark.asked): mark.alarmed for mark in asked}
    likelier = [mark.likelier for mark in asked if mark.likelier is not None]
    return Tally(
        kind=kind,
        title=title,
        faults=len(made),
        not_asked=len(made) - len(asked),
        unscored=sum(mark.found is None or mark.alarmed is None for mark in asked),
        found=_share(mark.found for mark in asked),
        alarms=_share(alarms.values()),
        apart=_share(mark.apart for mark in asked),
        likelier=_share(likelier) if likelier else None,
    )


def _share(answers: Iterable[bool | None]) -> Share:
    """Of those that are not None, how many are true."""
    from scipy.stats import binomtest

    held = [each for each in answers if each is not None]
    if not held:
        return Share(count=0, of=0)
    around = binomtest(sum(held), len(held)).proportion_ci(method="wilson")
    return Share(count=sum(held), of=len(held), low=float(around.low), high=float(around.high))
