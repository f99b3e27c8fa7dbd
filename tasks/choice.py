"""Choices: what a world lets a user have, and which of it pleases the user best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duologue.tasks.aim import Aim, fits
from duologue.tasks.catalogue import Entity
from duologue.tasks.domain import RecordField
from duologue.tasks.stage import Stage
from duologue.tasks.wish import Wish

__all__ = ["Choice", "attainable", "best", "borne", "choices", "feasible"]

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


def choices(stage: Stage, aim: Aim, wishes: Sequence[Wish]) -> list[Choice]:
    """Everything that can be chosen, each with the liked values that its record may hold, in the catalogue's order."""
    about = borne(aim, wishes)
    free = {field.name: field for field in aim.record.fields if field.name not in aim.where}
    candidates: Sequence[Entity | None] = feasible(stage, aim) if aim.entity_field else (None,)
    return [_choice(free, entity, about) for entity in candidates]


def best(stage: Stage, aim: Aim, wishes: Sequence[Wish]) -> Choice:
    """The choice that is worth most to a user with these wishes; the first of several in the catalogue's order."""
    nothing = Choice(None, {}, frozenset(), 0.0)
    return max(choices(stage, aim, wishes), key=lambda choice: choice.worth, default=nothing)


def attainable(stage: Stage, aim: Aim, wishes: Sequence[Wish]) -> frozenset[Pair]:
    """The wishes that some feasible choice meets, each taken by itself."""
    return frozenset(pair for choice in choices(stage, aim, wishes) for pair in choice.met)


def borne(aim: Aim, wishes: Sequence[Wish]) -> list[Wish]:
    """The wishes that a record of that kind decides, by a field of its own or by its entity's attributes."""
    names = {each.name for each in aim.domain.borne_by(aim.record)}
    return [wish for wish in wishes if wish.domain == aim.domain.name and wish.key in names]


def _choice(free: Mapping[str, RecordField], entity: Entity | None, about: Sequence[Wish]) -> Choice:
    """The choice of `entity`, with a liked value in every free field that may hold one."""
    fields: dict[str, Any] = {}
    met: list[Pair] = []
    total = 0.0
    for wish in about:
        value = _value(free[wish.key], wish, entity) if wish.key in free else None
        if value is not None:
            fields[wish.key] = value
        elif entity is not None:
            value = entity.values.get(wish.key)
        if value is not None and wish.met_by(value):
            met.append((wish.domain, wish.type))
            total += wish.weight
        elif value is not None and wish.spoilt_by(value):
            total -= wish.weight
    return Choice(entity, fields, frozenset(met), total)


def _value(field: RecordField, wish: Wish, entity: Entity | None) -> Any:
    """The liked value that the field may hold, as it holds it."""
    allowed = entity.values[field.among] if field.among and entity else None
    for liked in wish.likes:
        if allowed is None or liked in allowed:
            return (liked,) if field.kind == "choices" else liked
    return None
