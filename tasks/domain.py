"""A domain: a field of tasks, the preferences that people have in it, and what can be looked up and recorded there.

A preference type is tied to the attribute of an entity, or to the field of a record, that bears its name.
"""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from duologue.tasks.catalogue import Entity
from duologue.tasks.written import Written, nearest

__all__ = [
    "Attribute",
    "Domain",
    "EntityKind",
    "Held",
    "PreferenceType",
    "RecordField",
    "RecordKind",
    "RecordTools",
    "key",
]


Held = Annotated[
    str | int | float | bool | tuple[str, ...], BeforeValidator(lambda v: tuple(v) if isinstance(v, list) else v)
]
"""What an entity or a record holds under one name."""


@lru_cache(maxsize=4096)
def key(name: str) -> str:
    """`name` as tools and records spell it: "dining time" is `dining_time`."""
    return name.replace(" ", "_").replace("-", "_")


def _identifier(value: str) -> str:
    """`value`, which names a tool, an argument or a record. Raises ValueError where it cannot."""
    if not re.fullmatch(r"[A-Za-z]\w{0,63}", value, re.ASCII):
        raise ValueError(f"{value!r} cannot name a tool, an argument or a record: write letters, digits and _")
    return value


Identifier = Annotated[str, AfterValidator(_identifier)]


class PreferenceType(Written):
    """One thing that people have tastes in. `values` is empty where any value is possible."""

    name: str
    description: str = ""
    values: tuple[str, ...] = ()
    multiple: bool = True
    open: bool = False
    """Whether values outside `values` are welcome too."""
    ask: str = ""
    """How somebody who does not know asks for it."""
    say: str = ""
    """How a person who is asked puts it; `{value}` stands for the value."""


class Attribute(Written):
    """One thing that is known of every entity. Without values of its own it takes those of the preference type of
    that name."""

    name: Identifier
    kind: Literal["choice", "choices", "number", "text", "truth"] = "choice"
    values: tuple[str, ...] = ()
    description: str = ""
    unit: str = ""
    search: Literal["same", "at_least", "at_most", "none"] = "same"
    """How a search narrows by it. `same` means that a list holds the value, for `choices`."""
    ask: str = ""
    say: str = ""
    """How it is put as a part of a sentence, such as "a {value} room" or "in {value}"."""


class EntityKind(Written):
    """What the catalogue of a domain lists, each known by its name."""

    name: str
    plural: str
    description: str = ""
    attributes: tuple[Attribute, ...] = Field(min_length=1)
    newcomers: tuple[str, ...] = ()
    """Names for entities that are in one dialogue's world only."""
    search: str = ""
    """The name of the tool that searches the catalogue; empty where it is `search_PLURAL`."""
    get: str = ""
    """The name of the tool that tells everything about one entity; empty where it is `get_NAME`."""


class RecordField(Written):
    """One thing that a record holds. Without values of its own it takes those of the preference type of that name."""

    name: Identifier
    kind: Literal["entity", "choice", "choices", "number", "text", "truth"] = "choice"
    values: tuple[str, ...] = ()
    description: str = ""
    unit: str = ""
    required: bool = False
    least: float | None = None
    most: float | None = None
    among: str = ""
    """The attribute of the chosen entity that lists what is possible: the value must be one of those."""
    at_most: str = ""
    """The number attribute of the chosen entity that this number may not pass."""
    settled_by: str = ""
    """Another field of the record: where that is known, there is nothing left to choose here. A clock time settles
    the part of the day."""
    pattern: str = ""
    """The form of a text, such as `HH:MM`, as a regular expression."""
    ask: str = ""
    say: str = ""
    """How it is put as a part of a sentence, by whoever wants it or has seen to it, such as "on {value}"."""

    @model_validator(mode="after")
    def _can_be_met(self) -> "RecordField":
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"nothing is at least {self.least:g} and at most {self.most:g}")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"pattern {self.pattern!r} is no regular expression ({error})") from None
        return self


class RecordTools(Written):
    """The names of the tools that work on one kind of record; empty where there is no such tool."""

    create: Identifier
    change: Identifier | Literal[""] = ""
    cancel: Identifier | Literal[""] = ""
    list: Identifier | Literal[""] = ""


