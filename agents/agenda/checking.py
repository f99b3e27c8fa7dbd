"""Checking: whether what the assistant says it has done, or is about to do, agrees with what the user asked for.

Pure functions of what was heard and the brief.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from duologue.agents.agenda.brief import Brief
from duologue.agents.agenda.facts import Said, told_of
from duologue.agents.agenda.heard import Heard, Report
from duologue.agents.agenda.known import Known
from duologue.agents.agenda.naming import entities_in, pairs_in, values_in
from duologue.tasks.aim import Aim
from duologue.tasks.domain import key
from duologue.tasks.wish import Wish

__all__ = ["Checked", "checked", "spoken_against"]


@dataclass(frozen=True, slots=True)
class Checked:
    """How one report stands to one aim."""

    aim: int
    report: Report
    right: tuple[Known, ...] = ()
    wrong: tuple[tuple[Known, str], ...] = ()
    """Facts, and what the report says instead."""
    entity: str = ""
    """What it names that is not what was asked for or chosen."""
    named: str = ""
    """What it names."""
    deed: bool = True
    """Whether it tells of the kind of thing that was to be done."""
    values: tuple[tuple[str, str], ...] = field(default=())

    @property
    def vague(self) -> bool:
        return not self.right and not self.wrong and not self.named


def checked(
    brief: Brief, heard: Heard, done: Sequence[int], chosen: Mapping[str, Sequence[str]]
) -> tuple[tuple[Checked, ...], bool]:
    """Each report under the aims that it may be about, and whether something was reported that is about none.

    `done` are the aims reported before; `chosen` are the entities that the user picked, by domain.
    """
    found: list[Checked] = []
    stray = False
    last = 0
    for report in heard.reports:
        about = list(_about(brief, heard, report, last, done, chosen))
        stray = stray or not about
        found += about
        last = report.end
    return tuple(_merged(found)), stray


def spoken_against(brief: Brief, values: Sequence[tuple[str, str, str]]) -> list[tuple[Wish, str]]:
    """The wishes that (domain, key, value) triples go against, with the value: one that the user would not have, or
    one beside all that the user likes."""
    found: list[tuple[Wish, str]] = []
    for wish in brief.wishes.values():
        held = [value for domain, name, value in values if domain == wish.domain and name == key(wish.type)]
        if not held or brief.facts_under(wish.domain, key(wish.type)):
            continue
        if any(wish.spoilt_by(value) for value in held) or (wish.likes and not any(wish.met_by(v) for v in held)):
            found.append((wish, next((v for v in held if wish.spoilt_by(v)), held[0])))
    return found


def _about(
    brief: Brief, heard: Heard, report: Report, last: int, done: Sequence[int], chosen: Mapping[str, Sequence[str]]
) -> Iterator[Checked]:
    """The report under the aim that fits it best, or under several where it tells of several."""
    looked: list[Checked] = []
    for span in _spans(heard, report, last):
        said = _said(brief, heard, span)
        looked = [_check(brief, heard, number, report, span, said, chosen) for number in range(len(brief.aims))]
        if not all(each.vague for each in looked):
            break
    scored = [(each, score) for each in looked if (score := _fit(brief, each, report, done)) > -3]
    if not scored:
        return
    if any(each.deed and not each.vague for each, _ in scored):
        scored = [(each, score) for each, score in scored if each.deed]
    best = max(score for _, score in scored)
    if all(each.vague for each, score in scored if score == best):
        yield from (each for each, score in scored if score == best and each.aim not in done)
        return
    for kind in dict.fromkeys(
        (brief.aims[each.aim].domain.name, brief.aims[each.aim].record.name) for each, _ in scored
    ):
        own = [(e, s) for e, s in scored if (brief.aims[e.aim].domain.name, brief.aims[e.aim].record.name) == kind]
        top = max(score for _, score in own)
        if top < best and not _is_told(brief, own, report):
            continue
        leading = [each for each, score in own if score == top]
        yield from leading
        yield from (e for e, s in own if top - 2 < s < top and _named_apart(brief, e, leading))


def _is_told(brief: Brief, own: Sequence[tuple[Checked, float]], report: Report) -> bool:
    """Whether a report tells of this kind of record too, beside the one that it fits best."""
    aim = brief.aims[own[0][0].aim]
    named = (aim.domain.name, aim.record.name) in report.topics or (aim.domain.name, "") in report.topics
    return named and any(not each.vague and each.deed for each, _ in own)


def _named_apart(brief: Brief, each: Checked, top: Sequence[Checked]) -> bool:
    """Whether the report has something right that this aim alone requires."""
    others = {fact.name for t in top for fact in brief.facts_of(brief.aims[t.aim])}
    return any(fact.name not in others for fact in each.right)


def _fit(brief: Brief, each: Checked, report: Report, done: Sequence[int]) -> float:
    aim = brief.aims[each.aim]
    score = 1.0 * len(each.right) - 0.6 * len(each.wrong) - 0.2 * (each.aim in done)
    kinds = {(domain, kind) for domain, kind in report.topics if kind}
    if (aim.domain.name, aim.record.name) in kinds:
        score += 2
    elif kinds and any(domain == aim.domain.name for domain, _ in kinds):
        score += 0.5
    elif kinds & {(other.domain.name, other.record.name) for other in brief.aims}:
        score -= 2
    if any(domain == aim.domain.name for domain, _ in report.topics):
        score += 1
    elif report.topics:
        score -= 2
    return score + (0 if each.deed else -2) + (0.5 if report.deed != "done" and each.deed else 0)


def _spans(heard: Heard, report: Report, last: int) -> Iterator[list[int]]:
    """The clauses that may tell what a report is about: from it on, else those before it too, back to the report before
    and, where it says what it is of, to the beginning."""
    ahead = list(range(report.clause, report.end))
    yield ahead
    for start in (last, 0) if report.topics else (last,):
        before = [n for n in range(start, report.clause) if not heard.clauses[n].asks]
        if before:
            yield [*before, *ahead]


def _said(brief: Brief, heard: Heard, span: Sequence[int]) -> Mapping[str, Said]:
    """By name, what those clauses say of each fact that some aim requires."""
    parts, pairs = [heard.plain[number] for number in span], pairs_in(heard, span)
    return {name: told_of(fact, parts, pairs, brief.required_beside(fact)) for name, fact in brief.required.items()}


def _check(
    brief: Brief,
    heard: Heard,
    number: int,
    report: Report,
    span: Sequence[int],
    said: Mapping[str, Said],
    chosen: Mapping[str, Sequence[str]],
) -> Checked:
    aim = brief.aims[number]
    right = tuple(fact for fact in brief.facts_of(aim) if said[fact.name].right)
    wrong = tuple(
        (fact, said[fact.name].wrong) for fact in brief.facts_of(aim) if said[fact.name].wrong and fact.form != "entity"
    )
    entities = entities_in(heard, span, aim.domain.name)
    wanted = _wanted_entity(brief, aim, chosen)
    other = ""
    if wanted and entities and not any(name.casefold() in wanted for name in entities):
        lost = {name.casefold() for name in heard.unavailable}
        fixed = any(fact.form == "entity" for fact in brief.facts_of(aim))
        other = entities[0] if fixed or not lost & set(wanted) else ""
    values = tuple((each.key, each.value) for each in values_in(heard, span) if each.domain == aim.domain.name)
    return Checked(number, report, right, wrong, other, entities[0] if entities else "", _is_deed(aim, report), values)


def _wanted_entity(brief: Brief, aim: Aim, chosen: Mapping[str, Sequence[str]]) -> list[str]:
    """What may be named: what the task settles, else what the user picked; all in lower case."""
    fixed = [str(fact.value).casefold() for fact in brief.facts_of(aim) if fact.form == "entity"]
    return fixed or [name.casefold() for name in chosen.get(aim.domain.name, ())]


def _is_deed(aim: Aim, report: Report) -> bool:
    if aim.gone:
        return report.deed in ("cancelled", "done")
    return report.deed != "cancelled"


def _merged(found: Sequence[Checked]) -> Iterator[Checked]:
    """Of several reports about one aim in one turn: what any has right is right, what any has wrong is wrong unless
    another one has it right."""
    for number in dict.fromkeys(each.aim for each in found):
        own = [each for each in found if each.aim == number]
        if len(own) == 1:
            yield own[0]
            continue
        right = {fact.name: fact for each in own for fact in each.right}
        wrong = {fact.name: (fact, said) for each in own for fact, said in each.wrong if fact.name not in right}
        values = tuple(dict.fromkeys(value for each in own for value in each.values))
        named = next((each.named for each in own if each.named and not each.entity), "")
        other = "" if named else next((each.entity for each in own if each.entity), "")
        yield Checked(
            number, own[0].report, tuple(right.values()), tuple(wrong.values()), other, named or own[0].named,
            any(each.deed for each in own), values,
        )  # fmt: skip
