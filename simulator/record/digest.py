"""A digest: what scores, tables and comparisons need of one dialogue, without its words."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from duologue.agents.ending import Ending
from duologue.agents.events import AssistantTurn, CellEnded, CellStarted, Event, ToolCalled, UserDraft, acted
from duologue.agents.secrets import masked, redact
from duologue.agents.usage import Tokens, Usage
from duologue.agents.verdict import Evidence, Verdict
from duologue.record.stored import Dialogue
from duologue.scoring.effort import questions, replies, spent_by_role, tokens, user_turns
from duologue.tasks.task import Situation

__all__ = [
    "Digest",
    "RoleCost",
    "Spread",
    "TasteDigest",
    "ValueDigest",
    "VerdictDigest",
    "digest",
    "digest_of",
    "judged",
    "read_line",
    "usage_of",
]

Spending = tuple[Any, ...]
"""The fields of a `Usage`, in order."""


class ValueDigest(NamedTuple):
    """A score: its value, or why there is none; of its quote whether it stands in the transcript, None without one.

    `expected` and `mass` as in a `Score`.
    """

    value: bool | float | None
    unscored: str
    quoted: bool | None
    expected: float | None = None
    mass: float | None = None


class TasteDigest(NamedTuple):
    """What became of a preference."""

    domain: str
    type: str
    outcome: str
    route: str
    held: str
    unscored: str
    quoted: bool | None


class Spread(NamedTuple):
    """How far several looks at one dialogue lie apart in one score."""

    looks: int
    scored: int
    """Looks that scored it."""
    range: float
    """The highest less the lowest; yes and no are 1 and 0."""
    unstable: bool
    """Whether the looks differ."""


class RoleCost(NamedTuple):
    """What a role took: the tokens of its calls, how many of those told none, and the seconds waited for it."""

    role: str
    usage: Spending | None
    """None where no model was called."""
    unreported: int
    seconds: float


@dataclass(slots=True)
class VerdictDigest:
    """A verdict without its reasons; several looks folded into one have `spreads`, by score."""

    rubric: str
    rubric_name: str
    judge: str
    look: int
    scores: Mapping[str, ValueDigest]
    preferences: tuple[TasteDigest, ...]
    unscored: str
    owner: str
    usage: Spending | None
    seconds: float
    time: float
    spreads: Mapping[str, Spread] | None = None

    @property
    def cost(self) -> RoleCost:
        """What judging took."""
        used = None if self.usage is None else usage_of(self.usage)
        return RoleCost("judge", self.usage, used is not None and tokens(used) is None, self.seconds)


@dataclass(slots=True)
class Digest:
    """The attempt of a cell that counts, and the verdicts on it, oldest first. Nobody changes one."""

    cell: str
    attempt: int
    profile: str
    task: str
    situation: Situation
    assistant: str
    trial: int
    first: float
    """When its first event was, in seconds since the epoch, and its `last`."""
    last: float
    ending: Ending | None
    """None where the dialogue has not ended: it is under way, or the run was killed."""
    state: bool
    """Whether its ending holds the end state of a world."""
    acted: bool
    """Whether a call did something."""
    turns: int
    """How many turns the user has said. Leaving without a word is none."""
    questions: int
    calls: int
    tokens: int | None
    """The assistant's; None where a call told none."""
    seconds: float
    """The assistant's."""
    discarded: int
    """User drafts that the guard discarded."""
    costs: tuple[RoleCost, ...]
    """Of user and assistant."""
    verdicts: tuple[VerdictDigest, ...] = ()

    @property
    def had_world(self) -> bool:
        """Whether the assistant could act on a world, as far as the record tells."""
        return self.state or self.acted if self.ending is not None else self.calls > 0

    def line(self) -> str:
        """It as a line of JSON, to be read by `read_line`."""
        return _text(self._plain(_text))

    def recorded(self, secrets: tuple[str, ...]) -> "Digest":
        """It as it is read from the record, in which `secrets` and whatever looks like one are masked."""
        text = _text(plain := self._plain(lambda held: held))
        if "\\" not in text and redact(text, secrets) == text:
            return self
        plain = masked(json.loads(text), secrets)
        for verdict in plain[-1]:
            verdict[4:6] = map(_text, verdict[4:6])
        return _of(plain)

    def _plain(self, packed: Callable[[Any], Any]) -> list[Any]:
        """It as JSON holds it, the scores and preferences of verdicts `packed`."""
        ending = self.ending
        return [
            self.cell, self.attempt, self.profile, self.task,
            _situation_fields(self.situation), self.assistant, self.trial, self.first, self.last,
            [ending.reason, ending.owner, ending.role, ending.detail] if ending else None,
            self.state, self.acted, self.turns, self.questions, self.calls, self.tokens, self.seconds, self.discarded,
            self.costs,
            [
                [
                    each.rubric, each.rubric_name, each.judge, each.look,
                    packed(each.scores), packed(each.preferences),
                    each.unscored, each.owner, each.usage, each.seconds, each.time,
                ]
                for each in self.verdicts
            ],
        ]  # fmt: skip


def digest(dialogue: Dialogue) -> Digest:
    """The digest of a stored dialogue."""
    counted = (verdict for verdict in dialogue.verdicts if verdict.attempt == dialogue.started.attempt)
    return digest_of(dialogue.events, map(judged, counted))


