"""The script layout of the user agent, for models too small to hold a role from instructions.

The model goes on with a text: a finished example, the person in the third person, the chat so far, and a cue
in brackets before the person's name. Preferences stand nowhere but in the cue that answers a question, so
that they cannot be given away unasked.
"""

import json
import re
from collections.abc import Mapping
from typing import Literal

from duologue.agents.cue import Cue, cues, first_person, unhelpful
from duologue.agents.line import Line
from duologue.agents.models.call import Reply, Schema
from duologue.agents.prompt import render
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript
from duologue.profiles.scenario import Scenario
from duologue.tasks.domain import Domain

__all__ = ["Screenplay", "pronouns"]

CHECK_FROM = 2
"""From which turn on the model is asked whether the person has what they came for."""

DONE = Schema(
    "done",
    {
        "type": "object",
        "properties": {"reason": {"type": "string", "maxLength": 80}, "done": {"type": "boolean"}},
        "required": ["reason", "done"],
        "additionalProperties": False,
    },
)


class Screenplay:
    """Writes the person's next line of the script."""

    def __init__(self, line: Line, scenario: Scenario, domains: Mapping[str, Domain]) -> None:
        self._line, self._scenario, self._domains = line, scenario, domains
        self._name = (scenario.profile.name.split() or ["Customer"])[0].rstrip(":")
        self._she = pronouns(scenario)
        self._head = render("user_script.md", person=self._name, she=self._she, profile=scenario.profile)

    async def speak(self, script: Transcript, attempt: int, faults: tuple[str, ...]) -> Said:
        """The next line, and whether it is the last one."""
        planned = cues(self._scenario, script, self._domains)
        text = self._text(script, planned)
        reason: Literal["", "satisfied", "gave_up"] = ""
        check: Reply | None = None
        if unhelpful(script) >= self._scenario.profile.style.patience:
            reason = "gave_up"
        elif planned[-1].settled and script.turn > CHECK_FROM:
            check = await self._check(text, script.turn)
            reason = "satisfied" if _is_done(check.text) else ""
        act = {"": planned[-1].act, "satisfied": "thank", "gave_up": "give_up"}[reason]
        cue = self._cue(planned[-1], act, faults)
        begun = self._begun(planned, act, cue, attempt)
        prompt = f"{text}\n{cue}\n{self._name}: {begun}".rstrip()
        reply = await self._line.ask(script.turn, attempt, "turn", prompt=prompt, top_p=0.9, stop=("\n",))
        usage, seconds = reply.usage, reply.seconds
        if check is not None:
            usage, seconds = usage + check.usage, seconds + check.seconds
        words = _joined(begun, reply.text)
        return Said(words.strip(), reply.reasoning, usage, seconds, stop=bool(reason), reason=reason)

    def _begun(self, planned: tuple[Cue, ...], act: str, cue: str, attempt: int) -> str:
        """How the line begins, where the model would not find into it: a wish, or a fact left out before."""
        if act == "open":
            return opening(self._scenario)
        if act == "tell" and attempt:
            return "" if attempt == 1 else "Well,"
        if act == "tell" and any(set(planned[-1].facts) & set(before.facts) for before in planned[:-1]):
            return " ".join(cue.partition(": ")[2].split()[:3])
        if act == "tell" and planned[-1].wishes and not planned[-1].facts:
            _, likes, avoids = planned[-1].wishes[0]
            return "I like" if likes else "Please not" if avoids else "I do not"
        ways = _BEGUN.get(act, ("",))
        return ways[(sum(before.act == act for before in planned[:-1]) + attempt) % len(ways)]

    def _text(self, script: Transcript, planned: tuple[Cue, ...]) -> str:
        """Everything up to the cue to come: it only ever grows, so that the model's cache holds."""
        lines = [self._head]
        for number, message in enumerate(script.messages):
            words = " ".join(message.text.split())
            if message.role == "user":
                cue = planned[number // 2]
                lines += [self._cue(cue, cue.act, ()), f"{self._name}: {words}"]
            else:
                lines.append(f"Assistant: {words or '(says nothing)'}")
        return "\n".join(lines)

    def _cue(self, cue: Cue, act: str, faults: tuple[str, ...]) -> str:
        return render(
            "user_cue.md",
            person=self._name,
            she=self._she,
            act=act,
            facts=cue.facts,
            wishes=cue.wishes,
            intent=first_person(self._scenario.task.intent),
            faults=faults,
        )

    async def _check(self, text: str, turn: int) -> Reply:
        goal = first_person(self._scenario.task.intent)
        question = render("stop_script.md", person=self._name, goal=goal)
        prompt = f"{text}\n{question}\n"
        return await self._line.ask(
            turn,
            0,
            "stop",
            prompt=prompt,
            schema=DONE,
            temperature=0,
            max_tokens=60,
            extra={"json_schema": DONE.schema},
        )


_BEGUN = {
    "agree": ("Yes", "Fine,", "All right,", "Sure,", "Good,"),
    "leave_open": ("No idea,", "You", "Whatever", "I leave"),
    "go_on": ("Please", "Then please", "Just"),
    "press": ("So what", "And what", "Is"),
    "again": ("I asked", "Once more:", "Well,"),
    "give_up": ("Sorry, this", "No, this"),
}
"""How lines begin whose cue alone so small a model does not follow, a new way each time."""


_LOWERED = ("My", "A", "An", "The", "Two", "Three", "On", "In", "At", "It", "Everybody", "Something", "There")


def opening(scenario: Scenario) -> str:
    """How the first line begins: left to itself, so small a model may open as the assistant."""
    hello = {"formal": "Good day", "casual": "Hey"}.get(scenario.profile.style.formality, "Hi")
    told = re.search(r"(?:^|[.:;!?] )(?:you|your|i|my|the user)\b", scenario.task.intent, re.IGNORECASE)
    first, *more = first_person(scenario.task.intent).split()[:3]
    if first != "I" and (not told or first in _LOWERED):
        first = first[0].lower() + first[1:]
    return " ".join([f"{hello}," if told else f"{hello}, can you", first, *more])


def _joined(begun: str, rest: str) -> str:
    """A line that was begun and how it goes on; a model's answer comes without the space before it."""
    return (
        f"{begun} {rest.lstrip()}" if begun and rest.lstrip()[:1] not in ("'", "’", ",", ".") else begun + rest.lstrip()
    )


def pronouns(scenario: Scenario) -> tuple[str, str, str]:
    """Subject, object and possessive, from the pronouns or else the gender of the profile."""
    facts = scenario.profile.demographics
    written = facts.pronouns.casefold().split("/")[0].strip()
    gender = facts.gender.casefold().strip()
    if written == "she" or (not written and gender in ("female", "woman", "f", "girl")):
        return ("she", "her", "her")
    if written == "he" or (not written and gender in ("male", "man", "m", "boy")):
        return ("he", "him", "his")
    return ("they", "them", "their")


def _is_done(text: str) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("done") is True
