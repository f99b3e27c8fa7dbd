"""What the parts of a service are called in the world: fields, tools and kinds of record."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from duologue.tasks.domain import key
from duologue.tasks.imports.schema import Service

__all__ = ["kind_names", "named", "snake", "tool_name", "words"]

LONGEST = 64
_TAKEN = frozenset({"name", "limit", "offset", "id", "status"})
_JOINED = ("arriveby", "leaveat", "pricerange", "trainid", "bookday", "bookpeople", "bookstay", "booktime")
"""Names of slots that are two words."""


def named(service: Service, slot: str) -> str:
    """The name of a slot as an attribute, a field, or a fact of the user's."""
    return _named(service.name, slot)


@lru_cache(maxsize=4096)
def _named(service: str, slot: str) -> str:
    name = re.sub(r"\W", "_", key(slot), flags=re.ASCII)
    if slot in _JOINED:
        name = re.sub(r"^(arrive|leave|price|train|book)", r"\1_", name)
    if name in _TAKEN or not re.match(r"[A-Za-z]", name):
        name = f"{key(service.lower())}_{name}"
    return name[:LONGEST]


def kind_names(services: Iterable[Service]) -> Mapping[tuple[str, str], str]:
    """By service and transactional intent, what its records are called: after what is ordered, with more said where
    several services have the like."""
    found: dict[tuple[str, str], str] = {}
    held = [(service.name, intent.name) for service in services for intent in service.transactions]
    ordered = {each: snake(each[1]).partition("_")[2] or snake(each[1]) for each in held}
    for service, intent in held:
        noun = ordered[service, intent]
        at = key(service.lower())
        alone = list(ordered.values()).count(noun) == 1
        here = [other for other in held if other[0] == service and ordered[other] == noun]
        name = f"{noun}_order" if alone else f"{noun}_order_at_{at}"
        found[service, intent] = (name if len(here) == 1 else f"{snake(intent)}_order_at_{at}")[:LONGEST]
    return found


def tool_name(name: str, service: Service) -> str:
    """What a tool of a service is called."""
    return key(f"{snake(name)}_at_{service.name.lower()}")[:LONGEST]


def snake(name: str) -> str:
    """`BookTable` as `book_table`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def words(name: str) -> str:
    """A name as words."""
    return re.sub(r"[\W_]+", " ", name).strip()
