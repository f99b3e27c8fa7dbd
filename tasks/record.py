"""A record: what a world keeps of something done, such as a reservation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Record"]


@dataclass(slots=True)
class Record:
    """One record of a world. Only the world changes it."""

    id: str
    kind: str
    domain: str
    fields: dict[str, Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Those of the entity that it is about."""
    status: Literal["active", "cancelled"] = "active"
    given: bool = False
    """It was there at the start."""
    start: Mapping[str, Any] = field(default_factory=dict)
    """What a given record held at the start, its entity's attributes included."""

    @property
    def view(self) -> dict[str, Any]:
        """Its fields and its entity's attributes together; fields go first where both have a name."""
        return {**self.attributes, **self.fields}

    @property
    def touched(self) -> bool:
        """Whether a given record is no longer what it was."""
        return self.given and (self.status != "active" or self.view != self.start)

    @property
    def plain(self) -> dict[str, Any]:
        """It as JSON holds it."""
        fields = {name: list(value) if isinstance(value, tuple) else value for name, value in self.fields.items()}
        return {"id": self.id, **fields, "status": self.status}
