"""Standing: where the user's agenda stands between two turns, folded from the turns before."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from duologue.agents.agenda.acts import Act, Turn
from duologue.agents.agenda.heard import Heard

__all__ = ["Standing", "after", "is_new"]

Pair = tuple[str, str]

AGAIN = {"inform": 2, "accept": 2, "choose": 2, "go_ahead": 2, "leave_open": 3, "unknown": 2, "retry": 2}
"""How often an act about the same thing is what a helpful reply may call for; once where it does not stand here."""
ALWAYS = frozenset({"reject", "named"})
NEVER = frozenset({"open", "restate", "next", "press", "another", "wait", "hear_again", "nudge", "fine"})


@dataclass(slots=True)
class Standing:
    """What was said, settled and put up with so far."""

    told: Counter[Hashable] = field(default_factory=Counter)
    """By fact, how often the user said it."""
    answered: Counter[Hashable] = field(default_factory=Counter)
    """By (domain, type), how often the user said its taste, or that it has none."""
    mended: Counter[Hashable] = field(default_factory=Counter)
    """By fact, or entity insisted on, how often the assistant was corrected."""
    rejected: Counter[Hashable] = field(default_factory=Counter)
    """By (domain, type), how often something was turned down for it."""
    accepted: Counter[Hashable] = field(default_factory=Counter)
    """By entity, how often it was taken; under no name, how often the user said to go on."""
    doubted: Counter[Hashable] = field(default_factory=Counter)
    """By what was asked about, how often a report was asked about."""
    others: Counter[Hashable] = field(default_factory=Counter)
    """By kind, how often anything else was done."""
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By domain, the entity picked last."""
    done: set[int] = field(default_factory=set)
    """The aims reported done in words that agree."""
    latest: tuple[str, ...] = ()
    """The facts said last."""
    unhelpful: int = 0
    """How many replies did not help."""
    kinds: tuple[str, ...] = ()
    """The kinds of act of the last turn."""
    heard: list[Heard] = field(default_factory=list)
    """The assistant's turns before the one that is answered."""
    confirming: tuple[int, ...] = ()
    """The aims about which the last turn asked whether a fact stands that the report of them left out."""

    @property
    def openings(self) -> int:
        """How often the user said what it is all about."""
        return self.others["open"] + self.others["restate"]


def after(standing: Standing, turn: Turn) -> Standing:
    """`standing` once the user has done `turn`; the same object, changed."""
    for act in turn.acts:
        counter, keys = _noted(standing, act)
        for key in keys:
            counter[key] += 1
        for fact in act.facts if counter is not standing.told else ():
            standing.told[fact.name] += 1
        for taste in act.tastes if counter is not standing.answered else ():
            standing.answered[taste.domain, taste.type] += 1
    standing.kinds = tuple(act.kind for act in turn.acts)
    standing.latest = tuple(fact.name for act in turn.acts for fact in act.facts) or standing.latest
    return standing


def is_new(standing: Standing, act: Act) -> bool:
    """Whether an act is one that a helpful reply calls for, rather than the same once more."""
    counter, keys = _noted(standing, act)
    often = AGAIN.get(act.kind, 1)
    return act.kind in ALWAYS or (act.kind not in NEVER and any(counter[key] < often for key in keys))


def _noted(standing: Standing, act: Act) -> tuple[Counter[Hashable], list[Hashable]]:
    """Where an act is noted, and under what."""
    facts: list[Hashable] = [fact.name for fact in act.facts]
    pairs: list[Hashable] = [*((taste.domain, taste.type) for taste in act.tastes), *act.pairs]
    match act.kind:
        case "inform" | "retry":
            return standing.told, facts
        case "taste" | "no_taste" | "not_mine" | "nothing_special":
            return standing.answered, pairs
        case "mend":
            return standing.mended, facts
        case "insist" | "undo":
            return standing.mended, list(act.names)
        case "reject":
            return standing.rejected, pairs
        case "accept" | "choose" | "go_ahead":
            return standing.accepted, list(act.names) or [""]
        case "check" | "vague" | "confirm":
            return standing.doubted, list(act.names)
        case "of_itself" | "private":
            return standing.others, list(act.names)
    return standing.others, [act.kind]
