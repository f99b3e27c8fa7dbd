"""The judge: one call of a model under a rubric, and a verdict whatever comes back."""

import time
from dataclasses import dataclass, field, replace
from typing import Literal

from duologue.agents.answers import Reading, read_answer, unread
from duologue.agents.case import case
from duologue.agents.ending import Ending, Failure, Owner
from duologue.agents.message import Message
from duologue.agents.models.call import Model, Reply, Request
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.agents.questions import Questions, answer_schema, pose
from duologue.agents.quotes import plain
from duologue.agents.rubric import Rubric
from duologue.agents.transcript import Transcript
from duologue.agents.usage import Usage
from duologue.agents.verdict import Score, Verdict
from duologue.profiles.scenario import Scenario

__all__ = ["Judge"]

_SHOWN_AGAIN = 2000
"""Letters of an unreadable answer that its judge is shown when it is asked again."""


@dataclass(slots=True)
class _Hearing:
    """One judgement under way: what is asked, and what has come back."""

    questions: Questions
    script: Transcript
    reading: Reading | None = None
    fault: str = ""
    owner: Owner | Literal["", "judge"] = ""
    text: str = ""
    reasoning: str = ""
    usage: Usage | None = None
    seconds: float = 0.0
    began: float = field(default_factory=time.time)

    def take(self, reply: Reply) -> None:
        """Read a reply; `fault` says why nothing in it can be used."""
        self.text, self.reasoning = reply.text, reply.reasoning
        self.usage = self.usage + reply.usage if self.usage else reply.usage
        self.seconds += reply.seconds
        self.reading, self.fault, self.owner = None, "", ""
        try:
            self.reading = read_answer(read_object(reply.text, self.questions.form), self.questions, self.script)
            self.fault = "it grades nothing that was asked" if self.reading.empty else ""
        except Unreadable as why:
            self.fault = "it was cut at the limit of tokens" if reply.finish == "length" else str(why)
        self.owner = "judge" if self.fault else ""

    def fail(self, fault: str, owner: Owner | Literal[""]) -> None:
        self.reading, self.fault, self.owner = None, fault, owner


class Judge:
    """A model that judges transcripts under one rubric."""

    def __init__(self, model: Model, rubric: Rubric) -> None:
        self.model, self.rubric = model, rubric
        self.fingerprint = rubric.fingerprint
        self._small = model.traits.small

    async def judge(
        self,
        scenario: Scenario,
        script: Transcript,
        *,
        cell: str,
        attempt: int,
        seed: int,
        ending: Ending,
        assistant_model: str = "",
    ) -> Verdict:
        """The verdict on `script`. Never raises Failure: what went wrong is `unscored`, with its owner.

        `assistant_model` serves only to warn where the judge is the very model that it judges.
        """
        hearing = _Hearing(pose(self.rubric, scenario), script)
        if not ending.scored:
            hearing.fail(f"not judged: the dialogue ended with {ending.reason}", ending.owner)
        elif not script.said_by("assistant"):
            hearing.fail("not judged: the assistant never had a turn", "")
        elif hearing.questions.count:
            messages = case(hearing.questions, scenario, script, small=self._small, cut_short=ending.cut_short)
            await self._hear(hearing, self._request(hearing.questions, messages, seed, f"judge/{cell}/{attempt}"))
        own = ("the judge is the assistant's own model",) if assistant_model == self.model.name else ()
        return self._verdict(hearing, cell, attempt, own)

    async def close(self) -> None:
        await self.model.close()

    def _request(self, questions: Questions, messages: tuple[Message, ...], seed: int, conversation: str) -> Request:
        base, each = (100, 130) if self._small else (500, 200)
        return Request(
            messages=messages,
            schema=answer_schema(questions, self._small),
            temperature=0,
            max_tokens=base + each * questions.count,
            seed=seed,
            conversation=conversation,
            role="judge",
        )

    async def _hear(self, hearing: _Hearing, request: Request) -> None:
        """Ask; where nothing at all can be read, ask once more and say why."""
        try:
            hearing.take(await self.model.complete(request))
            if hearing.fault:
                hearing.take(await self.model.complete(_once_more(request, hearing)))
        except Failure as failure:
            reason = "too long for the judge" if failure.reason == "context_overflow" else failure.reason
            hearing.fail(f"{reason}: {failure.detail}" if failure.detail else reason, "infrastructure")
        finally:
            await self.model.release(request.conversation)

    def _verdict(self, hearing: _Hearing, cell: str, attempt: int, warnings: tuple[str, ...]) -> Verdict:
        questions, why = hearing.questions, hearing.fault
        reading = hearing.reading if hearing.reading and not why else unread(questions, why)
        asked = {**reading.scores, **{name: Score(unscored=why) for name, why in questions.pointless.items()}}
        return Verdict(
            cell=cell,
            attempt=attempt,
            rubric=self.fingerprint,
            rubric_name=self.rubric.name,
            judge=self.model.name,
            scores={d.name: asked[d.name] for d in self.rubric.dimensions},
            preferences=(*reading.preferences, *questions.unheld),
            unscored=why,
            owner=hearing.owner,
            warnings=(*warnings, *reading.warnings),
            answer="" if reading.whole else hearing.text,
            reasoning=hearing.reasoning,
            usage=hearing.usage,
            seconds=hearing.seconds,
            time=hearing.began,
        )


def _once_more(request: Request, hearing: _Hearing) -> Request:
    """The same request with the answer and the complaint after it, and twice the room to answer."""
    answer = Message("assistant", plain(hearing.text)[:_SHOWN_AGAIN] or "-")
    complaint = Message("user", render("judge_again.md", why=hearing.fault))
    room = 2 * (request.max_tokens or 0)
    return replace(request, messages=(*request.messages, answer, complaint), max_tokens=room)
