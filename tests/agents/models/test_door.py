import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from duologue.agents.message import Message
from duologue.agents.models.call import CallLimits, Request
from duologue.agents.models.door import Models, ModelSpec, open_model
from duologue.tasks.written import BadInput

HELLO = Request((Message("user", "Hello"),))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"model": "openai:gpt"}, "no key for OpenAI. set OPENAI_API_KEY, or name a server of your own"),
        ({"model": "openai:gpt", "key": "SURELY_NOT_SET"}, "SURELY_NOT_SET holds no key. set SURELY_NOT_SET"),
        ({"model": "gpt"}, "'gpt' names no provider. write \"openai:gpt\", or name a server of your own"),
        ({"model": "opnai:gpt"}, "unknown model provider 'opnai', did you mean 'openai'?"),
        ({"model": "antropic:claude"}, "did you mean 'anthropic'?"),
        ({"model": "openai"}, "is a provider, not a model"),
        ({"model": "openai:"}, "is a provider, not a model"),
        ({"model": "cohere:x"}, "pip install langchain-cohere"),
        ({"model": "x", "base_url": "localhost:8000"}, "no address. write it like http://"),
        ({"model": "x", "base_url": "http://127.0.0.1:99999/v1"}, "no address"),
    ],
)
def test_what_cannot_be_opened_is_told_in_a_sentence(spec: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_model(ModelSpec(**spec))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-abc123def456ghi789", "gsk_abcdef123456", "abc.def-ghi"])
def test_a_key_itself_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_model(ModelSpec(model="openai:gpt", key=key))
    assert key not in str(caught.value)
    assert "environment variable" in str(caught.value)


@pytest.mark.parametrize("spec", [{"model": ""}, {"model": "x", "temperature": -1}, {"model": "x", "top_p": 2}])
def test_a_spec_is_checked(spec: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ModelSpec(**spec)


async def test_equal_specs_share_a_model_and_equal_endpoints_connections(server: Any) -> None:
    async with Models() as models:
        spec = ModelSpec(model="say:a", base_url=server.base_url)
        one, other = models.open(spec), models.open(spec.changed(model="say:b", base_url=server.base_url + "/"))
        assert models.open(spec.changed()) is one
        assert other is not one
        await one.complete(HELLO)
        await other.complete(HELLO)
        assert len({call.peer for call in server.calls}) == 1


async def test_closing_one_model_leaves_the_other_its_connections(server: Any) -> None:
    async with Models() as models:
        one, other = (models.open(ModelSpec(model=f"say:{n}", base_url=server.base_url)) for n in "ab")
        await one.close()
        await one.close()
        assert (await other.complete(HELLO)).text == "b"


async def test_roles_at_one_endpoint_with_one_key_share_a_gate(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "meant-for-the-other-one")
    async with Models() as models:
        for spec in (
            ModelSpec(model="say:a", base_url=server.base_url),
            ModelSpec(model="say:b", base_url=server.base_url + "/", temperature=1, limits=CallLimits(call=9)),
            ModelSpec(model="say:a", base_url=server.base_url, key="OTHER_KEY"),
        ):
            await models.open(spec).complete(HELLO)
        gate = models.gate(server.base_url, "none-needed", CallLimits())
        assert gate.answered == 2
        assert gate.name == server.url.removeprefix("http://")
        assert models.gate(server.base_url, "meant-for-the-other-one", CallLimits()).answered == 1


async def test_a_model_opened_alone_closes_alone(server: Any) -> None:
    model = open_model(ModelSpec(model="openai:say:Hello.", base_url=server.base_url))
    assert (await model.complete(HELLO)).text == "Hello."
    assert model.name == "say:Hello."
    await model.close()


async def test_which_key_goes_where(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "meant-for-openai-alone")
    monkeypatch.setenv("OTHER_KEY", "meant-for-the-other-one")
    async with Models() as models:
        await models.open(ModelSpec(model="say:a", base_url=server.base_url)).complete(HELLO)
        await models.open(ModelSpec(model="say:a", base_url=server.base_url, key="OTHER_KEY")).complete(HELLO)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        await models.open(ModelSpec(model="openai:say:a", limits=CallLimits(tries=1))).complete(HELLO)
    keys = [call.headers["Authorization"] for call in server.calls]
    assert keys == ["Bearer none-needed", "Bearer meant-for-the-other-one", "Bearer meant-for-openai-alone"]


async def test_with_a_base_url_a_name_may_hold_a_colon(server: Any) -> None:
    async with Models() as models:
        for name in ("qwen2.5:7b", "org/model", "openai:qwen2.5:7b"):
            await models.open(ModelSpec(model=name, base_url=server.base_url)).complete(HELLO)
    assert [body["model"] for body in server.bodies] == ["qwen2.5:7b", "org/model", "qwen2.5:7b"]


def test_importing_the_door_loads_no_provider() -> None:
    code = (
        "import sys, duologue.agents.models.door, duologue.agents.models.langchain, duologue.agents.models.scripted;"
        "print(sorted({'openai','aiohttp','langchain','langchain_core','tenacity','jinja2'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
