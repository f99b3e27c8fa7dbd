"""The ring: many bouts at once, each a question to the judge."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from duologue.agents.duel import Corner, Duel
from duologue.agents.ending import Reason
from duologue.agents.umpire import Umpire
from duologue.duels.draw import Bout, Match
from duologue.hands import Hands
from duologue.profiles.dataset import Dataset
from duologue.profiles.scenario import Scenario
from duologue.record.stored import Dialogue, Shelf
from duologue.tasks.chance import number
from duologue.tasks.task import Situation

__all__ = ["Ring"]

RECENT = 64
"""How many scenarios and dialogues are kept: both orders of a match follow each other."""


class Ring:
    """Puts bouts to the judge, `concurrency` at a time. Results do not depend on how many.

    `shelves` hold the dialogues by their run's folder; `told` hears what is to be known beside the answers.
    """

    def __init__(
        self, umpire: Umpire, data: Dataset, shelves: dict[Path, Shelf], seed: int, told: Callable[[str], None]
    ) -> None:
        self._umpire, self._data, self._seed, self._told = umpire, data, seed, told
        self._stopped = False
        self._hands = Hands()
        self._dialogue = lru_cache(maxsize=RECENT)(lambda folder, cell: shelves[folder].dialogue(cell))
        self._case = lru_cache(maxsize=RECENT)(self._scenario)

    def halt(self, _reason: Reason, note: str) -> None:
        """Begin no further bout; those under way are answered."""
        self._stopped = True
        self._told(note)

    def abandon(self, note: str) -> None:
        """Leave at once: calls in flight are cancelled, and nothing is recorded of them."""
        self.halt("interrupted", note)
        self._hands.let_go()

    async def run(self, bouts: Sequence[Bout], concurrency: int, heard: Callable[[Duel], None]) -> None:
        """Put `bouts`, or as many as `halt` and `abandon` leave; `heard` is given each answer as it comes."""
        queue = iter(bouts)
        await self._hands.work(lambda: self._labour(queue, heard), min(concurrency, len(bouts)))

    async def _labour(self, queue: Iterator[Bout], heard: Callable[[Duel], None]) -> None:
        for bout in queue:
            if self._stopped:
                return
            heard(await self._put(bout))

    async def _put(self, bout: Bout) -> Duel:
        match, places = bout.match, (1, 0) if bout.turned else (0, 1)
        held = self._dialogue(match.folders[0], match.a.cell), self._dialogue(match.folders[1], match.b.cell)
        first, second = (_stored(held[place]) for place in places)
        corners = [_corner(match, place, _stored(held[place])) for place in places]
        case = self._case(match.profile, match.task, match.situation)
        return await self._umpire.judge(
            case,
            (first.script, second.script),
            corners=(corners[0], corners[1]),
            cut_short=(_cut_short(first), _cut_short(second)),
            seed=number(self._seed, case.id, "judge", match.trial, 0, 0, "duel") % 2**31,
        )

    def _scenario(self, profile: str, task: str, situation: Situation) -> Scenario:
        return Scenario(self._data.profile(profile), self._data.task(task), situation)


def _stored(found: Dialogue | None) -> Dialogue:
    assert found is not None, "the draw takes dialogues from the same files"
    return found


def _cut_short(dialogue: Dialogue) -> bool:
    return dialogue.ending is not None and dialogue.ending.cut_short


def _corner(match: Match, place: int, dialogue: Dialogue) -> Corner:
    letters = sum(map(len, dialogue.script.said_by("assistant")))
    return Corner(
        run=(match.a, match.b)[place].run,
        cell=dialogue.cell,
        attempt=dialogue.started.attempt,
        assistant=match.names[place],
        letters=letters,
    )
