"""The lean path: any OpenAI-compatible endpoint, through the SDK's transport and our own reading of answers."""

import ipaddress
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from duologue.agents.ending import Failure
from duologue.agents.models.answer import read_answer
from duologue.agents.models.call import CallLimits, Reply, Request, Traits
from duologue.agents.models.dialect import Dialect
from duologue.agents.models.fault import brief, fault
from duologue.agents.models.retry import Again, persist, within
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.secrets import redact
from duologue.tasks.written import BadInput

if TYPE_CHECKING:
    import ssl

    from openai import AsyncOpenAI

__all__ = ["Endpoint", "OpenAIModel"]

_TRUSTED = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class Endpoint:
    """A base URL with a key: one connection pool, shared by every model there."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url.rstrip("/")
        self.shown = redact(self.url)
        self._models = 0
        host = _host(self.url)
        if host is None:
            raise BadInput(f"base_url {self.shown!r} is no address", then="write it like http://127.0.0.1:8000/v1")
        self._client = _connect(self.url, host, key)

    async def post(self, path: str, body: Mapping[str, Any], limits: CallLimits) -> tuple[bytes, str]:
        """The content and content type of an answer with status 200. Raises Refused, Failure or Again."""
        import aiohttp
        import httpx2
        from openai import APIConnectionError, APIStatusError

        timeout = httpx2.Timeout(None, connect=limits.connect)
        try:
            answer = await self._client.post(path, cast_to=httpx2.Response, body=body, options={"timeout": timeout})
        except APIStatusError as error:
            raise Refused(error.status_code, error.response.text, error.response.headers) from None
        except (APIConnectionError, aiohttp.ClientError, OSError, ValueError) as error:
            raise _unreached(error, self.shown) from None
        return answer.content, answer.headers.get("content-type", "")

    def enter(self) -> None:
        """One more model works here."""
        self._models += 1

    async def leave(self) -> None:
        """One model fewer; the last one closes the connections."""
        self._models -= 1
        if self._models == 0:
            await self._client.close()


class Refused(Exception):
    """An answer with an error status."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"status {status}")
        self.status, self.text, self.headers = status, text, headers


class OpenAIModel:
    """A model behind an endpoint. `defaults` stands in for what a request leaves open."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        limits: CallLimits,
        defaults: Mapping[str, Any] | None = None,
        traits: Traits | None = None,
    ) -> None:
        self.name = name
        self._endpoint = endpoint
        self._limits = limits
        self._defaults = dict(defaults or {})
        self._traits = traits or Traits()
        self._dialect = Dialect(f"{name} at {endpoint.shown}", toolless=not self._traits.tools)
        self._closed = False
        endpoint.enter()

    @property
    def traits(self) -> Traits:
        return replace(self._traits, schemas=self._traits.schemas and not self._dialect.worded)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """What the endpoint did not take as asked, one sentence each."""
        return tuple(self._dialect.told)

    async def start(self) -> None:
        """Nothing has to be started."""

    async def complete(self, request: Request) -> Reply:
        """The model's answer. Raises Failure."""
        started = time.perf_counter()
        asked = replace(request, **{k: v for k, v in self._defaults.items() if getattr(request, k) is None})
        reply = await self._persist(asked)
        if request.schema and not self._dialect.worded and _ignores(reply, request):
            self._dialect.word()
            again = await self._persist(asked)
            reply = replace(again, usage=reply.usage + again.usage)
        return replace(reply, seconds=time.perf_counter() - started)

    async def release(self, conversation: str) -> None:
        """Nothing is kept between calls."""

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._endpoint.leave()

    async def _persist(self, request: Request) -> Reply:
        reply, retries = await persist(lambda: self._try(request), self._limits)
        return replace(reply, usage=reply.usage.changed(retries=retries))

    async def _try(self, request: Request) -> Reply:
        return await within(self._limits.call, self._call(request), self._endpoint.shown)

    async def _call(self, request: Request) -> Reply:
        """One answer, asked for anew as long as the endpoint refuses parameters that can be left out."""
        path = "/completions" if request.prompt else "/chat/completions"
        while True:
            body = self._dialect.body(self.name, request)
            try:
                content, kind = await self._endpoint.post(path, body, self._limits)
            except Refused as refused:
                failure = fault(refused.status, refused.text, self._endpoint.shown, refused.headers)
                if isinstance(failure, Failure) and failure.reason in ("content_filter", "context_overflow"):
                    raise failure from None
                self._dialect.learn(body, refused.status, refused.text)
                if self._dialect.body(self.name, request) == body:
                    raise failure from None
                continue
            return read_answer(content, kind, self._endpoint.shown)


def _connect(url: str, host: str, key: str) -> "AsyncOpenAI":
    """A client with its own connection pool. The environment's proxies are used, but never for loopback."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    mounts = {f"all://{f'[{host}]' if ':' in host else host}": None} if _is_loopback(host) else None
    try:
        transport = DefaultAioHttpClient(mounts=mounts, verify=_trust(*map(os.environ.get, _TRUSTED)))
    except ValueError as error:
        raise BadInput(
            f"the proxy in the environment is no use ({brief(str(error))})", then="check HTTPS_PROXY"
        ) from None
    return AsyncOpenAI(base_url=url, api_key=key, http_client=transport, max_retries=0)


@cache
def _trust(*_named: str | None) -> "ssl.SSLContext":
    """Whom to trust. Reading the certificates takes a tenth of a second, so it is done once for what is `_named`."""
    import httpx2

    return httpx2.create_ssl_context()


def _ignores(reply: Reply, request: Request) -> bool:
    """Whether an answer that came whole holds no object at all."""
    if reply.finish == "length" or not reply.text:
        return False
    try:
        read_object(reply.text, request.schema)
    except Unreadable:
        return True
    return False


def _unreached(error: BaseException, where: str) -> Failure | Again:
    """What to raise where no answer came: what the transport said stands at the end of the chain of causes."""
    import ssl

    import aiohttp
    import httpx2

    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    deepest = causes[-1]
    kinds = tuple(type(cause) for cause in causes)
    if any(issubclass(kind, ssl.SSLError | ssl.CertificateError | aiohttp.ClientSSLError) for kind in kinds):
        if "CERTIFICATE" not in str(deepest).upper():
            return Failure("provider_error", f"{where} does not speak TLS; write http:// ({brief(str(deepest), 120)})")
        why = f"the certificate of {where} is not trusted ({brief(str(deepest), 120)})"
        return Failure("provider_error", f"{why}; set SSL_CERT_FILE to the certificate of whoever signed it")
    if any(issubclass(kind, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError) for kind in kinds):
        why = f"the proxy on the way to {where} does not let through: {brief(str(deepest))}"
        return Again("provider_error", f"{why} (check HTTPS_PROXY and NO_PROXY)")
    if any(issubclass(kind, aiohttp.ServerTimeoutError | TimeoutError) for kind in kinds):
        return Again("timeout", f"no connection to {where} in time")
    if any(issubclass(kind, aiohttp.ClientConnectorError) for kind in kinds):
        return Again("provider_error", f"nothing answers at {where}: {brief(str(deepest), 120)}")
    if any(issubclass(kind, httpx2.UnsupportedProtocol | aiohttp.InvalidURL | ValueError) for kind in kinds):
        return Failure("provider_error", f"{where} cannot be asked: {brief(str(deepest))}")
    return Again("provider_error", f"{where} broke off: {brief(str(deepest)) or type(deepest).__name__}")


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        return None
    return parts.hostname if known else None


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
