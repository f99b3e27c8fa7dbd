"""The user agent: a language model that talks as the person of a profile, about a task."""

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from duologue.agents.events import Disclosure
from duologue.agents.ledger import declaration
from duologue.agents.line import Line, Seed
from duologue.agents.message import Message
from duologue.agents.models.call import Model, Reply, Schema
from duologue.agents.prompt import render
from duologue.agents.screenplay import Screenplay
from duologue.agents.speaker import Said
from duologue.agents.transcript import Transcript, as_seen_by
from duologue.agents.words import readable
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import called_for
from duologue.tasks.domain import Domain

__all__ = ["ModelUser"]

SMALL_TEMPERATURE = 0.4
SMALL_TOKENS = 60
Stop = Literal["", "satisfied", "gave_up"]

ANSWER = Schema(
    "user_turn",
    {
        "type": "object",
        "properties": {
            "message": {"type": "string"},
            "told": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "domain": {"type": "string"},
                        "type": {"type": "string"},
                        "value": {"type": "string"},
                        "wish": {"type": "string", "enum": ["likes", "avoids", "fact"]},
                    },
                    "required": ["domain", "type", "value", "wish"],
                    "additionalProperties": False,
                },
            },
            "stop": {"type": "boolean"},
            "reason": {"type": "string", "enum": ["none", "satisfied", "gave_up"]},
        },
        "required": ["message", "told", "stop", "reason"],
        "additionalProperties": False,
    },
)


class ModelUser:
    """Talks as the scenario's person. Small models get a script to go on with, others a chat.

    `seed(turn, attempt, purpose)` gives the seed of one call; `domains` lets a small model's cues know
    what a question is about.
    """

    guarded = True
    rebuildable = True

    def __init__(
        self,
        model: Model,
        scenario: Scenario,
        *,
        conversation: str,
        seed: Seed,
        domains: Mapping[str, Domain] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self._scenario = scenario
        small = model.traits.small and model.traits.raw
        if small:
            temperature = SMALL_TEMPERATURE if temperature is None else temperature
            max_tokens = SMALL_TOKENS if max_tokens is None else max_tokens
        line = Line(model, "user", conversation, seed, temperature, max_tokens)
        self._layout: Screenplay | _Chat = Screenplay(line, scenario, domains or {}) if small else _Chat(line, scenario)

    async def speak(self, script: Transcript, faults: tuple[str, ...] = ()) -> Said:
        """The person's next turn. Raises Failure where the call failed."""
        if not script.messages and self._scenario.task.opener:
            return Said(self._scenario.task.opener, source="task")
        return await self._layout.speak(script, max(len(script.drafts), bool(faults)), faults)

    async def close(self) -> None:
        """Nothing is held: the model belongs to whoever opened it."""


class _Chat:
    """A system prompt that says who speaks, then the dialogue with the person's words as the model's own."""

    def __init__(self, line: Line, scenario: Scenario) -> None:
        self._line, self._scenario = line, scenario
        self._system = Message("system", system_prompt(scenario))
        self._opening = Message("user", render("user_opening.md"))

    async def speak(self, script: Transcript, attempt: int, faults: tuple[str, ...]) -> Said:
        """The model's structured answer, or its plain words where it gives none."""
        seen = (self._system, self._opening, *as_seen_by("user", script))
        if faults:
            note = render("user_again.md", faults=faults)
            seen = (*seen[:-1], Message("user", f"{seen[-1].text}\n\n{note}"))
        reply = await self._line.ask(script.turn, attempt, "turn", messages=seen, schema=ANSWER)
        answer = _answer(reply.text)
        if answer is None:
            return await self._plain(script, seen, reply, attempt)
        reason = _reason(answer)
        return Said(
            answer["message"].strip(),
            reply.reasoning,
            reply.usage,
            reply.seconds,
            stop=bool(reason),
            reason=reason,
            declared=_declared(self._scenario, answer.get("told")),
        )

    async def _plain(self, script: Transcript, seen: tuple[Message, ...], reply: Reply, attempt: int) -> Said:
        """The words as they came; whether they are the last ones is asked separately, from the second turn on."""
        text = reply.text.strip()
        if not script.messages or not text:
            return Said(text, reply.reasoning, reply.usage, reply.seconds)
        asked = (*seen, Message("assistant", text), Message("user", render("stop.md")))
        check = await self._line.ask(script.turn, attempt, "stop", messages=asked, role="stop")
        word = re.match(r"\W*(satisfied|gave[ _]up)\b", check.text, re.IGNORECASE)
        reason: Stop = "" if word is None else "satisfied" if word[1].lower() == "satisfied" else "gave_up"
        usage, seconds = reply.usage + check.usage, reply.seconds + check.seconds
        return Said(text, reply.reasoning, usage, seconds, stop=bool(reason), reason=reason)


def system_prompt(scenario: Scenario) -> str:
    """Who the person is and how they talk, what they want, and when they stop."""
    profile, task = scenario.profile, scenario.task
    return render(
        "user.md",
        profile=profile,
        task=task,
        demographics={n.replace("_", " "): v for n, v in profile.demographics.model_dump().items() if v},
        situation={n.replace("_", " "): v for n, v in scenario.situation.model_dump().items() if v},
        preferences={d: profile.preferences[d] for d in task.domains if d in profile.preferences},
        history=[session for session in profile.history if session.domain in task.domains],
        slots={readable(name): value for name, value in task.slots.items() if name not in task.withheld},
        withheld={readable(name): task.slots[name] for name in task.withheld if name in task.slots},
        wants=called_for(scenario),
    )


def _answer(text: str) -> dict[str, Any] | None:
    """The structured answer in `text`, bare or fenced; None where there is none."""
    bare = re.sub(r"^\s*```\w*\s*|\s*```\s*$", "", text).strip()
    try:
        found = json.loads(bare, strict=False)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("message"), str) else None


def _reason(answer: Mapping[str, Any]) -> Stop:
    """Why the person stops, empty where they do not. Only the structured field stops, never the words."""
    if answer.get("stop") not in (True, "true"):
        return ""
    return "gave_up" if answer.get("reason") == "gave_up" else "satisfied"


def _declared(scenario: Scenario, told: Any) -> tuple[Disclosure, ...]:
    """What the answer says it told. Entries without a value are left out."""
    entries = [entry for entry in told if isinstance(entry, dict)] if isinstance(told, list) else []
    fields = [{key: str(entry.get(key) or "") for key in ("domain", "type", "value", "wish")} for entry in entries]
    return tuple(declaration(scenario, f["domain"], f["type"], f["value"], f["wish"]) for f in fields if f["value"])
