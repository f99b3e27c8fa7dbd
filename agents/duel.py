"""A duel: what a judge says of two dialogues on one scenario that are laid side by side."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from duologue.agents.answers import Unclear, read_word
from duologue.agents.ending import Owner
from duologue.agents.fence import plain
from duologue.agents.models.call import Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.quotes import locate
from duologue.agents.rubric import Dimension
from duologue.agents.transcript import Transcript
from duologue.agents.usage import Usage
from duologue.agents.verdict import Evidence
from duologue.tasks.written import Written

__all__ = ["CHOICES", "Choice", "Corner", "Duel", "choice_schema", "read_choices"]

CHOICES = ("first", "tie", "second")


class Corner(Written):
    """One of the two dialogues. Which run, assistant and cell it is, its judge never sees."""

    run: str
    """What tells the run from others, wherever its folder lies."""
    cell: str
    attempt: int
    assistant: str
    letters: int
    """That the assistant said."""


class Choice(Written):
    """The answer to one question. Without `choice` none could be read; `unscored` then says why."""

    choice: Literal["", "first", "tie", "second"] = ""
    reason: str = ""
    first: Evidence | None = None
    second: Evidence | None = None
    """Quotes of either record; None where none was given."""
    unscored: str = ""


class Duel(Written):
    """One judge's answer on two dialogues in one order. With `unscored`, nothing in it was read, and why."""

    v: Literal[1] = 1
    rubric: str
    """The rubric's fingerprint. Duels of different fingerprints are never counted together."""
    rubric_name: str
    judge: str
    short: bool = False
    """Whether it was asked in the short form, as small models are."""
    profile: str
    first: Corner
    second: Corner
    choices: dict[str, Choice] = Field(default_factory=dict)
    unscored: str = ""
    owner: Owner | Literal["", "judge"] = ""
    """Who is to blame for `unscored`: the judge's own answer, or the infrastructure."""
    warnings: tuple[str, ...] = ()
    answer: str = ""
    """The judge's text as it came, kept where it could not be read in full."""
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0
    time: float = 0

    @property
    def spoilt(self) -> bool:
        """Whether the infrastructure spoilt it, so that it is to be asked again."""
        return bool(self.unscored) and self.owner == "infrastructure"


@lru_cache(maxsize=64)
def choice_schema(dimensions: tuple[Dimension, ...], small: bool) -> Schema:
    """The schema of the answer: reasons stand before choices, and texts are bounded.

    Where `small`, texts are shorter, nothing is quoted, and some choices stand alone.
    """
    return Schema("duel", _object({"choices": _object({d.name: _choice_schema(d, small) for d in dimensions})}))


def read_choices(
    text: str, dimensions: tuple[Dimension, ...], scripts: tuple[Transcript, Transcript], shown: Collection[str] = ()
) -> dict[str, Choice]:
    """The choices in a judge's `text`, quotes checked in the record that they are given for, as far as it was `shown`.

    Raises Unreadable where there is no object, or where nothing in it answers a question.
    """
    form = {"properties": dict.fromkeys(["choices", *(d.name for d in dimensions)])}
    answer = read_object(text, form)
    part = answer.get("choices")
    given: Mapping[str, Any] = part if isinstance(part, Mapping) else answer
    found = {d.name: _choice(given.get(d.name), scripts, shown) for d in dimensions}
    if all(choice.unscored for choice in found.values()):
        raise Unreadable("it chooses in nothing that was asked")
    return found


def _choice(given: Any, scripts: tuple[Transcript, Transcript], shown: Collection[str]) -> Choice:
    fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {"choice": given}
    told = Choice(
        reason=_words(fields.get("reason")),
        first=_evidence(fields, "first_quote", scripts[0], shown),
        second=_evidence(fields, "second_quote", scripts[1], shown),
    )
    try:
        return told.changed(choice=read_word(fields.get("choice"), CHOICES))
    except Unclear as why:
        return told.changed(unscored=str(why))


def _evidence(fields: Mapping[str, Any], name: str, script: Transcript, shown: Collection[str]) -> Evidence | None:
    quote = _words(fields.get(name))
    return locate(script, quote, None, shown) if quote else None


def _words(value: Any) -> str:
    return plain(value) if isinstance(value, str) else ""


def _choice_schema(dimension: Dimension, small: bool) -> dict[str, Any]:
    choice = {"type": "string", "enum": list(CHOICES)}
    if small:
        return _object({"reason": _text(80), "choice": choice}) if dimension.grounds else choice
    return _object({"reason": _text(300), "first_quote": _text(140), "second_quote": _text(140), "choice": choice})


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _text(bound: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": bound}
