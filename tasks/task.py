"""A task: what the user wants, when it is done, and which preferences matter."""

import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from duologue.tasks.written import Written

__all__ = ["Relevance", "Requirement", "Situation", "Task"]


def _plain(value: Any) -> Any:
    """`value` with a TOML date as text. Raises ValueError for lists and tables."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if not isinstance(value, str | int | float):
        raise ValueError("expected a text, a number, true or false")
    return value


Fact = Annotated[str | int | float | bool, BeforeValidator(_plain)]


class Relevance(Written):
    """A preference that matters to a task. May be written as the pair `["Restaurants", "cuisine"]`."""

    domain: str
    type: str
    ambiguous: bool = False
    """The source named the type without its domain, and more than one domain has it."""

    @model_validator(mode="before")
    @classmethod
    def _from_pair(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            if len(value) != 2:
                raise ValueError("expected a pair of domain and preference type")
            return {"domain": value[0], "type": value[1]}
        return value


class Requirement(Written):
    """A record that must exist when the task is done: its kind, and values that it must hold."""

    record: str
    where: dict[str, Fact] = Field(default_factory=dict)


class Task(Written):
    """What the user wants in one dialogue."""

    id: str = Field(min_length=1)
    domains: tuple[str, ...] = Field(min_length=1)
    intent: str = Field(min_length=1)
    """What the user is after, as the user agent is told it."""
    goal: str = Field(min_length=1)
    """When it is done, as the judge is told it."""
    description: str = ""
    relevant: tuple[Relevance, ...] = ()
    slots: dict[str, Fact] = Field(default_factory=dict)
    """Hard facts that the user knows, such as a party of four on Friday."""
    require: tuple[Requirement, ...] = ()
    opener: str = ""
    """Sent verbatim as the user's first turn where given."""


class Situation(Written):
    """Where and when one dialogue happens. Empty means not said."""

    location: str = ""
    device: str = ""
    time_of_day: str = ""
    day: str = ""
    surroundings: str = ""
