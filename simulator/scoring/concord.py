"""Concord: how far a judge's verdicts agree with what the worlds show, over the statements that both make."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from duologue.record.digest import VerdictDigest
from duologue.statistics.agreement import Agreement, cohen
from duologue.tasks.written import Written

__all__ = ["CLASSES", "ENOUGH", "NAMES", "SEVERAL", "Class", "Concord", "Count", "Judged", "Likeness", "concord"]

Class = Literal["success", "outcome", "route"]
CLASSES: tuple[Class, ...] = ("success", "outcome", "route")
NAMES: Mapping[Class, str] = {
    "success": "task success",
    "outcome": "outcomes of preferences",
    "route": "routes of preferences",
}
"""The classes as people read them."""
ENOUGH = 30
"""Statements of a class from which a domain is told by itself, without an interval: so many would keep a reader
waiting."""
SEVERAL = "several"
"""Where the success of tasks that cross domains is counted."""


class Count(Written):
    """How often the judge says one thing where the world shows another, or the same."""

    judge: str
    world: str
    count: int


class Likeness(Written):
    """How far both agree in one class of statements."""

    agreement: Agreement
    judge: dict[str, float]
    """What the judge says, with its share of all."""
    world: dict[str, float]
    """What the world shows, with its share of all."""
    table: tuple[Count, ...]
    """The most frequent first."""

    @property
    def differing(self) -> tuple[Count, ...]:
        """Where they differ, the most frequent first."""
        return tuple(each for each in self.table if each.judge != each.world)


class Concord(Written):
    """The judge against the world: task success, outcomes of preferences and the routes by which they came in."""

    dialogues: int
    """Those that both speak of."""
    classes: dict[Class, Likeness]
    """Only those in which there is something to compare."""
    one_sided: dict[Class, int]
    """Statements that only one of both makes: these are not compared."""
    domains: dict[str, dict[Class, Likeness]]
    """The same by domain, of a run with several, where there are enough statements."""


class Judged(NamedTuple):
    """A dialogue that both speak of."""

    profile: str
    domains: Sequence[str]
    """Of its task."""
    judge: VerdictDigest
    world: VerdictDigest


Pair = tuple[str, str, str]
"""The profile, what the judge says and what the world shows of the same thing; empty where it says nothing."""


def concord(judged: Iterable[Judged]) -> Concord | None:
    """How far the judge's verdicts and the readings of the end states agree; None where there is nothing to compare."""
    held = [each for each in judged if not each.judge.unscored and not each.world.unscored]
    pairs: dict[Class, dict[str, list[Pair]]] = {name: defaultdict(list) for name in CLASSES}
    alone: dict[Class, int] = dict.fromkeys(CLASSES, 0)
    for each in held:
        for name, domain, pair in _pairs(each):
            if pair[1] and pair[2]:
                pairs[name][domain].append(pair)
            elif pair[1] or pair[2]:
                alone[name] += 1
    whole = {name: [pair for held in strata.values() for pair in held] for name, strata in pairs.items()}
    classes = {name: _likeness(found, name) for name, found in whole.items() if found}
    return Concord(dialogues=len(held), classes=classes, one_sided=alone, domains=_domains(pairs)) if classes else None


def _pairs(each: Judged) -> Iterator[tuple[Class, str, Pair]]:
    """Each statement with its class and domain."""
    domain = each.domains[0] if len(each.domains) == 1 else SEVERAL
    yield "success", domain, (each.profile, _success(each.judge), _success(each.world))
    said = {(taste.domain, taste.type): taste for taste in each.judge.preferences}
    for shown in each.world.preferences:
        taste = said.get((shown.domain, shown.type))
        if taste is not None:
            yield "outcome", shown.domain, (each.profile, _told(taste.outcome), _told(shown.outcome))
            yield "route", shown.domain, (each.profile, taste.route, shown.route)


def _success(verdict: VerdictDigest) -> str:
    held = verdict.scores.get("success")
    return "" if held is None or held.value is None else "yes" if held.value else "no"


def _told(outcome: str) -> str:
    return "" if outcome == "unscored" else outcome


def _likeness(pairs: Sequence[Pair], name: Class, sure: bool = True) -> Likeness:
    """How far the pairs agree. Where not `sure`, kappa has no interval: all are taken for one cluster."""
    found = cohen(pairs if sure else [("", judge, world) for _, judge, world in pairs], ("concord", name))
    counts = Counter((judge, world) for _, judge, world in pairs)
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Likeness(
        agreement=found if sure or found.value is None else found.changed(why=""),
        judge=_rates(counts, 0),
        world=_rates(counts, 1),
        table=tuple(Count(judge=judge, world=world, count=times) for (judge, world), times in often),
    )


def _rates(counts: Counter[tuple[str, str]], place: int) -> dict[str, float]:
    """The share of each word that stands at `place`."""
    held: Counter[str] = Counter()
    for pair, times in counts.items():
        held[pair[place]] += times
    return {name: times / counts.total() for name, times in sorted(held.items())}


def _domains(pairs: dict[Class, dict[str, list[Pair]]]) -> dict[str, dict[Class, Likeness]]:
    known = {domain for strata in pairs.values() for domain in strata}
    if len(known) < 2:
        return {}
    found: dict[str, dict[Class, Likeness]] = {}
    for domain in sorted(known, key=lambda name: (name == SEVERAL, name)):
        for name, strata in pairs.items():
            if len(held := strata.get(domain, ())) >= ENOUGH:
                found.setdefault(domain, {})[name] = _likeness(held, name, sure=False)
    return found
