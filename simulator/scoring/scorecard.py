"""The scorecard: what is said of one dialogue, of one assistant and of a run, as records."""

from functools import cached_property

from pydantic import Field

from duologue.agents.ending import Ending
from duologue.agents.usage import Usage
from duologue.scoring.concord import Concord
from duologue.scoring.judging import Judging
from duologue.scoring.measures import EFFORT, STATE_SCALES
from duologue.tasks.task import Situation
from duologue.tasks.written import Written, canonical

__all__ = [
    "AssistantSummary", "DomainSummary", "EndingCount", "Expected", "Heeding", "Insight", "JudgeCost", "Looks", "Mean",
    "Place", "Row", "Summary",
]  # fmt: skip


class Row(Written):
    """One dialogue in numbers. Each metric is a number, or None with the reason in `unscored`.

    Those that begin with `state_` are read from the world's end state; all others but the effort are a judge's.
    """

    number: int
    """Its place in the run, from 1: what `replay RUN 3` means by 3."""
    cell: str
    profile: str
    task: str
    situation: Situation
    domains: tuple[str, ...]
    """Of the task; in older runs of the preferences that the verdict speaks of."""
    assistant: str
    trial: int
    turns: int
    """How many turns the user has said, also where nothing was scored."""
    ending: Ending | None
    """None where the dialogue is under way, or its run was killed."""
    cut_short: bool
    finished: bool
    metrics: dict[str, float | None]
    unscored: dict[str, str]
    routes: dict[str, int]
    """By which route the preferences that were met came in, as the judge has it."""
    state_routes: dict[str, dict[str, int]] = Field(default_factory=dict)
    """The same, as the world's records and the ledger have it, and of each route how the context held the value:
    `verbatim`, as `evidence`, or `unheld`."""
    expected: dict[str, float] = Field(default_factory=dict)
    """A judge's expected scores, where its endpoint gives log-probabilities."""
    mass: dict[str, float | None] = Field(default_factory=dict)
    """Of each of these the probability that was on the points of its scale."""
    spreads: dict[str, float] = Field(default_factory=dict)
    """Of each score that several looks gave, the highest less the lowest."""
    unstable: tuple[str, ...] = ()
    """Scores in which the looks differ."""

    @property
    def scored(self) -> bool:
        """Whether anything was scored. A failure of the assistant's own counts as no success, but is not scored."""
        judged = (value for name, value in self.metrics.items() if name not in EFFORT)
        return self.ending is not None and self.ending.scored and any(value is not None for value in judged)

    @property
    def judged(self) -> bool:
        """Whether a judge, not the reading of the end state, scored anything."""
        said = (value for name, value in self.metrics.items() if name not in (*EFFORT, *STATE_SCALES))
        return self.ending is not None and self.ending.scored and any(value is not None for value in said)

    @cached_property
    def pairing(self) -> tuple[str, str, str, int]:
        """What is equal in dialogues of two assistants that make a pair."""
        return self.profile, self.task, canonical(self.situation), self.trial


class Looks(Written):
    """How far several looks at the same dialogues lie apart in one score."""

    dialogues: int
    """Those with a score of several looks."""
    unstable: int
    """Those of them in which the looks differ."""
    spread: float
    """The mean of the highest less the lowest."""


class Expected(Written):
    """The expected score over the points of the scale, where the judge's endpoint gives log-probabilities."""

    n: int
    mean: float
    stated: float | None
    """The mean of the scores that were said of the same dialogues."""
    mass: float | None
    """The mean probability that was on the points of the scale."""


class Mean(Written):
    """A metric over the dialogues of one assistant; the interval is clustered by profile."""

    n: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    profiles: int = 0
    unscored: int = 0
    why: dict[str, int] = Field(default_factory=dict)
    """The reasons why dialogues have no such score, with how often."""
    inapplicable: int = 0
    """Dialogues for which the question makes no sense, since they had no world. They are not among `unscored`."""
    looks: Looks | None = None
    expected: Expected | None = None
    ends: tuple[float, float] | None = None
    """Those of its scale, where it is a question of the rubric's own and the run keeps that."""


class Place(Written):
    """Where an assistant stands between floor (0) and ceiling (1) in one metric, on the scenarios that all three ran.

    `value` is None where it is withheld; `why` says so.
    """

    metric: str
    n: int
    """Scenarios and trials that the assistant, the floor and the ceiling all have a score of."""
    profiles: int
    floor: float | None = None
    ceiling: float | None = None
    mean: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


class EndingCount(Written):
    """How many dialogues ended so. Without a reason: still under way, or the run was killed."""

    owner: str
    reason: str
    count: int
    detail: str = ""
    """What was told of it most often."""


