import os
import subprocess
import sys

import pytest
from rich.cells import cell_len

PRINT = """
from rich.panel import Panel
from rich.text import Text
from duologue.views.console import console
from duologue.views.text import safe
screen = console()
screen.print(Panel(Text(safe("Zoë × 欧阳 ● 👍 …")), width=30))
screen.print(Text(safe("\\ud83d\\x1b[31m")))
screen.print(Panel(Text(safe("Zoe\\u0301 👩\\u200d🚀 ❤\\ufe0f 1\\ufe0f\\u20e3 🇩🇪")), width=30))
"""
"""A program whose console is that of the encoding under test."""

BOX = "+----------------------------+"


def said(encoding: str) -> list[str]:
    setting = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "40"}
    found = subprocess.run([sys.executable, "-c", PRINT], env=setting, capture_output=True, check=True, timeout=60)
    return found.stdout.decode(encoding).splitlines()


@pytest.mark.parametrize(
    ("encoding", "top", "middle"),
    [
        ("utf-8", "╭────────────────────────────╮", "│ Zoë × 欧阳 ● 👍 …          │"),
        ("cp1252", BOX, "| Zoë × ???? * ?? …          |"),
        ("ascii", BOX, "| Zoe x ???? * ?? .          |"),
        ("latin-1", BOX, "| Zoë × ???? * ?? .          |"),
    ],
)
def test_any_encoding_prints_with_right_widths(encoding: str, top: str, middle: str) -> None:
    lines = said(encoding)
    assert lines[:2] == [top, middle]
    assert cell_len(lines[1]) == 30
    assert lines[3].startswith("\\ud83d")
    assert "\x1b" not in lines[3]
    assert cell_len(lines[5]) == 30 and lines[5].startswith(f"{middle[:2]}Zo")
