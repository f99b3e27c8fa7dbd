"""Context: what the assistant is told about the user."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from duologue.agents.prompt import render
from duologue.agents.usage import LETTERS
from duologue.agents.words import mentions, readable
from duologue.profiles.profile import Profile, Session
from duologue.tasks.task import Situation, Task
from duologue.tasks.wish import Wish
from duologue.tasks.written import BadInput, nearest

__all__ = ["KINDS", "Held", "Popular", "Told", "check_kinds", "describe", "known", "tell"]

Scope = Literal["all", "task"]
Held = Literal["verbatim", "evidence", ""]
"""How a context holds a value: in so many words, in what it tells of earlier behaviour, or not at all."""
Popular = Mapping[tuple[str, str], Sequence[str]]
"""By domain and preference type the values that people like, the most popular first."""
KINDS = ("none", "demographics", "history", "situation", "preferences")

_SHOWN = ("explicit", "implicit", "update")
"""Kinds of evidence that speak of the person; a distractor speaks of something else."""


@dataclass(frozen=True)
class Told:
    """What an assistant is told about the user."""

    called: str = ""
    demographics: tuple[tuple[str, str], ...] = ()
    interests: tuple[str, ...] = ()
    situation: tuple[tuple[str, str], ...] = ()
    preferences: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = ()
    """Domain, type, what is liked and what is avoided."""
    sessions: tuple[Session, ...] = ()
    """The first of them is the last to be left out for length."""
    left_out: int = 0
    retrieved: bool = False
    """The sessions are those that a memory found, not all there are."""

    @cached_property
    def text(self) -> str:
        """It in words; empty where nothing is told."""
        return render(
            "context.md",
            called=self.called,
            demographics=self.demographics,
            interests=self.interests,
            situation=self.situation,
            preferences=self.preferences,
            sessions=_newest_first(self.sessions),
            left_out=self.left_out,
            retrieved=self.retrieved,
        )

    def within(self, tokens: int | None) -> "Told":
        """The same with as many whole sessions left out, the last ones first, as `tokens` of four letters demand."""
        told = self
        while tokens and told.sessions and len(told.text) > tokens * LETTERS:
            told = replace(told, sessions=told.sessions[:-1], left_out=told.left_out + 1)
        return told


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

    Where the text would be longer than `budget` tokens, whole sessions are left out, oldest first, and it says
    how many. Raises BadInput for an unknown kind.
    """
    return tell(profile, task, situation, kinds, scope).within(budget).text


def tell(
    profile: Profile,
    task: Task,
    situation: Situation,
    kinds: Iterable[str],
    scope: Scope = "all",
    *,
    recalled: Sequence[Session] | None = None,
    popular: Popular | None = None,
) -> Told:
    """What an assistant with these kinds of context is told about `profile`, not yet in words.

    `scope="task"` leaves the domains that the task does not touch out. `recalled` are sessions that a memory has
    found, the best first. With `popular`, as many popular values stand in for what the profile likes, and nothing
    is avoided. Raises BadInput for an unknown kind.
    """
    asked = check_kinds(kinds)
    about = "demographics" in asked
    found = tuple(recalled or ()) or (tuple(sessions(profile, task, scope)) if "history" in asked else ())
    return Told(
        called=profile.name if about else "",
        demographics=_filled(profile.demographics.model_dump()) if about else (),
        interests=profile.interests if about else (),
        situation=_filled(situation.model_dump()) if "situation" in asked else (),
        preferences=tuple(_preferences(profile, task, scope, popular)) if "preferences" in asked else (),
        sessions=found,
        retrieved=bool(recalled),
    )


def sessions(profile: Profile, task: Task, scope: Scope = "all") -> list[Session]:
    """The profile's sessions in that scope, newest first, undated ones last in the order written."""
    return _newest_first([s for s in profile.history if scope == "all" or s.domain in task.domains])


def known(told: Told, wishes: Iterable[Wish]) -> dict[tuple[str, str], Held]:
    """How what is told holds a liked value of each wish: verbatim in the preferences or a session's words, as
    evidence in a session, or not at all."""
    return {(wish.domain, wish.type): _held(told, wish) for wish in wishes}


def _held(told: Told, wish: Wish) -> Held:
    liked = {value.casefold() for value in wish.likes}
    for domain, type, likes, _ in told.preferences:
        if (domain, type) == (wish.domain, wish.type) and liked & {value.casefold() for value in likes}:
            return "verbatim"
    about = [session for session in told.sessions if session.domain == wish.domain]
    if any(mentions(_words(session), value) for session in about for value in wish.likes):
        return "verbatim"
    shown = (
        evidence.value.casefold()
        for session in told.sessions
        for evidence in session.evidence
        if (evidence.domain, evidence.type) == (wish.domain, wish.type) and evidence.kind in _SHOWN
    )
    return "evidence" if any(value in liked for value in shown) else ""


def _words(session: Session) -> str:
    return "\n".join([session.summary, *(turn.text for turn in session.turns)])


def _newest_first(held: Sequence[Session]) -> list[Session]:
    return sorted(held, key=lambda s: s.date.toordinal() if s.date else 0, reverse=True)


def _preferences(
    profile: Profile, task: Task, scope: Scope, popular: Popular | None
) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    for domain, types in profile.preferences.items():
        for type in types if scope == "all" or domain in task.domains else ():
            likes, avoids = profile.likes(domain, type), profile.avoids(domain, type)
            if popular is not None:
                likes, avoids = tuple(popular.get((domain, type), ()))[: max(len(likes), 1)], ()
            if likes or avoids:
                yield domain, type, likes, avoids


def _filled(fields: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((readable(name), value) for name, value in fields.items() if value)
