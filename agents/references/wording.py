"""Wording: what the reference assistants say, from templates that are data."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from duologue.agents.references.errand import Done
from duologue.agents.words import readable, spoken
from duologue.tasks.aim import Aim
from duologue.tasks.chance import choose
from duologue.tasks.domain import RecordField, key
from duologue.tasks.written import read_toml

__all__ = ["Wording", "asked_for"]

_PERSONAL = frozenset({"i", "i'm", "i'd", "i'll", "my", "me", "we", "our", "us", "please"})


class Wording:
    """Sentences of one dialogue. `seed` is what the choice among templates depends on, beside what they are for."""

    def __init__(self, *seed: Any) -> None:
        self._seed = seed

    def say(self, purpose: str, turn: int, **filled: str) -> str:
        """One of the sentences for that purpose."""
        template: str = choose(_templates()[purpose], *self._seed, purpose, turn)
        text = template.format(**filled)
        return text[:1].upper() + text[1:]

    def report(self, done: Done, turn: int) -> str:
        """What was done, in a sentence that names it with its facts; or that it was not, and why."""
        thing = readable(done.aim.record.name)
        if done.error:
            return self.say("failed", turn, thing=thing, error=done.error)
        settled, chosen = _facts(done)
        filled = {"thing": thing, "facts": ", ".join(settled) or "as you asked", "done": done.aim.record.done}
        if done.verb == "cancel":
            return self.say("cancelled", turn, **filled)
        entity = str(done.fields.get(done.aim.entity_field, ""))
        purpose = "changed" if done.verb == "change" else "done_with" if entity else "done"
        parts = [self.say("sold_out", turn, entity=name) for name in done.lost]
        parts.append(self.say(purpose, turn, entity=entity, **filled))
        if chosen:
            parts.append(self.say("chose", turn, choices=_joined(chosen)))
        if described := _described(done):
            parts.append(self.say("known_of", turn, choices=_joined(described)))
        return " ".join(parts)

    def asked(self, aim: Aim, name: str, slot: str, turn: int) -> str:
        """How it asks for what stands under `name` in the record or entity, which the user knows as `slot`."""
        return asked_for(aim, name) or self.say("question", turn, name=readable(slot))


def asked_for(aim: Aim, name: str) -> str:
    """The domain's own question for what stands under `name`; empty where it has none."""
    held = aim.domain.borne_by(aim.record)
    return next((each.ask for each in held if each.name == name and each.ask), "")


@cache
def _templates() -> Mapping[str, Sequence[str]]:
    return read_toml(files("duologue.agents.references") / "wording.toml")


def _facts(done: Done) -> tuple[list[str], list[str]]:
    """The facts of a record, and what was left open and chosen, as parts of sentences.

    The entity of a new record is named before them.
    """
    domain, settled, chosen = done.aim.domain, list[str](), list[str]()
    for field in done.aim.record.fields:
        value = done.fields.get(field.name)
        if value is None or (field.name == done.aim.entity_field and done.verb == "create"):
            continue
        preference = field.name not in done.aim.where and any(
            key(each.name) == field.name for each in domain.preferences
        )
        (chosen if preference else settled).append(_fact(field, value, preference))
    return settled, chosen


def _described(done: Done) -> list[str]:
    """What people have tastes in, of the entity that was newly chosen."""
    if done.entity is None or done.verb != "create":
        return []
    types = [each.name for each in done.aim.domain.preferences if key(each.name) in done.entity]
    return [f"{name} {_several(done.entity[key(name)])}" for name in types]


def _fact(field: RecordField, value: Any, preference: bool) -> str:
    label = readable(field.name)
    if isinstance(value, bool):
        return f"{'with' if value else 'without'} {label}"
    if not preference and field.say and not _PERSONAL & set(field.say.casefold().replace(",", " ").split()):
        say = field.say.replace("{value} people", "{value} person") if value == 1 else field.say
        return say.replace("{value}", _several(value)).rstrip(".!").strip()
    return f"{label} {_several(value)}{f' {field.unit}' if field.unit else ''}"


def _joined(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]


def _several(value: Any) -> str:
    parts = [str(each) for each in value] if isinstance(value, list | tuple) else [spoken(value)]
    return " and ".join(parts)
