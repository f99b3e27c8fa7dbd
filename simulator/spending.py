"""What dialogues cost: tokens and seconds by role, in the order user, assistant, judge."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from duologue.agents.usage import Usage
from duologue.digest import Digest, usage_of

__all__ = ["ROLES", "Spent", "spent"]

ROLES = ("user", "assistant", "judge")


@dataclass(frozen=True, slots=True)
class Spent:
    """Of some dialogues: tokens, calls that told none, and seconds, by role; user drafts that were discarded."""

    usage: dict[str, Usage]
    unreported: dict[str, int]
    seconds: dict[str, float]
    discarded: int
    judges: dict[str, Usage]
    """The tokens of each judge, by its model's name."""
    waited: dict[str, float]
    """The seconds spent waiting for each judge."""


def spent(dialogues: Iterable[Digest], silent: Sequence[str] = ()) -> Spent:
    """What `dialogues` cost, drafts and retries included. Roles in `silent` call no model."""
    usage: dict[str, Usage] = {}
    unreported: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    judges: dict[str, Usage] = {}
    waited: dict[str, float] = defaultdict(float)
    discarded = 0
    for dialogue in dialogues:
        discarded += dialogue.discarded
        for verdict in dialogue.verdicts:
            if verdict.usage is not None:
                waited[verdict.judge] += verdict.seconds
                used = usage_of(verdict.usage)
                judges[verdict.judge] = judges[verdict.judge] + used if verdict.judge in judges else used
        for cost in (*dialogue.costs, *(verdict.cost for verdict in dialogue.verdicts)):
            seconds[cost.role] += cost.seconds
            if cost.role in silent or cost.usage is None:
                continue
            used = usage_of(cost.usage)
            unreported[cost.role] += cost.unreported
            usage[cost.role] = usage[cost.role] + used if cost.role in usage else used
    there = [role for role in ROLES if role in usage]
    missing = {role: unreported[role] for role in there if unreported[role]}
    return Spent({role: usage[role] for role in there}, missing, dict(seconds), discarded, judges, dict(waited))
