"""A comparison: assistants on equal scenarios, pair by pair."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from pydantic import Field

from duologue.agents.verdict import NOT_APPLICABLE
from duologue.comparing.contest import Contest, Contestant, contestants
from duologue.comparing.difference import TASTES, Difference, Finding, difference, settled
from duologue.comparing.doubts import doubts
from duologue.comparing.ladder import FEWEST_RUNGS, Ladder, ladders, main_scores
from duologue.comparing.pairs import Dropped, Pair, paired
from duologue.comparing.strata import CONTEXT, Stratum, check_grouping, grouped, grouping, settled_together
from duologue.comparing.wider import wider
from duologue.record.run import Run
from duologue.scoring.insight import scale_ends
from duologue.scoring.judging import Judging
from duologue.scoring.kinship import kin
from duologue.scoring.measures import STATE_SCALES, ordered
from duologue.scoring.scale import places, unscaled
from duologue.scoring.scorecard import Place, Row
from duologue.statistics.interval import FEWEST
from duologue.tasks.written import Written

__all__ = ["Comparison", "Difference", "Dropped", "Finding", "Ladder", "Pairing", "Side", "Stratum", "compare"]

ACTED = (*STATE_SCALES, "calls")
"""Scores of those that could act."""

Pairs = Mapping[tuple[str, str], Sequence[Pair]]
"""The pairs of each two assistants, by their labels."""


class Side(Written):
    """One of the assistants compared."""

    label: str
    assistant: str
    run: str
    context: tuple[str, ...] = ()
    told: str = ""
    """What it is told of the user, in words."""
    reads_answers: bool = False
    """Its context holds the preferences themselves: it is told what the others have to find out."""
    dialogues: int
    places: tuple[Place, ...] = ()
    """Where it stands between the floor and the ceiling of these runs."""


class Pairing(Written):
    """Two assistants compared."""

    a: str
    b: str
    pairs: int
    """Scenarios and trials that both have run."""
    unpaired: dict[str, int] = Field(default_factory=dict)
    """Why others are no pair, with how often."""
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()


class Comparison(Written):
    """Assistants compared two by two, and of three or more who stands where."""

    judging: Judging
    state: Judging = Judging()
    """Whose reading of the end states is used."""
    doubts: str = ""
    """In what the judge agrees with the world no better than chance, if there is such a thing."""
    sides: tuple[Side, ...]
    pairings: tuple[Pairing, ...]
    ladders: tuple[Ladder, ...] = ()
    """Of three or more, one for each main score."""
    by: str = ""
    """By what the `strata` are grouped."""
    strata: tuple[Stratum, ...] = ()
    advice: str = ""
    """What a run would have to select for its largest group to be large enough; empty where it is."""
    unscaled: str = ""
    """Why nobody is placed between floor and ceiling, where worlds were there to do it by."""
    notes: tuple[str, ...] = ()


def compare(
    runs: Sequence[Run], assistants: Sequence[str] = (), rubric: str = "", judge: str = "", by: str = ""
) -> Comparison:
    """Compare the assistants of `runs` (or those named) on the pairs of equal profile, task, situation and trial.

    `rubric` and `judge` name the verdicts to use, as in `judging`; `by` groups the pairs too: by `domain`, by
    `context` (what both assistants are told), by a field of the situation or of the users' demographics.
    What is said of a difference is said in view of all the scores of all who are compared, see `settled`.
    Raises BadInput where fewer than two are left, where a name is unknown, where a run is named twice, or where
    the runs differ in user, data, judge or seed, so that their dialogues are no pairs.
    """
    check_grouping(by)
    contest = contestants(runs, assistants, rubric, judge)
    seed = runs[0].manifest.campaign.get("seed", 0)
    found = {each.label: each.insight for each in contest.all}
    duos = list(combinations(contest.chosen, 2))
    pairs = {(a.label, b.label): paired(a.rows, b.rows) for a, b in duos}
    pairings = _settled([_pairing(a, b, pairs[a.label, b.label], seed) for a, b in duos])
    known = {(each.a, each.b): {of.metric: of for of in each.differences} for each in pairings}
    several = len(contest.chosen) >= FEWEST_RUNGS
    strata = settled_together(list(_strata(by, runs, duos, pairs, seed))) if by else ()
    return Comparison(
        judging=contest.used,
        state=contest.state,
        doubts=doubts(contest.chosen, contest.used, contest.state),
        sides=tuple(_side(each, contest, seed) for each in contest.chosen),
        pairings=pairings,
        ladders=tuple(ladders(contest.chosen, pairs, known, seed)) if several else (),
        by=by,
        strata=strata,
        advice=_advice(strata, runs),
        unscaled=unscaled(found) if contest.state.judge else "",
        notes=tuple(
            dict.fromkeys(
                [*kin(runs, contest.used), *(note for run in runs for note in (*run.manifest.notes, *run.notes))]
            )
        ),
    )


def _side(each: Contestant, contest: Contest, seed: object) -> Side:
    ends = scale_ends({other.label: other.insight for other in contest.all})
    held = {other.label: other.rows for other in contest.all}
    acted = any(row.metrics.get("state_success") is not None for row in each.rows)
    scaled = acted and len(ends) == 2 and each.label not in ends.values()
    return Side(
        label=each.label,
        assistant=each.name,
        run=str(each.run.folder),
        context=each.insight.context,
        told=each.insight.told,
        reads_answers=each.reads_answers,
        dialogues=len(each.rows),
        places=places(each.rows, held[ends["floor"]], held[ends["ceiling"]], (seed, each.label)) if scaled else (),
    )


def _pairing(a: Contestant, b: Contestant, pairs: Sequence[Pair], seed: object) -> Pairing:
    alone = Counter(f"not run by {(b if pair.b is None else a).label}" for pair in pairs if not (pair.a and pair.b))
    return Pairing(
        a=a.label,
        b=b.label,
        pairs=len(pairs) - alone.total(),
        unpaired=dict(alone),
        differences=tuple(_difference(name, pairs, a, b, (seed,)) for name in _names(a, b)),
        notes=(*_context_notes(a, b), *_talk_notes(a, b)),
    )


def _names(a: Contestant, b: Contestant) -> list[str]:
    """The scores that two are compared by; where one of them only talked, none that shows in what was done."""
    names = ordered(name for row in (*a.rows, *b.rows) for name in row.metrics)
    return [name for name in names if name not in ACTED] if _talkers(a, b) else names


def _talkers(a: Contestant, b: Contestant) -> list[str]:
    """Those of the two that acted on nothing."""
    return [each.label for each in (a, b) if not any(map(_acted, each.rows))]


def _difference(metric: str, pairs: Sequence[Pair], a: Contestant, b: Contestant, key: Sequence[object]) -> Difference:
    return difference(metric, pairs, a.label, b.label, (*key, metric, a.label, b.label), unfair=_unfair(metric, a, b))


def _unfair(metric: str, a: Contestant, b: Contestant) -> bool:
    """Whether one of the two is handed what the other has to find out. The ceiling, a reference, is there for that."""
    reader = a if a.reads_answers else b
    return metric in TASTES and a.reads_answers != b.reads_answers and not reader.insight.reference


def _settled(pairings: Sequence[Pairing]) -> tuple[Pairing, ...]:
    """`pairings` with what may be said of each difference in view of all of them."""
    done = iter(settled([each for pairing in pairings for each in pairing.differences]))
    return tuple(
        pairing.model_copy(update={"differences": tuple(next(done) for _ in pairing.differences)})
        for pairing in pairings
    )


def _strata(
    by: str, runs: Sequence[Run], duos: Iterable[tuple[Contestant, Contestant]], pairs: Pairs, seed: object
) -> Iterable[Stratum]:
    """The main scores of each two, group by group. By context, only those that are told alike are compared."""
    chosen = [(a, b) for a, b in duos if by != CONTEXT or a.insight.told == b.insight.told]
    group = None if by == CONTEXT else grouping(by, runs, (row for duo in chosen for each in duo for row in each.rows))
    for a, b in chosen:
        held = pairs[a.label, b.label]
        names = main_scores(_names(a, b))
        groups = grouped(held, group) if group else {a.insight.told or "nothing": list(held)}
        for name, some in groups.items():
            both = [pair for pair in some if pair.a and pair.b]
            yield Stratum(
                group=name,
                a=a.label,
                b=b.label,
                pairs=len(both),
                profiles=len({pair.profile for pair in both}),
                differences=tuple(_difference(metric, some, a, b, (seed, name)) for metric in names),
            )


def _advice(strata: Sequence[Stratum], runs: Sequence[Run]) -> str:
    largest = max((each.profiles for stratum in strata for each in stratum.differences), default=0)
    return wider(runs[0].manifest.campaign, FEWEST / largest) if 0 < largest < FEWEST else ""


def _acted(row: Row) -> bool:
    """Whether the assistant could act, so that there is an end state to read."""
    return not row.unscored.get("state_success", NOT_APPLICABLE).startswith(NOT_APPLICABLE) or (
        row.metrics.get("state_success") is not None
    )


def _context_notes(a: Contestant, b: Contestant) -> Iterable[str]:
    reader, other = (a, b) if a.reads_answers else (b, a)
    if reader.reads_answers != other.reads_answers and reader.insight.reference:
        yield f"{reader.label} reads the user's preferences by intent: it shows how much there is to be met"
    elif reader.reads_answers != other.reads_answers:
        yield (
            f"{reader.label} alone reads the user's preferences: in personalisation and in "
            "preferences met they are not ranked, and the difference shows only what reading them brings"
        )
    elif a.insight.told != b.insight.told:
        yield (
            f"contexts differ ({a.insight.told or 'none'} and {b.insight.told or 'none'}): "
            "a difference may be due to what they are told, not to how good they are"
        )


def _talk_notes(a: Contestant, b: Contestant) -> Iterable[str]:
    """Why nothing is compared by state, where one of the two could act."""
    if len(talkers := _talkers(a, b)) == 1:
        yield f"{talkers[0]} acted on nothing, it only talked: nothing is compared by state"
