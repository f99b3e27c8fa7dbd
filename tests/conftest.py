"""What tests share: the loopback server, and an environment without keys or proxies."""

import importlib.util
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio

_NAME = "duologue_test_openai_server"


def _load() -> ModuleType:
    """The server's module, loaded by path: with importlib mode the test folders are no packages."""
    if _NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(_NAME, Path(__file__).parent / "servers" / "openai_server.py")
        assert spec and spec.loader
        sys.modules[_NAME] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[_NAME]


@pytest.fixture(scope="session")
def servers() -> ModuleType:
    """The module of the loopback server: its behaviours are `servers.say("Hello.")` and so on."""
    return _load()


@pytest_asyncio.fixture
async def server(servers: ModuleType) -> AsyncIterator[Any]:
    """A running loopback server that plays a plausible user, assistant and judge."""
    async with servers.OpenAIServer() as running:
        yield running


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No key, endpoint or proxy of whoever runs the tests leaks into them."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    yield
