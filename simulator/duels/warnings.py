"""Warnings: by what a judge of pairs may have been led, and what makes a pairing unfair."""

from collections.abc import Iterator, Sequence

from duologue.comparing.contest import Contestant
from duologue.duels.draw import Meeting
from duologue.duels.report import Habit, Pairing, Share

__all__ = ["fairness", "is_model", "warnings"]

HALF = 0.5
MOSTLY = 0.6
"""From this share on the longer one wins so often that length may be why."""
MANY_FLIPS = 1 / 3
"""From this share of flips on the order says more than the dialogues."""


def warnings(
    judge: str, chosen: Sequence[Contestant], drawn: Sequence[Pairing], told: Sequence[Habit]
) -> Iterator[str]:
    """Why the results are to be read with care, a sentence each."""
    for label in (each.label for each in chosen if is_model(_model(each), judge)):
        yield f"the judge is {label}'s own model, and may prefer its own words: have another model judge"
    alike: dict[str, list[str]] = {}
    for each in told:
        for why in filter(None, (_by_position(each), _by_length(each, drawn))):
            alike.setdefault(why, []).append(each.question)
    for why, questions in alike.items():
        yield f"{', '.join(questions)}: {why}"


def fairness(meeting: Meeting, chosen: Sequence[Contestant]) -> list[str]:
    """What one of the two is told and the other is not."""
    a, b = (next(each for each in chosen if each.label == label) for label in (meeting.a, meeting.b))
    reader, other = (a, b) if a.reads_answers else (b, a)
    if reader.reads_answers == other.reads_answers or reader.insight.reference:
        return []
    return [
        f"{reader.label} alone reads the user's preferences: where it is preferred for fitting them, that shows what "
        "reading them brings"
    ]


def is_model(written: str, name: str) -> bool:
    """Whether the model that is `written` so, such as `openai:NAME`, is the one that calls itself `name`."""
    from duologue.agents.models.weights import spelled

    if written.partition(":")[0] == "local" or name.startswith("local:"):
        return bool(written) and spelled(written) == spelled(name)
    return bool(written) and name in (written, written.partition(":")[2])


def _model(each: Contestant) -> str:
    """What the run says its model is, if it has one."""
    tables = each.run.manifest.campaign.get("assistant", ())
    return next((str(table.get("model", "")) for table in tables if table.get("name") == each.name), "")


def _by_position(habit: Habit) -> str:
    if habit.pairs and habit.flips > MANY_FLIPS * habit.pairs:
        return (
            f"in {100 * habit.flips / habit.pairs:.0f} % of the pairs the judge preferred another one once the order "
            "was turned; these count as ties"
        )
    if not _leans(habit.first):
        return ""
    where = "first" if (habit.first.value or 0) > HALF else "second"
    return f"the judge leans to whatever stands {where}; as both orders were asked, that makes ties, no winners"


def _by_length(habit: Habit, drawn: Sequence[Pairing]) -> str:
    if not _leans(habit.longer) or (habit.longer.value or 0) < MOSTLY:
        return ""
    levels = [result.level for each in drawn for result in each.results if result.question == habit.question]
    if any(each.rate is not None for each in levels):
        return "mostly the assistant that said more won; read the win rates at equal length"
    return "mostly the assistant that said more won; nothing tells its merit from its length"


def _leans(share: Share) -> bool:
    """Whether the interval leaves a half out."""
    return share.low is not None and share.high is not None and not share.low <= HALF <= share.high
