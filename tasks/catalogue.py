"""A catalogue: what there is to choose from in a domain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Entity"]


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing to choose, known by its name. `values` holds every attribute, lists as tuples."""

    name: str
    values: Mapping[str, Any]
