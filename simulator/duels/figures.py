"""What duels say, in numbers: who is preferred to whom, how sure that is, and by what the judge may be led."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from duologue.agents.duel import Choice, Duel
from duologue.agents.verdict import NOTHING_RELEVANT
from duologue.comparing.difference import LEVEL
from duologue.duels.draw import Entry, Match, Meeting
from duologue.duels.report import Habit, Pairing, Ranked, Result, Share
from duologue.statistics.interval import interval

__all__ = ["HALF", "Standing", "habits", "pairings", "rankings"]

HALF = 0.5
Standing = Mapping[tuple[Entry, Entry], Duel]
"""What a judge said of each bout, by the first dialogue and the second."""
Preferred = Literal["a", "b", "tie", "flip"]

_STRAIGHT: dict[str, Preferred] = {"first": "a", "second": "b", "tie": "tie"}
_TURNED: dict[str, Preferred] = {"first": "b", "second": "a", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class _Read:
    """A match in which one question was answered in both orders."""

    profile: str
    preferred: Preferred
    """A flip is that the two orders contradict each other; it counts as a tie."""
    choices: tuple[str, str]
    letters: tuple[int, int]
    """That a said, and b."""

    @property
    def score(self) -> float:
        """a's: 1, 0.5 or 0."""
        return {"a": 1.0, "b": 0.0}.get(self.preferred, HALF)

    @property
    def longer(self) -> float:
        """By how much a said more, between -1 and 1: (a - b) / (a + b)."""
        a, b = self.letters
        return (a - b) / (a + b) if a + b else 0.0


def pairings(
    meetings: Sequence[Meeting],
    found: Standing,
    questions: Sequence[str],
    notes: Mapping[tuple[str, str], Sequence[str]],
) -> tuple[Pairing, ...]:
    """Every meeting with its results; what may be said of each is said in view of all of them (Holm)."""
    drawn = [_pairing(meeting, found, questions, tuple(notes[meeting.a, meeting.b])) for meeting in meetings]
    done = iter(_settled([result for pairing in drawn for result in pairing.results]))
    return tuple(
        pairing.model_copy(update={"results": tuple(next(done) for _ in pairing.results)}) for pairing in drawn
    )


def habits(meetings: Sequence[Meeting], found: Standing, questions: Sequence[str]) -> tuple[Habit, ...]:
    """How the judge answers each question, over all meetings."""
    return tuple(
        _habit(question, [each for m in meetings for each in _reads(m, found, question)]) for question in questions
    )


def rankings(meetings: Sequence[Meeting], found: Standing, questions: Sequence[str]) -> tuple[Ranked, ...]:
    """Of three assistants or more, how strong each one is in each question; else nothing."""
    from duologue.statistics.strength import Game, bradley_terry

    if len({label for meeting in meetings for label in (meeting.a, meeting.b)}) < 3:
        return ()
    return tuple(
        Ranked(
            question=question,
            ranking=bradley_terry(
                [
                    Game(cluster=each.profile, a=meeting.a, b=meeting.b, score=each.score)
                    for meeting in meetings
                    for each in _reads(meeting, found, question)
                ],
                ("duels", question),
            ),
        )
        for question in questions
    )


def _pairing(meeting: Meeting, found: Standing, questions: Sequence[str], notes: tuple[str, ...]) -> Pairing:
    fit = [match for match in meeting.matches if not match.barred]
    return Pairing(
        a=meeting.a,
        b=meeting.b,
        pairs=len(meeting.matches),
        profiles=len({match.profile for match in fit}),
        unpaired=meeting.unpaired,
        barred=dict(Counter(match.barred for match in meeting.matches if match.barred)),
        results=tuple(_result(meeting, found, question) for question in questions),
        notes=notes,
    )


