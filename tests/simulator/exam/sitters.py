"""Judges that sit the exam by a script: one that finds everything, one that only praises, one that only blames."""

import json
import re
from typing import Any

from duologue.agents.case import fence
from duologue.exam.paper import Exhibit, Item, read_paper

SCALES = {"personalisation": 4} | dict.fromkeys(
    ("user_naturalness", "user_coherence", "assistant_naturalness", "assistant_coherence"), 5
)
BEST: dict[str, Any] = {"success": "yes", **SCALES}
WORST: dict[str, Any] = {"success": "no", **dict.fromkeys(SCALES, 1)}
MOST = 3
"""Preferences that matter to a task of the exam, at the most."""


def answer(scores: dict[str, Any], outcome: str, route: str, **spoilt: str) -> dict[str, Any]:
    """A judge's answer: all preferences are alike, but for what is `spoilt` as outcome or route of one by its key."""
    preferences = {f"p{number}": {"outcome": outcome, "route": route} for number in range(1, MOST + 1)}
    for key, word in spoilt.items():
        preferences[key]["outcome" if word in ("unmet", "violated") else "route"] = word
    return {"scores": {name: {"score": value} for name, value in scores.items()}, "preferences": preferences}


GOOD = answer(BEST, "met", "unasked")
BAD = answer(WORST, "violated", "corrected")


def perfect(items: tuple[Item, ...] = ()) -> list[dict[str, Any]]:
    """What a judge says that finds every fault and nothing else: a rule for each transcript."""
    found: dict[str, tuple[Exhibit, dict[str, Any]]] = {}
    for item in items or read_paper():
        found[item.sound.cell] = (item.sound, GOOD)
        found[item.faulty.cell] = (item.faulty, _seen(item))
    return [{"when": re.escape(fence(each.script)), "say": said} for each, said in found.values()]


def _seen(item: Item) -> dict[str, Any]:
    sign = item.kind.signs[0]
    if sign.score:
        return answer({**BEST, sign.score: WORST[sign.score]}, "met", "unasked")
    return answer(BEST, "met", "unasked", **{_key(item): (sign.outcome or sign.route)[-1]})


def _key(item: Item) -> str:
    relevant = [(each.domain, each.type) for each in item.faulty.scenario.task.relevant]
    assert item.preference
    return f"p{relevant.index((item.preference.domain, item.preference.type)) + 1}"


def written(replies: list[dict[str, Any]]) -> str:
    """A script's lines, as a file holds them."""
    return "".join(json.dumps(each if "when" in each else {"say": each}) + "\n" for each in replies)
