"""A Python callable as the assistant under test."""

import asyncio
import contextvars
import importlib
import importlib.util
import inspect
import json
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.message import Message, ToolCall
from duologue.agents.secrets import redact
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript, as_seen_by
from duologue.agents.wire import as_dict, call_in, calls_in
from duologue.tasks.tool import Tool, as_function
from duologue.tasks.written import BadInput, nearest

__all__ = ["CallableAssistant", "check_signature", "load"]

OPTIONAL = ("tools", "context", "session_id")
SIGNATURE = "Write it as def reply(messages), and add any of tools, context, session_id."


def load(target: str, beside: Path = Path()) -> Callable[..., Any]:
    """The callable that `module:function` or `path/file.py:function` names, its signature checked.

    Relative paths and modules are looked for in the folder `beside` first. Raises BadInput where there
    is none, where its module cannot be imported, or where its signature is wrong.
    """
    place, _, name = target.rpartition(":")
    if not place or not name:
        raise BadInput(f"{target!r} names no callable", "", "Write module:function or path/file.py:function.")
    found: Any = _module(place, beside)
    for part in name.split("."):
        if not hasattr(found, part):
            raise BadInput(f"no {part!r} in it{nearest(part, [n for n in dir(found) if n[0] != '_'])}", place)
        found = getattr(found, part)
    check_signature(found, target)
    return found  # type: ignore[no-any-return]


def check_signature(function: Any, where: str = "") -> tuple[str, ...]:
    """Which of tools, context and session_id the function takes beside the messages.

    Raises BadInput, naming the right signature, where it cannot be called so.
    """
    if not callable(function) or inspect.isclass(function):
        raise BadInput(f"{type(function).__name__} is not a function", where, SIGNATURE)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:
        return ()
    if not _takes_messages(parameters):
        raise BadInput("the assistant takes no messages as its first argument", where, SIGNATURE)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return OPTIONAL
    rest = parameters[1:]
    required = [p.name for p in rest if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if odd := [name for name in required if name not in OPTIONAL]:
        raise BadInput(f"the assistant requires an argument {odd[0]!r}{nearest(odd[0], OPTIONAL)}", where, SIGNATURE)
    if fixed := [p.name for p in rest if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]:
        raise BadInput(f"the argument {fixed[0]!r} cannot be given by name", where, SIGNATURE)
    return tuple(p.name for p in rest if p.name in OPTIONAL and p.kind is not p.POSITIONAL_ONLY)


class CallableAssistant:
    """Calls a function with the messages as dicts, and what else of tools, context, session_id it takes.

    It returns text, a Message, or a mapping with `content`, and to have tools called, `calls` of the Message or
    `tool_calls` of the mapping in the common chat form. The tools come in that form, as do calls and their answers
    among the messages. `timeout` is in seconds for one whole call. `stateful` says that the function remembers what it
    was told, so that messages alone do not bring it back.
    """

    guarded = False

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        session_id: str,
        context: str = "",
        tools: Sequence[Tool] = (),
        timeout: float | None = None,
        stateful: bool = False,
    ) -> None:
        accepted = check_signature(function)
        offered = {"context": context, "session_id": session_id}
        self._arguments = {name: offered[name] for name in accepted if name in offered}
        self._tools = json.dumps([as_function(tool) for tool in tools]) if "tools" in accepted else None
        self._function, self._timeout, self._stateful = function, timeout, stateful

    @property
    def rebuildable(self) -> bool:
        return not self._stateful

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """What the function returns. Raises Failure: `error` for what it raised, `timeout` for silence."""
        messages = [as_dict(message) for message in as_seen_by("assistant", script)]
        loop = asyncio.get_running_loop()
        began = loop.time()
        task = loop.create_task(self._answer(messages))
        try:
            await asyncio.wait({task}, timeout=self._timeout)
            if not task.done():
                raise Failure("timeout", f"the callable gave no answer in {self._timeout:g} s")
        finally:
            task.cancel()
        if task.cancelled():
            raise Failure("error", "CancelledError: the callable cancelled itself")
        caught = task.result()
        if caught.error is not None:
            raise Failure("error", fault_line(caught.error))
        text, calls = _read(caught.result)
        return Said(text, seconds=loop.time() - began, calls=calls)

    async def close(self) -> None:
        """Nothing is held."""

    async def _answer(self, messages: list[dict[str, Any]]) -> "_Caught":
        if not _is_async(self._function):
            caught = await _on_thread(lambda: self._function(messages, **self._given()))
            if caught.error is not None or not inspect.isawaitable(caught.result):
                return caught
            waiting = caught.result
        else:
            waiting = self._function(messages, **self._given())
        caught = _Caught()
        with caught:
            caught.result = await waiting
        return caught

    def _given(self) -> dict[str, Any]:
        """What it takes beside the messages. The tools are made anew: whatever it does to them is gone at its next
        turn."""
        return self._arguments if self._tools is None else {**self._arguments, "tools": json.loads(self._tools)}


