"""The console: whatever the terminal's encoding, it prints, with right widths and without a fault."""

import codecs
import io
import sys
import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console

__all__ = ["console"]

LONGEST = 32
"""Characters that are taken to share a place at most."""

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
    lost, before = fault.object[fault.start : fault.end], fault.object[max(fault.start - 1, 0) : fault.start]
    return "".join(_stand_ins(lost, before)), fault.end


def _stand_ins(lost: str, before: str) -> Iterator[str]:
    """What stands in for each character of `lost`, which follows `before`: joined ones share a place on the screen."""
    cluster, wide = before, cell_len(before)
    for character in lost:
        own = cell_len(character)
        both = cell_len(cluster + character)
        if len(cluster) < LONGEST and (own == 0 or both != wide + own):
            yield "?" * (both - wide)
            cluster, wide = cluster + character, both
        else:
            yield _stand_in(character, own)
            cluster, wide = character, own


def _stand_in(character: str, width: int) -> str:
    if (known := character.translate(_INSTEAD)) != character:
        return known
    letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return letters if letters and len(letters) == width and letters.isprintable() else "?" * width