def digest_of(events: Sequence[Event], verdicts: Iterable[VerdictDigest] = ()) -> Digest:
    """The digest of the events of one attempt, the first of which is its beginning."""
    begun, last = events[0], events[-1]
    assert isinstance(begun, CellStarted)
    spoken = list(replies(events))
    told = [tokens(reply.usage) for reply in spoken]
    ended = last if isinstance(last, CellEnded) else None
    return Digest(
        cell=begun.cell,
        attempt=begun.attempt,
        profile=intern(begun.profile),
        task=intern(begun.task),
        situation=_situation(*_situation_fields(begun.situation)),
        assistant=intern(begun.assistant),
        trial=begun.trial,
        first=begun.time,
        last=last.time,
        ending=_same(ended.ending) if ended else None,
        state=ended is not None and ended.state is not None,
        acted=acted(events),
        turns=user_turns(events),
        questions=sum(questions(reply.text) for reply in spoken if isinstance(reply, AssistantTurn)),
        calls=sum(isinstance(event, ToolCalled) for event in events),
        tokens=None if None in told else sum(filter(None, told)),
        seconds=float(sum(reply.seconds for reply in spoken)),
        discarded=sum(isinstance(event, UserDraft) for event in events),
        costs=tuple(
            RoleCost(role, _fields(used), untold, seconds)
            for role, used, untold, seconds in spent_by_role(events, spoken)
        ),
        verdicts=tuple(verdicts),
    )


def judged(verdict: Verdict) -> VerdictDigest:
    """The digest of a verdict."""
    preferences = [
        (each.domain, each.type, each.outcome, each.route, each.held, each.unscored, _quoted(each.evidence))
        for each in verdict.preferences
    ]
    scores = {
        name: (each.value, each.unscored, _quoted(each.evidence), each.expected, each.mass)
        for name, each in verdict.scores.items()
    }
    return VerdictDigest(
        intern(verdict.rubric), intern(verdict.rubric_name), intern(verdict.judge), verdict.look,
        _scores(_text(scores)), _tastes(_text(preferences)),
        intern(verdict.unscored), verdict.owner, _fields(verdict.usage), verdict.seconds, verdict.time,
    )  # fmt: skip


def read_line(line: bytes | str) -> Digest:
    """The digest that a line of JSON holds. Raises ValueError or TypeError where it holds none."""
    return _of(json.loads(line))


def _of(plain: list[Any]) -> Digest:
    (
        cell, attempt, profile, task, situation, assistant, trial, first, last, ending,
        state, acted, turns, questions, calls, tokens, seconds, discarded, costs, verdicts,
    ) = plain  # fmt: skip
    return Digest(
        cell, attempt, intern(profile), intern(task), _situation(*situation), intern(assistant), trial, first, last,
        None if ending is None else _ending(*ending),
        state, acted, turns, questions, calls, tokens, seconds, discarded,
        tuple(RoleCost(intern(role), _spending(usage), count, wait) for role, usage, count, wait in costs),
        tuple(_read_verdict(*each) for each in verdicts),
    )  # fmt: skip


def _read_verdict(
    rubric: str, name: str, judge: str, look: int, scores: str, tastes: str, unscored: str, owner: str,
    usage: list[Any] | None, seconds: float, time: float,
) -> VerdictDigest:  # fmt: skip
    return VerdictDigest(
        intern(rubric), intern(name), intern(judge), look, _scores(scores), _tastes(tastes),
        intern(unscored), intern(owner), _spending(usage), seconds, time,
    )  # fmt: skip


def _text(held: Any) -> str:
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)
def _scores(text: str) -> Mapping[str, ValueDigest]:
    """The scores that JSON text holds. Many verdicts have equal ones: these are one object."""
    return {intern(name): _value(*each) for name, each in json.loads(text).items()}


@lru_cache(maxsize=4096)
def _tastes(text: str) -> tuple[TasteDigest, ...]:
    return tuple(_taste(*each) for each in json.loads(text))


@lru_cache(maxsize=4096, typed=True)
def _value(
    value: bool | float | None, unscored: str, quoted: bool | None, expected: float | None, mass: float | None
) -> ValueDigest:
    return ValueDigest(value, unscored, quoted, expected, mass)


@lru_cache(maxsize=4096)
def _taste(
    domain: str, type: str, outcome: str, route: str, held: str, unscored: str, quoted: bool | None
) -> TasteDigest:
    return TasteDigest(domain, type, outcome, route, held, unscored, quoted)


@lru_cache(maxsize=4096)
def _ending(reason: Any, owner: Any, role: Any, detail: str) -> Ending:
    return Ending(reason=reason, owner=owner, role=role, detail=detail)


@lru_cache(maxsize=4096)
def _situation(*fields: str) -> Situation:
    return Situation(**dict(zip(Situation.model_fields, fields, strict=True)))


def _same(ending: Ending) -> Ending:
    return _ending(ending.reason, ending.owner, ending.role, ending.detail)


def _situation_fields(situation: Situation) -> list[str]:
    return [getattr(situation, name) for name in Situation.model_fields]


def _quoted(evidence: Evidence | None) -> bool | None:
    return evidence.found if evidence is not None and evidence.quote else None


def _fields(usage: Usage | None) -> Spending | None:
    return None if usage is None else tuple(getattr(usage, name) for name in Usage.model_fields)


def _spending(held: list[Any] | None) -> Spending | None:
    """A usage as a line holds it."""
    return None if held is None else tuple(Tokens(*each) if isinstance(each, list) else each for each in held)


def usage_of(held: Spending) -> Usage:
    """A `Usage` again."""
    return Usage(**dict(zip(Usage.model_fields, held, strict=True)))
