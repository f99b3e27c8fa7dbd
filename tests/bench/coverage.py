"""How often the intervals hold the truth and the tests cry wolf: `python tests/bench/coverage.py [RUNS] [PART...]`.

Runs are simulated by a known truth (tests/simulator/statistics/simulated.py), 2,000 where no number is given. Parts
are mean, tasks, alike, judge, rest. Prints one line a design: 93 to 97 % of intervals should hold the truth (the
standard error of 2,000 runs is 0.5 %), and at most 6 % of equal assistants be told apart.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

# Threads of their own for such small sums would only wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from tests.simulator.statistics import simulated as made

from duologue.statistics.agreement import cohen
from duologue.statistics.contrast import contrast
from duologue.statistics.interval import Interval, bootstrapped, interval
from duologue.statistics.lengths import length_controlled
from duologue.statistics.rectified import rectified
from duologue.statistics.strength import Game, bradley_terry

Line = tuple[str, list[float]]


def mean(runs: int) -> Iterator[Line]:
    yield "the mean: covered | unclustered | width", []
    designs = {"scores": made.scores, "points": made.points} | {
        f"yes {share}": made.yes(share) for share in (0.5, 0.8, 0.9, 0.97)
    }
    for name, draw in designs.items():
        for unequal in (False, True):
            for profiles in (10, 20, 100):
                hits, plain, widths = 0, 0, []
                for run in range(runs):
                    random = np.random.default_rng([run, profiles])
                    who = made.seated(random, profiles, unequal)
                    values, truth = draw(random, who)
                    observed = made.named(who, values)
                    found = interval(observed, (run,), share=name.startswith("yes"))
                    hits += made.within(_ends(found), truth)
                    plain += made.within(made.unclustered(observed), truth)
                    widths.append((found.high or 0) - (found.low or 0))
                label = f"{name}{', unequal' if unequal else ''}, {profiles} profiles"
                yield label, [hits / runs, plain / runs, float(np.mean(widths))]


def tasks(runs: int) -> Iterator[Line]:
    yield "profiles and tasks both drawn: covered | by profiles alone", []
    for profiles, work in ((10, 10), (20, 10), (50, 20)):

        def simulate(random: np.random.Generator, both: bool, size: tuple[int, int] = (profiles, work)) -> bool:
            observed, names = made.crossed(random, *size)
            return made.within(_ends(interval(observed, ("k",), tasks=names if both else None)), 0)

        shares = [made.held(runs, "tasks", lambda random, both=both: simulate(random, both)) for both in (True, False)]
        yield f"{profiles} profiles, {work} tasks", shares


def alike(runs: int) -> Iterator[Line]:
    yield "equal assistants told apart: by the test | by the interval", []
    for binary in (False, True):
        for unequal in (False, True):
            for profiles in (8, 10, 14, 20, 40, 100):
                test = span = 0
                for run in range(runs):
                    random = np.random.default_rng([run, profiles])
                    observed = made.alike(random, made.seated(random, profiles, unequal), binary)
                    test += (contrast(observed, (run,), binary).p or 0) < 0.05
                    span += not made.within(_ends(bootstrapped(observed, (run,))), 0)
                kind = f"{'yes/no' if binary else 'scale'}{', unequal' if unequal else ''}, {profiles} profiles"
                yield kind, [test / runs, span / runs]


def judge(runs: int) -> Iterator[Line]:
    yield "a judge 0.7 too kind, people's mean: covered | by the labels alone | width by that of the labels", []
    for labels, few in ((100, 0), (50, 0), (300, 0), (100, 10), (100, 20), (40, 8)):
        hits, plain, widths = 0, 0, []
        for run in range(runs):
            found = rectified(*made.judged(np.random.default_rng([run, labels]), labels, few), (run,))
            hits += made.within((found.low, found.high), 0)
            plain += made.within(_ends(found.classical), 0)
            widths.append(_width(found.low, found.high) / _width(found.classical.low, found.classical.high))
        yield f"{labels} labels of 1,000, {few or 'all'} profiles", [hits / runs, plain / runs, float(np.mean(widths))]


def rest(runs: int) -> Iterator[Line]:
    yield "others: covered", []
    for profiles in (10, 20, 100):
        yield f"kappa, {profiles} profiles", [made.held(runs, "kappa", lambda r, g=profiles: _kappa(r, g))]
        yield f"Bradley-Terry, {profiles} profiles", [made.held(runs, "games", lambda r, g=profiles: _ranked(r, g))]
        yield (
            f"win rate at equal length, {profiles} profiles",
            [made.held(runs, "length", lambda r, g=profiles: _length(r, g))],
        )


def _kappa(random: np.random.Generator, profiles: int) -> bool:
    """Two raters who copy the truth (4 classes) in 7 of 10 cases, else guess: kappa is 0.49."""
    truth = random.integers(0, 4, 5 * profiles)
    first, second = (np.where(random.random(len(truth)) < 0.7, truth, random.integers(0, 4, len(truth))) for _ in "ab")
    pairs = [(f"p{i // 5}", int(a), int(b)) for i, (a, b) in enumerate(zip(first, second, strict=True))]
    found = cohen(pairs, ("k",))
    return made.within((found.low, found.high), 0.49)


def _ranked(random: np.random.Generator, profiles: int) -> bool:
    strengths = np.array([0.8, 0.0, -0.8])
    games = [
        Game(cluster=f"p{p}", a="abc"[i], b="abc"[j], score=float(random.random() < chance))
        for p in range(profiles)
        for i, j in ((0, 1), (0, 2), (1, 2)) * 2
        for chance in [1 / (1 + np.exp(strengths[j] - strengths[i]))]
    ]
    top = next((each for each in bradley_terry(games, ("k",)).strengths if each.name == "a"), None)
    return top is not None and made.within((top.low, top.high), 0.8)


def _length(random: np.random.Generator, profiles: int) -> bool:
    """A judge who likes length, and equal assistants of which a talks more."""
    lengths = random.normal(0.4, 0.5, 5 * profiles)
    won = random.random(len(lengths)) < 1 / (1 + np.exp(-2 * lengths))
    found = length_controlled(
        [(f"p{i // 5}", float(w), float(n)) for i, (w, n) in enumerate(zip(won, lengths, strict=True))], ("k",)
    )
    return made.within((found.low, found.high), 0.5)


def _ends(found: Interval) -> made.Ends:
    return found.low, found.high


def _width(low: float | None, high: float | None) -> float:
    return high - low if low is not None and high is not None else float("nan")


if __name__ == "__main__":
    asked = sys.argv[1:]
    count = int(asked.pop(0)) if asked and asked[0].isdigit() else 2000
    for part in (mean, tasks, alike, judge, rest):
        if not asked or part.__name__ in asked:
            for name, figures in part(count):
                print(f"{name:48}" + "".join(f"{figure:9.3f}" for figure in figures), flush=True)
