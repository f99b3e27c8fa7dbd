"""Patterns: many turns of phrase looked for as one. Pure."""

import re
from collections.abc import Iterable

__all__ = ["any_of"]

_EDGE = r"\b"


def any_of(ways: Iterable[str]) -> re.Pattern[str]:
    """A pattern that is found where any of `ways` is. Those that begin at the edge of a word stand together: then the
    edge is looked for once, not by each of them."""
    held = list(ways)
    edged = [way for way in held if way.startswith(_EDGE)]
    free = [way for way in held if not way.startswith(_EDGE)]
    return re.compile("|".join([*([f"(?:{'|'.join(edged)})"] if edged else []), *free]))
