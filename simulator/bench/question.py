"""Questions that a bench asks, and the answers as the record holds them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from duologue.agents.ending import Owner, Reason, ending
from duologue.agents.models.call import Request
from duologue.agents.usage import Usage
from duologue.tasks.written import Written

__all__ = ["Answer", "Answers", "Question", "Stage"]


@dataclass(frozen=True, slots=True)
class Question:
    """One call that a bench wants made."""

    id: str
    """Names it for good: what has an answer under this name is not asked again."""
    role: str
    """Whom to ask: `model`, the one under test, or another role of the bench, such as `judge`."""
    request: Request
    shown: tuple[str, ...] = ()
    """What was chosen to be shown with it, such as the numbers of the facts that were found."""


class Answer(Written):
    """What came back. With a `fault` nothing did, and why."""

    v: Literal[1] = 1
    id: str
    role: str
    model: str
    text: str = ""
    reasoning: str = ""
    finish: Literal["stop", "length"] = "stop"
    figures: dict[str, float] = Field(default_factory=dict)
    """Numbers that came with it, or instead of a text, such as log-probabilities or what a measure tells."""
    shown: tuple[str, ...] = ()
    """The question's, kept so that the record tells them."""
    usage: Usage | None = None
    seconds: float = 0
    fault: Reason | Literal[""] = ""
    detail: str = ""
    time: float = 0

    @property
    def owner(self) -> Owner | Literal["judge", ""]:
        """Whose fault it is that nothing came: what an assistant is blamed for, a judge and a measure answer for."""
        if not self.fault:
            return ""
        owner = ending(self.fault, "assistant").owner
        return "judge" if owner == "assistant" and self.role not in ("model", "reference") else owner

    @property
    def settled(self) -> bool:
        """Whether it stands: what the infrastructure spoilt is asked again when the bench is gone on with."""
        return self.owner != "infrastructure"


Answers = Mapping[str, Answer]
"""Answers by the ids of their questions."""
Stage = Callable[[Answers], Iterable[Question]]
"""A part of a bench: its questions, which may rest on the answers to earlier stages."""
