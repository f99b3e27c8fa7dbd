"""Planning: how many profiles, tasks and trials it takes to see a difference of a size that the user names."""

import math
from collections import Counter
from collections.abc import Sequence

from duologue.comparing.contest import Contestant, contestants
from duologue.comparing.ladder import main_scores
from duologue.comparing.pairs import Pair, held, paired
from duologue.comparing.wider import of_size, wider
from duologue.gates import score_named
from duologue.record.run import Run
from duologue.scores import summary
from duologue.scoring.measures import ENDS, label, ordered
from duologue.statistics.interval import FEWEST
from duologue.statistics.power import POWER, Variances, detectable, needed, variances
from duologue.tasks.written import BadInput, Written, canonical, nearest

__all__ = ["Design", "Plan", "plan"]

PREFERRED = ("state_preferences_met", "personalisation", "state_success", "success")
TASKS, TRIALS = (1, 2, 4, 8), (1, 3)
"""Tasks a profile, and trials of each, that are looked at."""
BETTER = 30
"""So many profiles make a fair pilot."""
CAUTION = 0.8
"""How sure the careful number of profiles is about the pilot's variances."""


class Design(Written):
    """One way to find the effect. `profiles` is None where not even a million would do."""

    tasks: int
    """A profile."""
    trials: int
    profiles: int | None
    cautious: int | None
    """As many where the true variances are as large as the pilot leaves possible."""
    dialogues: int | None
    """Of both assistants together."""
    cost: float | None = None
    """What these would cost as the pilot's did; None where that is unknown."""


class Plan(Written):
    """How a comparison of two assistants would have to be made."""

    a: str
    b: str
    metric: str
    effect: float
    power: float
    pilot: Variances
    """The parts of the variance of paired differences."""
    detectable: float
    """The smallest true difference that the pilot itself would find with this power."""
    designs: tuple[Design, ...]
    held: float = 1.0
    """The share of the pilot's profiles that both have the score of."""
    select: str = ""
    """What makes the campaign take as many as the design with the fewest dialogues needs; empty where none would do."""
    currency: str = ""
    notes: tuple[str, ...] = ()


def plan(
    run: Run, effect: float, metric: str = "", power: float = POWER, assistants: Sequence[str] = (), judge: str = ""
) -> Plan:
    """What it takes to find a true difference of `effect` in `metric` with probability `power`, by the spread that
    the pilot `run` shows between two of its assistants. What difference it shows plays no part.

    Raises BadInput where there are not two assistants, no such score, no pairs, too few profiles, or no spread.
    """
    _check(effect, power)
    chosen = _two(run, assistants, judge)
    a, b = chosen
    name = _metric(metric, chosen)
    if name in ENDS and effect > (widest := ENDS[name][1] - ENDS[name][0]):
        raise BadInput(f"{effect:g} is no difference that {label(name)} can have", "--effect", f"At most {widest:g}")
    pairs = paired(a.rows, b.rows)
    parts = _variances(name, pairs, a, b)
    share = parts.profiles / len(_shared(pairs))
    price, currency = _price(run, (a.name, b.name))
    tasks = TASKS if parts.scenarios > parts.profiles else (1,)
    trials = TRIALS if parts.trial is not None else (1,)
    sizes = [(of_tasks, of_trials) for of_trials in trials for of_tasks in tasks]
    each = max(1, round(parts.scenarios / parts.profiles)), max(1, round(parts.pairs / parts.scenarios))
    designs = tuple(_design(parts, effect, power, *size, price) for size in sizes)
    return Plan(
        a=a.label,
        b=b.label,
        metric=name,
        effect=effect,
        power=power,
        pilot=parts,
        detectable=detectable(parts, parts.profiles, *each, power),
        designs=designs,
        held=share,
        select=_select(designs, share),
        currency=currency,
        notes=tuple(_notes(parts, len(_shared(pairs)))),
    )


def _check(effect: float, power: float) -> None:
    if not 0 < effect < float("inf"):
        raise BadInput(f"{effect:g} is no difference to look for", "--effect", "Name the smallest that matters: 0.05")
    if not 0.5 <= power <= 0.99:
        raise BadInput(f"{power:g} is no power to plan for", "--power", "Give one from 0.5 to 0.99, such as 0.8")


def _two(run: Run, assistants: Sequence[str], judge: str) -> tuple[Contestant, Contestant]:
    found = contestants([run], assistants, judge=judge).chosen
    if len(found) != 2:
        names = [each.label for each in sorted(found, key=lambda each: bool(each.insight.reference))]
        then = f"Name two: duologue plan {run.folder} -a {names[0]} -a {names[1]}"
        raise BadInput(f"a plan is for two assistants, and there are {', '.join(names)}", run.folder, then)
    return found[0], found[1]


