"""A verdict: what a judge says of one transcript under one rubric."""

from typing import Literal

from pydantic import Field

from duologue.agents.ending import Owner
from duologue.agents.usage import Usage
from duologue.tasks.written import Written

__all__ = [
    "FAIR_MASS", "NOTHING_DECIDED", "NOTHING_RELEVANT", "NOT_APPLICABLE", "NO_WORLD", "UNHELD",
    "Evidence", "Outcome", "PreferenceVerdict", "Route", "Score", "Verdict",
]  # fmt: skip

NOT_APPLICABLE = "not applicable"
"""How reasons begin for which a dialogue is not even counted beside: the question makes no sense for it."""
NO_WORLD = f"{NOT_APPLICABLE}: nothing was acted on, only talked about"
UNHELD = "the profile holds no such preference"
NOTHING_DECIDED = "no preference was decided"
NOTHING_RELEVANT = "no relevant preference"
"""Reasons for a missing score that are no fault either."""

FAIR_MASS = 0.5
"""The probability that a scale's points must have together for their expectation to mean something."""

Outcome = Literal["met", "unmet", "violated", "infeasible", "no_decision", "unscored"]
Route = Literal["", "unasked", "asked", "told", "corrected"]


class Evidence(Written):
    """Where in the transcript a judgement rests. `found` is whether the quote stands in that turn."""

    turn: int | None = None
    role: Literal["", "user", "assistant", "tool"] = ""
    """Who said it; `tool` for a tool's call or answer and, without a turn, for the records at the end."""
    quote: str = ""
    found: bool = False
    claimed_turn: int | None = None
    """The turn that the judge named, where the quote stands in another one."""


class Score(Written):
    """One dimension's score. `value` is None where it could not be read; `unscored` then says why."""

    value: bool | float | None = None
    reason: str = ""
    evidence: Evidence | None = None
    unscored: str = ""
    expected: float | None = None
    """The expected score over the scale's points, of yes and no the probability of yes, where the judge's endpoint
    gives log-probabilities and the first letter of a point tells it from the others (1 to 10 does not)."""
    mass: float | None = None
    """The probability that the judge gave to all points of the scale together, 0 to 1; `expected` rests on it."""

    @property
    def grounded(self) -> bool | None:
        """Whether a quote that stands in the transcript bears the score out; None where there is no score."""
        return None if self.value is None else _is_borne_out(self.evidence)

    @property
    def vague(self) -> bool:
        """Whether `expected` is not to be relied on: most of the probability was not on the scale at all."""
        return self.mass is not None and self.mass < FAIR_MASS


class PreferenceVerdict(Written):
    """What became of one relevant preference, and by which route it came in."""

    domain: str
    type: str
    outcome: Outcome = "unscored"
    route: Route = ""
    reason: str = ""
    evidence: Evidence | None = None
    told: Evidence | None = None
    """Where the user let out what the choice rests on; None where the assistant chose unasked."""
    held: Literal["", "verbatim", "evidence"] = ""
    """How far the assistant's context held the preference; empty where it did not."""
    unscored: str = ""

    @property
    def grounded(self) -> bool | None:
        """Whether a quote that stands in the transcript bears the outcome out; None where there is none to bear out."""
        return None if self.outcome in ("unscored", "no_decision") else _is_borne_out(self.evidence)


class Verdict(Written):
    """One judge's answer for one cell. With `unscored`, nothing in it was scored, and why."""

    v: Literal[1] = 1
    cell: str
    attempt: int
    rubric: str
    """The rubric's fingerprint. Verdicts of different fingerprints are never averaged together."""
    rubric_name: str
    judge: str
    look: int = 1
    """Which of its looks at the transcript this is, from 1, where the judge looks several times."""
    scores: dict[str, Score] = Field(default_factory=dict)
    preferences: tuple[PreferenceVerdict, ...] = ()
    unscored: str = ""
    owner: Owner | Literal["", "judge"] = ""
    """Who is to blame for `unscored`: the judge's own answer, or the infrastructure."""
    warnings: tuple[str, ...] = ()
    parts: dict[str, str] = Field(default_factory=dict)
    """The fingerprint of each question that was asked in a call of its own: where another rubric asks the same, its
    score can be taken over."""
    taken: tuple[str, ...] = ()
    """The parts that were taken over from an earlier verdict, and not asked again."""
    answer: str = ""
    """The judge's text as it came, kept where it could not be read in full."""
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0
    time: float = 0


def _is_borne_out(evidence: Evidence | None) -> bool:
    return evidence is not None and evidence.found and bool(evidence.quote)
