"""Conduct: how a reference assistant goes through a dialogue, as a generator of steps.

A step is words for the user or calls of tools; what comes back is sent in. The same answers give the same steps.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from duologue.agents.references.errand import Act, Answers, Calling, Done, Errand, together
from duologue.agents.references.replies import Reply, replied
from duologue.agents.references.selection import Selection
from duologue.agents.references.taste import Taste, told_taste, valued
from duologue.agents.references.wording import Wording
from duologue.agents.words import mentions, readable
from duologue.profiles.scenario import Scenario
from duologue.tasks.aim import Aim
from duologue.tasks.domain import Domain, PreferenceType, key
from duologue.tasks.task import Bound, Fact
from duologue.tasks.tool import Tool

__all__ = ["AT_ONCE", "Conduct", "Heard", "Step", "Steps"]

AT_ONCE = 3
"""How many things it asks for in one turn."""
ROUNDS = 3
"""How often it asks for a fact that it does not get."""

Pair = tuple[str, str]
Step = str | tuple[Act, ...]
Heard = str | Answers
Steps = Generator[Step, Any, None]


class Conduct:
    """One dialogue of a reference assistant about `aims`, with the taste that its kind brings along."""

    def __init__(
        self, scenario: Scenario, aims: Sequence[Aim], tools: Iterable[Tool], taste: Taste, *,
        asks: bool, seed: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self._scenario, self._aims, self._asks, self._seed = scenario, aims, asks, seed
        self._tools = {(tool.domain, tool.verb, tool.record): tool for tool in tools}
        self._taste = taste
        self._matters = {(each.domain, key(each.type)) for each in scenario.task.relevant}
        self._words = Wording(*seed)
        self._turn, self._known = 0, frozenset[str]()
        self._told: dict[Pair, Reply] = {}

    def steps(self) -> Steps:
        """The steps of the dialogue. Prime it with `next`, then send the user's first words."""
        self._hear((yield ""))
        yield from self._ask_for_facts()
        if self._asks:
            yield from self._ask_for_preferences()
        done = list((yield from together([self._errand(aim).run() for aim in self._aims])))
        report = self._report(done)
        while True:
            known = self._known
            words = yield report
            self._hear(words)
            late = [each for each in done if self._comes_late(each, words, known)]
            if late:
                mended = yield from together([self._again(each) for each in late])
                done = [*(each for each in done if each not in late), *mended]
                report = self._words.say("mended", self._turn, report=self._report(mended))
            else:
                report = self._words.say("closing", self._turn)

    def _hear(self, words: str) -> None:
        """Take what the user has said: of which slots it holds the values."""
        slots = self._scenario.task.slots
        asked = {slot for aim in self._aims for slot in aim.slots.values()} - self._known
        self._turn += 1
        self._known |= {slot for slot in asked if mentions(words, slots[slot], slot)}

    def _report(self, done: Sequence[Done]) -> str:
        return " ".join(self._words.report(each, self._turn + place) for place, each in enumerate(done))

    def _ask_for_facts(self) -> Steps:
        for round in range(ROUNDS):
            asked = self._questions()
            for start in range(0, len(asked), AT_ONCE):
                opening = "asking_again" if round else "asking" if self._turn == 1 else "asking_more"
                questions = " ".join(asked[start : start + AT_ONCE])
                self._hear((yield self._words.say(opening, self._turn, questions=questions)))

    def _questions(self) -> list[str]:
        """A question for each fact that is missing; where two would be asked for alike, each by its own name."""
        asked = {slot: (self._words.asked(aim, name, slot, self._turn), slot) for aim, name, slot in self._missing()}
        alike = Counter(question for question, _ in asked.values())
        return [
            question if alike[question] == 1 else self._words.say("question", self._turn, name=readable(slot))
            for question, slot in asked.values()
        ]

    def _missing(self) -> list[tuple[Aim, str, str]]:
        """The required values that the user knows by a slot and has not said: aim, name and slot."""
        return [(aim, name, slot) for aim in self._aims for name, slot in aim.slots.items() if slot not in self._known]

    def _ask_for_preferences(self) -> Steps:
        for aim in self._aims:
            while types := self._untold(aim):
                yield from self._ask_types(aim.domain, types[:AT_ONCE])

    def _ask_types(self, domain: Domain, types: Sequence[PreferenceType]) -> Steps:
        questions = " ".join(type.ask or f"Which {type.name} do you like?" for type in types)
        opening = "asking" if self._turn == 1 else "asking_more"
        words = yield self._words.say(opening, self._turn, questions=questions)
        self._hear(words)
        for type in types:
            self._told[domain.name, key(type.name)] = replied(words, type.values)
        self._take_beside(words, {value for type in types for value in type.values})

    def _take_beside(self, words: str, asked: AbstractSet[str]) -> None:
        """Take what a reply says of types that were not asked about yet, as far as it is nothing that was asked."""
        for aim in self._aims:
            for type in self._decided(aim):
                if (pair := (aim.domain.name, key(type.name))) in self._told:
                    continue
                if (said := replied(words, [value for value in type.values if value not in asked])).likes:
                    self._told[pair] = said

    def _decided(self, aim: Aim) -> Sequence[PreferenceType]:
        """The preference types that are still to be chosen in what the aim wants."""
        if not aim.changes:
            return aim.undecided
        changed = self._open(aim)
        return [type for type in aim.undecided if key(type.name) in changed]

    def _untold(self, aim: Aim) -> list[PreferenceType]:
        """Those of them that the user has not told of, and in which what it has said leaves a choice."""
        types = [type for type in self._decided(aim) if (aim.domain.name, key(type.name)) not in self._told]
        selection = self._selection(aim) if types else None
        return [type for type in types if selection and selection.leaves_open(key(type.name))]

    def _open(self, aim: Aim) -> frozenset[str]:
        """What a change leaves to the assistant, by the keys of records and entities; what was told of, too."""
        return frozenset(name for domain, name in (*self._matters, *self._told) if domain == aim.domain.name)

    def _errand(self, aim: Aim) -> Errand:
        return Errand(self._selection(aim), self._tools)

    def _selection(self, aim: Aim) -> Selection:
        seed = (*self._seed, "errand", self._aims.index(aim))
        return Selection(aim, self._facts(aim), self._taste_now(), self._open(aim), seed)

    def _taste_now(self) -> Taste:
        """What it knows of the user's taste; what does not matter to the task only breaks ties."""
        return told_taste(self._taste, self._told, self._matters)

    def _facts(self, aim: Aim) -> dict[str, Fact | Bound]:
        """The required values that the user has said, and those that are no slots: they are what the task is about."""
        return {n: fact for n, fact in aim.where.items() if n not in aim.slots or aim.slots[n] in self._known}

    def _comes_late(self, done: Done, words: str, known: AbstractSet[str]) -> bool:
        """Whether the words tell of a preference that a thing done goes against, or of a fact not `known` by then."""
        aim, late = done.aim, False
        for type in self._decided(aim):
            said, pair = replied(words, type.values), (aim.domain.name, key(type.name))
            if not (said.likes or said.avoids):
                continue
            held = {**(done.entity or {}), **done.fields}.get(key(type.name))
            if valued(told_taste({}, {pair: said}, {pair})[pair], held) <= 0:
                self._told[pair], late = said, True
        return late or bool({*aim.slots.values()} & (self._known - known))

    def _again(self, done: Done) -> Calling:
        errand, stands = self._errand(done.aim), done.id and not done.error and done.verb != "cancel"
        return errand.amend(done) if stands else errand.run()
