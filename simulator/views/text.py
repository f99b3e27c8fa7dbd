"""Text from outside made fit for a terminal, and numbers made fit for people."""

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

__all__ = ["clip", "count", "duration", "folded", "number", "plain", "safe"]

_HARMFUL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def safe(text: str) -> str:
    """`text` with all that could command the terminal or hide something made visible. Newlines stay.

    Control characters become their pictures (`␛`), others their code (`\\u202e`), tabs four spaces.
    """
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return _HARMFUL.sub(lambda found: _visible(found[0]), text)


def _visible(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return "    "
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def plain(text: str, style: str = "") -> Text:
    """`text` from outside as a renderable: made safe, and `[bold]` in it is never markup."""
    return Text(safe(text), style=style)


def clip(text: str, width: int) -> str:
    """The first line or lines of `text` as one line of at most `width` terminal cells, made safe."""
    head = " ".join(safe(text[: width * 4 + 64]).split())
    whole = len(text) <= width * 4 + 64 and cell_len(head) <= width
    return head if whole else set_cell_size(head, min(cell_len(head), max(width - 1, 0))).rstrip() + "…"


def folded(text: str, width: int) -> Iterator[str]:
    """The lines of `text`, which is safe, folded at `width` cells: quick enough for megabytes.

    Plain ASCII breaks at spaces, anything else where the line is full.
    """
    for line in text.split("\n"):
        if not line.isascii():
            yield from chop_cells(line, width)
            continue
        start = 0
        while len(line) - start > width:
            space = line.rfind(" ", start + 1, start + width + 1)
            end = space if space > 0 else start + width
            yield line[start:end]
            start = end + (space > 0)
        yield line[start:]


def count(number: int, noun: str) -> str:
    """`1 profile`, `3 profiles`, `2,000 dialogues`."""
    return f"{number:,} {noun if number == 1 else noun[:-1] + 'ies' if noun.endswith('ry') else noun + 's'}"


def number(value: float, share: bool = False) -> str:
    """A number in three or four figures, or a share in percent."""
    if share:
        return f"{100 * value:.0f} %"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def duration(seconds: float) -> str:
    """`0:07`, `12:40`, `1:02:05`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