def _metric(named: str, chosen: Sequence[Contestant]) -> str:
    """The score that is meant; the first of the main ones that have values where none is named."""
    rows = [row for each in chosen for row in each.rows]
    known = ordered(name for row in rows for name in row.metrics)
    if named:
        if found := score_named(named, known):
            return found
        raise BadInput(f"no score {named!r}{nearest(named, known)}", "--metric", f"There are: {', '.join(known)}")
    there = [name for name in known if any(row.metrics.get(name) is not None for row in rows)]
    mains = [*(name for name in PREFERRED if name in there), *main_scores(there)]
    return next(iter(mains), next(iter(there or known), ""))


def _variances(metric: str, pairs: Sequence[Pair], a: Contestant, b: Contestant) -> Variances:
    """The parts of the variance of differences within pairs. Raises BadInput where they tell nothing."""
    where = a.run.folder
    found = [
        (pair.profile, canonical([pair.task, pair.row.situation]), left - right)
        for pair in pairs
        for _, left, right in held(metric, [pair], a.label, b.label).values
    ]
    profiles = len({profile for profile, *_ in found})
    if not found:
        raise BadInput(f"no pair of {a.label} and {b.label} has {label(metric)}", where, "Name another with --metric")
    if profiles < FEWEST:
        more = wider(a.run.manifest.campaign, BETTER / profiles)
        raise BadInput(_too_few(metric, pairs, a, b, profiles), where, f"{BETTER} or so would do: {more}")
    parts = variances(found)
    if parts is None or not parts.profile + parts.task + (parts.trial or 0):
        told = f"all pairs of the pilot have the same difference in {label(metric)}: that tells nothing of its spread"
        raise BadInput(told, where, "Name another score with --metric, or run a larger pilot")
    return parts


def _shared(pairs: Sequence[Pair]) -> set[str]:
    """The profiles that both have met."""
    return {pair.profile for pair in pairs if pair.a and pair.b}


def _too_few(metric: str, pairs: Sequence[Pair], a: Contestant, b: Contestant, profiles: int) -> str:
    all = len(_shared(pairs))
    if profiles == all:
        return f"a pilot of {profiles} profiles says too little of how much they differ"
    lost = Counter(why for _, why in held(metric, pairs, a.label, b.label).dropped).most_common(1)
    why = f" (most often {lost[0][0]})" if lost else ""
    return f"{profiles} of {all} profiles have {label(metric)} for both{why}: too few to tell how much they differ"


def _select(designs: Sequence[Design], share: float) -> str:
    """How to select for the design with the fewest dialogues, where only a share of the profiles has the score."""
    able = [(each.dialogues, each.profiles, each) for each in designs if each.dialogues and each.profiles]
    if not able:
        return ""
    _, profiles, best = min(able, key=lambda each: each[:2])
    return of_size(math.ceil(profiles / share), best.tasks, best.trials)


def _design(parts: Variances, effect: float, power: float, tasks: int, trials: int, price: float | None) -> Design:
    profiles = needed(parts, effect, tasks, trials, power)
    dialogues = None if profiles is None else 2 * profiles * tasks * trials
    return Design(
        tasks=tasks,
        trials=trials,
        profiles=profiles,
        cautious=needed(_widened(parts), effect, tasks, trials, power),
        dialogues=dialogues,
        cost=None if price is None or dialogues is None else price * dialogues,
    )


def _widened(parts: Variances) -> Variances:
    """The variances as large as they may be with 80 % confidence: times (G - 1) / χ²(0.2; G - 1), G the profiles.

    Browne (1995), "On the use of a pilot sample for sample size determination", Statistics in Medicine 14:17.
    """
    from scipy.special import chdtri

    freedom = parts.profiles - 1
    factor = freedom / float(chdtri(freedom, CAUTION))
    trial = None if parts.trial is None else parts.trial * factor
    return parts.model_copy(update={"profile": parts.profile * factor, "task": parts.task * factor, "trial": trial})


def _price(run: Run, names: Sequence[str]) -> tuple[float | None, str]:
    """What a dialogue cost on average over both assistants, and the currency; None where unknown or for free."""
    said = summary(run)
    total, dialogues = 0.0, 0
    for each in said.assistants:
        if each.name in names:
            if None in each.cost.values():
                return None, said.currency
            total += sum(amount for amount in each.cost.values() if amount is not None)
            dialogues += each.dialogues
    return (total / dialogues if total and dialogues else None), said.currency


def _notes(parts: Variances, all: int) -> list[str]:
    """What the pilot cannot tell, and what it lacks."""
    notes = []
    if parts.profiles < all:
        notes.append(
            f"{parts.profiles} of {all} profiles of the pilot have the score for both: "
            f"run {all / parts.profiles:.2g} times as many as stand here"
        )
    if parts.scenarios == parts.profiles:
        notes.append("each profile of the pilot has one task: what several would bring, it cannot tell")
    if parts.trial is None:
        notes.append("the pilot has one trial of each scenario: what several would bring, it cannot tell")
    return notes