class RecordKind(Written):
    """What the services of a domain keep: a reservation, an alarm, a message."""

    name: Identifier
    description: str = ""
    tools: RecordTools
    fields: tuple[RecordField, ...] = Field(min_length=1)
    done: str = Field(default="arranged", min_length=1)
    """How somebody says that one was made, as a past participle: "booked", "set", "sent"."""

    @model_validator(mode="after")
    def _holds_together(self) -> "RecordKind":
        names = [field.name for field in self.fields]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"two fields are named {min(twice)!r}; give each a name of its own")
        if taken := {"id", "status"}.intersection(names):
            raise ValueError(f"a field cannot be named {min(taken)!r}: every record has one already")
        for field in self.fields:
            if field.settled_by and (field.settled_by not in names or field.settled_by == field.name):
                raise ValueError(
                    f"field {field.name!r} is settled by {field.settled_by!r}, which is no other field of the record"
                    f"{nearest(field.settled_by, names)}"
                )
        if sum(field.kind == "entity" for field in self.fields) > 1:
            raise ValueError("only one field can name the entity")
        return self

    @cached_property
    def entity_field(self) -> str:
        """The field that names the chosen entity; empty where the record is about none."""
        return next((field.name for field in self.fields if field.kind == "entity"), "")


class Domain(Written):
    """A field of tasks such as Restaurants."""

    name: str
    description: str = ""
    preferences: tuple[PreferenceType, ...] = ()
    entity: EntityKind | None = None
    records: tuple[RecordKind, ...] = ()
    catalogue: tuple[dict[str, Held], ...] = ()
    """The entities: each has a `name`, and a value for every attribute."""

    @model_validator(mode="after")
    def _tied(self) -> "Domain":
        known = {key(type.name) for type in self.preferences}
        attributes = self.entity.attributes if self.entity else ()
        for held in self.described:
            if held.kind in ("choice", "choices") and not held.values and key(held.name) not in known:
                raise ValueError(
                    f"{held.name!r} has neither values nor a preference type of its name{nearest(held.name, known)}"
                )
        names = {attribute.name for attribute in attributes}
        if taken := names & {"name", "limit", "offset"}:
            raise ValueError(f"an attribute cannot be named {min(taken)!r}: every search has one already")
        if self.entity is None and any(record.entity_field for record in self.records):
            raise ValueError("a record names an entity, but the domain lists none; add [entity]")
        for field in (field for record in self.records for field in record.fields):
            for named in filter(None, (field.among, field.at_most)):
                if named not in names:
                    raise ValueError(
                        f"field {field.name!r} names {named!r}, which no entity has{nearest(named, names)}"
                    )
        return self

    def type(self, name: str) -> PreferenceType | None:
        """The preference type of that name, if the domain has it."""
        return next((p for p in self.preferences if p.name == name), None)

    def record(self, name: str) -> RecordKind | None:
        """The kind of record of that name, if the domain keeps it."""
        return next((kind for kind in self.records if kind.name == name), None)

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The catalogue as a world uses it."""
        return tuple(Entity(str(row["name"]), {k: v for k, v in row.items() if k != "name"}) for row in self.catalogue)

    @cached_property
    def described(self) -> tuple[Attribute | RecordField, ...]:
        """Every attribute of its entities, then every field of its records."""
        attributes = self.entity.attributes if self.entity else ()
        return (*attributes, *(field for kind in self.records for field in kind.fields))

    def borne_by(self, record: RecordKind) -> tuple[RecordField | Attribute, ...]:
        """What a record of that kind holds by itself, then what is known of its entity."""
        return (*record.fields, *(self.entity.attributes if self.entity and record.entity_field else ()))

    def values(self, name: str) -> tuple[str, ...]:
        """What may stand in the attribute or field of that name: its own values, or its preference type's."""
        return self._own_values.get(name) or self._type_values.get(key(name), ())

    @cached_property
    def tastes(self) -> frozenset[str]:
        """The names of the attributes and fields that its preference types are tied to."""
        return frozenset(key(type.name) for type in self.preferences)

    @cached_property
    def _own_values(self) -> Mapping[str, tuple[str, ...]]:
        return {each.name: each.values for each in reversed(self.described) if each.values}

    @cached_property
    def _type_values(self) -> Mapping[str, tuple[str, ...]]:
        return {key(type.name): type.values for type in reversed(self.preferences)}
