"""The command as people call it: in a process of its own, in a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["duologue"]


def duologue(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call `duologue` with `arguments` in `folder`."""
    return subprocess.run(
        [sys.executable, "-c", "from duologue.cli import main; main()", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
    )