class DomainSummary(Written):
    """Some means over the dialogues in one domain; `several` are the tasks that cross domains."""

    domain: str
    dialogues: int
    metrics: dict[str, Mean]


class Insight(Written):
    """What an assistant is told of the user."""

    context: tuple[str, ...] = ()
    reference: str = ""
    told: str = ""
    """It in words; empty where that is nothing."""
    reads_answers: bool = False
    """It is told the user's own preferences: what the others have to find out."""


class JudgeCost(Written):
    """What one judge took."""

    usage: Usage
    cost: float | None
    """In the summary's currency; None where a price or a count is unknown."""
    seconds: float


class Heeding(Written):
    """How often an assistant heeded what a person likes and avoids, by the four questions of the rubric `prefeval`."""

    dialogues: int
    """Those whose scores tell."""
    accuracy: float | None
    """1 less the share of them that failed, whyever; its interval is clustered by profile."""
    low: float | None
    high: float | None
    causes: dict[str, int]
    """How many failed for which cause."""
    unscored: dict[str, int]
    """How many dialogues do not tell, and why; those to which no preference matters are not among them."""


class AssistantSummary(Written):
    """What a run says of one assistant."""

    name: str
    context: tuple[str, ...] = ()
    insight: Insight = Insight()
    dialogues: int
    profiles: int
    unfinished: int
    """Dialogues that `resume` goes on with. They count in no mean and in no `unscored`."""
    cut_short: int
    endings: tuple[EndingCount, ...]
    metrics: dict[str, Mean]
    heeding: Heeding | None = None
    """Where the rubric asks what tells it."""
    routes: dict[str, int]
    state_routes: dict[str, dict[str, int]] = Field(default_factory=dict)
    places: tuple[Place, ...] = ()
    domains: tuple[DomainSummary, ...] = ()
    """By state, where the run has tasks of more than one domain."""
    discarded: int
    """User drafts that the guard discarded."""
    quotes: int = 0
    """Quotes that the judge rests its judgements on, and of them those that stand in the transcripts."""
    quotes_found: int = 0
    groundless: int = 0
    """Scores and outcomes of the judge that no quote in the transcript bears out."""
    usage: dict[str, Usage]
    """Tokens by role, drafts and retries included; None where no call told any."""
    unreported: dict[str, int] = Field(default_factory=dict)
    """Calls that told no tokens, by role."""
    cost: dict[str, float | None] = Field(default_factory=dict)
    """What the tokens cost by role, in the summary's currency; None where a price or a count is unknown."""
    seconds: dict[str, float]
    """Time spent waiting for each role."""
    judges: dict[str, JudgeCost] = Field(default_factory=dict)
    """What each judge whose verdicts are used took under their rubric, by its model's name."""


class Summary(Written):
    """What a run says."""

    name: str
    folder: str
    planned: int
    dialogues: int
    left: int = 0
    """How many of the planned ones are still to be held or to be finished."""
    profiles: int
    tasks: int
    scored: int
    """Dialogues of which anything was scored. 0 means that the run shows nothing."""
    unheard: bool = False
    """Whether the campaign's judge was asked and scored nothing, though end states were read."""
    failed: int = 0
    """Dialogues that ended so that no judge reads them."""
    allowed: float = 0.2
    """Which share of the dialogues may end so."""
    currency: str = ""
    """That of the costs."""
    budget: float | None = None
    """What the run may cost, if that is limited."""
    stopped: str = ""
    """Why it was just stopped early, if it was: its budget is spent."""
    judged: bool = True
    """Whether it was meant to be scored: there are worlds to check, the campaign names a judge, or one judged since."""
    judging: Judging
    """The judge, or the panel, and its rubric; empty where none judged."""
    looks: int = 1
    """How often it, or each of the panel, looked at a dialogue, at the most."""
    state: Judging = Judging()
    """Whose reading of the end states is used; empty where no dialogue had a world."""
    set_aside: int
    """Verdicts of other rubrics or judges, which are never averaged with these."""
    others: tuple[Judging, ...] = ()
    """Whose verdicts those are."""
    elapsed: float
    """Seconds from the first event to the last, pauses included."""
    assistants: tuple[AssistantSummary, ...]
    unscaled: str = ""
    """Why nobody is placed between floor and ceiling, where worlds were there to do it by."""
    kin: tuple[str, ...] = ()
    """A sentence for each judge that is, or is akin to, the model of an assistant."""
    concord: Concord | None = None
    """How far the judge agrees with what the end states show; None where not both speak of a dialogue."""
    careful: tuple[str, ...] = ()
    """Why the judge's scores are not to be taken at their word, a sentence each."""
    notes: tuple[str, ...] = ()
