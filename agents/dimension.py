"""A dimension: one question that a judge is asked, its scale, and what the judge may be shown for it."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from duologue.tasks.written import Written, nearest

__all__ = ["USUAL", "Dimension", "Input", "Scale", "known_inputs"]

Input = Literal["task", "intent", "goal", "profile", "preferences", "tastes", "history", "actions", "state"]
"""What a judge may be shown beside what was said:

- `task`: intent, goal, facts and wanted records; `intent` or `goal` alone are parts of it
- `profile`: who the user is, where and when
- `preferences`: those that matter to the task; `tastes`: all of the task's domains
- `history`: the user's earlier sessions in the task's domains
- `actions`: the tools that were called, and what they answered; `state`: the records at the end
"""
INPUTS: tuple[Input, ...] = get_args(Input)
_NAMED = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PAIR = ("first", "tie", "second")
_SCALES = 'expected "yes_no", {low = 1, high = 5}, or "pair"'


class Scale(Written):
    """Whole numbers from `low` to `high`, the higher the better."""

    low: int
    high: int

    @model_validator(mode="after")
    def _has_points(self) -> "Scale":
        if not self.low < self.high:
            raise ValueError("low must be below high")
        if self.high - self.low > 100:
            raise ValueError("a scale has 101 points at most; write one such as {low = 1, high = 5}")
        return self

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


USUAL: Mapping[str, Scale | Literal["yes_no"]] = {
    "success": "yes_no",
    "personalisation": Scale(low=1, high=4),
    "user_naturalness": Scale(low=1, high=5),
    "user_coherence": Scale(low=1, high=5),
    "assistant_naturalness": Scale(low=1, high=5),
    "assistant_coherence": Scale(low=1, high=5),
}
"""Names that mean the same in every report, and so have the same scale in every rubric; in the order shown."""
COUNTED = ("preferences_met", "user_turns", "questions", "calls", "tokens", "seconds")
"""Scores that are counted, which no question can stand for; nor can one whose name begins with `state_`."""


def _kind(scale: Any) -> str:
    return "points" if isinstance(scale, dict | Scale) else "pair" if scale == "pair" else "yes_no"


class Dimension(Written):
    """One question about the transcript, or about a pair of them."""

    name: str
    scale: Annotated[
        Annotated[Literal["yes_no"], Tag("yes_no")]
        | Annotated[Literal["pair"], Tag("pair")]
        | Annotated[Scale, Tag("points")],
        Discriminator(_kind),
    ]
    about: Literal["assistant", "user", "dialogue"] = "dialogue"
    question: str = Field(min_length=1)
    anchors: dict[str, str] = Field(default_factory=dict)
    """What points of the scale mean, by the point: `1`, `2`, ..., or `yes` and `no`, or `first`, `tie`, `second`."""
    needs_preferences: bool = False
    """Whether it makes no sense for a task to which no preference of the user matters."""
    grounds: bool = True
    """Whether a small judge, too, gives reason and quote, and not the score alone. Others always do."""
    inputs: tuple[Input, ...] | None = None
    """What is shown for this question alone, where each has a call of its own; None as for the whole rubric."""

    def __hash__(self) -> int:
        return hash(self.name)

    @field_validator("name", mode="before")
    @classmethod
    def _plain_name(cls, value: Any) -> Any:
        if isinstance(value, str) and not _NAMED.fullmatch(value):
            raise ValueError(f'{value!r} must be small letters, digits and underscores, such as "kept_promises"')
        return value

    @field_validator("scale", mode="before")
    @classmethod
    def _plain_fault(cls, value: Any) -> Any:
        if value in ("yes_no", "pair") or isinstance(value, dict | Scale):
            return value
        raise ValueError(_SCALES)

    @field_validator("inputs", mode="before")
    @classmethod
    def _known_inputs(cls, value: Any) -> Any:
        return None if value is None else known_inputs(value)

    @property
    def points(self) -> tuple[str, ...]:
        """The points of the scale, as words, the lowest first; of a pair `first`, `tie`, `second`."""
        if isinstance(self.scale, Scale):
            return tuple(str(point) for point in range(self.scale.low, self.scale.high + 1))
        return _PAIR if self.scale == "pair" else ("no", "yes")

    @model_validator(mode="after")
    def _name_is_free(self) -> "Dimension":
        if self.scale == "pair":
            return self
        if self.name in COUNTED or self.name.startswith("state_"):
            raise ValueError(f"{self.name!r} is the name of a score that is counted; give the question another")
        usual = USUAL.get(self.name, self.scale)
        if usual != self.scale:
            scale = f"{{low = {usual.low}, high = {usual.high}}}" if isinstance(usual, Scale) else '"yes_no"'
            raise ValueError(f"{self.name!r} has the scale {scale} in every rubric; give yours another name")
        return self

    @model_validator(mode="after")
    def _anchors_on_scale(self) -> "Dimension":
        stray = next((point for point in self.anchors if point not in self.points), None)
        if stray is not None:
            raise ValueError(
                f"anchor {stray!r} of {self.name!r} is not a point of its scale ({', '.join(self.points)})"
            )
        return self


def known_inputs(value: Any) -> tuple[Input, ...]:
    """`value` in the one order that prompts keep to, each input once. Raises ValueError for an unknown one."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        raise ValueError('expected a list, such as ["task", "profile"]')
    if (stray := next((each for each in given if each not in INPUTS), None)) is not None:
        raise ValueError(f"unknown input {stray!r}{nearest(str(stray), INPUTS)} (known: {', '.join(INPUTS)})")
    return tuple(name for name in INPUTS if name in given)
