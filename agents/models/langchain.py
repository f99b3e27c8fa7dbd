"""LangChain: every other provider, and any runnable that is there already."""

import asyncio
import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duologue.agents.ending import Failure
from duologue.agents.message import ToolCall
from duologue.agents.models.answer import likely, number, parts
from duologue.agents.models.call import CallLimits, Reply, Request, Traits
from duologue.agents.models.dialect import Dialect
from duologue.agents.models.fault import brief, fault, is_filter, is_overflow
from duologue.agents.models.gate import Gate
from duologue.agents.models.reasoning import separate
from duologue.agents.models.retry import Again, persist
from duologue.agents.secrets import secret
from duologue.agents.usage import Usage
from duologue.agents.wire import arguments_in, as_dict, call_in, mended
from duologue.tasks.written import BadInput

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

__all__ = ["PROVIDERS", "LangChainModel", "open_langchain"]

PROVIDERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "anthropic": ("langchain-anthropic", ("ANTHROPIC_API_KEY",)),
    "anthropic_bedrock": ("langchain-aws", ()),
    "azure_ai": ("langchain-azure-ai", ()),
    "azure_openai": ("langchain-openai", ()),
    "baseten": ("langchain-baseten", ("BASETEN_API_KEY",)),
    "bedrock": ("langchain-aws", ()),
    "bedrock_converse": ("langchain-aws", ()),
    "cohere": ("langchain-cohere", ("COHERE_API_KEY",)),
    "deepseek": ("langchain-deepseek", ("DEEPSEEK_API_KEY",)),
    "fireworks": ("langchain-fireworks", ("FIREWORKS_API_KEY",)),
    "google_anthropic_vertex": ("langchain-google-vertexai", ()),
    "google_genai": ("langchain-google-genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "google_vertexai": ("langchain-google-vertexai", ()),
    "groq": ("langchain-groq", ("GROQ_API_KEY",)),
    "huggingface": ("langchain-huggingface", ()),
    "ibm": ("langchain-ibm", ()),
    "litellm": ("langchain-litellm", ()),
    "mistralai": ("langchain-mistralai", ("MISTRAL_API_KEY",)),
    "nvidia": ("langchain-nvidia-ai-endpoints", ("NVIDIA_API_KEY",)),
    "ollama": ("langchain-ollama", ()),
    "openrouter": ("langchain-openrouter", ("OPENROUTER_API_KEY",)),
    "perplexity": ("langchain-perplexity", ("PPLX_API_KEY", "PERPLEXITY_API_KEY")),
    "together": ("langchain-together", ("TOGETHER_API_KEY",)),
    "upstage": ("langchain-upstage", ("UPSTAGE_API_KEY",)),
    "xai": ("langchain-xai", ("XAI_API_KEY",)),
}
"""Providers that LangChain knows: the package to install, and the variables that may hold the key."""

_TAKES_RESPONSE_FORMAT = (
    "langchain_openai", "langchain_groq", "langchain_mistralai", "langchain_deepseek", "langchain_fireworks",
    "langchain_together", "langchain_xai", "langchain_openrouter", "langchain_perplexity",
)  # fmt: skip
_TELLS_PROBABILITIES = ("langchain_openai", "langchain_deepseek", "langchain_xai")
_FILTERED = {"content_filter", "safety", "refusal", "prohibited_content", "blocklist", "spii", "guardrail_intervened"}
_CUT = {"length", "max_tokens", "model_length"}


def open_langchain(
    provider: str, name: str, limits: CallLimits, given: Mapping[str, Any], gate: Gate | None = None
) -> "LangChainModel":
    """The model `name` of `provider`, built with the arguments `given`, before `gate`. Raises BadInput."""
    package, keys = PROVIDERS[provider]
    model = _build(provider, name, package, given)
    if keys and not {"api_key", "base_url"} & set(given) and not any(secret(key) for key in keys):
        raise BadInput(f"no key for {provider}", then=f"set {keys[0]}")
    if "max_retries" in type(model).model_fields:
        never = 1 if "google" in provider else 0
        model = _build(provider, name, package, {**given, "max_retries": never})
    return LangChainModel(model, f"{provider}:{name}", limits, gate)


