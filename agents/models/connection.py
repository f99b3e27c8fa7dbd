"""Connections to an OpenAI-compatible endpoint: one pool for all models there, one POST a call."""

import ipaddress
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from duologue.agents.ending import Failure
from duologue.agents.models.call import CallLimits
from duologue.agents.models.fault import brief
from duologue.agents.models.retry import Again, within
from duologue.agents.secrets import redact
from duologue.tasks.written import BadInput

if TYPE_CHECKING:
    import ssl

    from aiohttp import ClientSession, ClientTimeout
    from yarl import URL

__all__ = ["Endpoint", "Refused", "host_of"]

_TRUSTED = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
_LARGE = 1 << 20
"""Bytes from which a body is sent in pieces, between which other calls have their turn."""


class Endpoint:
    """A base URL with a key. Raises BadInput where it is no address, or the way there leads over a proxy that is none.

    The pool opens with the first call and closes with the last model that has entered. The environment's proxies are
    used, but never for loopback.
    """

    def __init__(self, url: str, key: str) -> None:
        self.url = url.rstrip("/")
        self.shown = redact(self.url)
        host = host_of(self.url)
        if host is None:
            raise BadInput(f"base_url {self.shown!r} is no address", then="write it like http://127.0.0.1:8000/v1")
        self._key, self._proxy = key, "" if _is_loopback(host) else _proxy(self.url, host)
        self._models = 0
        self._session: ClientSession | None = None
        self._addresses: dict[str, URL] = {}

    async def post(self, path: str, body: bytes, limits: CallLimits) -> tuple[bytes, str]:
        """The content and content type of an answer that is no error. Raises Refused, Failure or Again."""
        import aiohttp

        try:
            session = self._session or self._open()
            asked = session.post(
                self._address(path),
                data=body if len(body) < _LARGE else BytesIO(body),
                proxy=self._proxy or None,
                timeout=_timeout(limits.connect),
            )
            answer = await (within(limits.first_byte, asked, self.shown, "byte") if limits.first_byte else asked)
            async with answer:
                content = await answer.read()
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _unreached(error, self.shown) from None
        if answer.status >= 300:
            raise Refused(answer.status, content.decode("utf-8", "replace"), answer.headers)
        return content, answer.headers.get("content-type", "")

    def enter(self) -> None:
        """One more model works here."""
        self._models += 1

    async def leave(self) -> None:
        """One model fewer; the last one closes the connections."""
        self._models -= 1
        if self._models == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def _open(self) -> "ClientSession":
        from aiohttp import ClientSession, DummyCookieJar, TCPConnector

        secure = self.url.startswith("https:") or self._proxy.startswith("https:")
        trust = _trust(*map(os.environ.get, _TRUSTED)) if secure else True
        self._session = ClientSession(
            connector=TCPConnector(limit=0, ssl=trust),
            cookie_jar=DummyCookieJar(),
            headers=_headers(self._key),
        )
        return self._session

    def _address(self, path: str) -> "URL":
        if path not in self._addresses:
            from yarl import URL

            self._addresses[path] = URL(self.url + path)
        return self._addresses[path]


class Refused(Exception):
    """An answer with an error status."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"status {status}")
        self.status, self.text, self.headers = status, text, headers


def _headers(key: str) -> dict[str, str]:
    from importlib.metadata import version

    account = {header: os.environ.get(name, "") for name, header in _ACCOUNT.items()}
    return {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"duologue/{version('duologue')}",
        **{header: value for header, value in account.items() if value},
    }


@lru_cache(maxsize=64)
def _timeout(connect: float) -> "ClientTimeout":
    from aiohttp import ClientTimeout

    return ClientTimeout(total=None, connect=connect)


@cache
def _trust(*_named: str | None) -> "ssl.SSLContext":
    """Whom to trust. Reading the certificates takes a tenth of a second, so it is done once for what is `_named`."""
    import httpx2

    return httpx2.create_ssl_context()


def _proxy(url: str, host: str) -> str:
    """The address of the proxy on the way to `url`, if the environment names one."""
    from urllib.request import getproxies, proxy_bypass

    found = getproxies()
    proxy = found.get(urlsplit(url).scheme) or found.get("all") or ""
    if not proxy or proxy_bypass(host):
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https") or not host_of(proxy):
        raise BadInput(
            f"the proxy in the environment is no use ({brief(proxy)})", then="write it like http://HOST:PORT"
        )
    return proxy


def _unreached(error: BaseException, where: str) -> Failure | Again:
    """What to raise where no answer came: what the transport said stands at the end of the chain of causes."""
    import ssl

    import aiohttp

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
    if any(issubclass(kind, aiohttp.InvalidURL | ValueError) for kind in kinds):
        return Failure("provider_error", f"{where} cannot be asked: {brief(str(deepest))}")
    return Again("provider_error", f"{where} broke off: {brief(str(deepest)) or type(deepest).__name__}")


def host_of(url: str) -> str | None:
    """The host of an HTTP address; None where `url` is none."""
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
