"""The guard: what is wrong with a user's draft before it is delivered, and who goes round in circles.

Pure functions over the words; nothing is ever edited. A fault costs a redraft, so the patterns name
what only a broken user agent says.
"""

import json
import re
from collections.abc import Iterable

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

_FLAGS = re.IGNORECASE | re.MULTILINE
_START = r"(?:^|(?<=[.!?\n])\s*)(?:(?:sure|certainly|of course|absolutely|great|okay|ok|yes|hello|hi|hey|alright|thank you|thanks)\b[^.!?\n]{0,15}[,.!]\s*)*"
_REASONING = re.compile(
    r"</?\s*(?:think|thinking|thoughts?|reasoning|scratchpad|inner_monologue|reflection|seed:think)\b[^<>\n]{0,80}>"
    r"|</?(?:think|thinking|reasoning)\s*$"
    r"|\[/?think\]|◁/?think▷|<\|[a-z_]+\|>"
    r"|^\W{0,3}(?:thought|thoughts|thinking|reasoning|analysis|my reasoning|chain of thought)\W{0,3}:"
    r"|^\s*(?:okay|ok|alright|so|hmm|first)?,?\s*(?:i need to|i should|i have to|let me|i will) "
    r"(?:now )?(?:respond|reply|write|act|continue|stay|speak|talk|think)\b[^.\n]{0,40}\b(?:as|like|in character|about how)\b"
    r"|^\s*(?:okay|ok|alright|so|hmm),? (?:the user|the assistant) (?:is|has|wants|said|just|asked)\b",
    _FLAGS,
)
_INSTRUCTIONS = re.compile(
    r"\bas an? (?:ai|artificial intelligence|large language|language)\b(?: language)?(?: model| assistant|,)"
    r"|\bi(?:['’]m| am) (?:just |only |actually )?an? (?:ai|artificial intelligence|language model|large language model|chatbot|"
    r"virtual assistant)(?: (?:assistant|language model|model|chatbot|system))?(?=[.,;:!]| and | so | created | trained |\s*$)"
    r"|\b(?:as|i(?:['’]m| am)) (?:a|the) simulated (?:user|person|customer)\b|\buser agent\b"
    r"|\bi (?:cannot|can['’]t|won['’]t) (?:role-?play|pretend to be)\b|\brole-?playing as\b"
    r"|\b(?:staying|stay|remain|remaining) in character\b"
    r"|\b(?:my|the) (?:system prompt|instructions) (?:say|says|tell|tells|state|states)\b",
    _FLAGS,
)
_VOICE = re.compile(
    r"\bhow (?:can|may|could) i (?:help|assist)\b|\bwhat can i (?:help you with|do for you)\b"
    r"|\bi(?:['’]d| would|['’]m| am|['’]ll| will)(?: be)?(?: more than)? (?:happy|glad|delighted|here) to (?:help|assist)\b"
    r"|\banything else i can (?:help|assist|do)\b|\banything else (?:that )?(?:you(?:['’]d| would) like|you need) (?:help|assistance) with\b"
    r"|\bi(?:['’]ll| will| can|['’]d be able to) (?:help|assist) you\b"
    r"|\b(?:thank you|thanks) for (?:contacting|reaching out|calling|choosing)\b"
    r"|\bfeel free to (?:ask|reach out|contact|let me know)\b"
    r"|\bas your (?:virtual |personal |ai )?assistant\b"
    r"|\bbased on your (?:stated |past |previous |dietary )?(?:preferences?|profile|history|interests|tastes|needs|request)\b"
    r"|\bi(?:['’]ve| have)(?: just| now| already)? (?:booked|reserved|scheduled|found|added|updated|cancelled|canceled|sent|set)"
    r" (?:up )?(?:you|your|a \w+ for you|some \w+ for you|the following)\b"
    r"|\byour (?:table|reservation|booking|order|flight|appointment|alarm|meeting|ticket)s? (?:has|have) been\b"
    r"|\byour (?:reservation|booking|order|appointment) is (?:now )?(?:confirmed|booked|complete)\b"
    r"|\bwhat (?:type|kind|sort)s? of [^.?!\n]{0,60}(?:are you looking for|do you prefer|would you (?:like|prefer))"
    r"|\bdo you have any (?:dietary|specific preferences|particular preferences|preferences)\b"
    r"|\b(?:could|can|would) you (?:please )?(?:provide|tell|share|give)(?: me)?(?: with)? (?:your|more (?:details|information) about your) "
    r"(?:preferred|preferences?|budget|dietary|location|party size|departure|destination|travel dates)"
    r"|\blet me know if (?:you(?:['’]d like| need| have| want| would like) (?:any (?:help|assistance|questions|other questions|further)|further|more help|me to)|"
    r"there(?:['’]s| is) anything(?: else)? (?:i can|you(?:['’]d| would) like me))",
    _FLAGS,
)  # fmt: skip
_VOICE_AT_START = re.compile(
    _START + r"(?:here (?:are|is) (?:some|a few|a list of|the top|my top|several|\d+) [^.!?\n]{0,40}(?:recommendation|suggestion|option)s?\b"
    r"|i (?:can|would|['’]d) (?:also )?(?:recommend|suggest)\b"
    r"|(?:would|do) you (?:like|want) me to (?!(?:give|send|tell|share|show|spell|repeat|provide|describe|explain)\b)"
    r"|please (?:provide|specify|share) (?:me (?:with )?)?your\b"
    r"|let me (?:check|look|search|find) (?:that|this|it|some|the best)?[^.!?\n]{0,30}\bfor you\b)",
    _FLAGS,
)  # fmt: skip
_LABEL = r"^\W{0,4}(?:%s)\W{0,3}(?:\([^)\n]{0,30}\))?\W{0,3}:(?!//)"
_SPEAKERS = "user|assistant|human|ai|bot|chatbot|customer|system"
_TURN = re.compile(r"^\W{0,4}(?:turn|step|phase) \d+\W{0,3}:", _FLAGS)
_NUMBERED = re.compile(r"^\W{0,3}\d{1,2}[.)]\s+(.*)", _FLAGS)
_STAGING = re.compile(
    r"\b(?:the (?:assistant|user)|ask for|greet|persona|(?:the|end) (?:dialogue|conversation|chat))\b", re.IGNORECASE
)


