"""The report on duels, as records."""

from typing import Literal

from pydantic import Field

from duologue.agents.usage import Usage
from duologue.scoring.judging import Judging
from duologue.statistics.lengths import LengthControlled
from duologue.statistics.strength import Ranking
from duologue.tasks.written import Written

__all__ = ["Duels", "Finding", "Habit", "Pairing", "Ranked", "Result", "Share"]

Finding = Literal["a preferred", "b preferred", "no difference shown", "too few profiles to tell", "no pairs"]


class Share(Written):
    """A share with its 95 % interval, clustered by profile; without ends where none is shown."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""


class Result(Written):
    """One question over the pairs of two assistants that were judged in both orders."""

    question: str
    pairs: int
    profiles: int
    wins: int
    """Pairs in which a was preferred in both orders."""
    ties: int
    """All others, the `flips` among them: there each order preferred another one."""
    losses: int
    flips: int
    rate: Share
    """a's wins, ties as half."""
    level: LengthControlled
    """The same at equal length of what the assistants said."""
    p: float | None = None
    """How often a win rate at least as far from a half would come up if the two were alike. None below 8 profiles."""
    adjusted: float | None = None
    """The same in view of all results beside it (Holm)."""
    test: str = ""
    finding: Finding
    missing: dict[str, int] = Field(default_factory=dict)
    """Why other pairs have no result, with how often."""
    worst: tuple[float, float] | None = None
    """Between what the win rate could lie, whatever those had come to. None where there are none."""


class Pairing(Written):
    """Two assistants, compared pair by pair."""

    a: str
    b: str
    pairs: int
    """Scenarios and trials that both have run."""
    profiles: int
    unpaired: dict[str, int] = Field(default_factory=dict)
    barred: dict[str, int] = Field(default_factory=dict)
    """Why pairs cannot be laid before a judge, with how often."""
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()


class Habit(Written):
    """How the judge answers a question, over all the pairs that it judged in both orders."""

    question: str
    pairs: int
    flips: int
    """Pairs in which each order preferred another one."""
    wavers: int
    """Pairs in which one order was a tie and the other was not."""
    first: Share
    """Of all answers that preferred one, how many preferred the first. A half is unbiased."""
    longer: Share
    """Of the pairs that were decided, in how many the assistant that said more won."""


class Ranked(Written):
    """Where three assistants or more stand in one question."""

    question: str
    ranking: Ranking


class Duels(Written):
    """What one judge said under one rubric of assistants, two by two."""

    folder: str
    """Of the run in which it is recorded."""
    judging: Judging
    others: tuple[Judging, ...] = ()
    """Who else has judged these runs pair by pair; never counted together with these."""
    sides: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    habits: tuple[Habit, ...]
    rankings: tuple[Ranked, ...] = ()
    answers: int
    """How many bouts were judged: each pair is two of them, one for each order."""
    left: int = 0
    """How many are still to be judged."""
    failed: int = 0
    """How many of them the infrastructure spoilt."""
    unread: dict[str, int] = Field(default_factory=dict)
    """Why answers, or parts of them, could not be read, with how often."""
    usage: Usage | None = None
    """The judge's tokens."""
    cost: float | None = None
    """What they cost, in `currency`; None where that is unknown."""
    currency: str = ""
    seconds: float = 0
    """Spent waiting for the judge."""
    stopped: str = ""
    """Why it was just stopped early, if it was."""
    warnings: tuple[str, ...] = ()
    """By what the judge may have been led."""
    notes: tuple[str, ...] = ()
