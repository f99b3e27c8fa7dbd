"""Bodies of requests as JSON text: of a conversation only what is new since its last call is written."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from duologue.agents.message import Message
from duologue.agents.wire import as_dict, mended

__all__ = ["Bodies"]


_FORM = "response_format"


@dataclass(frozen=True, slots=True)
class _Written:
    """Messages, and the text that they are in a body."""

    messages: tuple[Message, ...] = ()
    text: str = ""


class Bodies:
    """Writes the bodies of one model's requests. What is kept of a conversation goes with `forget`."""

    def __init__(self, model: str) -> None:
        self._model = _json(model)
        self._kept: defaultdict[str, dict[str, _Written]] = defaultdict(dict)
        self._form: tuple[Any, str] = None, ""

    def chat(self, messages: tuple[Message, ...], parameters: Mapping[str, Any], conversation: str, role: str) -> bytes:
        """A chat of `messages`. Those that begin with what the role sent last in the conversation are not written
        anew."""
        before = self._kept[conversation].get(role, _Written()) if conversation else _Written()
        if messages[: len(before.messages)] != before.messages:
            before = _Written()
        text = ", ".join(filter(None, [before.text, *map(_line, messages[len(before.messages) :])]))
        if conversation:
            self._kept[conversation][role] = _Written(messages, text)
        return f'{{"model": {self._model}, "messages": [{text}]{self._rest(parameters)}}}'.encode()

    def completion(self, prompt: str, parameters: Mapping[str, Any]) -> bytes:
        """A text to go on with."""
        written = _json(mended(prompt))
        return f'{{"model": {self._model}, "prompt": {written}{self._rest(parameters)}}}'.encode()

    def forget(self, conversation: str) -> None:
        """The conversation is over."""
        self._kept.pop(conversation, None)

    def _rest(self, parameters: Mapping[str, Any]) -> str:
        """What stands behind the messages. The form of the answer, its largest part, is mostly that of the last one."""
        others = {name: value for name, value in parameters.items() if name != _FORM}
        text = f", {_json(others)[1:-1]}" if others else ""
        if (form := parameters.get(_FORM)) is None:
            return text
        if form is not self._form[0]:
            self._form = form, _json(form)
        return f'{text}, "{_FORM}": {self._form[1]}'


def _json(value: Any) -> str:
    return to_json(value).decode()


def _line(message: Message) -> str:
    return _json(as_dict(message))
