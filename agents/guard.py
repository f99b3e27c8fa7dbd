"""The guard: what is wrong with a user's draft before it is delivered, and who goes round in circles.

Pure functions over the words; nothing is ever edited. A fault costs a redraft, so the patterns name
what only a broken user agent says.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from duologue.agents import tells
from duologue.agents.instructions import echoes, user_lines
from duologue.agents.message import Seat
from duologue.agents.transcript import Transcript
from duologue.agents.words import alike, mentions, tokens
from duologue.profiles.scenario import Scenario

__all__ = ["faults", "looping"]

TELLING_WORDS = 4
"""From how many words on a turn that was said before counts as a repeat."""
RUNNING = 3
"""How many turns running that are alike make a loop."""

_SAYING = re.compile(r"[^\s\"'`´‘’“”.…*_\-–—()\[\]{}<>\u200b-\u200f\u2060\ufeff]")
"""A character that says something."""
_SPEAKERS = "user|assistant|human|ai|bot|chatbot|customer|system"


def faults(
    scenario: Scenario, before: Transcript, text: str, prompt_lines: Iterable[str] | None = None
) -> tuple[str, ...]:
    """What is wrong with `text` as the user's turn after `before`; empty where it may be delivered.

    Of: empty, repeats, reasoning, instructions, plan, assistant_voice, script. `prompt_lines` are the
    lines of the user agent's own prompts, those of the package by default.
    """
    if not _SAYING.search(text):
        return ("empty",)
    lines = user_lines() if prompt_lines is None else prompt_lines
    checks: dict[str, Callable[[], bool]] = {
        "repeats": lambda: _repeats(scenario, before, text),
        "reasoning": lambda: bool(tells.REASONING.search(text)),
        "instructions": lambda: bool(tells.INSTRUCTIONS.search(text)) or echoes(text, lines),
        "plan": lambda: _is_plan(text),
        "assistant_voice": lambda: bool(tells.VOICE.search(text) or tells.VOICE_AT_START.search(text)),
        "script": lambda: _is_script(text, scenario.profile.name),
    }
    return tuple(fault for fault, found in checks.items() if found())


def looping(script: Transcript) -> Seat | None:
    """The seat whose last three turns are near-equal, or alternate between the same two, if one's are.

    Short turns count only where the other side goes round as well. Of two that do, the one who began
    is named, the user where they began together.
    """
    if len(script.messages) < 2 * RUNNING - 1:
        return None
    rounds = {seat: _round(script.said_by(seat)) for seat in ("user", "assistant")}
    if rounds["user"] and rounds["assistant"]:
        began = {seat: _began(script, seat, size) for seat, size in rounds.items()}  # type: ignore[arg-type]
        return "assistant" if began["assistant"] < began["user"] else "user"
    for seat, size in rounds.items():
        said = script.said_by(seat)  # type: ignore[arg-type]
        if size == 1 and all(len(tokens(text)) >= TELLING_WORDS for text in said[-RUNNING:]):
            return seat  # type: ignore[return-value]
    return None


def _round(said: tuple[str, ...]) -> int:
    """How many turns the circle has that a side goes round in, 0 for none."""
    for size in (1, 2):
        last = said[-RUNNING * size :]
        whole = len(last) == RUNNING * size and all(text.strip() for text in last)
        if whole and all(alike(text, last[number % size]) for number, text in enumerate(last)):
            return size
    return 0


def _began(script: Transcript, seat: Seat, size: int) -> int:
    """How many turns stood before that side began to go round."""
    said = script.said_by(seat)
    start = len(said) - size
    while start > 0 and alike(said[start - 1], said[start - 1 + size]):
        start -= 1
    return start


def _repeats(scenario: Scenario, before: Transcript, text: str) -> bool:
    own, heard = before.said_by("user"), before.said_by("assistant")
    if len(tokens(text)) >= TELLING_WORDS:
        return any(alike(text, said) and not _adds(scenario, said, text) for said in own)
    both = len(own) >= 2 and len(heard) >= 2 and alike(heard[-1], heard[-2])
    return both and alike(text, own[-1])


def _adds(scenario: Scenario, said: str, text: str) -> bool:
    """Whether `text` names a preference or a fact that `said` does not."""
    held = [
        p.value for d in scenario.task.domains for ps in scenario.profile.preferences.get(d, {}).values() for p in ps
    ]
    known = [*held, *(value for value in scenario.task.slots.values() if not isinstance(value, bool))]
    return any(mentions(text, value) and not mentions(said, value) for value in known)


def _is_plan(text: str) -> bool:
    bare = re.sub(r"^\s*```\w*\s*|\s*```\s*$", "", text).strip()
    if bare.startswith(("{", "[")) and _is_json(bare):
        return True
    if tells.STRUCTURED.match(bare):
        return True
    steps = [found[1] for found in tells.NUMBERED.finditer(text)]
    if len(steps) >= 3 and any(tells.STAGING.search(step) for step in steps):
        return True
    return len(tells.TURN.findall(text)) >= 2


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_script(text: str, name: str) -> bool:
    bare = text.strip()
    if re.fullmatch(r"\([^()]*\)|\[[^\[\]]*\]|\*[^*]*\*", bare) and len(tokens(bare)) >= TELLING_WORDS:
        return True
    labels = _labels(name)
    found = [match.group() for match in labels.finditer(text)]
    return len(found) >= 2 or (
        bool(found) and labels.match(bare) is not None and not re.match(r"\W*system", bare, re.IGNORECASE)
    )


@lru_cache(maxsize=256)
def _labels(name: str) -> re.Pattern[str]:
    """Names of speakers, that of the person among them, where they stand before what is said."""
    names = {part for part in (name, name.split(" ")[0] if name else "") if part}
    speakers = "|".join([_SPEAKERS, *map(re.escape, sorted(names))])
    return re.compile(tells.LABEL.format(speakers), re.IGNORECASE | re.MULTILINE)
