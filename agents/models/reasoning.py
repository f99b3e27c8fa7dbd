"""Reasoning, taken apart from what is said. Blocks that never close stay in the text, for the guard to find."""

import re

__all__ = ["separate"]

_NAMES = r"think|thinking|thought|thoughts|reasoning"
_ATTRIBUTE = r"""\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+)"""
_TAG = re.compile(
    rf"<(?P<end>/?)(?:seed:)?(?P<name>{_NAMES})(?:{_ATTRIBUTE})*\s*>"
    r"|\[(?P<square>/?)THINK\]|◁(?P<wedge>/?)think▷",
    re.IGNORECASE,
)
_SENTENCE_ENDS = ".!?:;…。！？)\"'”’*"


def separate(text: str) -> tuple[str, str]:
    """What is said in `text`, and the reasoning that stood in closed blocks."""
    blocks = _blocks(text)
    if not blocks:
        return text, ""
    said, thoughts, at = [], [], 0
    for start, inner, inner_end, end in blocks:
        said.append(text[at:start])
        thoughts.append(text[inner:inner_end].strip())
        at = end
    said.append(text[at:])
    return "".join(said).strip(), "\n\n".join(filter(None, thoughts))


def _blocks(text: str) -> list[tuple[int, int, int, int]]:
    """Where closed blocks stand: start, start of the inside, end of the inside, end."""
    found: list[tuple[int, int, int, int]] = []
    opened: re.Match[str] | None = None
    closed: re.Match[str] | None = None
    depth = done = 0
    first = True
    for tag in _TAG.finditer(text):
        if opened is None:
            if _closing(tag) and first and _is_orphan(text, tag):
                found.append((0, 0, tag.start(), tag.end()))
                done = tag.end()
            elif not _closing(tag) and _can_stand(text, tag.start(), done):
                opened, closed, depth = tag, None, 1
            first = False
        elif _name(tag) == _name(opened):
            closed = tag if _closing(tag) else closed
            depth += -1 if _closing(tag) else 1
            if depth == 0:
                found.append((opened.start(), opened.end(), tag.start(), tag.end()))
                opened, done = None, tag.end()
    if opened and closed:
        found.append((opened.start(), opened.end(), closed.start(), closed.end()))
    return found


def _closing(tag: re.Match[str]) -> bool:
    return bool(tag["end"] or tag["square"] or tag["wedge"])


def _name(tag: re.Match[str]) -> str:
    return (tag["name"] or tag[0][:1]).lower()


def _can_stand(text: str, at: int, done: int) -> bool:
    """Whether a block may open at `at`: at a start, after a sentence or another block, not in a code fence."""
    before = text[done:at]
    words = before.rstrip()
    gap = before[len(words) :]
    place = not words or "\n" in gap or (gap != "" and words[-1] in _SENTENCE_ENDS)
    return place and text.count("```", 0, at) % 2 == 0


def _is_orphan(text: str, tag: re.Match[str]) -> bool:
    """A first tag that closes at a line's end or start: the opening one stood in the model's prompt template."""
    edge = text[tag.end() : tag.end() + 1] in ("", "\n", "\r") or text[tag.start() - 1 : tag.start()] == "\n"
    return edge and text.count("```", 0, tag.start()) % 2 == 0
