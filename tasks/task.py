"""A task: what the user wants, when it is done, and which preferences matter."""

import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from duologue.tasks.written import Written

__all__ = ["Bound", "Case", "Fact", "Given", "Relevance", "Requirement", "Situation", "Task", "Wanted"]


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


class Bound(Written):
    """What a value must keep to where it need not be one value: at least, at most, one of several."""

    least: float | None = None
    most: float | None = None
    any: tuple[Fact, ...] = ()

    @model_validator(mode="after")
    def _can_be_kept(self) -> "Bound":
        if self.least is None and self.most is None and not self.any:
            raise ValueError("asks for nothing; write least, most or any")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"nothing keeps to at least {self.least:g} and at most {self.most:g}")
        return self

    def holds(self, value: Any) -> bool:
        """Whether `value` keeps to it."""
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        return (
            (self.least is None or (numeric and value >= self.least))
            and (self.most is None or (numeric and value <= self.most))
            and (not self.any or value in self.any)
        )

    def __str__(self) -> str:
        least = f"at least {self.least:g}" if self.least is not None else ""
        most = f"at most {self.most:g}" if self.most is not None else ""
        several = f"one of {', '.join(map(str, self.any))}" if self.any else ""
        return " and ".join(filter(None, (least, most, several)))


class Requirement(Written):
    """A record that must exist when the task is done: its kind, and values that it must hold.

    A name is that of one of the record's own fields or, where it has none of that name, of an attribute of its
    entity. A value such as `"$outbound"` stands for the task's slot of that name.
    """

    record: str
    where: dict[str, Fact | Bound] = Field(default_factory=dict)
    count: int = Field(default=1, ge=1)
    """How many such records, no more and no fewer."""
    changes: bool = False
    """It is a record of the start that was to be changed; a new one beside the old is not what was asked."""
    gone: bool = False
    """No such record may be left: it was there at the start, and was to be cancelled."""


class Given(Written):
    """A record that is there before the dialogue begins."""

    record: str
    fields: dict[str, Fact] = Field(default_factory=dict)


class Situation(Written):
    """Where and when one dialogue happens. Empty means not said."""

    location: str = ""
    device: str = ""
    time_of_day: str = ""
    day: str = ""
    surroundings: str = ""


class Wanted(Written):
    """What a situation calls for, whatever the person likes otherwise."""

    domain: str
    type: str
    value: str


class Case(Written):
    """One of several situations of a task between which the right act differs."""

    situation: Situation
    wants: tuple[Wanted, ...] = ()


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
    requests: tuple[str, ...] = ()
    """First turns for a user without a model, in the first person; `{party}` stands for the slot of that name."""
    withheld: tuple[str, ...] = ()
    """Slots that the user tells only when asked; no request names them."""
    irrelevant: tuple[Relevance, ...] = ()
    """Preferences that it would be wrong to apply, such as the user's own where the task is for somebody else."""
    given: tuple[Given, ...] = ()
    """Records that are there at the start."""
    staged: Literal["", "sold_out", "clash"] = ""
    """`sold_out`: the entity that suits the user best is taken. `clash`: none suits the user in everything."""
    cases: tuple[Case, ...] = ()
    """Situations between which the right act differs. Empty means any situation."""

    def __hash__(self) -> int:
        return hash(self.id)

    def meant(self, value: Fact | Bound) -> Fact | Bound:
        """What a required value stands for: the slot where it names one with `$`, else itself."""
        return self.slots.get(value[1:], value) if isinstance(value, str) and value.startswith("$") else value
