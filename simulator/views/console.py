"""The console: whatever the terminal's encoding, it prints, with right widths and without a fault."""

import codecs
import io
import sys
import unicodedata

from rich.cells import cell_len
from rich.console import Console

__all__ = ["console"]

_INSTEAD = str.maketrans(
    {
        "×": "x", "·": "-", "…": ".", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "«": '"', "»": '"',
        "━": "=", "─": "-", "╸": "=", "╺": "-", "│": "|", "█": "#", "░": ".",
        "●": "*", "■": "#", "•": "*", "▸": ">", "→": ">", "←": "<", "✓": "+", "✗": "x", "±": "~", "−": "-", "␛": "^",
    }
)  # fmt: skip


def console(stderr: bool = False) -> Console:
    """A console on standard output, or on standard error.

    On a stream that cannot encode everything, signs are replaced by ones of equal width.
    """
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error("duologue", _replace)
        stream.reconfigure(errors="duologue")
    return Console(file=stream, highlight=False, emoji=False)


def _replace(fault: UnicodeError) -> tuple[str, int]:
    """What stands in for characters that the stream cannot encode: as wide as they are."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    lost = fault.object[fault.start : fault.end]
    return "".join(map(_stand_in, lost)), fault.end


def _stand_in(character: str) -> str:
    width = cell_len(character)
    if (known := character.translate(_INSTEAD)) != character:
        return known
    letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return letters if letters and len(letters) == width and letters.isprintable() else "?" * width
