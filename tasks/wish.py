"""A wish: what a user would have in one respect that matters to a task."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duologue.tasks.domain import key

__all__ = ["Wish", "holds"]


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
        return any(holds(value, liked) for liked in self.likes) and not self.spoilt_by(value)

    def spoilt_by(self, value: Any) -> bool:
        """Whether `value` is, or has among several, one that the person avoids or has given up."""
        return any(holds(value, shunned) for shunned in (*self.avoids, *self.former))


def holds(value: Any, wanted: str) -> bool:
    """Whether an entity's or a record's `value` is `wanted`, or has it among several; case does not count."""
    if isinstance(value, list | tuple):
        return any(holds(each, wanted) for each in value)
    return value == wanted or str(value).casefold() == wanted.casefold()
