"""A judge's answer, read: what can be read is scored, what cannot is unscored and says why. Never a default."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from duologue.agents.dimension import Dimension, Scale
from duologue.agents.fence import plain
from duologue.agents.questions import OUTCOMES, ROUTES, Asked, Questions
from duologue.agents.quotes import locate
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Evidence, PreferenceVerdict, Score

__all__ = ["Reading", "Unclear", "read_answer", "read_score", "read_word", "unread"]

_NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?")
_OUT_OF = re.compile(r"(?:/|\bout of\b|\bof\b)\s*(\d+)\b", re.IGNORECASE)
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_HEDGED = re.compile(
    r"[<>≤≥~≈±]|\d\s*\+|\d\s*(?:or (?:more|less|lower|higher|above|below)|at (?:most|least))\b"
    r"|\b(?:not|never|than|below|above|under|over|least|most|almost|nearly|about|around|maybe|roughly)(?:\s+an?)?\s+\d",
    re.IGNORECASE,
)
"""A number that is not the one meant, or not certainly so."""
_DENIED = re.compile(r"[^a-z]*(?:no|not|false)(?![a-z_])")
_HUGE = 10**9
Place = Mapping[str, Any]
"""An object of the answer, in which something may stand."""
Proof = Callable[[Place], Evidence | None]
"""What bears an answer's fields out."""


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
    answer = _opened(answer, questions)
    scores, given = _parts(answer, "scores"), _parts(answer, "preferences")
    proof = partial(_evidence, script=script, shown=questions.shown)
    read = {d.name: _score(_said(scores, d.name), d, proof) for d in questions.dimensions}
    preferences = tuple(_preference(_given(given, asked), asked, proof) for asked in questions.preferences)
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
    if isinstance(value, _Twice):
        raise Unclear("said twice, differently")
    if isinstance(dimension.scale, Scale):
        return _on_scale(_number(value, dimension.scale), dimension.scale)
    return _yes_no(value)


def read_word(value: Any, words: Sequence[str]) -> str:
    """The one of `words` with which `value` begins, if it names no other one. Raises Unclear."""
    if not isinstance(value, str) or not value.strip():
        raise Unclear("said twice, differently" if isinstance(value, _Twice) else "not said")
    folded = re.sub(r"[\s_-]+", "_", value.casefold())
    first = re.match(rf"[^a-z]*({'|'.join(words)})(?![a-z])", folded)
    named = {word for word in words if re.search(rf"(?<![a-z]){word}(?![a-z])", folded)}
    if not first or len(named) != 1 or _DENIED.match(folded, first.end()):
        raise Unclear(f"{_shown(value)} is not one of {', '.join(words)}")
    return first[1]


class _Twice:
    """Stands for what was said twice, differently: nobody can tell which is meant."""


def _opened(answer: Place, questions: Questions) -> Place:
    """Where the answer stands: in the object itself or, where that has none of its keys, in the one within that has."""
    known = {*questions.form["properties"], *(asked.key.split("_")[0] for asked in questions.preferences)}
    if any(_key(key) in known for key in answer):
        return answer
    inner = [part for part in answer.values() if isinstance(part, Mapping) and any(_key(key) in known for key in part)]
    return inner[0] if len(inner) == 1 else answer


def _parts(answer: Place, name: str) -> tuple[Place, ...]:
    """Where what belongs to the named part may stand: in it, or where the judge left that level out."""
    part = _said((answer,), name)
    return (part, answer) if isinstance(part, Mapping) else (answer,)


@lru_cache(maxsize=256)
def _key(text: str) -> str:
    """A key as it was asked for, whatever case, spaces or invisible characters it came with."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(c) != "Cf")
    return re.sub(r"[\s_-]+", "_", seen.strip(" *`:_"))


def _said(places: Sequence[Place], *names: str) -> Any:
    """What stands under one of `names`; None where nothing does."""
    found = [value for place in places for key, value in place.items() if _key(key) in names]
    return next((_Twice() for value in found if value != found[0]), found[0] if found else None)


def _given(places: Sequence[Place], asked: Asked) -> Any:
    return _said(places, asked.key, asked.key.split("_")[0])


def _score(given: Any, dimension: Dimension, proof: Proof) -> Score:
    fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {"score": given}
    reason, evidence = _words(_said((fields,), "reason")), proof(fields)
    try:
        value = read_score(_said((fields,), "score"), dimension)
    except Unclear as why:
        return Score(reason=reason, evidence=evidence, unscored=str(why))
    return Score(value=value, reason=reason, evidence=evidence)


def _preference(given: Any, asked: Asked, proof: Proof) -> PreferenceVerdict:
    fields: Mapping[str, Any] = given if isinstance(given, Mapping) else {"outcome": given}
    told: dict[str, Any] = {"domain": asked.domain, "type": asked.type, "reason": _words(_said((fields,), "reason"))}
    told["evidence"] = proof(fields)
    try:
        outcome, route = _said((fields,), "outcome"), _said((fields,), "route")
        told |= {"outcome": read_word(outcome, OUTCOMES), "route": _route(route)}
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


def _lost(given: Sequence[Place], asked: Asked) -> bool:
    """Whether a route was due and cannot be read."""
    fields = _given(given, asked)
    try:
        return isinstance(fields, Mapping) and not read_word(_said((fields,), "route"), ROUTES)
    except Unclear:
        return True


def _evidence(fields: Mapping[str, Any], script: Transcript, shown: Collection[str]) -> Evidence | None:
    """None where the judge was not asked for a quote, or gave neither quote nor turn."""
    turn, quoted = _turn(_said((fields,), "turn")), _said((fields,), "quote")
    return locate(script, _words(quoted), turn, shown) if quoted is not None or turn is not None else None


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
    if "%" in text:
        raise Unclear(f"{_shown(value)} is not on the scale of {scale}")
    if _HEDGED.search(text):
        raise Unclear(f"{_shown(value)} is not one number")
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
    text = unicodedata.normalize("NFKC", value).casefold() if isinstance(value, str) else ""
    first, *rest = [_YES_NO.get(word) for word in re.findall(r"[a-z]+", text)] or [None]
    if first is None or (not first) in rest:
        raise Unclear(f"{_shown(value)} is not yes or no")
    return first


def _shown(value: Any) -> str:
    text = plain(value if isinstance(value, str) else type(value).__name__).replace("\n", " ")
    return repr(text if len(text) <= 40 else text[:39] + "…")
