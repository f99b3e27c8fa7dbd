"""Turns of assistants, and what a sensible user answers to each: the rule-driven user is held against them.

`python tests/agents/turns.py first` prints every item that fails, and the score.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from duologue.agents.agenda.user import AgendaUser
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain
from duologue.tasks.library import certain, shipped_domains, shipped_tasks
from duologue.tasks.task import Task

__all__ = ["Outcome", "items", "outcome"]

SEED = 7

NEITHER = (
    r"no (?:problem|worries|need|rush|hurry)|(?:don't|do not|doesn't) (?:mind|matter)|why not|can't wait"
    r"|no,? (?:that's|that is) (?:all|everything)"
)
YES = (
    r"yes|yeah|yep|yup|sure|of course|certainly|absolutely|definitely|please do|go ahead|go for it|do it|exactly"
    r"|correct|right|that's it|all right|ok|okay|fine|perfect|lovely|great|good|wonderful|agreed"
    r"|(?:that|it) works|works for me|sounds|suits|happy with|i(?:'d|'ll| would| will) take|let's|by all means"
    r"|take (?:it|that)|book (?:it|that|me)"
)
NO = (
    r"no|nope|not|\w+n't|cannot|wrong|rather|instead|mistake|afraid|sorry|wait|hang on|hold on|hm+|mix-?up|too \w+"
    r"|should (?:be|have)|has to be|have to be|must be|was meant|unfortunately|actually|but|except"
)
ASKS = r"\?|\b(?:tell me|let me know|give me)\b"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item, what the user answered, and what of it does not hold. An item without faults passed."""

    item: Mapping[str, Any]
    answer: Said
    faults: tuple[str, ...]


def items(name: str) -> tuple[dict[str, Any], ...]:
    """The items of the set of that name, "first" or "second"."""
    lines = (Path(__file__).parent / "turns" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


async def outcome(item: Mapping[str, Any]) -> Outcome:
    """Has the user of the item speak, and holds its answer against what the item expects."""
    user = AgendaUser(_scenario(item), _domains(), seed=SEED, correction=item["correction"])
    script = Transcript()
    answer = await user.speak(script)
    turns = (*item["earlier"], item["assistant"])
    for number, turn in enumerate(turns, 1):
        script = script.and_then("user", answer.text).and_then("assistant", turn)
        answer = await user.speak(script)
        if answer.stop and number < len(turns):
            early = item["expect"]["stops"] == answer.reason == "gave_up" and number >= item["patience"]
            return Outcome(item, answer, () if early else (f"stopped in turn {number}: {answer.reason}",))
    return Outcome(item, answer, tuple(_faults(item["expect"], answer)))


def _leaning(text: str) -> str:
    """Whether `text` begins by saying "yes" or "no"; empty where it says neither."""
    plain = re.sub(rf"\b(?:{NEITHER})\b", " ", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").casefold())
    found = re.search(rf"\b(?:(?P<no>{NO})|(?P<yes>{YES}))\b", plain)
    return found.lastgroup or "" if found else ""


def _faults(expected: Mapping[str, Any], answer: Said) -> Iterator[str]:
    for choices in expected["says"]:
        if not any(_stands(choice, answer.text) for choice in choices):
            yield f"does not say {' or '.join(choices)}"
    for text in expected["never"]:
        if _stands(text, answer.text):
            yield f"says {text}"
    lean = _leaning(answer.text)
    if "affirms" in expected and expected["affirms"] != (lean == "yes"):
        yield "does not affirm" if expected["affirms"] else "affirms"
    if "rejects" in expected and expected["rejects"] != (lean == "no"):
        yield "does not reject" if expected["rejects"] else "rejects"
    if "asks" in expected and expected["asks"] != (re.search(ASKS, answer.text.casefold()) is not None):
        yield "does not ask back" if expected["asks"] else "asks back"
    if (answer.reason if answer.stop else "") != expected["stops"]:
        yield f"stops: {answer.reason}" if answer.stop else f"does not stop as {expected['stops']}"


def _stands(text: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text.casefold())}(?!\w)", answer.casefold()) is not None


def _scenario(item: Mapping[str, Any]) -> Scenario:
    preferences = {
        domain: {
            type: [{"value": value, "polarity": polarity} for polarity, values in held.items() for value in values]
            for type, held in types.items()
        }
        for domain, types in item["preferences"].items()
    }
    profile = Profile.model_validate(
        {"id": item["id"], "style": {"patience": item["patience"]}, "preferences": preferences}
    )
    return Scenario(profile, _tasks()[item["task"]])


@cache
def _domains() -> dict[str, Domain]:
    return {domain.name: domain for domain in certain(shipped_domains())}


@cache
def _tasks() -> dict[str, Task]:
    return {task.id: task for task in certain(shipped_tasks())}


async def _report(name: str) -> None:
    outcomes = [await outcome(item) for item in items(name)]
    for found in (found for found in outcomes if found.faults):
        print(f"{found.item['id']} ({found.item['kind']}): {'; '.join(found.faults)}")
        print(f"    > {found.item['assistant']}\n    < {found.answer.text}\n")
    print(f"{sum(not found.faults for found in outcomes)} of {len(outcomes)}")


if __name__ == "__main__":
    asyncio.run(_report(sys.argv[1]))
