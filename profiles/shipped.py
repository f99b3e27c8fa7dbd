"""The people that ship with the package, and whether the generator still makes them."""

import json
from collections.abc import Iterable
from importlib.resources import files

from duologue.profiles.generator import generate, line
from duologue.profiles.inclination import Inclined
from duologue.profiles.library import PEOPLE

__all__ = ["COMMAND", "COUNT", "SEED", "departure"]

COUNT, SEED = 200, 1
COMMAND = f"rm profiles/{PEOPLE} && duologue profiles generate --n {COUNT} --seed {SEED} --to profiles/{PEOPLE}"
"""Makes the file anew, in a checkout."""


def departure(domains: Iterable[Inclined]) -> str:
    """In what the shipped people are not those that the generator makes of `domains`; empty where in nothing.

    Names depend on the version of Faker that they are drawn from, so names alone do not count.
    """
    made = [line(person) for person in generate(COUNT, SEED, domains)]
    held = (files("duologue.profiles") / PEOPLE).read_text(encoding="utf-8").splitlines(keepends=True)
    if held == made:
        return ""
    if len(held) != COUNT:
        return f"{len(held)} people instead of {COUNT}"
    others = [
        number for number, pair in enumerate(zip(held, made, strict=True), 1) if len(set(map(_nameless, pair))) > 1
    ]
    return f"{len(others)} of {COUNT} people, the first in line {others[0]}" if others else ""


def _nameless(text: str) -> str:
    return line({**json.loads(text), "name": ""})
