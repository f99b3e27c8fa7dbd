"""Tasks that give a preference away: then an assistant knows it without having learned it."""

import re
from collections.abc import Iterable, Iterator

from duologue.profiles.profile import Profile
from duologue.tasks.task import Task

__all__ = ["leaks"]

Pair = tuple[str, str]


def leaks(tasks: Iterable[tuple[str, Task]], profiles: Iterable[Profile]) -> Iterator[tuple[str, str, str]]:
    """Where, what and what to do for each value of a relevant preference that the task itself says."""
    held = _holders(profiles)
    for where, task in tasks:
        words = (task.intent, task.goal, task.opener, *task.requests, *map(str, task.slots.values()))
        said = "\n".join(words).casefold()
        for relevance in task.relevant:
            for value, holder in held.get((relevance.domain, relevance.type), {}).items():
                if value in said and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said):
                    what = f"task {task.id!r} says {value!r}, a {relevance.domain}.{relevance.type} of {holder!r}"
                    yield where, what, "Leave it out of the task's words and slots, or of `relevant`."


def _holders(profiles: Iterable[Profile]) -> dict[Pair, dict[str, str]]:
    """By domain and type, each value that somebody holds with the first who does."""
    held: dict[Pair, dict[str, str]] = {}
    for profile in profiles:
        for domain, types in profile.preferences.items():
            for type, preferences in types.items():
                values = held.setdefault((domain, type), {})
                for preference in preferences:
                    values.setdefault(preference.value.casefold(), profile.id)
    return held