def _result(meeting: Meeting, found: Standing, question: str) -> Result:
    from duologue.statistics.contrast import contrast
    from duologue.statistics.lengths import length_controlled

    held, key = _reads(meeting, found, question), ("duels", question, meeting.a, meeting.b)
    told = Counter(each.preferred for each in held)
    tested = contrast([(each.profile, 2 * each.score - 1) for each in held], key)
    missing = Counter(_missing(meeting, found, question))
    scored = sum(each.score for each in held)
    count = len(held) + missing.total()
    return Result(
        question=question,
        pairs=len(held),
        profiles=len({each.profile for each in held}),
        wins=told["a"],
        ties=told["tie"] + told["flip"],
        losses=told["b"],
        flips=told["flip"],
        rate=_share([(each.profile, each.score) for each in held], key),
        level=length_controlled([(each.profile, each.score, each.longer) for each in held], key),
        p=tested.p,
        test=tested.method,
        finding="no pairs" if not held else "too few profiles to tell" if tested.p is None else "no difference shown",
        missing=dict(missing.most_common()),
        worst=(scored / count, (scored + missing.total()) / count) if held and missing else None,
    )


def _settled(results: Sequence[Result]) -> list[Result]:
    """`results` with adjusted p and finding. Where nothing was ever decided there is nothing to test."""
    from duologue.statistics.contrast import holm

    done = list(results)
    family = [place for place, each in enumerate(done) if each.p is not None and (each.wins or each.losses)]
    for place, adjusted in zip(family, holm([done[place].p for place in family]), strict=True):
        finding = _finding(done[place], adjusted)
        done[place] = done[place].model_copy(update={"adjusted": adjusted, "finding": finding})
    return done


def _finding(result: Result, adjusted: float | None) -> str:
    low, high = result.rate.low, result.rate.high
    if adjusted is None or adjusted > LEVEL or low is None or high is None or low <= HALF <= high:
        return "no difference shown"
    return "a preferred" if low > HALF else "b preferred"


def _habit(question: str, held: Sequence[_Read]) -> Habit:
    answers = [(each.profile, choice) for each in held for choice in each.choices]
    won = [
        (each.profile, each.longer * (1 if each.preferred == "a" else -1)) for each in held if each.preferred in "ab"
    ]
    return Habit(
        question=question,
        pairs=len(held),
        flips=sum(each.preferred == "flip" for each in held),
        wavers=sum(each.choices.count("tie") == 1 for each in held),
        first=_share([(p, float(choice == "first")) for p, choice in answers if choice != "tie"], ("first", question)),
        longer=_share([(p, float(by > 0)) for p, by in won if by], ("longer", question)),
    )


def _reads(meeting: Meeting, found: Standing, question: str) -> list[_Read]:
    return [each for match in meeting.matches if (each := _read(match, found, question)) is not None]


def _read(match: Match, found: Standing, question: str) -> _Read | None:
    straight, turned = (found.get(bout.key) for bout in match.bouts)
    first, second = _choice(straight, question), _choice(turned, question)
    if not straight or not first or not second:
        return None
    one, other = _STRAIGHT[first], _TURNED[second]
    preferred: Preferred = one if one == other else "tie" if "tie" in (one, other) else "flip"
    return _Read(match.profile, preferred, (first, second), (straight.first.letters, straight.second.letters))


def _choice(duel: Duel | None, question: str) -> str:
    return duel.choices.get(question, Choice()).choice if duel else ""


def _missing(meeting: Meeting, found: Standing, question: str) -> Iterator[str]:
    """Why matches have no result in a question that makes sense for them."""
    for match in meeting.matches:
        if _read(match, found, question) is None and (why := _why(match, found, question)):
            yield why


def _why(match: Match, found: Standing, question: str) -> str:
    if match.barred:
        return match.barred
    held = [found.get(bout.key) for bout in match.bouts]
    if None in held:
        return "not asked yet"
    told = [duel.choices.get(question, Choice()).unscored for duel in held if duel]
    return "" if NOTHING_RELEVANT in told else next(filter(None, told), "not answered")


def _share(observed: Iterable[tuple[str, float]], key: Sequence[Any]) -> Share:
    values = list(observed)
    around = interval(values, key, share=True)
    mean = sum(value for _, value in values) / len(values) if values else None
    return Share(n=len(values), value=mean, low=around.low, high=around.high, method=around.method)
