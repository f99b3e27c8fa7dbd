"""The generator of people: a number and a seed give one person, whoever else is generated."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from duologue.profiles.drawing import Draws
from duologue.profiles.history import history
from duologue.profiles.inclination import Inclined, traits
from duologue.profiles.lives import life
from duologue.profiles.tastes import Tasting, tastes, tastings
from duologue.profiles.voice import Voice, voice
from duologue.tasks import chance
from duologue.tasks.written import BadInput, written_whole

__all__ = ["generate", "line", "write_people"]

DOMAINS = (9, 13)
"""In how many domains, from and to, a person has preferences."""

_written = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode

Table = Mapping[str, tuple[int, tuple[Tasting, ...]]]
"""By domain, a number of its own and its preference types."""


def generate(
    count: int, seed: int, domains: Iterable[Inclined], own: Iterable[Inclined] = ()
) -> Iterator[dict[str, Any]]:
    """The first `count` people of that seed, each as the plain data of a profile.

    Everybody has preferences in some of `domains`, and in all of `own`. The n-th person is the same whatever `count`
    is, and their preferences in a domain are the same whatever other domains there are. Raises BadInput where Faker,
    from which names are drawn, is not installed.
    """
    held = {each.domain.name: each for each in own}
    known = {each.domain.name: each for each in domains} | held
    table = {name: (chance.number("tastes", name), tastings(known[name])) for name in sorted(known)}
    voices = {name: voice(known[name].domain) for name in table}
    for number in range(1, count + 1):
        yield _person(number, seed, table, voices, tuple(held))


def line(person: Mapping[str, Any]) -> str:
    """A person as a line of a JSON Lines file."""
    return _written(person) + "\n"


def write_people(path: Path, people: Iterable[Mapping[str, Any]]) -> int:
    """Write `people` to a new file, one a line, and tell how many bytes it has. Raises BadInput where it cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise BadInput("is there already", path, "Give a new name with --to, or move it away.")
        with written_whole(path) as file:
            file.writelines(map(line, people))
        return path.stat().st_size
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", path, "Name another place with --to.") from None


def _person(
    number: int, seed: int, table: Table, voices: Mapping[str, Voice], always: tuple[str, ...]
) -> dict[str, Any]:
    draws = Draws("person", seed, number)
    mix = {trait: draws.one(levels) for trait, levels in traits().items()}
    lived = life(mix, draws)
    shared = tuple(name for name in table if name not in always)
    domains = sorted((*always, *draws.several(shared, draws.between(*DOMAINS))))
    own = chance.number("tastes", seed, number)
    held = {name: tastes(types, mix, Draws.of(own ^ mark)) for name in domains for mark, types in (table[name],)}
    every = [taste for tasted in held.values() for taste in tasted]
    sessions = history(every, voices, lived["demographics"]["gender"], Draws("history", seed, number))
    preferences = {name: {taste.type.name: taste.held for taste in tasted} for name, tasted in held.items()}
    return {"id": f"p{seed}-{number:04d}", **lived, "preferences": preferences, "history": sessions}
