"""The one door to language models: what is written opens as something that answers."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field

from duologue.agents.models.call import CallLimits, Model
from duologue.agents.models.connection import Endpoint, host_of
from duologue.agents.models.gate import Gate, Gates
from duologue.agents.models.measures.measure import KINDS, Measure
from duologue.agents.models.openai import OpenAIModel
from duologue.agents.secrets import looks_like_key, redact, secret
from duologue.tasks.written import BadInput, Written, fingerprint, nearest

if TYPE_CHECKING:
    from duologue.agents.models.cache import Cache
    from duologue.agents.models.local import Pool

__all__ = ["CallLimits", "ModelSpec", "Models", "bare", "open_model", "placed"]

_OPENAI = "https://api.openai.com/v1"
_OWN_SERVER = "or name a server of your own: --base-url URL, or base_url beside the model"
_PLACEHOLDER = "none-needed"
_EXAMPLE = 'write it like "openai:gpt-4.1-mini", "local", "scripted:Hello." or "anthropic:NAME"'


class ModelSpec(Written):
    """A model as it is written: which one, where, and how it is asked.

    `key` is the name of the environment variable that holds the key, never the key itself.
    """

    model: str = Field(min_length=1)
    base_url: str = ""
    key: str = ""
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    limits: CallLimits = CallLimits()

    @property
    def defaults(self) -> dict[str, Any]:
        """What stands in for what a request leaves open."""
        asked = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens}
        return {name: value for name, value in asked.items() if value is not None}


class Models:
    """Opened models: equal specs give the same model, equal endpoints share one connection pool.

    An async context; leaving it closes them all. With the path of a `cache`, what was asked before is answered from
    there.
    """

    def __init__(self, cache: Path | None = None, share: float = 1.0) -> None:
        self._path = cache
        self._cache: Cache | None = None
        self._opened: dict[str, Model] = {}
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self.pools: dict[Path, Pool] = {}
        """Processes of embedded models, by file."""
        self.gates = Gates(share)
        """What calls wait at, endpoint by endpoint; `share` is this process's part of what may begin a minute."""

    def open(self, spec: ModelSpec) -> Model:
        """The model of `spec`. Raises BadInput where it cannot be."""
        written = spec.model_dump_json()
        if written not in self._opened:
            self._opened[written] = self._remembering(_open(spec, self), spec)
        return self._opened[written]

    def _remembering(self, model: Model, spec: ModelSpec) -> Model:
        """`model` with the cache before it. What is scripted has none: it goes by its place, not by what is asked; nor
        has a measure, which costs nothing."""
        if self._path is None or spec.model.partition(":")[0] in ("scripted", *KINDS):
            return model
        from duologue.agents.models.cache import Cache, remembering

        self._cache = self._cache or Cache(self._path)
        return remembering(model, self._cache, spec.model, spec.base_url, spec.defaults)

    def endpoint(self, url: str, key: str) -> Endpoint:
        """The endpoint at `url` with that key."""
        known = (url.rstrip("/"), key)
        if known not in self._endpoints:
            self._endpoints[known] = Endpoint(url, key)
        return self._endpoints[known]

    def gate(self, place: str, key: str, limits: CallLimits) -> Gate:
        """The gate before an endpoint's URL or a provider with that key, which keeps to `limits` from now on."""
        return self.gates.at(place, key, limits)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What endpoints did not take as asked, one sentence each."""
        told = (sentence for model in self._opened.values() for sentence in model.adaptations)
        return tuple(dict.fromkeys(told))

    def most_at_once(self, wanted: int) -> int:
        """How many conversations may go on at once, of `wanted`.

        One that spoke with two embedded models and held a process of the first while it waited for the second could
        wait for ever: with two or more of them nobody may have to wait.
        """
        return min([wanted, *(pool.size for pool in self.pools.values())]) if len(self.pools) > 1 else wanted

    async def close(self) -> None:
        """Close every model, and with the last one at an endpoint its connections."""
        opened, self._opened = list(self._opened.values()), {}
        self._endpoints.clear()
        self.pools.clear()
        for model in opened:
            await model.close()
        if self._cache:
            self._cache.close()

    async def __aenter__(self) -> "Models":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def placed(model: str, beside: Path) -> str:
    """`model`, a script's or a measure's relative path counted from the folder `beside`."""
    kind, _, path = model.partition(":")
    if kind in KINDS or (kind == "scripted" and path.endswith((".toml", ".jsonl"))):
        return f"{kind}:{beside / path}"
    return model


def bare(spec: ModelSpec, beside: Path, limits: CallLimits) -> ModelSpec:
    """Of a role's `spec` what tells models apart, so that roles which differ in what else they say share one.

    Relative paths count from `beside`; `limits` hold where the role names none of its own.
    """
    own = spec.limits if "limits" in spec.model_fields_set else limits
    model = placed(spec.model, beside)
    return ModelSpec(model=model, base_url=spec.base_url, key=spec.key, top_p=spec.top_p, limits=own)


def open_model(spec: ModelSpec) -> Model:
    """The model of `spec`, on its own. Raises BadInput: what is wrong and what to type next."""
    return Models().open(spec)


def _open(spec: ModelSpec, models: Models) -> Model:
    if spec.key and looks_like_key(spec.key):
        then = "put the key into an environment variable and write that variable's name"
        raise BadInput("key takes the name of an environment variable, not a key", then=then)
    kind, _, rest = spec.model.partition(":")
    if kind == "scripted":
        from duologue.agents.models.scripted import ScriptedModel, read_script

        shown = spec.model if len(spec.model) <= 60 else f"{spec.model[:50]}…{fingerprint(spec.model)[:8]}"
        return ScriptedModel(shown, read_script(rest), spec.limits)
    if kind in KINDS and rest:
        return Measure(kind, rest)
    if kind == "local" and not spec.base_url:
        from duologue.agents.models.local import open_local

        return open_local(rest, spec.limits, spec.defaults, models.pools)
    if kind == "openai" and rest:
        return _open_openai(rest, spec, models)
    return _open_other(kind, rest, spec, models)


def _open_other(kind: str, rest: str, spec: ModelSpec, models: Models) -> Model:
    """A LangChain provider, or with a base URL a bare name, which may hold a colon itself."""
    from duologue.agents.models.langchain import PROVIDERS, open_langchain

    if rest and kind in PROVIDERS:
        given = _given(spec)
        gate = models.gate(f"{kind} {spec.base_url}".strip(), given.get("api_key", ""), spec.limits)
        return open_langchain(kind, rest, spec.limits, given, gate)
    known = ["openai", "local", "scripted", *KINDS, *PROVIDERS]
    if spec.base_url and not (rest and nearest(kind, known[:3])):
        return _open_openai(spec.model, spec, models)
    if rest:
        raise BadInput(f"unknown model provider {redact(kind)!r}{nearest(kind, known)}", then=_EXAMPLE)
    if kind in known:
        raise BadInput(f"{kind!r} is a provider, not a model", then=f'write "{kind}:NAME"')
    then = f'write "openai:{redact(kind)}", {_OWN_SERVER}'
    raise BadInput(f"model {redact(kind)!r} names no provider", then=then)


def _given(spec: ModelSpec) -> dict[str, Any]:
    """What a LangChain model is built with, as its constructor names it."""
    asked = dict(spec.defaults)
    if spec.base_url:
        asked["base_url"] = spec.base_url
    if spec.key:
        asked["api_key"] = _key(spec.key)
    return asked


def _open_openai(name: str, spec: ModelSpec, models: Models) -> Model:
    if spec.base_url and not host_of(spec.base_url):
        raise BadInput(f"{redact(spec.base_url)!r} is no address", "base_url", "write it like http://127.0.0.1:8000/v1")
    url = spec.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or _OPENAI
    if spec.key:
        key = _key(spec.key)
    elif spec.base_url and urlsplit(spec.base_url).hostname != "api.openai.com":
        key = _PLACEHOLDER
    else:
        key = secret("OPENAI_API_KEY") or (_PLACEHOLDER if url != _OPENAI else "")
    if not key:
        raise BadInput(
            "no key for OpenAI",
            then="set OPENAI_API_KEY, or name a server of your own: --base-url URL, or base_url beside the model",
        )
    gate = models.gate(url, key, spec.limits)
    return OpenAIModel(name, models.endpoint(url, key), spec.limits, spec.defaults, gate=gate)


def _key(name: str) -> str:
    key = secret(name)
    if key is None:
        raise BadInput(f"the environment variable {name} holds no key", then=f"set {name}")
    return key
