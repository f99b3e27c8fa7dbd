"""A catalogue: what there is to choose from in a domain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Entity", "several"]


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing to choose, known by its name. `values` holds every attribute, lists as tuples."""

    name: str
    values: Mapping[str, Any]


def several(value: Any) -> Sequence[Any]:
    """What an attribute or a field holds as a row: itself where it is a list, else it alone."""
    return value if isinstance(value, list | tuple) else (value,)
