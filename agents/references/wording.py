"""Wording: what the reference assistants say, from templates that are data."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from duologue.agents.references.errand import Done
from duologue.agents.words import in_words, readable
from duologue.tasks.aim import Aim
from duologue.tasks.chance import choose
from duologue.tasks.domain import Attribute, RecordField, key
from duologue.tasks.noun import article
from duologue.tasks.saying import filled, listed
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
            parts.append(self.say("chose", turn, choices=listed(chosen)))
        if described := _described(done):
            parts.append(self.say("known_of", turn, choices=listed(described)))
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
        preference = field.name not in done.aim.where and field.name in domain.tastes
        (chosen if preference else settled).append(_told(field, value))
    return settled, chosen


def _described(done: Done) -> list[str]:
    """What people have tastes in, of the entity that was newly chosen."""
    if done.entity is None or done.verb != "create":
        return []
    attributes, names = done.aim.attributes, (key(type.name) for type in done.aim.domain.preferences)
    return [_told(attributes[name], done.entity[name]) for name in names if name in done.entity and name in attributes]


def _told(spec: RecordField | Attribute, value: Any) -> str:
    """What stands in a record or is known of an entity, as a part of a sentence."""
    if isinstance(value, bool):
        return f"{'with' if value else 'without'} {readable(spec.name)}"
    say = spec.say.removesuffix(", please")
    return filled(say if _is_for_anybody(say) else _say_at_large(spec), _in_words(value))


@lru_cache(maxsize=1024)
def _is_for_anybody(say: str) -> bool:
    """Whether a domain's own words for something may be said by whoever speaks of it."""
    return bool(say) and not _PERSONAL & set(say.casefold().replace(",", " ").split())


def _say_at_large(spec: RecordField | Attribute) -> str:
    """How to put what the domain has no words of its own for, or only such as the user alone can say."""
    label = readable(spec.name)
    if spec.kind == "number":
        counted = label.endswith("s") and not spec.unit
        return f"{{value}} {label}" if counted else f"{article(label)} {label} of {{value}} {spec.unit}"
    if spec.kind == "entity":
        return "{value}"
    return f"{{value}} {'as' if spec.kind == 'text' else 'for'} the {label}"


def _in_words(value: Any) -> str:
    if isinstance(value, list | tuple):
        return listed([str(each) for each in value])
    return "one" if value == 1 else in_words(value)
