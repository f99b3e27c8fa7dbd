"""An HTTP endpoint as the assistant under test."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from duologue.agents.ending import Failure
from duologue.agents.endpoint_reply import read_reply
from duologue.agents.message import Message, ToolCall
from duologue.agents.models.call import CallLimits
from duologue.agents.models.fault import brief, fault
from duologue.agents.models.gate import Gate
from duologue.agents.models.retry import Again, persist, within
from duologue.agents.secrets import looks_like_key, redact, secret
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript, as_seen_by
from duologue.agents.usage import Usage
from duologue.agents.wire import as_dict
from duologue.tasks.tool import Tool, as_function
from duologue.tasks.written import BadInput, Written

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["EndpointAssistant", "EndpointSpec"]

_FROM_ENVIRONMENT = "env:"
_SECRET_HEADERS = ("authorization", "key", "token", "secret", "cookie", "password")


class EndpointSpec(Written):
    """An HTTP endpoint as it is written: where, what is posted, and where in the answer the reply stands.

    In `body`, a string that is `{{message}}` (the user's last words), `{{messages}}` (the dialogue as a
    list), `{{context}}` or `{{session_id}}` is replaced; inside a longer string they are filled in as text.
    An endpoint that calls tools finds them under `{{tools}}`, and `{{results}}` holds the messages with what they
    answered since it spoke last, for one that keeps the dialogue itself; all of it in the common chat form.
    """

    url: str
    body: dict[str, Any] = Field(default_factory=lambda: {"messages": "{{messages}}"})
    reply: str = "reply"
    """A path such as `choices.0.message.content`."""
    calls: str = ""
    """The path of a list of tool calls, such as `choices.0.message.tool_calls`; where something stands there, the
    reply may be missing."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Sent with each call; `env:NAME` reads the variable NAME."""
    bearer: str = ""
    """The name of the variable that holds a bearer token."""
    session: bool = False
    """It keeps the dialogue itself under the session id, so that messages alone do not bring it back."""

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{redact(value)!r} is no address; write it like http://127.0.0.1:8000/chat")
        return value

    @field_validator("headers")
    @classmethod
    def _no_secrets(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not text.startswith(_FROM_ENVIRONMENT) and _is_secret(name, text):
                raise ValueError(f"the header {name} looks like a secret; write env:NAME and set that variable")
        return value

    @field_validator("bearer")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        name = value.removeprefix(_FROM_ENVIRONMENT)
        if name and looks_like_key(name):
            raise ValueError("takes the name of an environment variable, not a token")
        return name

    @field_validator("body")
    @classmethod
    def _says_something(cls, value: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(value, default=str)
        if "{{message}}" not in text and "{{messages}}" not in text:
            raise ValueError("holds neither {{message}} nor {{messages}}, so nothing of the dialogue would be sent")
        return value


class EndpointAssistant:
    """Posts each user turn as JSON and reads the reply at the written path.

    Raises BadInput on making where a variable that it names is not set. One connection pool a dialogue.
    """

    guarded = False

    def __init__(
        self,
        spec: EndpointSpec,
        *,
        session_id: str,
        context: str = "",
        tools: Sequence[Tool] = (),
        limits: CallLimits | None = None,
        gate: Gate | None = None,
    ) -> None:
        self._spec, self._limits, self._gate = spec, limits or CallLimits(), gate
        functions = [as_function(tool) for tool in tools]
        self._known = {"context": context, "session_id": session_id, "tools": functions}
        self._headers = _headers(spec)
        self._shown = redact(spec.url.split("?", 1)[0])
        self._client: ClientSession | None = None

    @property
    def rebuildable(self) -> bool:
        return not self._spec.session

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The endpoint's reply. Raises Failure: `error` never; what the wire or the form lacks is told by reason."""
        body = _filled(self._spec.body, {**self._known, **_told(as_seen_by("assistant", script))})
        began = asyncio.get_running_loop().time()
        limits = self._limits
        (text, calls), retries = await persist(
            lambda: within(limits.call, self._post(body), self._shown), limits, self._gate
        )
        seconds = asyncio.get_running_loop().time() - began
        return Said(text, usage=Usage(retries=retries), seconds=seconds, calls=calls)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _post(self, body: Any) -> tuple[str, tuple[ToolCall, ...]]:
        import aiohttp

        first = asyncio.timeout(self._limits.first_byte)
        try:
            async with first:
                answer = await self._open().post(self._spec.url, json=body, headers=self._headers)
            async with answer:
                text = (await answer.read()).decode("utf-8", "replace")
                status, kind, headers = answer.status, answer.content_type, dict(answer.headers)
        except aiohttp.ClientSSLError as error:
            raise Failure(
                "provider_error", f"the certificate of {self._shown} is not trusted: {brief(str(error))}"
            ) from None
        except (aiohttp.InvalidURL, ValueError) as error:
            raise Failure("provider_error", f"{self._shown} cannot be asked: {brief(str(error))}") from None
        except aiohttp.ClientConnectorError:
            raise Again("provider_error", f"nothing answers at {self._shown}") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                if first.expired():
                    raise Again("timeout", f"no byte from {self._shown} within {self._limits.first_byte:g} s") from None
                raise Again("timeout", f"no connection to {self._shown} in time") from None
            raise Again(
                "provider_error", f"{self._shown} broke off: {brief(str(error)) or type(error).__name__}"
            ) from None
        if status >= 300:
            lowered = {name.lower(): value for name, value in headers.items()}
            raise fault(status, text, self._shown, lowered)
        return read_reply(text, kind, self._spec.reply, self._spec.calls, self._shown)

    def _open(self) -> "ClientSession":
        if self._client is None:
            import aiohttp

            timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect)
            self._client = aiohttp.ClientSession(timeout=timeout, trust_env=True)
        return self._client


def _headers(spec: EndpointSpec) -> dict[str, str]:
    found = {name: _value(text, f"header {name}") for name, text in spec.headers.items()}
    if spec.bearer:
        found["Authorization"] = f"Bearer {_value(_FROM_ENVIRONMENT + spec.bearer, 'bearer')}"
    return found


def _value(text: str, where: str) -> str:
    if not text.startswith(_FROM_ENVIRONMENT):
        return text
    name = text.removeprefix(_FROM_ENVIRONMENT)
    value = secret(name)
    if value is None:
        raise BadInput(f"the environment variable {name} holds nothing", where, f"Set {name}.")
    return value


def _is_secret(name: str, text: str) -> bool:
    named = any(part in name.lower() for part in _SECRET_HEADERS)
    return named or redact(f"{name}: {text}") != f"{name}: {text}"


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    """`template` with its marks replaced: a whole string by the value itself, inside a longer one by its text."""
    if isinstance(template, Mapping):
        return {key: _filled(value, values) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [_filled(item, values) for item in template]
    if not isinstance(template, str):
        return template
    for name, value in values.items():
        if template.strip() == f"{{{{{name}}}}}":
            return value
    return _in_text(template, values)


def _in_text(template: str, values: Mapping[str, Any]) -> str:
    def put(found: re.Match[str]) -> str:
        value = values[found[1]]
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return re.sub(rf"\{{\{{({'|'.join(values)})\}}\}}", put, template)


def _told(seen: Sequence[Message]) -> dict[str, Any]:
    """What a body may hold of the dialogue."""
    messages = [as_dict(message) for message in seen]
    since = next((n for n, message in enumerate(reversed(seen)) if message.role != "tool"), len(seen))
    last = next((message.text for message in reversed(seen) if message.role == "user"), "")
    return {"messages": messages, "message": last, "results": messages[len(seen) - since :]}
