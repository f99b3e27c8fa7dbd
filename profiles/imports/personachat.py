"""PersonaChat and ConvAI2: ParlAI's numbered text, the JSON of `train` and `valid`, and logs of dialogues.

Both partners of a dialogue are people; what they say to each other is no history with an assistant and stays out.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duologue.profiles.imports.formats import refusal
from duologue.profiles.imports.person import TALK, Person, Read
from duologue.profiles.imports.reading import one_file, opened, read_items
from duologue.profiles.imports.sentences import persona
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["people"]

NAME = "personachat"
NOBODY = "dialogues without a persona"
_LINE = re.compile(r"(\d+)\s+(?:(your|partner's) persona:)?\s*(.*)", re.IGNORECASE | re.DOTALL)


def people(path: Path) -> Iterator[Read]:
    """Whoever has a persona in the file at `path`, whatever its form. Raises BadInput where it is of none."""
    file = one_file(path, ".txt", ".json")
    with opened(file) as text:
        first = text.read(4096).lstrip()
    if first[:1].isdigit():
        return _from_text(file)
    if first[:1] in ("{", "["):
        return _from_json(file)
    raise refusal(NAME, file)


def _from_text(path: Path) -> Iterator[Read]:
    held = _Dialogue(f"{path}:1")
    number = 0
    with opened(path) as lines:
        for place, line in enumerate(lines, 1):
            if not line.strip():
                continue
            found = _LINE.fullmatch(line.strip())
            if found is None:
                yield BadInput("begins without a number", f"{path}:{place}")
                continue
            if (found[1] == "1" and held.begun) or (found[2] and held.turns):
                number += 1
                yield from held.people(number, restarted=found[1] == "1")
                held = _Dialogue(f"{path}:{place}")
            held.add(found[2] or "", found[3])
    yield from held.people(number + 1)


class _Dialogue:
    """One dialogue of the numbered text."""

    def __init__(self, where: str) -> None:
        self.where, self.begun, self.turns = where, False, 0
        self._said: dict[str, list[str]] = {"your": [], "partner's": []}

    def add(self, whose: str, text: str) -> None:
        self.begun = True
        if whose:
            self._said[whose.lower()].append(text)
        else:
            self.turns += 1 + ("\t" in text)

    def people(self, number: int, restarted: bool = True) -> Iterator[Read]:
        """Whoever has a persona in it, the speaker and then the partner."""
        notes = [] if restarted else [Note("repaired", "dialogues whose numbering goes on from the one before")]
        yield from _people(self.where, f"{NAME}-{number}", tuple(self._said.values()), self.turns, notes)


def _from_json(path: Path) -> Iterator[Read]:
    known = False
    said: tuple[list[Any], ...]
    for where, item in read_items(path):
        label = f"{NAME}-{re.sub(r'[^A-Za-z0-9]+', '-', where.removeprefix(f'{path}, ').removeprefix('item '))}"
        fits = isinstance(item, dict)
        if fits and isinstance(item.get("personality"), list):
            known = True
            said, turns = (item["personality"],), _turns(item.get("utterances"))
            yield from _people(where, label, said, turns, [])
        elif fits and ("user_profile" in item or "bot_profile" in item):
            known = True
            said = (_list(item.get("user_profile")), _list(item.get("bot_profile")))
            yield from _people(where, label, said, len(_list(item.get("dialog"))), [])
        elif not known:
            break
        else:
            yield BadInput("has no personality and no user_profile", where)
    if not known:
        raise refusal(NAME, path)


def _people(where: str, id: str, said: tuple[list[Any], ...], turns: int, notes: list[Note]) -> Iterator[Read]:
    notes = [*notes, Note("read", "dialogues"), Note("dropped", TALK, number=turns)]
    if not any(said):
        notes.append(Note("dropped", NOBODY, where))
    yield notes
    for name, sentences in zip((id, f"{id}-partner"), said, strict=False):
        if sentences:
            own: list[Note] = []
            yield Person(where, name, persona(sentences, own), own)


def _turns(utterances: Any) -> int:
    """How many turns the dialogue has: the longest history, and the reply, which stands last among the candidates."""
    lengths = [len(_list(each.get("history"))) for each in _list(utterances) if isinstance(each, dict)]
    return max(lengths, default=-1) + 1


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else value.splitlines() if isinstance(value, str) else []
