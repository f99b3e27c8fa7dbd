"""The import of PersonaLens at full size, measured by hand: `python tests/bench/personalens.py PATH [TIMES]`.

Repeats the users of a small checkout under new ids in a temporary folder, reads all of it through the
three streams, writes it out as JSON Lines, and prints seconds, peak memory and counts.
"""

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

from duologue.profiles.dataset import write_dataset
from duologue.profiles.personalens import open_personalens
from duologue.profiles.tally import lines


def repeat(source: Path, target: Path, times: int) -> None:
    """A checkout in `target` that holds each user of `source` that often."""
    shutil.copytree(source / "data" / "task", target / "data" / "task")
    if (source / "res").is_dir():
        shutil.copytree(source / "res", target / "res")
    users = sorted((source / "data" / "profile").glob("user*/"))
    for number in range(len(users) * times):
        folder = target / "data" / "profile" / f"user{number}"
        folder.mkdir(parents=True)
        for file in users[number % len(users)].glob("*.json"):
            text = file.read_text(encoding="utf-8").replace(users[number % len(users)].name, folder.name)
            (folder / file.name).write_text(text, encoding="utf-8")


def measure(source: Path, times: int) -> None:
    """Prints what the import of `times` copies of `source` takes."""
    with tempfile.TemporaryDirectory() as scratch:
        repeat(source, Path(scratch) / "checkout", times)
        wall, cpu = time.perf_counter(), time.process_time()
        data = open_personalens(Path(scratch) / "checkout")
        write_dataset(data, Path(scratch) / "imported")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size = sum(path.stat().st_size for path in (Path(scratch) / "imported").iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    print("\n".join(lines(data.tally)))
    print(f"{wall:.1f} s wall, {cpu:.1f} s of one core, peak {peak:.0f} MB, {size / 1e6:.0f} MB written")


if __name__ == "__main__":
    measure(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 250)
