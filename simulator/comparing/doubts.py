"""Doubts about a judge: in what it agrees with the worlds no better than chance, so that nobody ranks by its rows."""

from collections.abc import Iterable, Iterator, Sequence

from duologue.comparing.contest import Contestant
from duologue.scoring.concord import NAMES, Judged, concord
from duologue.scoring.judging import Judging
from duologue.scoring.rows import verdict_of
from duologue.statistics.agreement import Agreement
from duologue.statistics.interval import FEWEST

__all__ = ["doubts"]


def doubts(chosen: Sequence[Contestant], used: Judging, state: Judging) -> str:
    """In what the judge says of `chosen` nothing that chance would not, in a sentence; empty where there is no such
    thing, or no world to hold it against."""
    if not used.judge or used.of_state or not state.judge:
        return ""
    found = concord(_judged(chosen, used, state))
    held = {name: like.agreement for name, like in found.classes.items() if _chance(like.agreement)} if found else {}
    if not held:
        return ""
    told = ", ".join(f"{NAMES[name]} (kappa {_kappa(each)})" for name, each in held.items())
    never = all((each.value or 0) <= 0 for each in held.values())
    agrees = "agrees with the world no better" if never else "is not shown to agree with the world better"
    return f"the judge {agrees} than chance on {told}: do not rank by its rows"


def _judged(chosen: Iterable[Contestant], used: Judging, state: Judging) -> Iterator[Judged]:
    """The dialogues that both speak of."""
    for each in chosen:
        digests = {dialogue.cell: dialogue for dialogue in each.run.dialogues}
        for row in each.rows:
            dialogue = digests.get(row.cell)
            if dialogue is None:
                continue
            said, shown = verdict_of(dialogue, used), verdict_of(dialogue, state)
            if said is not None and shown is not None:
                yield Judged(row.profile, row.domains, said, shown)


def _chance(found: Agreement) -> bool:
    """Whether kappa is 0 or less, or its interval reaches 0. Of few statements, or of one class, it says nothing."""
    if found.value is None or found.items < FEWEST:
        return False
    return found.value <= 0 or (found.low is not None and found.low <= 0)


def _kappa(found: Agreement) -> str:
    assert found.value is not None
    told = f"{abs(found.value):.2f}"
    return f"−{told}" if found.value < 0 and float(told) else told
