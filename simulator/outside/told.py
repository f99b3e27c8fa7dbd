"""What a record from outside tells beside the words: who the user was, what for, which preferences matter."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from duologue.agents.message import sound
from duologue.agents.prompt import render
from duologue.outside.spoken import TURNS
from duologue.profiles.profile import Preference, Profile
from duologue.tasks.task import Situation, Task
from duologue.tasks.written import BadInput, fingerprint, parse

__all__ = ["READ", "UNKNOWN", "Told", "identity", "told"]

UNKNOWN = "unknown"
"""The domain of a dialogue that names none."""
IDS = ("id", "dialogue_id", "conversation_id", "session_id")
ASSISTANTS = ("assistant", "assistant_name", "assistant_model", "model")
USERS = ("profile", "user_id", "user")
INTENTS = ("intent", "task_description")
TASKS = ("task", "task_id", *INTENTS, "goal")
PREFERENCES = ("preferences", "relevant")
DOMAINS = ("domain", "domains")
READ: dict[str, tuple[str, ...]] = {
    "the turns": TURNS,
    "the dialogue's id": IDS,
    "the assistant's name": ASSISTANTS,
    "the user": USERS,
    "the task": TASKS,
    "its domains": DOMAINS,
    "what the user likes": PREFERENCES,
    "the rest": ("situation", "trial"),
}
"""The keys of a dialogue that are read, by what they tell."""
_KNOWN = frozenset(key for keys in READ.values() for key in keys)
_PREFERENCE = frozenset(each.name for each in fields(Preference))


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of one dialogue; empty is what is not."""

    profile: Profile
    task: Task
    user: str = ""
    """The id of the profile where a dataset holds it, and of the task in `errand`."""
    errand: str = ""
    situation: Situation = Situation()
    trial: int = 0
    unread: tuple[str, ...] = ()
    """Keys of which nothing is known."""
    unsaid: frozenset[str] = field(default_factory=frozenset)
    """Which of `user`, `task` and `preferences` it does not tell."""


def identity(record: Mapping[str, Any]) -> tuple[str, str]:
    """The dialogue's id and its assistant's name; empty where `record` does not tell them."""
    return _id(record, IDS), _words(record, ASSISTANTS)


def told(record: Mapping[str, Any], where: str, name: str, *, known: bool = False) -> Told:
    """What `record`, an object with the turns of a dialogue, tells of it. Raises BadInput for what cannot be so.

    `name` stands for the user and the task that it does not name. With `known`, the texts under `profile` and `task`
    are ids of a dataset; else a profile's is an id alone, and a task's is what the user wants.
    """
    record = {key: _sound(value) for key, value in record.items() if key not in TURNS}
    user, errand = _id(record, USERS), _id(record, ("task_id",)) or (_id(record, ("task",)) if known else "")
    domains = _domains(record, where)
    preferences = _preferences(record.get("preferences"), domains[0] if domains else UNKNOWN, where)
    profile = _profile(record.get("profile"), user or name, preferences, where)
    relevant = _relevant(record, preferences, where)
    task = _task(record, errand, name, domains or tuple(preferences) or (UNKNOWN,), relevant, where)
    situation = record.get("situation")
    unsaid = {
        "user": not user and not isinstance(record.get("profile"), Mapping),
        "task": not errand and not _words(record, ("task", *INTENTS, "goal")) and not _is_table(record, "task"),
        "preferences": not task.relevant,
    }
    return Told(
        profile=profile,
        task=task,
        user=user,
        errand=errand,
        situation=parse(Situation, situation, f"{where}, situation") if isinstance(situation, Mapping) else Situation(),
        trial=_trial(record, where),
        unread=tuple(sorted(map(str, set(record) - _KNOWN))),
        unsaid=frozenset(what for what, missing in unsaid.items() if missing),
    )


