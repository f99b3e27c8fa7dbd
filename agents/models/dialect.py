"""What one endpoint takes for one model, learnt from what it refuses: once, remembered, reported."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.fault import error_in
from duologue.agents.models.structured import strict, unbounded
from duologue.agents.prompt import render
from duologue.tasks.tool import as_function

__all__ = ["Dialect"]

_REFUSED = re.compile(
    r"unsupported|(?:not|n't) (?:currently |yet )?(?:support|permit|allow|implement|available|recogni|accept|enabled)"
    r"|unknown|unexpected|unrecogni[sz]ed|extra_forbidden|extra inputs|only the default|cannot both|deprecated"
    r"|no longer|unavailable|incompatible|use 'max_completion_tokens'"
    r"|invalid (?:parameter|argument|schema|response_format|'?json_schema)"
    r"|must be (?:one of|'?text|'?json_object)|failed to (?:parse|compile|convert)",
    re.IGNORECASE,
)
_SCHEMA_WORDS = re.compile(
    r"response_format|json_schema|structured.?output|json.?(?:mode|object)|grammar|guided", re.IGNORECASE
)
_TOOLLESS = re.compile(
    r"not (?:currently |yet )?(?:support|implement|allow|permit)\w*[^.]{0,40}\b(?:tools?|function call)"
    r"|\b(?:tools?|function)[ _-]?(?:use|call(?:s|ing)?|choice|param\w*)?\b[^.]{0,40}"
    r"(?:not (?:currently |yet )?(?:support|implement|allow|permit|enabled|available)|unsupported|requires? -)"
    r"|endpoints found that support tool use",
    re.IGNORECASE,
)
_BOUNDS = re.compile(r"\b(?:min|max)(?:Length|Items|imum)\b|\bpattern\b")
_LIKELY = re.compile(r"log_?_?prob|log.probabilit", re.IGNORECASE)
_LONGER = "max_completion_tokens"


@dataclass
class Dialect:
    """Grows only: what was refused once is not sent again."""

    where: str
    dropped: set[str] = field(default_factory=set)
    tokens: str = "max_tokens"
    format: str = "json_schema"
    bare: bool = False
    """Whether lengths and ranges are left out of the schema."""
    worded: bool = False
    """Whether the schema's instruction stands in the messages too."""
    toolless: bool = False
    """Whether tools are refused. Nothing stands in for them, so that a call which needs them fails."""
    silent: bool = False
    """Whether probabilities are refused, or were asked for in a call that was refused for no clear reason."""
    told: list[str] = field(default_factory=list)

    def messages(self, request: Request) -> tuple[Message, ...]:
        """The messages of `request`, which say in words too what the endpoint does not take otherwise."""
        return _instructed(request.messages, request.schema) if self.worded else request.messages

    def parameters(self, request: Request) -> dict[str, Any]:
        """All else that is asked of the model, without what is known to be refused. Raises Failure where it needs
        tools."""
        if request.tools and self.toolless:
            told = f'{self.where} takes no tools; write tools = "text" for this assistant, or "off"'
            raise Failure("provider_error", told)
        values: dict[str, Any] = {
            "tools": [as_function(tool) for tool in request.tools] or None,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
            "stop": list(request.stop) or None,
            self.tokens: request.max_tokens,
            **(self._format(request.schema) if request.schema else {}),
            **({"logprobs": True, "top_logprobs": request.likely} if request.likely and not self.silent else {}),
            **request.extra,
        }
        return {k: v for k, v in values.items() if v is not None and k not in self.dropped}

    def learn(self, sent: Mapping[str, Any], status: int, text: str) -> bool:
        """Take in that `sent` was refused. False where the answer does not speak of a parameter of it."""
        if "tools" in sent and status in (400, 404, 415, 422, 500, 501) and _refuses_tools(sent, text):
            self._do_without_tools()
            return True
        if "logprobs" in sent and status in (400, 403, 415, 422, 500, 501) and _LIKELY.search(text):
            self._do_without_probabilities()
            return True
        if status not in (400, 415, 422, 500, 501) or not _REFUSED.search(text):
            return self._suspects(sent, status)
        name = _named(sent, text)
        if name == "response_format":
            self._step_down(sent, text)
        elif name == "max_tokens" and _LONGER in text:
            self._rename()
        elif name and name not in self.dropped:
            self.dropped.add(name)
            self.told.append(f"{self.where} refuses {name}; it is left out")
        return bool(name) or self._suspects(sent, status)

    def word(self) -> None:
        """From now on say the schema in words too: the endpoint took it and did not keep to it."""
        if not self.worded:
            self.worded = True
            self.told.append(f"{self.where} does not keep to a JSON schema; the prompt asks for it in words as well")

    def _do_without_tools(self) -> None:
        if not self.toolless:
            self.toolless = True
            self.told.append(f"{self.where} takes no tools")

    def _do_without_probabilities(self) -> None:
        if not self.silent:
            self.silent = True
            self.told.append(f"{self.where} tells no probabilities: scores have no expected value beside them")

    def _suspects(self, sent: Mapping[str, Any], status: int) -> bool:
        """Whether it may have been the probabilities, which nobody needs, that made it refuse: they go at once."""
        if "logprobs" not in sent or status not in (400, 403, 422):
            return False
        self._do_without_probabilities()
        return True

    def _rename(self) -> None:
        if self.tokens != _LONGER:
            self.tokens = _LONGER
            self.told.append(f"{self.where} wants {_LONGER} instead of max_tokens")

    def _step_down(self, sent: Mapping[str, Any], text: str) -> None:
        form = sent["response_format"]
        refused = str(form.get("type"))
        if refused != self.format:
            return
        if refused == "json_schema" and unbounded(form) != form and _BOUNDS.search(text):
            if not self.bare:
                self.bare = True
                self.told.append(f"{self.where} takes no bounds in a JSON schema; lengths and ranges are left out")
            return
        self.worded = True
        if refused == "json_schema":
            self.format = "json_object"
            self.told.append(f"{self.where} refuses response_format json_schema; the prompt asks for the form in words")
        else:
            self.format = "none"
            self.dropped.add("response_format")
            self.told.append(f"{self.where} refuses response_format {refused} too; it is left out")

    def _format(self, schema: Schema) -> dict[str, Any]:
        if self.format == "json_schema":
            return {"response_format": _shaped(schema, self.bare)}
        return {"response_format": {"type": "json_object"}} if self.format == "json_object" else {}