_OURS = (KeyboardInterrupt, asyncio.CancelledError)
"""What ends our own work when it is raised on the main thread; on another it is the foreign code's doing."""


class _Caught:
    """Keeps what foreign code in its block returned or raised; its `SystemExit` is not our exit."""

    result: Any = None
    error: BaseException | None = None

    def __enter__(self) -> "_Caught":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        if threading.current_thread() is threading.main_thread() and isinstance(error, _OURS):
            return False
        self.error = error
        return True


async def _on_thread(call: Callable[[], Any]) -> _Caught:
    """`call()` on a daemon thread of its own: one that hangs stops no other and holds up no exit."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Caught] = loop.create_future()
    around = contextvars.copy_context()

    def settle(caught: _Caught) -> None:
        if not done.done():
            done.set_result(caught)

    def run() -> None:
        caught = _Caught()
        with caught:
            caught.result = around.run(call)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, caught)

    threading.Thread(target=run, name="duologue-callable", daemon=True).start()
    return await done


def fault_line(error: BaseException) -> str:
    """`ValueError: text (bot.py:12)`: one line, secrets masked."""
    told = "".join(traceback.format_exception_only(error)).strip()  # which bears an exception that cannot be told
    text = " ".join(told.removeprefix(f"{type(error).__name__}").removeprefix(":").split())
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return redact(f"{type(error).__name__}: {text}{at}" if text else f"{type(error).__name__}{at}")


def _read(result: Any) -> tuple[str, tuple[ToolCall, ...]]:
    """What the function said, and the tools that it wants called."""
    if isinstance(result, str):
        return result, ()
    if isinstance(result, Message):
        return result.text, tuple(map(call_in, result.calls))
    if not isinstance(result, Mapping):
        raise Failure("error", f"the callable returned {type(result).__name__}, not text")
    try:
        calls = calls_in(result)
    except ValueError as fault:
        raise Failure("error", f"the callable returned tool calls that cannot be read: {fault}") from None
    if "content" not in result and not calls:
        raise Failure("error", f"the callable returned a mapping without 'content'; its keys are {list(result)}")
    text = result.get("content") or "" if calls else result["content"]
    if not isinstance(text, str):
        raise Failure("error", f"the callable returned {type(text).__name__} as content, not text")
    return text, calls


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _takes_messages(parameters: list[inspect.Parameter]) -> bool:
    first = parameters[0] if parameters else None
    return first is not None and (
        first.kind is first.VAR_POSITIONAL
        or (first.kind in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD) and first.name not in OPTIONAL)
    )


def _module(place: str, beside: Path) -> ModuleType:
    path = Path(beside, place)
    folder = path.parent if place.endswith(".py") else Path(beside)
    if str(folder.resolve()) not in sys.path:
        sys.path.insert(0, str(folder.resolve()))
    if place.endswith(".py") and not path.is_file():
        raise BadInput("no such file", path)
    caught = _Caught()
    with caught:
        caught.result = _from_file(path) if place.endswith(".py") else importlib.import_module(place)
    if caught.error is not None:
        raise BadInput(f"cannot be imported ({fault_line(caught.error)})", place)
    return caught.result  # type: ignore[no-any-return]


def _from_file(path: Path) -> ModuleType:
    name = f"duologue_callable_{path.stem}_{abs(hash(path.resolve())):x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    caught = _Caught()
    with caught:
        spec.loader.exec_module(module)
    if caught.error is not None:
        del sys.modules[name]
        raise caught.error
    return module