def _sound(value: Any) -> Any:
    """`value` with no half of a character in its texts, which no file could be written with."""
    if isinstance(value, Mapping):
        return {sound(str(key)): _sound(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_sound(each) for each in value]
    return sound(value) if isinstance(value, str) else value


def _words(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The text under the first of `keys` that has one."""
    return next((record[key].strip() for key in keys if isinstance(record.get(key), str) and record[key]), "")


def _id(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The same for ids, which may be numbers."""
    found = (record.get(key) for key in keys)
    return next((str(id).strip() for id in found if isinstance(id, str | int) and id is not True and id != ""), "")


def _is_table(record: Mapping[str, Any], key: str) -> bool:
    return isinstance(record.get(key), Mapping)


def _domains(record: Mapping[str, Any], where: str) -> tuple[str, ...]:
    named = record.get("domains", record.get("domain")) or ()
    domains = (named,) if isinstance(named, str) else named
    if not isinstance(domains, list | tuple) or not all(isinstance(each, str) for each in domains):
        raise BadInput("domain is no text", where)
    return tuple(domains)


def _preferences(given: Any, domain: str, where: str) -> dict[str, dict[str, Any]]:
    """The preferences that a record names, by domain and type. A type without a domain is of `domain`."""
    if given in (None, "", [], {}):
        return {}
    if isinstance(given, list):
        if not all(isinstance(each, str) and each.strip() for each in given):
            raise BadInput("preferences is a list of something else than texts", where, _HOW)
        return {domain: {each: [each] for each in given}}
    if not isinstance(given, Mapping):
        raise BadInput("preferences is neither a table nor a list", where, _HOW)
    found: dict[str, dict[str, Any]] = {}
    for key, value in given.items():
        if isinstance(value, Mapping) and not set(value) <= _PREFERENCE:
            found.setdefault(key, {}).update(value)
        else:
            found.setdefault(domain, {})[key] = value
    return found


_HOW = 'Write {"Restaurants": {"cuisine": "Thai"}}, {"cuisine": "Thai"} or ["vegetarian"]'


def _profile(given: Any, id: str, preferences: Mapping[str, Any], where: str) -> Profile:
    if given is not None and not isinstance(given, str | int | Mapping):
        raise BadInput("profile is neither an id nor a table", where)
    table = {"id": id, **(given if isinstance(given, Mapping) else {})}
    held = table.get("preferences") or {}
    if preferences and held:
        raise BadInput("has preferences, and others in its profile", where, "Name those that matter under relevant")
    return parse(Profile, {**table, "preferences": preferences or held}, f"{where}, profile")


def _relevant(record: Mapping[str, Any], preferences: Mapping[str, Any], where: str) -> list[Any]:
    """The preferences that matter: those named, or all that the record itself gives."""
    named = record.get("relevant")
    if named is not None and not isinstance(named, list):
        raise BadInput('relevant is no list of pairs such as ["Restaurants", "cuisine"]', where)
    return named or [[domain, type] for domain, types in preferences.items() for type in types]


def _task(
    record: Mapping[str, Any], id: str, name: str, domains: tuple[str, ...], relevant: list[Any], where: str
) -> Task:
    given = record.get("task")
    if given is not None and not isinstance(given, str | int | Mapping):
        raise BadInput("task is neither a text nor a table", where)
    intent = _words(record, INTENTS if id and isinstance(given, str) and id == given else (*INTENTS, "task"))
    goal = _words(record, ("goal",))
    table: dict[str, Any] = {
        "domains": domains,
        "intent": intent or goal or render("outside_intent.md"),
        "goal": goal or render("outside_goal.md"),
        "relevant": relevant,
        **(given if isinstance(given, Mapping) else {}),
    }
    table["id"] = table.get("id") or id or (_named(intent, goal, domains) if intent or goal else name)
    return parse(Task, table, f"{where}, task")


def _named(intent: str, goal: str, domains: tuple[str, ...]) -> str:
    """An id for a task that is told and not named: equal words make an equal task."""
    return f"task-{fingerprint(intent, goal, domains)[:8]}"


def _trial(record: Mapping[str, Any], where: str) -> int:
    trial = record.get("trial", 0)
    if isinstance(trial, bool) or not isinstance(trial, int) or trial < 0:
        raise BadInput("trial is no whole number from 1", where)
    return trial
