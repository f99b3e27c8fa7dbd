"""Gates: bounds that a run's scores must keep to, such as `personalisation.mean>=0.6`, for builds that stop if not."""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.scoring.measures import EFFORT, STATE_SCALES, label, ordered
from duologue.scoring.scorecard import AssistantSummary, Mean, Summary
from duologue.tasks.written import BadInput, nearest

if TYPE_CHECKING:
    from duologue.campaign import Campaign

__all__ = ["Gate", "Outcome", "check_gates", "gates", "outcomes", "score_named"]

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip
_BOUND = re.compile(r"\s*(?P<name>[^<>=]+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<limit>[^<>=]+?)\s*")
FIELDS = ("mean", "low", "high", "n", "unscored")
"""What of a score may be bound: its mean, the ends of its 95 % interval, how many dialogues have it and lack it."""
HOW = "Write one such as 'personalisation.mean>=0.6' or 'NAME:state_success.low>=0.9'"


@dataclass(frozen=True, slots=True)
class Gate:
    """One bound."""

    written: str
    name: str
    """A score as it was named, with the assistant before a colon where one is meant."""
    field: str
    sign: str
    limit: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether one assistant keeps to a bound."""

    gate: Gate
    assistant: str
    metric: str
    value: float | None
    why: str
    """Why there is no value, if there is none: then the bound is not met."""

    @property
    def met(self) -> bool:
        """Whether there is a value, and the bound holds for it."""
        return self.value is not None and _SIGNS[self.gate.sign](self.value, self.gate.limit)

    def __str__(self) -> str:
        """`mine: state_success.low is 0.81, asked >= 0.9`."""
        told = f"is {self.value:.4g}" if self.value is not None else f"is missing ({self.why})"
        field = f"{self.metric}.{self.gate.field}"
        return f"{self.assistant}: {field} {told}, asked {self.gate.sign} {self.gate.limit:g}"


def gates(written: Iterable[str]) -> list[Gate]:
    """The bounds that are `written`. Raises BadInput for what is none."""
    return [_gate(each) for each in dict.fromkeys(written)]


def check_gates(held: Sequence[Gate], campaign: "Campaign") -> None:
    """Refuse before a run begins what it can be known not to have: an assistant, or a score.

    Raises BadInput that says what there is.
    """
    if not held:
        return
    tested = [spec.name for spec in campaign.assistant if not spec.reference]
    names, judged = [spec.name for spec in campaign.assistant], _judged(campaign)
    for gate in held:
        assistant, _ = _meant(gate, names, ordered((*STATE_SCALES, *judged, *EFFORT)), beside=bool(judged))
        if not assistant and not tested:
            raise _nobody(gate, names)


def outcomes(held: Sequence[Gate], said: Summary, *, checked: bool = False) -> list[Outcome]:
    """What became of each bound, for the assistant that it names, else for each but the references.

    Where the bounds were `checked` before the run, a score that it does not have is missing, and so not met.
    Raises BadInput otherwise for an assistant or a score that the run does not have.
    """
    tested = [each for each in said.assistants if not each.insight.reference]
    names = [each.name for each in said.assistants]
    known = ordered(metric for each in said.assistants for metric in each.metrics)
    beside = bool(said.judging.judge and said.state.judge) and not said.judging.of_state
    found: list[Outcome] = []
    for gate in held if said.assistants else ():
        reading = _unread(gate, names) if checked else None
        assistant, metric = _meant(gate, names, known, beside, reading)
        meant = [each for each in said.assistants if each.name == assistant] if assistant else tested
        if not meant:
            raise _nobody(gate, names)
        found.extend(_outcome(gate, each, metric) for each in meant)
    return found


def _gate(written: str) -> Gate:
    read = _BOUND.fullmatch(written)
    name, dot, field = (read["name"] if read else "").rpartition(".")
    if read is None or not dot or not name:
        raise BadInput(f"{written!r} is no bound on a score", "--require", HOW)
    if field not in FIELDS:
        raise BadInput(
            f"{written!r}: a score has no {field!r}{nearest(field, FIELDS)}",
            "--require",
            f"There are: {', '.join(FIELDS)}",
        )
    try:
        limit = float(read["limit"])
    except ValueError:
        limit = float("nan")
    if limit != limit:
        raise BadInput(f"{written!r}: {read['limit']!r} is no number", "--require", f"{HOW}; shares go from 0 to 1")
    return Gate(written, name, field, read["sign"], limit)


def _meant(
    gate: Gate, assistants: Sequence[str], known: Sequence[str], beside: bool, otherwise: tuple[str, str] | None = None
) -> tuple[str, str]:
    """The assistant that a bound names, or an empty text, and the score; or `otherwise`, else raises BadInput."""
    for assistant, name in _readings(gate.name):
        metric = score_named(name, known, beside)
        if metric and (not assistant or assistant in assistants):
            return assistant, metric
    if otherwise:
        return otherwise
    assistant, colon, name = gate.name.rpartition(":")
    if colon and score_named(name.strip(), known, beside):
        raise BadInput(
            f"{gate.written!r}: no assistant {assistant!r}{nearest(assistant, assistants)}",
            "--require",
            f"There are: {', '.join(assistants)}",
        )
    raise BadInput(
        f"{gate.written!r}: no score {name.strip()!r}{nearest(name.strip(), known)}",
        "--require",
        f"There are: {', '.join(known)}",
    )


def _unread(gate: Gate, assistants: Sequence[str]) -> tuple[str, str]:
    """The assistant and the score that a bound names, whether or not there is such a score."""
    named = [reading for reading in _readings(gate.name) if reading[0] in assistants]
    return named[0] if named else ("", gate.name)


def _readings(name: str) -> Iterator[tuple[str, str]]:
    """Ways to read a name: as a score alone, or with an assistant before one of the colons."""
    yield "", name
    for place, letter in enumerate(name):
        if letter == ":":
            yield name[:place].strip(), name[place + 1 :].strip()


def score_named(name: str, known: Sequence[str], beside: bool = False) -> str:
    """The score that `name` means: as JSON has it, or as the screens do where no other is called so; else empty."""
    if name in known:
        return name
    spellings = [
        {label(metric, beside), label(metric), label(metric).removesuffix(" by state"), metric.replace("_", " ")}
        for metric in known
    ]
    called = [metric for metric, held in zip(known, spellings, strict=True) if name in held]
    return called[0] if len(called) == 1 else ""


def _outcome(gate: Gate, each: AssistantSummary, metric: str) -> Outcome:
    mean = each.metrics.get(metric, Mean(n=0))
    value = getattr(mean, gate.field)
    return Outcome(gate, each.name, metric, value, "" if value is not None else _lack(mean))


def _lack(mean: Mean) -> str:
    """Why a mean, or its interval, is missing."""
    if mean.n:
        return f"no interval: {mean.method or 'none was made'}"
    why = next(iter(mean.why), "")
    return why or ("it does not apply" if mean.inapplicable else "nothing was scored")


def _judged(campaign: "Campaign") -> tuple[str, ...]:
    """The scores that the campaign's judge gives."""
    if campaign.judge is None:
        return ()
    from duologue.agents.rubric import read_rubric

    rubric = read_rubric(campaign.judge.rubric, Path(campaign.beside))
    preferences = ("preferences_met",) if rubric.preferences else ()
    return (*preferences, *(dimension.name for dimension in rubric.dimensions))


def _nobody(gate: Gate, names: Sequence[str]) -> BadInput:
    return BadInput(
        f"{gate.written!r} binds nobody: there are only references",
        "--require",
        f"Name one before a colon: {', '.join(f'{name}:{gate.name}' for name in names[:3])}",
    )
