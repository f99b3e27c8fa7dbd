"""Choices: what a world lets a user have, and which of it pleases the user best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duologue.tasks.aim import Aim, fits
from duologue.tasks.catalogue import Entity
from duologue.tasks.domain import RecordField
from duologue.tasks.stage import Stage
from duologue.tasks.wish import Wish

__all__ = ["Choice", "attainable", "best", "borne", "feasible", "worth"]

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Choice:
    """An entity and the fields that go with it, which of the wishes they meet, and what that is worth."""

    entity: Entity | None
    fields: Mapping[str, Any]
    met: frozenset[Pair]
    worth: float


def feasible(stage: Stage, aim: Aim) -> list[Entity]:
    """The entities that can be had and fit what the task settles."""
    found = stage.entities.get(aim.domain.name, ())
    return [entity for entity in found if stage.available(aim.domain.name, entity) and fits(aim, entity)]


def best(stage: Stage, aim: Aim, wishes: Sequence[Wish]) -> Choice:
    """The choice that is worth most to a user with these wishes; the first of several in the catalogue's order."""
    about = borne(aim, wishes)
    candidates: Sequence[Entity | None] = feasible(stage, aim) if aim.entity_field else (None,)
    choices = [_choice(aim, entity, about) for entity in candidates]
    return max(choices, key=lambda choice: choice.worth, default=_choice(aim, None, about))


def attainable(stage: Stage, aim: Aim, wishes: Sequence[Wish]) -> frozenset[Pair]:
    """The wishes that some feasible choice meets, each taken by itself."""
    about = borne(aim, wishes)
    candidates: Sequence[Entity | None] = feasible(stage, aim) if aim.entity_field else (None,)
    return frozenset(pair for entity in candidates for pair in _choice(aim, entity, about).met)


def borne(aim: Aim, wishes: Sequence[Wish]) -> list[Wish]:
    """The wishes that a record of that kind decides, by a field of its own or by its entity's attributes."""
    names = {field.name for field in aim.record.fields}
    if aim.entity_field and aim.domain.entity:
        names |= {attribute.name for attribute in aim.domain.entity.attributes}
    return [wish for wish in wishes if wish.domain == aim.domain.name and wish.key in names]


def worth(view: Mapping[str, Any], wishes: Sequence[Wish]) -> float:
    """The weights of the wishes that a record's view meets, less those that it goes against."""
    total = 0.0
    for wish in wishes:
        value = view.get(wish.key)
        if value is not None:
            total += wish.weight * (wish.met_by(value) - wish.spoilt_by(value))
    return total


def _choice(aim: Aim, entity: Entity | None, about: Sequence[Wish]) -> Choice:
    view: dict[str, Any] = dict(entity.values) if entity else {}
    fields: dict[str, Any] = {}
    own = {field.name: field for field in aim.record.fields}
    for wish in about:
        name = wish.key
        if name in own and name not in aim.where and (value := _value(own[name], wish, entity)) is not None:
            fields[name] = view[name] = value
    met = frozenset((wish.domain, wish.type) for wish in about if wish.met_by(view.get(wish.key)))
    return Choice(entity, fields, met, worth(view, about))


def _value(field: RecordField, wish: Wish, entity: Entity | None) -> Any:
    """The liked value that the field may hold, as it holds it."""
    allowed = entity.values[field.among] if field.among and entity else None
    for liked in wish.likes:
        if allowed is None or liked in allowed:
            return (liked,) if field.kind == "choices" else liked
    return None
