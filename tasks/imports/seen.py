"""What the services of a data set were seen to answer: the rows of which catalogues are made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from duologue.tasks.imports.schema import Service, bare, padded

__all__ = ["Rows", "Seen"]


@dataclass
class Rows:
    """The answers of one service: by name the first row seen, and by slot how many rows told it otherwise later."""

    first: dict[str, dict[str, str]] = field(default_factory=dict)
    again: int = 0
    otherwise: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, row: Mapping[str, str]) -> None:
        known = self.first.setdefault(name, dict(row))
        if known == row:
            return
        self.again += 1
        for slot, value in row.items():
            if known.setdefault(slot, value) != value:
                self.otherwise[slot] = self.otherwise.get(slot, 0) + 1


class Seen:
    """The answers of every service whose entities have names, each entity kept once."""

    def __init__(self) -> None:
        self.rows: dict[str, Rows] = {}

    def add(self, service: Service, found: Iterable[Mapping[str, Any]]) -> None:
        """Rows of a search of `service`; what the schema does not list, and rows without a name, are passed over."""
        for each in found:
            told = {
                bare(service.name, key.casefold() if key not in service.slots else key): v for key, v in each.items()
            }
            row = {
                s: padded(str(v).strip())
                for s, v in told.items()
                if s in service.slots and isinstance(v, str | int | float)
            }
            if name := row.pop(service.naming, "").strip() if service.naming else "":
                self.rows.setdefault(service.name, Rows()).add(name, row)
