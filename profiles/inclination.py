"""Inclinations: how people hold the preferences of a domain and how their past shows them (`people.toml`)."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.library import Entry, domain_entries
from duologue.tasks.written import BadInput, Written, nearest, parse, read_toml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = [
    "Inclination",
    "Inclined",
    "inclined",
    "read_inclinations",
    "ruled",
    "shipped_inclined",
    "trait_mixes",
    "traits",
]

FILE = "people.toml"


def _levels(value: Any) -> Any:
    if not isinstance(value, str | list | tuple):
        raise ValueError('expected a level such as "early", or a list of levels')
    return (value,) if isinstance(value, str) else tuple(value)


Levels = Annotated[tuple[str, ...], BeforeValidator(_levels)]


class Inclination(Written):
    """One preference type: how many values a person holds, which traits draw to which, and how the past shows them."""

    likes: tuple[int, int] = (1, 1)
    """How many values a person likes, from and to."""
    avoids: float = Field(default=0.0, ge=0, le=1)
    """The chance that a person also avoids a value."""
    sensitive: bool = False
    hints: dict[str, tuple[str, ...]]
    """By value, clauses that show it without naming it, to be read after "The user ..."."""
    leans: dict[str, dict[str, Levels]] = Field(default_factory=dict)
    """By value, the levels of traits that make it likelier."""
    never: dict[str, dict[str, Levels]] = Field(default_factory=dict)
    """By value, the levels of traits that rule it out."""

    def traits(self) -> tuple[str, ...]:
        """The traits that bear on this type, in the order in which they are written down."""
        named = {trait for table in (*self.leans.values(), *self.never.values()) for trait in table}
        return tuple(trait for trait in traits() if trait in named)


class Inclined(NamedTuple):
    """A domain with the inclinations of people in it, by preference type."""

    domain: Domain
    inclinations: Mapping[str, Inclination]


@cache
def traits() -> Mapping[str, tuple[str, ...]]:
    """The latent traits of people, each with its levels."""
    return {name: tuple(levels) for name, levels in read_toml(files("duologue.profiles") / "traits.toml").items()}


def trait_mixes(names: Iterable[str]) -> Iterator[dict[str, str]]:
    """Every combination of levels that the traits of those names can have."""
    names = tuple(names)
    return (dict(zip(names, mix, strict=True)) for mix in product(*(traits()[name] for name in names)))


def shipped_inclined() -> Iterator[Entry[Inclined]]:
    """The domains of the package that say how people are inclined."""
    folders = (files("duologue.tasks") / "domains").iterdir()
    for folder in sorted(folders, key=lambda folder: folder.name):
        yield from inclined(folder)


def inclined(folder: "Traversable") -> Iterator[Entry[Inclined]]:
    """The domain in `folder` with what its `people.toml` says; nothing where it has none."""
    file = folder / FILE
    if not file.is_file():
        return
    for where, domain in domain_entries(folder):
        if isinstance(domain, BadInput):
            yield where, domain
            continue
        try:
            yield str(file), Inclined(domain, read_inclinations(file, domain))
        except BadInput as fault:
            yield str(file), fault


def read_inclinations(file: "Traversable", domain: Domain) -> dict[str, Inclination]:
    """What `file` says of each preference type of `domain`. Raises BadInput with the first fault."""
    data, names = read_toml(file), [type.name for type in domain.preferences]
    for name in data:
        if name not in names:
            raise BadInput(f"no preference type {name!r} in {domain.name}{nearest(name, names)}", str(file))
    return {type.name: _read(data.get(type.name), type, str(file)) for type in domain.preferences}


def _read(table: Any, type: PreferenceType, file: str) -> Inclination:
    where = f"{file} [{type.name!r}]"
    if table is None:
        raise BadInput(f"nothing on the preference type {type.name!r}", file, f'Add a table ["{type.name}"].')
    held = parse(Inclination, table, where)
    for examine in (_fault_in_number, _fault_in_values, _fault_in_traits, _fault_in_rest):
        if fault := examine(held, type):
            raise BadInput(fault, where)
    return held


def _fault_in_number(held: Inclination, type: PreferenceType) -> str:
    least, most = held.likes
    possible = max(1, len(type.values) // 3) if type.multiple else 1
    if 1 <= least <= most <= possible:
        return ""
    return f"likes: expected 1 <= from <= to <= {possible}, for there are {len(type.values)} values"


def _fault_in_values(held: Inclination, type: PreferenceType) -> str:
    for part, table in (("hints", held.hints), ("leans", held.leans), ("never", held.never)):
        if unknown := next((value for value in table if value not in type.values), ""):
            return f"{part}: no value {unknown!r}{nearest(unknown, type.values)}"
    for value in type.values:
        if len(held.hints.get(value, ())) < 2:
            return f"hints: {value!r} has {len(held.hints.get(value, ()))}, expected 2"
    return ""


def _fault_in_traits(held: Inclination, _: PreferenceType) -> str:
    known = traits()
    for part, tables in (("leans", held.leans), ("never", held.never)):
        for value, table in tables.items():
            for trait, levels in table.items():
                if trait not in known:
                    return f"{part}.{value}: no trait {trait!r}{nearest(trait, known) or _listed(known)}"
                for level in levels:
                    if level not in known[trait]:
                        hint = nearest(level, known[trait]) or _listed(known[trait])
                        return f"{part}.{value}: {trait} has no level {level!r}{hint}"
    return ""


def _fault_in_rest(held: Inclination, type: PreferenceType) -> str:
    """Why some sort of person is not left as many values as a person may like."""
    for mix in trait_mixes(held.traits()):
        left = [value for value in type.values if not ruled(held.never.get(value), mix)]
        if len(left) < held.likes[1]:
            who = " and ".join(f"{trait} = {level!r}" for trait, level in mix.items())
            return f"never: leaves {len(left)} values to people with {who}"
    return ""


def ruled(table: Mapping[str, tuple[str, ...]] | None, mix: Mapping[str, str]) -> bool:
    """Whether any of the traits in `mix` has a level that `table` names."""
    return any(mix[trait] in levels for trait, levels in (table or {}).items())


def _listed(known: Iterable[str]) -> str:
    return f" (known: {', '.join(known)})"
