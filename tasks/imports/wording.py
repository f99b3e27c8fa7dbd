"""What a goal is called in sentences: the schema's descriptions with the values, in words of our own."""

from collections.abc import Callable, Iterable, Mapping

from duologue.tasks.imports.schema import Service
from duologue.tasks.task import Fact

__all__ = ["Told", "goal_in_words", "intent_in_words", "request_in_words"]

Told = tuple[Service, tuple[str, ...], Mapping[str, tuple[str, Fact]], tuple[str, ...]]
"""A service, its intents, by slot the name and value of the fact, and the slots that are to be told."""


def intent_in_words(wants: Iterable[Told]) -> str:
    """What the user is after, as the user agent is told it."""
    return _told(wants, "You want to", "You want to be told", _value)


def goal_in_words(wants: Iterable[Told]) -> str:
    """When it is done, as the judge is told it."""
    return _told(wants, "The assistant was to", "The user was to be told", _value) + " All of it is done."


def request_in_words(wants: Iterable[Told]) -> str:
    """A first turn in the first person, with `{name}` for each fact."""
    return _told(wants, "I want to", "I would like to be told", lambda name, _: f"{{{name}}}")


def _told(wants: Iterable[Told], lead: str, asking: str, show: Callable[[str, Fact], str]) -> str:
    sentences = []
    for service, intents, facts, asked in wants:
        acts = ", and to ".join(_lower(service.intents[name].description) for name in intents)
        about = "; ".join(f"{_about(service, slot)}: {show(*fact)}" for slot, fact in facts.items())
        sentences.append(f"{lead} {acts}{f' ({about})' if about else ''}.")
        if asked:
            sentences.append(f"{asking}: {'; '.join(_about(service, slot) for slot in asked)}.")
    return " ".join(sentences)


def _about(service: Service, slot: str) -> str:
    return _lower(service.slots[slot].description)


def _lower(text: str) -> str:
    """`text` as a part of a sentence, without what would stand for a slot."""
    text = " ".join(text.replace("{", "(").replace("}", ")").split()).rstrip(" .")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _value(_: str, value: Fact) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
