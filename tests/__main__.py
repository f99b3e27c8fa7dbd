"""Every check that a change must pass: format, lint, types, tests. `python -m tests`."""

import signal
import subprocess
import sys

CHECKS = (
    ("format", ["ruff", "format", "--check", "."]),
    ("lint", ["ruff", "check", "."]),
    ("types", ["mypy"]),
    ("tests", ["pytest", "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]),
)


def main() -> int:
    """Run the checks in order and stop at the first that fails."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # started in the background, a shell has it ignored
    for name, command in CHECKS:
        print(f"== {name}", flush=True)
        if code := subprocess.call([sys.executable, "-m", *command]):
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
