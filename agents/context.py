"""Context: what the assistant is told about the user."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from duologue.agents.prompt import render
from duologue.agents.words import readable
from duologue.profiles.profile import Profile, Session
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import BadInput, nearest

__all__ = ["KINDS", "check_kinds", "describe"]

Scope = Literal["all", "task"]
KINDS = ("none", "demographics", "history", "situation", "preferences")

_LETTERS_PER_TOKEN = 4


def check_kinds(kinds: Iterable[str], where: str = "") -> tuple[str, ...]:
    """`kinds` without repeats. Raises BadInput for an unknown one, and for `none` beside another."""
    asked = tuple(dict.fromkeys(kinds))
    for kind in asked:
        if kind not in KINDS:
            raise BadInput(f"unknown context {kind!r}{nearest(kind, KINDS)}", where, f"Known: {', '.join(KINDS)}.")
    if "none" in asked and len(asked) > 1:
        raise BadInput("context 'none' cannot stand beside another", where, "Drop one of them.")
    return asked


def describe(
    profile: Profile,
    task: Task,
    situation: Situation,
    kinds: Iterable[str],
    scope: Scope = "all",
    budget: int | None = None,
) -> str:
    """What an assistant with these kinds of context is told about the user; empty for `none`.

    `scope="task"` leaves the domains that the task does not touch out. Where the text would be longer
    than `budget` tokens (four letters each), whole sessions are left out, oldest first, and it says how
    many. Raises BadInput for an unknown kind.
    """
    asked = check_kinds(kinds)
    if not asked or asked == ("none",):
        return ""
    sessions = _sessions(profile, task, scope) if "history" in asked else []

    def worded(kept: Sequence[Session]) -> str:
        return render(
            "context.md",
            called=profile.name if "demographics" in asked else "",
            demographics=_filled(profile.demographics.model_dump()) if "demographics" in asked else [],
            interests=profile.interests if "demographics" in asked else (),
            situation=_filled(situation.model_dump()) if "situation" in asked else [],
            preferences=_preferences(profile, task, scope) if "preferences" in asked else [],
            sessions=kept,
            left_out=len(sessions) - len(kept),
        )

    return _within(budget, sessions, worded)


def _within(budget: int | None, sessions: list[Session], worded: Callable[[Sequence[Session]], str]) -> str:
    kept = list(sessions)
    text = worded(kept)
    while budget and kept and len(text) > budget * _LETTERS_PER_TOKEN:
        kept.pop()
        text = worded(kept)
    return text


def _sessions(profile: Profile, task: Task, scope: Scope) -> list[Session]:
    """The sessions, newest first, undated ones last in the order written."""
    held = [s for s in profile.history if scope == "all" or s.domain in task.domains]
    return sorted(held, key=lambda s: s.date.toordinal() if s.date else 0, reverse=True)


def _preferences(profile: Profile, task: Task, scope: Scope) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [
        (domain, type, profile.likes(domain, type), profile.avoids(domain, type))
        for domain, types in profile.preferences.items()
        if scope == "all" or domain in task.domains
        for type in types
    ]


def _filled(fields: dict[str, str]) -> list[tuple[str, str]]:
    return [(readable(name), value) for name, value in fields.items() if value]
