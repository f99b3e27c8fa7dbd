"""Names of many cultures, drawn from Faker once."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from duologue.profiles.drawing import Draws
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput, Written, parse, read_toml

__all__ = ["Country", "Names", "countries", "names"]

POOL = 90


class Country(Written):
    """Where people come from: `[[country]]` of places.toml."""

    name: str
    locale: str
    languages: str
    faiths: tuple[str, ...]
    native: str = ""
    family_first: bool = False
    places: dict[str, tuple[str, ...]]
    """Places to live in by the levels of the trait `place`."""


class Names(NamedTuple):
    """The names of one culture. Family names differ by gender in some."""

    given: dict[str, Sequence[str]]
    family: dict[str, Sequence[str]]
    family_first: bool

    def draw(self, gender: str, draws: Draws) -> str:
        """A full name for a person of that gender."""
        drawn = gender if gender in self.given else draws.one(("woman", "man"))
        given, family = draws.one(self.given[drawn]), draws.one(self.family[drawn])
        return f"{family} {given}" if self.family_first else f"{given} {family}"


@cache
def countries() -> tuple[Country, ...]:
    """The countries in the order of their names."""
    tables = read_toml(files("duologue.profiles") / "places.toml")["country"]
    sizes = ("big city", "town", "countryside")
    return tuple(
        parse(
            Country,
            {
                **{key: value for key, value in table.items() if key not in sizes},
                "places": {s: table[s] for s in sizes},
            },
            f"places.toml {table['name']}",
        )
        for table in tables
    )


@cache
def names() -> dict[str, Names]:
    """By country, names to draw from. Raises BadInput where Faker is not installed."""
    try:
        from faker import Faker
    except ImportError:
        raise BadInput("Faker is not installed, and names are drawn from it", then="Type: pip install Faker") from None
    found = {}
    for country in countries():
        source = Faker(country.locale, providers=["faker.providers.person"])
        source.seed_instance(number(country.name))
        found[country.name] = Names(
            {"woman": _pool(source.first_name_female), "man": _pool(source.first_name_male)},
            {"woman": _pool(source.last_name_female), "man": _pool(source.last_name_male)},
            country.family_first,
        )
    return found


def _pool(name: Callable[[], str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name() for _ in range(POOL)))
