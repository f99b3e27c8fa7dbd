"""A way: how one turn of one person is put, from templates that are data: chance and style, no content."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from duologue.profiles.profile import Style
from duologue.tasks.chance import choose, unit

__all__ = ["Way", "templates"]

_SENTENCE = re.compile(r"\b(?:is|are|should|has|have|must|make|will|needs?|runs?|goes|it|please|want)\b|:")
"""What shows that a fact is put as a sentence of its own."""
_INSIDE = re.compile(r"(?:\b|')(?:is|s|be|Still|need|again:|but it is)\s+\{facts\}|'d be \{facts\}|rather than")
"""What a sentence cannot stand after."""


class Way:
    """One way of putting a turn: every choice depends on the key and on what it is for alone."""

    def __init__(self, style: Style, *key: int) -> None:
        self.style, self._key = style, key

    def choose(self, ways: Sequence[str], purpose: str) -> str:
        """One of `ways`."""
        return choose(ways, *self._key, purpose)

    def unit(self, purpose: str) -> float:
        """A float in [0, 1)."""
        return unit(*self._key, purpose)

    def templates(self, name: str) -> Sequence[str]:
        """The ways of saying something that go with the person's formality."""
        held = _written()[name]
        return held.get("any") or held[self.style.formality or "neutral"]

    def say(self, name: str, about: str = "", /, **values: str) -> str:
        """One of those ways, filled in. What it is about lets two of a turn differ."""
        ways = self.templates(name)
        if _SENTENCE.search(values.get("facts", "")):
            ways = [way for way in ways if not _INSIDE.search(way)] or ways
        text = self.choose(ways, f"{name} {about}")
        for key, value in values.items():
            text = text.replace(f"{{{key}}}", value)
        return text

    def leads(self) -> Sequence[str]:
        """How a person of that tone takes something well; nothing where no word of the tone is known."""
        tones = _written()["tone"]
        spoken = self.style.tone.lower().replace(",", " ").split()
        return next((tones[word] for word in spoken if word in tones), ())


def templates() -> Iterator[tuple[str, str]]:
    """Every way of saying something, under the name of what it says."""
    for name, held in _written().items():
        for ways in held.values():
            yield from ((name, way) for way in ways)


@cache
def _written() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads((files("duologue.agents.agenda") / "wording.toml").read_text(encoding="utf-8"))