class LangChainModel:
    """A LangChain chat model, or any runnable that takes messages and gives a message or a text."""

    def __init__(
        self,
        runnable: "Runnable[Any, Any]",
        name: str = "",
        limits: CallLimits | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.name = name or str(getattr(runnable, "model_name", "") or runnable.get_name())
        self.runnable = runnable
        self._limits, self._gate = limits or CallLimits(), gate
        self._chat = _is_chat(runnable)
        self._tools = self._chat and _binds_tools(runnable)
        self._dialect = Dialect(self.name, toolless=not self._tools)
        if not type(runnable).__module__.startswith(_TAKES_RESPONSE_FORMAT):
            self._dialect.format, self._dialect.worded = "none", True
        self._dialect.silent = not type(runnable).__module__.startswith(_TELLS_PROBABILITIES)

    @property
    def traits(self) -> Traits:
        return Traits(schemas=not self._dialect.worded, tools=self._tools)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What the provider did not take as asked, one sentence each."""
        return tuple(self._dialect.told)

    async def start(self) -> None:
        """Nothing has to be started."""

    async def complete(self, request: Request) -> Reply:
        """The model's answer. Raises Failure."""
        started = time.perf_counter()
        reply, retries = await persist(lambda: self._call(request), self._limits, self._gate, request)
        usage = reply.usage.changed(retries=retries)
        return replace(reply, usage=usage, seconds=time.perf_counter() - started)

    async def release(self, conversation: str) -> None:
        """Nothing is kept between calls."""

    async def close(self) -> None:
        """LangChain's models close themselves."""

    async def _call(self, request: Request) -> Reply:
        """One answer, asked for anew as long as the provider refuses options that can be left out."""
        from langchain_core.messages import convert_to_messages

        while True:
            sent = self._dialect.parameters(request), self._dialect.messages(request)
            given = convert_to_messages([as_dict(each) for each in sent[1]] or [("user", mended(request.prompt))])
            options = sent[0] if self._chat else {}
            answer, error = await _attempt(_asked(self.runnable, given, **options), self._limits.call)
            if error is None:
                return _read(answer, self.name)
            failure = _judge(error, self.name)
            if isinstance(failure, Failure) and failure.reason == "provider_error":
                status = 400 if isinstance(error, TypeError | ValueError) else _status(error) or 0
                self._dialect.learn(sent[0], status, _text(error))
            if not self._chat or (self._dialect.parameters(request), self._dialect.messages(request)) == sent:
                raise failure


def _build(provider: str, name: str, package: str, given: Mapping[str, Any]) -> Any:
    """LangChain's own model. What it raises differs by provider, so it is taken from a future."""
    from langchain.chat_models import init_chat_model

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(init_chat_model, name, model_provider=provider, **given)
    error = future.exception()
    if isinstance(error, ImportError):
        raise BadInput(f"{provider} needs a package that is not installed", then=f"pip install {package}")
    if error is not None:
        keys = PROVIDERS[provider][1]
        then = f"set {keys[0]}" if keys and "key" in str(error).lower() else ""
        raise BadInput(f"{provider}:{name} cannot be opened: {brief(str(error))}", then=then)
    return future.result()


async def _attempt(call: Any, seconds: float) -> tuple[Any, BaseException | None]:
    """What `call` gave, or what it raised, whatever that is. Raises Again(timeout)."""
    task = asyncio.ensure_future(call)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
    if not done:
        raise Again("timeout", f"no answer within {seconds:g} s")
    if task.cancelled():
        return None, RuntimeError("the call was cancelled from inside")
    error = task.exception()
    return (None, error) if error else (task.result(), None)


def _read(answer: Any, where: str) -> Reply:
    """The reply in a message, a text, or a state that ends with a message. Raises Failure."""
    if isinstance(answer, Mapping) and answer.get("messages"):
        answer = answer["messages"][-1]
    if isinstance(answer, str):
        said, thoughts = separate(mended(answer))
        return Reply(said.strip(), thoughts)
    if not hasattr(answer, "content"):
        raise Failure("provider_error", f"{where} answered with {type(answer).__name__}, not with a message or a text")
    about: Mapping[str, Any] = getattr(answer, "response_metadata", None) or {}
    extra: Mapping[str, Any] = getattr(answer, "additional_kwargs", None) or {}
    said, apart = parts(answer.content)
    calls = _calls(answer, extra)
    reasons = (about.get(key) for key in ("finish_reason", "stop_reason", "stopReason", "done_reason"))
    finish = str(next(filter(None, reasons), "")).lower()
    if finish in _FILTERED or (extra.get("refusal") and not said.strip() and not calls):
        raise Failure("content_filter", f"{where}: {brief(str(extra.get('refusal') or said or finish))}")
    said, inline = separate(mended(said))
    field = str(extra.get("reasoning_content") or "")
    return Reply(
        text=said.strip(),
        reasoning="\n\n".join(dict.fromkeys(filter(None, (mended(field).strip(), mended(apart).strip(), inline)))),
        finish="length" if finish in _CUT else "stop",
        usage=_usage(getattr(answer, "usage_metadata", None)),
        calls=calls,
        tokens=likely(about.get("logprobs")),
    )


def _calls(answer: Any, extra: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The calls in a message, those after the others whose arguments LangChain could not read."""
    found = [*(getattr(answer, "tool_calls", None) or ()), *(getattr(answer, "invalid_tool_calls", None) or ())]
    calls = [ToolCall(c.get("id") or "", c.get("name") or "", arguments_in(c.get("args"))) for c in found]
    return tuple(calls) or ((call_in(extra["function_call"]),) if extra.get("function_call") else ())


def _usage(told: Mapping[str, Any] | None) -> Usage:
    """LangChain counts cached tokens inside the input, whatever the provider does."""
    if not told:
        return Usage()
    taken, given = told.get("input_token_details") or {}, told.get("output_token_details") or {}
    return Usage(
        input=number(told.get("input_tokens")),
        cached=number(taken.get("cache_read")),
        output=number(told.get("output_tokens")),
        reasoning=number(given.get("reasoning")),
    )


def _judge(error: BaseException, where: str) -> Failure | Again:
    """What to raise for an exception of an unknown kind, by what it carries and how it is called."""
    if isinstance(error, Failure | Again):
        return error
    text, status, name = _text(error), _status(error), type(error).__name__
    if "Throttl" in text or "TooManyRequests" in text or "ResourceExhausted" in name:
        status = 429
    if "ContextOverflow" in name or is_overflow(text):
        return Failure("context_overflow", f"{where}: {brief(text)}")
    if status is not None and status >= 400:
        headers = getattr(getattr(error, "response", None), "headers", None)
        return fault(status, text, where, headers if isinstance(headers, Mapping) else None)
    if is_filter(text):
        return Failure("content_filter", f"{where}: {brief(text)}")
    if "timeout" in name.lower():
        return Again("timeout", f"{where}: {brief(text) or name}")
    if "connect" in name.lower() or isinstance(error, OSError):
        return Again("provider_error", f"{where}: {brief(text) or name}")
    return Failure("provider_error", f"{where} raised {name}: {brief(text)}")


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        found: tuple[Any, ...] = ((response.get("ResponseMetadata") or {}).get("HTTPStatusCode"),)
    else:
        found = tuple(
            getattr(thing, key, None) for thing in (error, response) for key in ("status_code", "status", "code")
        )
    return next((value for value in found if isinstance(value, int) and not isinstance(value, bool)), None)


def _text(error: BaseException) -> str:
    """What the error says: the answer's body where it has one."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        return json.dumps(body, ensure_ascii=False, default=str)
    return str(error)


async def _asked(runnable: Any, given: Any, tools: Any = None, **options: Any) -> Any:
    return await (runnable.bind_tools(tools) if tools else runnable).ainvoke(given, **options)


def _binds_tools(runnable: Any) -> bool:
    from langchain_core.language_models import BaseChatModel

    return type(getattr(runnable, "bound", runnable)).bind_tools is not BaseChatModel.bind_tools


def _is_chat(runnable: Any) -> bool:
    from langchain_core.language_models import BaseChatModel

    return isinstance(getattr(runnable, "bound", runnable), BaseChatModel)
