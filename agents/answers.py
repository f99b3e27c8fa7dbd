"""A judge's answer, read: what can be read is scored, what cannot is unscored and says why. Never a default."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duologue.agents.questions import OUTCOMES, ROUTES, Asked, Questions
from duologue.agents.quotes import locate, plain
from duologue.agents.rubric import Dimension, Scale
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Evidence, PreferenceVerdict, Score

__all__ = ["Reading", "Unclear", "read_answer", "read_score", "read_word", "unread"]

_NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?")
_OUT_OF = re.compile(r"(?:/|\bout of\b|\bof\b)\s*(\d+)\b", re.IGNORECASE)
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_HUGE = 10**9


class Unclear(ValueError):
    """A value from which no score can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from one answer."""

    scores: dict[str, Score]
    preferences: tuple[PreferenceVerdict, ...]
    warnings: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing at all could be read."""
        return all(s.unscored for s in self.scores.values()) and all(p.unscored for p in self.preferences)

    @property
    def whole(self) -> bool:
        """Whether everything could be read."""
        return not any(s.unscored for s in self.scores.values()) and not any(p.unscored for p in self.preferences)


def read_answer(answer: Mapping[str, Any], questions: Questions, script: Transcript) -> Reading:
    """The scores in `answer`, an object as `answer_schema` describes or near it, quotes checked in `script`."""
    scores, given = _part(answer, "scores"), _part(answer, "preferences")
    read = {d.name: _score(scores.get(d.name), d, script) for d in questions.dimensions}
    preferences = tuple(_preference(_given(given, asked), asked, script) for asked in questions.preferences)
    evidence = {**{name: s.evidence for name, s in read.items()}, **{_title(p): p.evidence for p in preferences}}
    lost = [f"{a.domain}, {a.type}: the route cannot be read" for a in questions.preferences if _lost(given, a)]
    return Reading(read, preferences, (*_doubts(evidence), *lost))


def unread(questions: Questions, why: str) -> Reading:
    """The reading of an answer that never came, or of which nothing can be used."""
    return Reading(
        scores={d.name: Score(unscored=why) for d in questions.dimensions},
        preferences=tuple(PreferenceVerdict(domain=a.domain, type=a.type, unscored=why) for a in questions.preferences),
        warnings=(),
    )


def read_score(value: Any, dimension: Dimension) -> bool | float:
    """`value` on the scale of `dimension`. Raises Unclear, which says why it cannot be read."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise Unclear("no score given")
    if isinstance(dimension.scale, Scale):
        return _on_scale(_number(value, dimension.scale), dimension.scale)
    return _yes_no(value)


def read_word(value: Any, words: Sequence[str]) -> str:
    """The one of `words` with which `value` begins, if it names no other one. Raises Unclear."""
    if not isinstance(value, str) or not value.strip():
        raise Unclear("not said")
    folded = re.sub(r"[\s_-]+", "_", value.casefold())
    first = re.match(rf"[^a-z]*({'|'.join(words)})(?![a-z])", folded)
    named = {word for word in words if re.search(rf"(?<![a-z]){word}(?![a-z])", folded)}
    if not first or len(named) != 1:
        raise Unclear(f"{_shown(value)} is not one of {', '.join(words)}")
    return first[1]


def _part(answer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The named part of the answer, or the whole where the judge left the level out."""
    part = answer.get(name)
    return part if isinstance(part, Mapping) else answer


def _given(part: Mapping[str, Any], asked: Asked) -> Any:
    return part.get(asked.key, part.get(asked.key.split("_")[0]))


def _score(given: Any, dimension: Dimension, script: Transcript) -> Score:
    fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {"score": given}
    reason, evidence = _words(fields.get("reason")), _evidence(fields, script)
    try:
        value = read_score(fields.get("score"), dimension)
    except Unclear as why:
        return Score(reason=reason, evidence=evidence, unscored=str(why))
    return Score(value=value, reason=reason, evidence=evidence)


def _preference(given: Any, asked: Asked, script: Transcript) -> PreferenceVerdict:
    fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {"outcome": given}
    told: dict[str, Any] = {"domain": asked.domain, "type": asked.type, "reason": _words(fields.get("reason"))}
    told["evidence"] = _evidence(fields, script)
    try:
        told |= {"outcome": read_word(fields.get("outcome"), OUTCOMES), "route": _route(fields.get("route"))}
    except Unclear as why:
        told["unscored"] = f"outcome: {why}"
    return PreferenceVerdict.model_validate(told)


def _route(value: Any) -> str:
    """The route, empty where the value never came up or where none can be read."""
    try:
        word = read_word(value, ROUTES)
    except Unclear:
        return ""
    return "" if word == "none" else word


def _lost(given: Mapping[str, Any], asked: Asked) -> bool:
    """Whether a route was due and cannot be read."""
    fields = _given(given, asked)
    try:
        return isinstance(fields, Mapping) and not read_word(fields.get("route"), ROUTES)
    except Unclear:
        return True


def _evidence(fields: Mapping[str, Any], script: Transcript) -> Evidence | None:
    """None where the judge was not asked for a quote, or gave neither quote nor turn."""
    turn, quote = _turn(fields.get("turn")), _words(fields.get("quote"))
    return locate(script, quote, turn) if "quote" in fields or turn is not None else None


def _turn(value: Any) -> int | None:
    if isinstance(value, str):
        digits = re.findall(r"\d+", value)
        value = int(digits[0]) if len(digits) == 1 and len(digits[0]) < 7 else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _HUGE else None


def _doubts(evidence: Mapping[str, Evidence | None]) -> list[str]:
    told = []
    for name, e in evidence.items():
        if e and e.quote and not e.found:
            told.append(f"{name}: the quote is not in the transcript")
        elif e and e.claimed_turn is not None:
            told.append(f"{name}: the quote stands in turn {e.turn}, not {e.claimed_turn}")
    return told


def _title(preference: PreferenceVerdict) -> str:
    return f"{preference.domain}, {preference.type}"


def _words(value: Any) -> str:
    return plain(value) if isinstance(value, str) else ""


def _number(value: Any, scale: Scale) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unclear(f"{_shown(value)} is not a number")
    if not isinstance(value, str):
        return float(value) if abs(value) < _HUGE else math.inf
    text = unicodedata.normalize("NFKC", value)
    if any(bound.lstrip("0") != str(scale.high) for bound in _OUT_OF.findall(text)):
        raise Unclear(f"{_shown(value)} is on another scale than {scale}")
    found = {float(number) for number in _NUMBER.findall(_OUT_OF.sub(" ", text))}
    if len(found) != 1:
        raise Unclear(f"{_shown(value)} is not one number")
    return found.pop()


def _on_scale(number: float, scale: Scale) -> float:
    if not scale.low <= number <= scale.high:
        raise Unclear(f"{number:g} is not on the scale of {scale}")
    if number != int(number):
        raise Unclear(f"{number:g} is between the points of the scale of {scale}")
    return number


def _yes_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = re.sub(r"[^a-z]+", " ", value.casefold()).split() if isinstance(value, str) else []
    first, *rest = [_YES_NO.get(word) for word in text if word not in ("and", "or")] or [None]
    if first is None or (rest and rest[0] not in (None, first)):
        raise Unclear(f"{_shown(value)} is not yes or no")
    return first


def _shown(value: Any) -> str:
    text = plain(value if isinstance(value, str) else type(value).__name__).replace("\n", " ")
    return repr(text if len(text) <= 40 else text[:39] + "…")
