"""Meetings with the answers of a judge that is a function, for tests: no file, no model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from duologue.agents.duel import Choice, Corner, Duel
from duologue.duels.draw import Entry, Match, Meeting
from duologue.tasks.task import Situation

QUESTION = "overall"


@dataclass(frozen=True)
class Shown:
    """A dialogue as the judge of a test knows it."""

    assistant: str
    profile: str
    letters: int


Judge = Callable[[Shown, Shown], str]
"""Says `first`, `tie` or `second`; anything else is unscored for that reason."""


def fought(
    judge: Judge, *sides: Sequence[int], trials: int = 1
) -> tuple[list[Meeting], dict[tuple[Entry, Entry], Duel]]:
    """Assistants a, b, ...: of each how many letters it said with each profile; all pairs in both orders."""
    names = "abcdefg"[: len(sides)]
    meetings, found = [], {}
    for (a, left), (b, right) in combinations(zip(names, sides, strict=True), 2):
        matches = [_match(a, b, f"p{i}", trial) for i in range(len(left)) for trial in range(1, trials + 1)]
        meetings.append(Meeting(a, b, tuple(matches), {}))
        for match in matches:
            i = int(match.profile[1:])
            found.update(_answers(judge, match, Shown(a, match.profile, left[i]), Shown(b, match.profile, right[i])))
    return meetings, found


def _match(a: str, b: str, profile: str, trial: int) -> Match:
    entries = [Entry("run", f"{name} {profile} {trial}", 1) for name in (a, b)]
    return Match(profile, "task", Situation(), trial, *entries, folders=(Path(), Path()), names=(a, b))


def _answers(judge: Judge, match: Match, a: Shown, b: Shown) -> Iterator[tuple[tuple[Entry, Entry], Duel]]:
    for bout, shown in zip(match.bouts, ((a, b), (b, a)), strict=True):
        said = judge(*shown)
        choice = Choice(choice=said) if said in ("first", "tie", "second") else Choice(unscored=said)
        corners = [
            Corner(**entry._asdict(), assistant=each.assistant, letters=each.letters)
            for entry, each in zip(bout.key, shown, strict=True)
        ]
        yield bout.key, Duel(
            rubric="r", rubric_name="pairwise", judge="j", profile=a.profile,
            first=corners[0], second=corners[1], choices={QUESTION: choice},
        )  # fmt: skip
