"""The umpire: a model that compares two dialogues on one scenario under a pairwise rubric, whatever comes back."""

import time
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from operator import add

from duologue.agents.case import describes, end_state, fence, record, told
from duologue.agents.duel import Choice, Corner, Duel, choice_schema, read_choices
from duologue.agents.hearing import Hearing
from duologue.agents.message import Message
from duologue.agents.models.call import Model, Request
from duologue.agents.prompt import render
from duologue.agents.questions import Questions, calls_of, pose
from duologue.agents.rubric import Dimension, Input, Rubric
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import NOTHING_RELEVANT
from duologue.profiles.scenario import Scenario
from duologue.tasks.written import BadInput

__all__ = ["Umpire", "check_pairwise", "laid_out"]

Both = tuple[Transcript, Transcript]
SILENT = "not compared: an assistant never had a turn"


def laid_out(
    questions: Questions, scenario: Scenario, scripts: Both, *, small: bool = False, cut_short: tuple[bool, bool]
) -> tuple[Message, ...]:
    """The messages that ask for the choices. Nothing here knows which assistants spoke, or what they were told."""
    size, shown = "_small" if small else "", questions.shown
    asked = {"dimensions": questions.dimensions, "described": describes(shown)}
    sides = [
        {
            "place": place,
            "turns": (len(script.messages) + 1) // 2,
            "record": record(script, small, shown),
            "fence": fence(script, shown),
            "state": end_state(script) if "state" in shown else None,
            "cut_short": cut,
        }
        for place, script, cut in zip(("first", "second"), scripts, cut_short, strict=True)
    ]
    facts = told(questions, scenario, brief=small and not questions.alone)
    return (
        Message("system", render(f"duel{size}.md", shown=shown, **asked)),
        Message("user", render(f"duel_case{size}.md", **facts, **asked, sides=sides)),
    )


class Umpire:
    """A model that compares dialogues two by two. Raises BadInput for a rubric that grades single ones."""

    def __init__(self, model: Model, rubric: Rubric) -> None:
        check_pairwise(rubric)
        self.model, self.rubric = model, rubric
        self.fingerprint = rubric.fingerprint
        self._small = model.traits.small

    async def judge(
        self,
        scenario: Scenario,
        scripts: Both,
        *,
        corners: tuple[Corner, Corner],
        cut_short: tuple[bool, bool],
        seed: int,
    ) -> Duel:
        """What it says of the two in this order. Never raises Failure: what went wrong is `unscored`, and its owner."""
        questions = pose(self.rubric, scenario)
        silent = not all(script.said_by("assistant") for script in scripts)
        talk = "/".join(("duel", *(f"{each.run}.{each.cell}.{each.attempt}" for each in corners)))
        choices = {name: Choice(unscored=why) for name, why in questions.pointless.items()}
        hearings, why = [], SILENT
        for part in () if silent else calls_of(questions, self.rubric, scenario):
            hearing = Hearing(partial(_read, part.dimensions, scripts, part.shown), "duel_again.md")
            messages = laid_out(part, scenario, scripts, small=self._small, cut_short=cut_short)
            await hearing.ask(self.model, self._request(part.dimensions, messages, seed, talk))
            choices |= hearing.found or {d.name: Choice(unscored=hearing.fault) for d in part.dimensions}
            hearings.append(hearing)
            why = hearing.fault
            if hearing.owner == "infrastructure":
                break
        whole = {d.name: choices.get(d.name, Choice(unscored=why)) for d in self.rubric.dimensions}
        return self._duel(scenario, corners, whole, hearings)

    def _request(self, asked: tuple[Dimension, ...], messages: tuple[Message, ...], seed: int, talk: str) -> Request:
        base, each = (60, 60) if self._small else (400, 250)
        return Request(
            messages=messages,
            schema=choice_schema(asked, self._small),
            temperature=0,
            max_tokens=base + each * len(asked),
            seed=seed,
            conversation=talk,
            role="judge",
        )

    def _duel(
        self,
        scenario: Scenario,
        corners: tuple[Corner, Corner],
        choices: dict[str, Choice],
        hearings: Sequence[Hearing[dict[str, Choice]]],
    ) -> Duel:
        used = [hearing.usage for hearing in hearings if hearing.usage]
        unread = [choice.unscored for choice in choices.values() if choice.unscored not in ("", NOTHING_RELEVANT)]
        spoilt = next((hearing for hearing in hearings if hearing.owner == "infrastructure"), None)
        nothing = bool(unread) and not any(choice.choice for choice in choices.values())
        return Duel(
            rubric=self.fingerprint,
            rubric_name=self.rubric.name,
            judge=self.model.name,
            short=self._small,
            profile=scenario.profile.id,
            first=corners[0],
            second=corners[1],
            choices=choices,
            unscored=spoilt.fault if spoilt else unread[0] if nothing else "",
            owner=spoilt.owner if spoilt else "judge" if nothing and hearings else "",
            warnings=tuple(_doubts(choices)),
            answer="\n".join(hearing.text for hearing in hearings) if unread else "",
            reasoning="\n\n".join(filter(None, (hearing.reasoning for hearing in hearings))),
            usage=reduce(add, used) if used else None,
            seconds=sum(hearing.seconds for hearing in hearings),
            time=min((hearing.began for hearing in hearings), default=time.time()),
        )


def check_pairwise(rubric: Rubric) -> None:
    """Raises BadInput for a rubric that grades single dialogues."""
    if not rubric.pairwise:
        then = 'Name one whose scales are "pair", such as --rubric pairwise; to grade single dialogues: duologue judge'
        raise BadInput("it grades single dialogues and compares none", f"rubric {rubric.name}", then)


def _read(dimensions: tuple[Dimension, ...], scripts: Both, shown: tuple[Input, ...], text: str) -> dict[str, Choice]:
    return read_choices(text, dimensions, scripts, shown)


def _doubts(choices: Mapping[str, Choice]) -> list[str]:
    """The quotes that do not stand in the record that they are given for."""
    return [
        f"{name}: the quote is not in the {place} transcript"
        for name, choice in choices.items()
        for place, evidence in (("first", choice.first), ("second", choice.second))
        if evidence and evidence.quote and not evidence.found
    ]
