"""The scripted model: replies from a file or from the command line, in order, without any model.

`scripted:Hello.|Thank you, bye.` gives the texts between the bars. `scripted:PATH.toml` reads a table
with `replies = [...]`, and `cycle = true` to start again after the last reply instead of repeating it.
`scripted:PATH.jsonl` reads one reply a line. A reply is one of

    "text"                                   said as it is; {{last}} stands for the last message
    {say = "text", delay = 0.5}              said after half a second
    {say = "text", finish = "length"}        said as if it were cut at the limit
    {say = "text", reasoning = "why"}        with reasoning apart from the words
    {when = "regex", say = "text"}           said whenever the last message matches; takes no place in the order
    {fail = "rate_limit"}                    fails so, or with timeout, provider_error, content_filter, context_overflow
    {echo = true}                            says the last message back
    {calls = [{name = "book", arguments = {day = "Friday"}}]}
                                             has tools called, several at once where there are more; `say` beside
                                             it. On the command line, such an object as JSON is one as well
    {message = "Hi", stop = false}           any other table or object: sent as JSON text

Each conversation and role goes through the replies on its own, so that concurrency changes nothing, and a
dialogue that is resumed goes on after the replies that it holds; requests without a conversation share one sequence.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.models.call import CallLimits, Reply, Request, Traits
from duologue.agents.models.reasoning import separate
from duologue.agents.wire import arguments_in, mended
from duologue.tasks.written import BadInput, Written, parse, read_toml

__all__ = ["Call", "Line", "Script", "ScriptedModel", "read_script"]


class Call(Written):
    """A tool call of a script. Arguments may be text, to play a model that gets them wrong."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    id: str = ""


class Line(Written):
    """One reply of a script."""

    say: Any = None
    calls: tuple[Call, ...] = ()
    when: str = ""
    fail: Literal["", "timeout", "rate_limit", "provider_error", "content_filter", "context_overflow"] = ""
    echo: bool = False
    delay: float = 0
    finish: Literal["stop", "length"] = "stop"
    reasoning: str = ""


class Script(Written):
    """What a scripted model says."""

    replies: tuple[Line, ...]
    cycle: bool = False


class ScriptedModel:
    """A model that says what its script says."""

    adaptations: tuple[str, ...] = ()

    def __init__(self, name: str, script: Script, limits: CallLimits | None = None) -> None:
        self.name = name
        self._limits = limits or CallLimits()
        self._rules = tuple(line for line in script.replies if line.when)
        self._order = tuple(line for line in script.replies if not line.when)
        self._cycle = script.cycle
        self._at: dict[tuple[str, str], int] = {}

    @property
    def traits(self) -> Traits:
        return Traits()

    async def start(self) -> None:
        """Nothing has to be started."""

    async def complete(self, request: Request) -> Reply:
        """The next reply of the request's conversation and role. Raises Failure where the script says so."""
        last = request.messages[-1].text if request.messages else request.prompt
        line = self._next(request, last)
        if line.delay >= self._limits.call:
            await asyncio.sleep(self._limits.call)
            raise Failure("timeout", f"no answer from {self.name} within {self._limits.call:g} s")
        if line.delay:
            await asyncio.sleep(line.delay)
        if line.fail:
            raise Failure(line.fail, f"{self.name} was told to fail")
        text, inline = separate(mended(_words(line, last)))
        reasons = "\n\n".join(filter(None, (line.reasoning, inline)))
        return Reply(text, reasons, line.finish, calls=_calls(line))

    async def release(self, conversation: str) -> None:
        """Forget where `conversation` stands."""
        for key in [key for key in self._at if key[0] == conversation]:
            del self._at[key]

    async def close(self) -> None:
        self._at.clear()

    def _next(self, request: Request, last: str) -> Line:
        for rule in self._rules:
            if re.search(rule.when, last):
                return rule
        if not self._order:
            raise Failure("provider_error", f"{self.name} has no reply for the last message")
        key = (request.conversation, request.role) if request.conversation else ("", "")
        at = self._at[key] if key in self._at else self._resumed(request)
        self._at[key] = at + 1
        return self._line(at)

    def _line(self, at: int) -> Line:
        return self._order[at % len(self._order) if self._cycle else min(at, len(self._order) - 1)]

    def _resumed(self, request: Request) -> int:
        """Where a dialogue stands that another process began: after the replies that are among its own words."""
        at = 0
        for message in request.messages:
            if request.conversation and message.role == "assistant":
                ahead = range(at, at + len(self._order))
                at = next((place + 1 for place in ahead if _is_it(self._line(place), message)), at)
        return at


def read_script(source: str) -> Script:
    """The script in the file `source`, or inline in it. Raises BadInput."""
    if not source.strip():
        raise BadInput("scripted: without replies", then='write "scripted:Hello.|Bye." or "scripted:FILE.toml"')
    path = Path(source)
    if "\n" in source or path.suffix not in (".toml", ".jsonl"):
        return Script(replies=tuple(map(_inline, source.split("|"))))
    table = read_toml(path) if path.suffix == ".toml" else {"replies": list(_lines(path))}
    replies = table.get("replies")
    if not isinstance(replies, list) or not replies:
        raise BadInput("no replies", path, 'write replies = ["Hello.", "Bye."]')
    lines = [_line(entry, f"{path}: reply {number}") for number, entry in enumerate(replies, 1)]
    return parse(Script, {**table, "replies": lines}, path)


def _line(entry: Any, where: str) -> Line:
    if isinstance(entry, dict) and set(entry) & {"say", "when", "fail", "echo", "delay", "calls"}:
        line = parse(Line, entry, where)
        if line.say is None and not line.fail and not line.echo and not line.calls:
            raise BadInput("says nothing", where, "add say, calls, fail or echo")
        try:
            re.compile(line.when)
        except re.error as error:
            raise BadInput(f"when is no regular expression: {error}", where) from None
        return line
    return Line(say=entry)


def _lines(path: Path) -> Iterator[Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadInput("no such file", path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot be read ({error})", path) from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadInput(f"is not valid JSON: {error}", f"{path}:{number}") from None


def _inline(text: str) -> Line:
    """A reply on the command line: words, or the JSON of an object with `calls`."""
    try:
        entry = json.loads(text)
    except ValueError:
        return Line(say=text)
    return _line(entry, f"scripted:{text}") if isinstance(entry, dict) and "calls" in entry else Line(say=text)


def _is_it(line: Line, message: Message) -> bool:
    """Whether `message` says that reply. Of several calls the last ones may be lost."""
    named = [(call.name, call.arguments) for call in _calls(line)]
    called = [(call.name, call.arguments) for call in message.calls]
    if called or named:
        return bool(called) and named[: len(called)] == called
    return _said(line) == message.text.strip()


def _calls(line: Line) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(call.id, call.name, arguments_in(call.arguments)) for call in line.calls)


def _said(line: Line) -> str:
    """The words of a reply as they stand in the dialogue: of a structured one its message."""
    words = line.say.get("message", "") if isinstance(line.say, dict) else line.say
    return separate(str(words or ""))[0].strip()


def _words(line: Line, last: str) -> str:
    if line.echo:
        return last
    if line.say is None:
        return ""
    text = line.say if isinstance(line.say, str) else json.dumps(line.say, ensure_ascii=False, default=str)
    return text.replace("{{last}}", last)
