"""An inquiry: many questions asked of models at once, each answer handed on as it comes."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from duologue.agents.ending import Failure, Reason
from duologue.agents.message import sound
from duologue.agents.models.call import Model, Reply
from duologue.bench.question import Answer, Question
from duologue.hands import Hands

__all__ = ["Inquiry"]


class Inquiry:
    """Asks `models`, by role, and tells `heard` every answer, failures too."""

    def __init__(self, models: Mapping[str, Model], heard: Callable[[Answer], None]) -> None:
        self._models, self._heard = models, heard
        self._hands = Hands()
        self.halted = ""
        """Why no more questions are asked, if they are not."""

    def halt(self, reason: Reason, note: str) -> None:
        """Ask nothing more; calls in flight are waited for."""
        self.halted = self.halted or note or reason

    def abandon(self, note: str) -> None:
        """Leave at once: calls in flight are cancelled."""
        self.halt("interrupted", note)
        self._hands.let_go()

    async def ask(self, questions: Iterable[Question], concurrency: int) -> None:
        """Ask all of `questions`, or as many as `halt` and `abandon` leave, at most `concurrency` at a time."""
        queue = iter(questions)
        await self._hands.work(lambda: self._work(queue), concurrency)

    async def _work(self, queue: Iterator[Question]) -> None:
        while not self.halted and (question := next(queue, None)) is not None:
            self._heard(await self._answer(question))

    async def _answer(self, question: Question) -> Answer:
        model, began = self._models[question.role], time.time()
        held = Answer(id=question.id, role=question.role, model=model.name, time=began, shown=question.shown)
        try:
            reply = await model.complete(question.request)
            figures = _figures(reply, model.name)
        except Failure as failure:
            spoilt = {
                "fault": failure.reason,
                "detail": sound(failure.detail),
                "seconds": round(time.time() - began, 3),
            }
            return held.model_copy(update=spoilt)
        finally:
            await model.release(question.request.conversation)
        said = {"text": sound(reply.text), "reasoning": sound(reply.reasoning), "finish": reply.finish}
        counted = {"figures": figures, "usage": reply.usage, "seconds": round(reply.seconds, 3)}
        return held.model_copy(update={**said, **counted})


def _figures(reply: Reply, model: str) -> dict[str, float]:
    """The numbers that came. Raises Failure where one is none: the record holds finite ones alone."""
    given = {"logprob": reply.given.logprob, "tokens": reply.given.tokens} if reply.given else {}
    figures = {**reply.figures, **given}
    if stray := next((name for name, value in figures.items() if not math.isfinite(value)), None):
        raise Failure("provider_error", f"{model} tells no finite number as {stray}")
    return figures