@lru_cache(maxsize=64)
def _shaped(schema: Schema, bare: bool) -> dict[str, Any]:
    """`schema` as it is sent."""
    named = {"name": schema.name, "schema": strict(schema.schema), "strict": True}
    whole = {"type": "json_schema", "json_schema": named}
    return dict(unbounded(whole)) if bare else whole


def instruction(schema: Schema) -> str:
    """The words that ask for an answer in `schema`."""
    return render("answer_in_json.md", schema=json.dumps(schema.schema, ensure_ascii=False))


def _instructed(messages: tuple[Message, ...], schema: Schema | None) -> tuple[Message, ...]:
    """`messages` with the schema's instruction at the end of the system message, else of the last one."""
    if schema is None or not messages:
        return messages
    at = 0 if messages[0].role == "system" else len(messages) - 1
    told = Message(messages[at].role, f"{messages[at].text}\n\n{instruction(schema)}")
    return (*messages[:at], told, *messages[at + 1 :])


def _refuses_tools(sent: Mapping[str, Any], text: str) -> bool:
    named = _named(sent, text) if _REFUSED.search(text) else ""
    return named == "tools" or (not named and bool(_TOOLLESS.search(text)))


def _named(sent: Mapping[str, Any], text: str) -> str:
    """The parameter of `sent` that an error speaks of, or an empty string."""
    own = list(sent)
    try:
        param = str(error_in(json.loads(text)).get("param") or "")
    except (ValueError, RecursionError):
        param = ""
    if param.split(".")[0] in own:
        return param.split(".")[0]
    if "response_format" in own and _SCHEMA_WORDS.search(text):
        return "response_format"
    spoken = [name for name in own if re.search(rf"\b{re.escape(name)}\b", text)]
    return spoken[-1] if spoken else ""
