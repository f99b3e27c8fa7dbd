"""The user agent's own instructions, as the guard knows them again in what the user says."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from duologue.agents.words import tokens

__all__ = ["echoes", "user_lines"]

RUN = 7
"""How many words running have to be the same."""


@cache
def user_lines() -> tuple[str, ...]:
    """The fixed texts in the prompt files of the user agent, without what is filled in."""
    folder = files("duologue.agents") / "prompts"
    found = []
    for file in folder.iterdir():
        if file.name.startswith(("user", "stop")) and file.name.endswith(".md"):
            found += re.split(r"\{[{%#].*?[}%#]\}|\n", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    return tuple(sorted({line.strip() for line in found if line.strip()}))


def echoes(text: str, lines: Iterable[str]) -> bool:
    """Whether `text` holds a heading of `lines`, or seven words running of one."""
    lines = tuple(lines)
    if not _headings(lines).isdisjoint(line.strip().casefold() for line in text.splitlines()):
        return True
    return not _runs(tuple(tokens(text))).isdisjoint(_known_runs(lines))


@lru_cache(maxsize=16)
def _headings(lines: tuple[str, ...]) -> frozenset[str]:
    return frozenset(line.casefold() for line in lines if re.fullmatch(r"#+ .+|[A-Z][\w ,']+:", line))


@lru_cache(maxsize=16)
def _known_runs(lines: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(run for line in lines for run in _runs(tuple(tokens(line))))


def _runs(words: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(words[start : start + RUN] for start in range(len(words) - RUN + 1))
