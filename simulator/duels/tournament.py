"""A tournament: the assistants of one or more runs, compared two by two by a judge that reads pairs of dialogues.

`holding.hold` has a judge do it; `said` tells what came of it so far.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path

from duologue.agents.duel import Duel
from duologue.agents.rubric import Rubric, read_rubric
from duologue.agents.umpire import check_pairwise
from duologue.agents.usage import Usage
from duologue.agents.verdict import NOTHING_RELEVANT
from duologue.cast import SMALL
from duologue.comparing.contest import Contestant, contestants
from duologue.duels.draw import Bout, Meeting, draw_up
from duologue.duels.figures import Standing, habits, pairings, rankings
from duologue.duels.record import answers, newest, read_duels, standing
from duologue.duels.report import Duels
from duologue.duels.warnings import fairness, is_model, warnings
from duologue.money.prices import cost, own_prices, tariff
from duologue.record.run import Run
from duologue.scoring.judging import Judging
from duologue.tasks.written import BadInput

__all__ = ["Card", "said", "tournament", "whose"]


@dataclass(frozen=True, slots=True)
class Card:
    """Who meets whom, by which questions. What is said of it stands in the first run's folder; what stands in those of
    the others counts too."""

    runs: tuple[Run, ...]
    rubric: Rubric
    chosen: tuple[Contestant, ...]
    meetings: tuple[Meeting, ...]

    @property
    def folder(self) -> Path:
        return self.runs[0].folder

    @property
    def bouts(self) -> list[Bout]:
        """All that can be put to a judge: each match in both orders."""
        return [b for meeting in self.meetings for match in meeting.matches if not match.barred for b in match.bouts]

    def left(self, found: Standing) -> list[Bout]:
        """The bouts without an answer; what the infrastructure spoilt is none."""
        return [bout for bout in self.bouts if (held := found.get(bout.key)) is None or held.spoilt]

    def recorded(self) -> tuple[list[Duel], list[str]]:
        """All duels in the folders, and what was odd in the files."""
        return read_duels(run.folder for run in self.runs)


def tournament(
    runs: Sequence[Run], assistants: Sequence[str] = (), rubric: str = "pairwise", beside: Path = Path()
) -> Card:
    """The card of `runs`' assistants, or of those named, under a pairwise rubric: a shipped one's name, or a file
    whose path counts from `beside`.

    Raises BadInput where fewer than two are left, where the runs are no pairs, where no pair can be laid before a
    judge, or where the rubric grades single dialogues.
    """
    read = read_rubric(rubric, beside)
    check_pairwise(read)
    chosen = contestants(runs, assistants, graded=False).chosen
    card = Card(tuple(runs), read, chosen, tuple(draw_up(chosen)))
    if not card.bouts:
        why = {why for m in card.meetings for why in (*m.unpaired, *(match.barred for match in m.matches))}
        raise BadInput(
            f"no two dialogues to lay side by side{': ' if why else ''}{', '.join(sorted(filter(None, why))[:3])}",
            ", ".join(str(run.folder) for run in runs),
            "Compare assistants that have run the same scenarios: duologue list",
        )
    return card


def whose(card: Card, judge: str = "") -> tuple[Judging | None, bool]:
    """Who last judged the card's bouts, or last of those that are called `judge`; and whether all of them.

    None where nobody has. Raises BadInput where `judge` is named and has not.
    """
    duels, _ = card.recorded()
    bouts = card.bouts
    under = {by: time for by, time in newest(duels).items() if by.rubric == card.rubric.fingerprint}
    known = {by: time for by, time in under.items() if answers(duels, by, bouts)}
    fitting = [by for by in known if not judge or is_model(judge, by.judge)]
    if judge and not fitting:
        there = ", ".join(sorted(by.judge for by in known))
        raise BadInput(
            f"nothing was compared by {judge!r} under the rubric {card.rubric.name}",
            card.folder,
            f"There are: {there}"
            if there
            else f"Have it done: duologue compare {card.folder} --pairwise --model MODEL",
        )
    by = max(fitting, key=lambda each: known[each], default=None)
    return by, by is not None and not card.left(standing(answers(duels, by, bouts)))


def said(card: Card, by: Judging, stopped: str = "") -> Duels:
    """What `by` has said of the card so far, and by what it may have been led."""
    duels, notes = card.recorded()
    given = answers(duels, by, card.bouts)
    found = standing(given)
    left = len(card.left(found))
    questions = [dimension.name for dimension in card.rubric.dimensions]
    fair = {(m.a, m.b): fairness(m, card.chosen) for m in card.meetings}
    told = habits(card.meetings, found, questions)
    drawn = pairings(card.meetings, found, questions, fair)
    known = [note for run in card.runs for note in (*run.manifest.notes, *run.notes)]
    used = [duel.usage for duel in given if duel.usage]
    paid, currency = _paid(card.runs, by.judge, used)
    return Duels(
        folder=str(card.folder),
        judging=by,
        others=tuple(sorted((each for each in newest(duels) if each != by), key=lambda each: each.judge)),
        sides=tuple(each.label for each in card.chosen),
        pairings=drawn,
        habits=told,
        rankings=rankings(card.meetings, found, questions),
        answers=len(found),
        left=left,
        failed=sum(duel.spoilt for duel in found.values()),
        unread=dict(Counter(_unread(found)).most_common()),
        usage=reduce(add, used) if used else None,
        cost=paid,
        currency=currency,
        seconds=sum(duel.seconds for duel in given),
        stopped=stopped if left else "",
        warnings=tuple(warnings(by.judge, card.chosen, drawn, told)),
        notes=tuple(dict.fromkeys([*known, *notes, *([SMALL] if any(duel.short for duel in found.values()) else [])])),
    )


def _paid(runs: Sequence[Run], judge: str, used: Sequence[Usage]) -> tuple[float | None, str]:
    """What a judge's tokens cost, None where that is unknown, and in which currency."""
    campaigns = tariff(runs[0].manifest.campaign, "")
    prices = campaigns.prices.beside(own_prices())
    price = campaigns.of_judge(judge) or prices.of(judge)
    paid = [cost(each, price) for each in used]
    known = [amount for amount in paid if amount is not None]
    return (sum(known) if used and len(known) == len(paid) else None), prices.currency


def _unread(found: Standing) -> Iterator[str]:
    """Why answers, or parts of them, could not be read."""
    for duel in found.values():
        if duel.unscored:
            yield duel.unscored
        else:
            yield from (
                f"{name}: {choice.unscored}"
                for name, choice in duel.choices.items()
                if choice.unscored and choice.unscored != NOTHING_RELEVANT
            )