def faults(
    scenario: Scenario, before: Transcript, text: str, prompt_lines: Iterable[str] | None = None
) -> tuple[str, ...]:
    """What is wrong with `text` as the user's turn after `before`; empty where it may be delivered.

    Of: empty, repeats, reasoning, instructions, plan, assistant_voice, script. `prompt_lines` are the
    lines of the user agent's own prompts, those of the package by default.
    """
    if not re.sub(r"[\s\"'`´‘’“”.…*_\-–—()\[\]{}<>\u200b-\u200f\u2060\ufeff]", "", text):
        return ("empty",)
    lines = user_lines() if prompt_lines is None else prompt_lines
    checks = {
        "repeats": lambda: _repeats(scenario, before, text),
        "reasoning": lambda: bool(_REASONING.search(text)),
        "instructions": lambda: bool(_INSTRUCTIONS.search(text)) or echoes(text, lines),
        "plan": lambda: _is_plan(text),
        "assistant_voice": lambda: bool(_VOICE.search(text) or _VOICE_AT_START.search(text)),
        "script": lambda: _is_script(text, scenario.profile.name),
    }
    return tuple(fault for fault, found in checks.items() if found())


def looping(script: Transcript) -> Seat | None:
    """The seat whose last three turns are near-equal, or alternate between the same two, if one's are.

    Short turns count only where the other side goes round as well. Of two that do, the one who began
    is named, the user where they began together.
    """
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
        if len(last) == RUNNING * size and all(text.strip() for text in last):
            if all(alike(text, last[number % size]) for number, text in enumerate(last)):
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
    try:
        if isinstance(json.loads(bare), dict | list):
            return True
    except (ValueError, RecursionError):
        pass
    if re.match(
        r"[{\[]\s*[{\[]?\s*[\"'](?:message|stop|reason|turn|plan|intent|action|role|content|told)[\"']\s*:", bare
    ):
        return True
    steps = [found[1] for found in _NUMBERED.finditer(text)]
    if len(steps) >= 3 and any(_STAGING.search(step) for step in steps):
        return True
    return len(_TURN.findall(text)) >= 2


def _is_script(text: str, name: str) -> bool:
    bare = text.strip()
    if re.fullmatch(r"\([^()]*\)|\[[^\[\]]*\]|\*[^*]*\*", bare) and len(tokens(bare)) >= TELLING_WORDS:
        return True
    names = {part for part in (name, name.split(" ")[0] if name else "") if part}
    labels = re.compile(_LABEL % "|".join([_SPEAKERS, *map(re.escape, sorted(names))]), _FLAGS)
    found = [match.group() for match in labels.finditer(text)]
    return len(found) >= 2 or (
        bool(found) and labels.match(bare) is not None and not re.match(r"\W*system", bare, re.I)
    )
