"""The judge: a model under a rubric, and a verdict whatever comes back."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, NamedTuple

from duologue.agents.answers import Reading, read_answer, unread
from duologue.agents.case import case
from duologue.agents.ending import Ending, Owner
from duologue.agents.hearing import Hearing
from duologue.agents.likelihood import with_expected
from duologue.agents.message import Message
from duologue.agents.models.call import Model, Request
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.questions import Questions, answer_schema, calls_of, pose
from duologue.agents.rubric import Rubric
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Score, Verdict
from duologue.profiles.scenario import Scenario
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput

__all__ = ["Judge"]

_SPREAD = 0.7
"""The temperature of looks after the first, so that there is a spread to see."""
_LIKELY, _LIKELY_SMALL = 5, 20
"""How many of the likeliest tokens to have told. A small model is less sure, and its answers are short."""


class _Fault(NamedTuple):
    """Why nothing is scored, and whose fault that is; empty where something is."""

    why: str = ""
    owner: Owner | Literal["", "judge"] = ""


class _Heard(NamedTuple):
    """The questions of one call, and what came back."""

    questions: Questions
    hearing: Hearing[Reading]

    @property
    def reading(self) -> Reading:
        """What was read, with the expected scores that the answer's probabilities tell."""
        if (found := self.hearing.found) is None:
            return unread(self.questions, self.hearing.fault)
        return replace(found, scores=with_expected(found.scores, self.questions.dimensions, self.hearing.tokens))


@dataclass(slots=True)
class _Sitting:
    """One look at one dialogue: whose it is, what is asked, and what has come back."""

    cell: str
    attempt: int
    look: int
    seed: int
    questions: Questions
    fault: _Fault
    heard: list[_Heard] = field(default_factory=list)
    began: float = field(default_factory=time.time)

    def conversation(self, part: Questions) -> str:
        """Names one call: equal names share a cache and, with an embedded model, a process."""
        look = f"/look {self.look}" if self.look > 1 else ""
        asked = part.dimensions[0].name if part.dimensions else "preferences"
        return f"judge/{self.cell}/{self.attempt}{look}{f'/{asked}' if part.alone else ''}"

    def conclude(self) -> None:
        """Nothing is scored where the infrastructure failed, so that all is asked again, or where all calls failed."""
        faults = [_Fault(each.hearing.fault, each.hearing.owner) for each in self.heard]
        if faults and (faults[-1].owner == "infrastructure" or all(fault.why for fault in faults)):
            self.fault = faults[-1] if faults[-1].owner == "infrastructure" else faults[0]

    @property
    def readings(self) -> list[Reading]:
        return [unread(self.questions, self.fault.why)] if self.fault.why else [each.reading for each in self.heard]


class Judge:
    """A model that judges transcripts under one rubric. Raises BadInput for a rubric that compares two."""

    def __init__(self, model: Model, rubric: Rubric) -> None:
        if rubric.pairwise:
            then = "Name one for single dialogues, such as default; pairs: duologue compare RUN --pairwise"
            raise BadInput("it compares two dialogues and grades none", f"rubric {rubric.name}", then)
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
        look: int = 1,
    ) -> Verdict:
        """The verdict on `script`. Never raises Failure: what went wrong is `unscored`, with its owner.

        `assistant_model` serves only to warn where the judge is the very model that it judges. Looks after the first
        have seeds of their own and a temperature.
        """
        sitting = _Sitting(cell, attempt, look, seed, pose(self.rubric, scenario), _unfit(ending, script))
        for part in () if sitting.fault.why else calls_of(sitting.questions, self.rubric, scenario):
            hearing = Hearing(partial(_read, questions=part, script=script), "judge_again.md")
            messages = case(part, scenario, script, small=self._small, cut_short=ending.cut_short)
            await hearing.ask(self.model, self._request(sitting, part, messages))
            sitting.heard.append(_Heard(part, hearing))
            if hearing.owner == "infrastructure":
                break
        sitting.conclude()
        own = ("the judge is the assistant's own model",) if assistant_model == self.model.name else ()
        return self._verdict(sitting, own)

    async def close(self) -> None:
        await self.model.close()

    def _request(self, sitting: _Sitting, part: Questions, messages: tuple[Message, ...]) -> Request:
        base, each = (100, 130) if self._small else (500, 200)
        likely = _LIKELY_SMALL if self._small else _LIKELY
        first = sitting.look == 1
        return Request(
            messages=messages,
            schema=answer_schema(part, self._small),
            temperature=0 if first else _SPREAD,
            max_tokens=base + each * part.count,
            seed=sitting.seed if first else number(sitting.seed, "look", sitting.look) % 2**31,
            likely=likely if part.dimensions else 0,
            conversation=sitting.conversation(part),
            role="judge",
        )

    def _verdict(self, sitting: _Sitting, warnings: tuple[str, ...]) -> Verdict:
        questions, readings, fault = sitting.questions, sitting.readings, sitting.fault
        hearings = [each.hearing for each in sitting.heard]
        usages = [hearing.usage for hearing in hearings if hearing.usage]
        asked = {name: score for reading in readings for name, score in reading.scores.items()}
        asked |= {name: Score(unscored=why) for name, why in questions.pointless.items()}
        return Verdict(
            cell=sitting.cell,
            attempt=sitting.attempt,
            rubric=self.fingerprint,
            rubric_name=self.rubric.name,
            judge=self.model.name,
            look=sitting.look,
            scores={d.name: asked[d.name] for d in self.rubric.dimensions},
            preferences=(*(p for reading in readings for p in reading.preferences), *questions.unheld),
            unscored=fault.why,
            owner=fault.owner,
            warnings=(*warnings, *(warning for reading in readings for warning in reading.warnings)),
            answer=_joined(h.text for h in hearings if fault.why or h.found is None or not h.found.whole),
            reasoning=_joined(hearing.reasoning for hearing in hearings),
            usage=sum(usages[1:], usages[0]) if usages else None,
            seconds=sum(hearing.seconds for hearing in hearings),
            time=sitting.began,
        )


def _unfit(ending: Ending, script: Transcript) -> _Fault:
    """Why a dialogue is not judged at all, if it is not."""
    if not ending.scored:
        return _Fault(f"not judged: the dialogue ended with {ending.reason}", ending.owner)
    if not any(text.strip() for text in script.said_by("user")):
        return _Fault("not judged: the user never said a word")
    return _Fault() if script.said_by("assistant") else _Fault("not judged: the assistant never had a turn")


def _read(text: str, questions: Questions, script: Transcript) -> Reading:
    """What a judge's text says. Raises Unreadable where it answers nothing."""
    reading = read_answer(read_object(text, questions.form), questions, script)
    if reading.empty:
        raise Unreadable("it grades nothing that was asked")
    return reading


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, texts))
