"""The annotators' votes, and how far they agree."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from duologue.bench.personafeedback.cases import Case
from duologue.bench.personafeedback.strata import NAMES, lines, mean
from duologue.bench.report import Figure, Line, Table

__all__ = ["agreement", "observed"]


def observed(votes: Sequence[str]) -> float:
    """The share of pairs of votes on an item that are equal: (Σ_j n_j² - n) / (n (n - 1)), for n of 2 or more."""
    count = len(votes)
    return (sum(times * times for times in Counter(votes).values()) - count) / (count * (count - 1))


def agreement(cases: Sequence[Case]) -> Iterator[Table]:
    """Fleiss' kappa over the cases of each stratum, and how many cases have which agreement; nothing where no case has
    two votes."""
    held = [case for case in cases if len(case.votes) > 1]
    if not held:
        return
    yield Table(
        title="Agreement of the annotators", names=NAMES, clusters="persona", shares=("observed_agreement",),
        lines=tuple(lines(cases, _figures)),
    )  # fmt: skip
    levels = Counter(round(observed(case.votes), 6) for case in held)
    yield Table(
        title="Cases by the agreement of their annotators",
        names=("agreement",),
        shares=("share",),
        lines=tuple(
            Line(name=(f"{level:.3f}",), figures={"share": Figure(value=times / len(held), n=times)})
            for level, times in sorted(levels.items(), reverse=True)
        ),
    )


def _figures(cases: Sequence[Case], key: Sequence[str]) -> Mapping[str, Figure]:
    from duologue.statistics.agreement import fleiss

    held = [case for case in cases if len(case.votes) > 1]
    unrated = len(cases) - len(held)
    found = fleiss([(case.persona, case.votes) for case in held], (*key, "kappa"))
    kappa = Figure(
        value=found.value, low=found.low, high=found.high, n=len(held), unscored=unrated,
        why="" if found.value is not None else found.why,
    )  # fmt: skip
    items = [(case.persona, observed(case.votes)) for case in held]
    return {"fleiss_kappa": kappa, "observed_agreement": mean(items, unrated, (*key, "observed"))}
