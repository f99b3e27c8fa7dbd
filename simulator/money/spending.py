"""What dialogues cost: tokens and seconds by role, in the order user, assistant, judge."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from duologue.agents.usage import Usage
from duologue.record.digest import Digest, VerdictDigest, usage_of

__all__ = ["ROLES", "Spent", "by_judge", "spent"]

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


def spent(dialogues: Iterable[Digest], silent: Sequence[str] = ()) -> Spent:
    """What `dialogues` cost, drafts and retries included. Roles in `silent` call no model."""
    usage: dict[str, Usage] = {}
    unreported: Counter[str] = Counter()
    seconds: dict[str, float] = defaultdict(float)
    discarded = 0
    held = list(dialogues)
    for dialogue in held:
        discarded += dialogue.discarded
        for cost in (*dialogue.costs, *(verdict.cost for verdict in dialogue.verdicts)):
            seconds[cost.role] += cost.seconds
            if cost.role in silent or cost.usage is None:
                continue
            used = usage_of(cost.usage)
            unreported[cost.role] += cost.unreported
            usage[cost.role] = usage[cost.role] + used if cost.role in usage else used
    there = [role for role in ROLES if role in usage]
    missing = {role: unreported[role] for role in there if unreported[role]}
    judges = {name: used for name, (used, _) in by_judge(v for each in held for v in each.verdicts).items()}
    return Spent({role: usage[role] for role in there}, missing, dict(seconds), discarded, judges)


def by_judge(verdicts: Iterable[VerdictDigest]) -> dict[str, tuple[Usage, float]]:
    """What each judge took for `verdicts`, by its model's name: tokens, and the seconds spent waiting for it."""
    found: dict[str, tuple[Usage, float]] = {}
    for verdict in verdicts:
        if verdict.usage is not None:
            usage, seconds = found.get(verdict.judge, (None, 0.0))
            used = usage_of(verdict.usage)
            found[verdict.judge] = (used if usage is None else usage + used, seconds + verdict.seconds)
    return found
