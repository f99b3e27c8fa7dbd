"""Routes: by which way what was chosen came in, from the first act or proposal that holds it against the ledger."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from duologue.agents.agenda.hearing import Heard
from duologue.agents.deeds import Deed
from duologue.agents.state.matter import Matter
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Evidence, Route
from duologue.agents.words import mentions
from duologue.tasks.record import Record
from duologue.tasks.wish import holds

__all__ = ["Way", "way"]

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_JSON = json.JSONEncoder(ensure_ascii=False)
_ROUTES: Mapping[str, Route] = {"asked": "asked", "corrected": "corrected"}


@dataclass(frozen=True, slots=True)
class Way:
    """A route, where the value was chosen or proposed first, and where the user had let out what that rests on."""

    route: Route
    evidence: Evidence
    told: Evidence | None = None


def way(matter: Matter, record: Record, name: str, type: str) -> Way:
    """How what `record` holds under `name` in the end came in. A proposal that was accepted counts as unasked.

    Where several were put to the user to choose from, the user was asked.
    """
    value = record.view[name]
    evidence, choice = _acted(matter, record, name, value), False
    if offered := _offered(matter, record, name, value, evidence.turn or 0):
        evidence, choice = offered
    since = evidence.turn or 0
    told = next(((turn, entry) for turn, entry in matter.disclosed(record.domain, type) if turn <= since), None)
    if told is not None:
        turn, entry = told
        return Way(_ROUTES.get(entry.how, "told"), evidence, _said(matter.script, turn, entry.value))
    if choice:
        return Way("asked", evidence, _said(matter.script, since + 1, ""))
    return Way("unasked", evidence)


def _acted(matter: Matter, record: Record, name: str, value: Any) -> Evidence:
    """The first call after which a record of that kind held the value."""
    deed = next(d for d in matter.deeds if d.tool.record == record.kind and d.view.get(name) == value)
    return Evidence(turn=deed.turn, role="assistant", quote=_argument(matter, deed, name), found=True)


def _argument(matter: Matter, deed: Deed, name: str) -> str:
    """The argument by which a call settled what stands under `name`; all of them where it cannot be cut out."""
    for each in (name, matter.entity_field(deed.tool.record)):
        if each in deed.view:
            held = deed.view[each]
            quote = f'"{each}": {_JSON.encode(list(held) if isinstance(held, tuple) else held)}'
            if quote in deed.arguments:
                return quote
    return deed.arguments


def _offered(matter: Matter, record: Record, name: str, value: Any, before: int) -> tuple[Evidence, bool] | None:
    """Where the value was first put to the user, before the turn of the first act that settled it.

    And whether other values were put beside it: then the user was asked to choose.
    """
    wanted = str(value[0] if isinstance(value, list | tuple) else value)
    for turn, heard in matter.heard.items():
        if turn < before:
            offers = list(_offers(matter, heard, record, name))
            if fitting := [words for each, words in offers if holds(each, wanted)]:
                evidence = Evidence(turn=turn, role="assistant", quote=fitting[0], found=True)
                return evidence, any(not holds(each, wanted) for each, _ in offers)
    return None


def _offers(matter: Matter, heard: Heard, record: Record, name: str) -> Iterator[tuple[Any, str]]:
    """The values that a turn offers under `name`, by themselves or in the entities that it offers, with its words."""
    if any((subject.domain, subject.key) == (record.domain, name) for subject in heard.asked):
        return
    entities = matter.entities(record.domain)
    for each in heard.named:
        if each.domain != record.domain or each.mode not in ("offered", "stated"):
            continue
        if each.kind == "entity" and name not in record.fields and name in entities.get(each.value, {}):
            yield entities[each.value][name], each.quote
        elif each.kind == "value" and each.key == name and each.mode == "offered":
            yield each.value, each.quote


def _said(script: Transcript, turn: int, value: str) -> Evidence:
    """The sentence of the user's turn that holds the value, or all of it."""
    words = script.messages[2 * turn - 2].text
    quote = next((part for part in _SENTENCES.split(words) if value and mentions(part, value)), words)
    return Evidence(turn=turn, role="user", quote=quote, found=True)
