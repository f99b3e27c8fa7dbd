"""Cases from the field, as users meet them: any text, any console, any network, and runs of any size."""

import asyncio
import json
import ssl
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.cells import cell_len
from tests.bench.reading import copied, measure
from tests.commandline import called
from tests.simulator.loopback import campaign, played_by
from tests.simulator.records import stored

from duologue.run import run

# 29

ODD = "cafe\u0301 \U0001f469\u200d\U0001f680 \u05e9\u05dc\u05d5\u05dd \u6771\u4eac \x00\x1b[2J\x1b]0;owned\x07\x9b31m"


@pytest.mark.skipif(sys.platform == "win32", reason="no C locale there")
@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "cp1252"}],
    ids=["C", "cp1252"],
)
async def test_any_name_and_any_reply_on_any_console(
    server: Any, servers: ModuleType, tmp_path: Path, environment: dict[str, str]
) -> None:
    name = "Zoe\u0308 \U0001f469\u200d\U0001f680 \u6771\u4eac \u05e9\u05dc\u05d5\u05dd"
    server.behave = lambda call: servers.body(
        json.dumps(servers.completion(call, {"content": f"{servers.turns_before(call)} {ODD} \ud83d."}))
    )
    script = ", ".join(json.dumps(line, ensure_ascii=False) for line in ("A film.", f"On {ODD[:8]} Friday.", "Thanks."))
    (tmp_path / "mine.toml").write_text(
        f'user = {{ script = [{script}] }}\nselect = {{ profiles = 1, domains = ["Movies"], sample = 1 }}\n'
        f'[[assistant]]\nname = "{name}"\nmodel = "odd"\nbase_url = "{server.base_url}"\ntools = "off"\n',
        encoding="utf-8",
    )
    done = await called(tmp_path, "run", "mine.toml", "--out", "runs/one", COLUMNS="90", **environment)
    assert done.returncode == 0, done.stderr
    replayed = await called(tmp_path, "replay", "one", "1", COLUMNS="90", **environment)
    assert replayed.returncode == 0, replayed.stderr
    for shown in (done.stdout, done.stderr, replayed.stdout):
        assert not set(shown) & {"\x00", "\x1b", "\x07", "\x9b"} and "Traceback" not in shown
    assert max(map(cell_len, replayed.stdout.splitlines())) <= 90
    (one,) = stored(tmp_path / "runs" / "one")
    assert one.started.assistant == name
    assert one.script.said_by("assistant")[1].startswith(f"1 {ODD} ")


# 30


async def test_pages_proxies_certificates_and_keys_are_told_and_no_secret_is_left_anywhere(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    secure = servers.OpenAIServer()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(Path(servers.__file__).with_name("self_signed.pem"))
    await secure.start(tls=tls)
    page = servers.body("<html><body><h1>Proxy says no</h1></body></html>", 407, "text/html")
    server.behave = lambda call: page if call.headers["Host"] == "models.invalid" else None
    url = server.base_url
    assistants = {
        "page": ("html", url), "proxied": ("any", "http://models.invalid/v1"), "secure": ("any", secure.base_url),
        "keyed": ("echo-key", url), "address": ("echo-key", url.replace("://", "://me:quince-tart-77@")),
    }  # fmt: skip
    tables = "".join(
        f'[[assistant]]\nname = "{name}"\nmodel = "{model}"\nbase_url = "{at}"\ntools = "off"\nkey = "MY_KEY"\n'
        for name, (model, at) in assistants.items()
    )
    (tmp_path / "mine.toml").write_text(
        'user = { script = ["A film, please.", "Thanks."] }\nlimits = { tries = 1 }\ncache = { path = "c.db" }\n'
        f'select = {{ profiles = 1, domains = ["Movies"], sample = 1 }}\n{tables}',
        encoding="utf-8",
    )
    secrets = {"MY_KEY": "medlar-jelly-42-and-more"}
    proxy = server.url.replace("://", "://me:damson-cheese-9@")
    environment = {**secrets, "HTTP_PROXY": proxy, "http_proxy": proxy, "COLUMNS": "400"}
    done = await called(tmp_path, "run", "mine.toml", "--out", "runs/one", **environment)
    failed = await called(tmp_path, "show", "one", "--failed", **environment)
    await secure.stop()
    assert done.returncode == 3 and "Traceback" not in done.stderr
    ends = {d.started.assistant: d.ending.detail for d in stored(tmp_path / "runs" / "one") if d.ending}
    for name, told in {
        "page": "an HTML page instead of JSON",
        "proxied": "answered 407: an HTML page: Proxy says no",
        "secure": "is not trusted",
        "keyed": "[secret]",
        "address": "[secret]",
    }.items():
        assert told in ends[name], ends[name]
        assert told in done.stderr and told in failed.stdout
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "mine.toml"}
    assert {"run.json", "events-0001.jsonl", "index.jsonl", "c.db"} <= {path.name for path in kept}
    said = (done.stdout, done.stderr, failed.stdout, failed.stderr)
    for text in (*kept.values(), *(each.encode() for each in said)):
        assert not [secret for secret in (b"medlar", b"quince-tart", b"damson") if secret in text]
    assert any(call.headers.get("Authorization") == f"Bearer {secrets['MY_KEY']}" for call in server.calls)


# 31


async def test_ten_thousand_dialogues_are_listed_within_two_seconds_and_200_mb(server: Any, tmp_path: Path) -> None:
    few = {"select": {"profiles": 1, "domains": ["Movies"], "sample": 4}, "limits": {"turns": 2}}
    await run(campaign(server, **few, **played_by(server, "judge")), tmp_path / "few")
    (tmp_path / "runs").mkdir()
    copied(tmp_path / "few", tmp_path / "runs" / "many", 10_000)
    listed = [await asyncio.to_thread(measure, tmp_path, "list") for _ in range(2)]
    shown = await asyncio.to_thread(measure, tmp_path, "show", "many")
    assert [code for _, _, code in (*listed, shown)] == [0, 0, 0]
    assert max(most for _, most, _ in (*listed, shown)) < 200
    assert listed[1][0] < 2 and shown[0] < 3, (listed, shown)  # a second of slack for a busy machine


async def test_a_turn_of_five_megabytes_is_run_and_replayed(server: Any, servers: ModuleType, tmp_path: Path) -> None:
    long = ("lorem ipsum dolor " * 280_000).strip()
    server.behave = lambda call: servers.say(long)
    done = await run(campaign(server, limits={"turns": 1}), tmp_path / "r")
    assert stored(done)[0].script.said_by("assistant") == (long,)
    replayed = await called(tmp_path, "replay", "r", "1")
    assert replayed.returncode == 0 and replayed.stdout.count("lorem") == 280_000
