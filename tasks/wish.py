"""A wish: what a user would have in one respect that matters to a task."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duologue.tasks.domain import key

__all__ = ["Wish", "holds", "worth"]


@dataclass(frozen=True)
class Wish:
    """One relevant preference as it stands in one scenario. Any liked value meets it."""

    domain: str
    type: str
    likes: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    """Values that the person has given up."""
    weight: float = 1.0
    situated: bool = False
    """The situation calls for it, whatever the person likes otherwise."""

    @cached_property
    def key(self) -> str:
        """The attribute or field that the type is tied to."""
        return key(self.type)

    def met_by(self, value: Any) -> bool:
        """Whether `value`, or one of several, is liked and none of them avoided."""
        return _is_among(value, self._liked) and not self.spoilt_by(value)

    def spoilt_by(self, value: Any) -> bool:
        """Whether `value` is, or has among several, one that the person avoids or has given up."""
        return bool(self._shunned) and _is_among(value, self._shunned)

    @cached_property
    def _liked(self) -> frozenset[str]:
        return frozenset(value.casefold() for value in self.likes)

    @cached_property
    def _shunned(self) -> frozenset[str]:
        return frozenset(value.casefold() for value in (*self.avoids, *self.former))


def holds(value: Any, wanted: str) -> bool:
    """Whether an entity's or a record's `value` is `wanted`, or has it among several; case does not count."""
    return _is_among(value, (wanted.casefold(),))


def _is_among(value: Any, folded: Container[str]) -> bool:
    """Whether `value`, or one of several, is among case-folded ones."""
    if isinstance(value, str):
        return value.casefold() in folded
    if isinstance(value, list | tuple):
        return any(_is_among(each, folded) for each in value)
    return str(value).casefold() in folded


def worth(values: Mapping[str, Any], wishes: Iterable[Wish]) -> float:
    """The weights of the wishes that what stands under their keys meets, less those that it goes against."""
    total = 0.0
    for wish in wishes:
        value = values.get(wish.key)
        if value is not None:
            total += wish.weight * (wish.met_by(value) - wish.spoilt_by(value))
    return total
