"""PersonaLens' schema and task files as our domains and tasks, with their faults repaired.

Nothing is mended in silence: each function gives, beside what it read, the notes of what it found.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.task import Relevance, Task
from duologue.tasks.written import BadInput, nearest, parse

__all__ = [
    "NO_RESTRICTION",
    "Note",
    "Template",
    "Wording",
    "domain_name",
    "domains_in",
    "is_multi_domain",
    "read_json",
    "read_wording",
    "task_of",
    "templates_in",
    "type_name",
]

NO_RESTRICTION = ("Restaurants", "Dietary Restrictions")
"""The one preference where an empty list says something: that there is none."""

BRITISH = ("Books", "Media")
"""The domains that the schema spells with `Favourite` while the tasks say `Favorite`."""


Shape = TypeVar("Shape", dict[str, Any], list[Any])


class Note(NamedTuple):
    """Something that was read, repaired, kept as it was though odd, or dropped."""

    fate: Literal["read", "repaired", "kept", "dropped"]
    kind: str
    what: str = ""
    number: int = 1


class Wording(NamedTuple):
    """What a task file says of a task, word for word."""

    description: str
    intent: str
    goal: str
    relevant: tuple[str, ...]
    domains: tuple[str, ...]


class Template(NamedTuple):
    """A task as every user has it, unless the user's own copy says otherwise."""

    wording: Wording
    task: Task
    notes: tuple[Note, ...]


def read_json(path: Path, shape: type[Shape]) -> Shape:
    """The object (dict) or array (list) in a JSON file. Raises BadInput where there is none."""
    try:
        data = _decoded(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise BadInput("no such file", path) from None
    except UnicodeDecodeError as error:
        raise BadInput(f"is not UTF-8: {error.reason} at byte {error.start}", path) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is not valid JSON: {error}", path) from None
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", path) from None
    if not isinstance(data, shape):
        raise BadInput(f"holds a {type(data).__name__} where a {shape.__name__} was expected", path)
    return data


def _decoded(text: str) -> Any:
    """What the JSON `text` says. Raises ValueError, also for half a character, which no file could be written with."""
    data = json.loads(text)
    if "\\ud" in text or "\\uD" in text:
        json.dumps(data, ensure_ascii=False).encode()
    return data


def domains_in(schema: list[Any], where: Path) -> dict[str, Domain]:
    """The domains of `res/schema.json` by name. Raises BadInput where it has another shape."""
    try:
        return {entry["domain"]: _domain(entry, where) for entry in schema}
    except (KeyError, TypeError) as error:
        raise BadInput(f"is no list of domains with their affinities ({error!r})", where) from None


def _domain(entry: dict[str, Any], where: Path) -> Domain:
    types = [_preference_type(entry["domain"], affinity) for affinity in entry["affinities"]]
    data = {"name": entry["domain"], "description": entry.get("description", ""), "preferences": types}
    return parse(Domain, data, where)


def _preference_type(domain: str, affinity: dict[str, Any]) -> PreferenceType:
    """Every type is open, for people hold values that the schema does not list."""
    listed = tuple(affinity["possible_values"]) if affinity["is_categorical"] else ()
    return PreferenceType(
        name=affinity["name"],
        description=affinity.get("description", ""),
        values=(*listed, "none") if (domain, affinity["name"]) == NO_RESTRICTION else listed,
        multiple=affinity["has_multiple_values"],
        open=True,
    )


def domain_name(text: str, known: Iterable[str]) -> str | None:
    """The known domain that `text` means, whatever case or markup it wears (`Buses**` is Buses)."""
    if text in (names := tuple(known)):
        return text
    bare = text.strip(" \t*_`#\"'[]").casefold()
    return next((name for name in names if name.casefold() == bare), None)


def type_name(text: str, domain: Domain) -> str | None:
    """The preference type of `domain` that `text` means: `Favorite` is `Favourite` in Books and Media only."""
    if domain.type(text):
        return text
    respelt = text.replace("Favorite", "Favourite")
    return respelt if domain.name in BRITISH and domain.type(respelt) else None


def read_wording(data: Any, domains: Iterable[str], where: str | Path) -> Wording:
    """The wording of one entry of a task file; `domains` where it names none. Raises BadInput."""
    if not isinstance(data, dict):
        raise BadInput("is no task but " + type(data).__name__, where)
    texts = [data.get(key) for key in ("Task Description", "User Intent", "Task Goal")]
    lists = [data.get("Relevant Affinity Types"), data.get("Relevant Domains", list(domains))]
    if not all(isinstance(text, str) for text in texts):
        raise BadInput("lacks one of Task Description, User Intent, Task Goal", where)
    if not all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists):
        raise BadInput("lacks a list of names under Relevant Affinity Types or Relevant Domains", where)
    return Wording(*texts, *map(tuple, lists))  # type: ignore[arg-type]


def task_of(id: str, wording: Wording, domains: Mapping[str, Domain], where: str | Path) -> Template:
    """The task that `wording` describes, its preferences as (domain, type) pairs. Raises BadInput."""
    within, notes = _known_domains(wording.domains, domains)
    notes.append(Note("read", "preference references", number=len(wording.relevant)))
    relevant: dict[tuple[str, str], Relevance] = {}
    for name in wording.relevant:
        found, note = _resolve(name, within, domains)
        notes += [note] if note else []
        for one in found:
            if (one.domain, one.type) not in relevant or not one.ambiguous:
                relevant[one.domain, one.type] = one
    task = {
        "id": id,
        "domains": within,
        "intent": wording.intent,
        "goal": wording.goal,
        "description": wording.description,
        "relevant": tuple(relevant.values()),
    }
    return Template(wording, parse(Task, task, where), tuple(notes))


def _known_domains(names: Iterable[str], domains: Mapping[str, Domain]) -> tuple[list[str], list[Note]]:
    found, notes = [], []
    for name in names:
        known = domain_name(name, domains)
        if known is None:
            notes.append(Note("dropped", "domains of a task that do not exist", repr(name) + nearest(name, domains)))
        elif known != name:
            notes.append(Note("repaired", "domain names with stray marks", f"{name!r} is {known}"))
        found += [known] if known else []
    return list(dict.fromkeys(found)), notes


def _resolve(name: str, within: list[str], domains: Mapping[str, Domain]) -> tuple[list[Relevance], Note | None]:
    """Whose preference `name` is among the task's domains, and what had to be done to know it."""
    owners = [domain for domain in within if domains[domain].type(name)]
    if len(owners) > 1:
        kind = "preference references that several of the task's domains have (bound to each, as ambiguous)"
        note = Note("kept", kind, f"{name!r}: {', '.join(owners)}")
        return [Relevance(domain=domain, type=name, ambiguous=True) for domain in owners], note
    if owners:
        return [Relevance(domain=owners[0], type=name)], None
    if qualified := _qualified(name, within, domains):
        kind = "preference references with their domain in brackets"
        return [qualified], Note("repaired", kind, f"{name!r} is {qualified.domain}: {qualified.type}")
    respelt = [(d, known) for d in within if (known := type_name(name, domains[d]))]
    if respelt:
        kind = "preference references spelt otherwise (Favorite, Favourite)"
        note = Note("repaired", kind, f"{name!r} is {respelt[0][0]}: {respelt[0][1]}")
        return [Relevance(domain=d, type=t, ambiguous=len(respelt) > 1) for d, t in respelt], note
    return [], _dangling(name, within, domains)


def _qualified(name: str, within: list[str], domains: Mapping[str, Domain]) -> Relevance | None:
    match = re.fullmatch(r"(.+?)\s*\(([^()]+)\)", name)
    domain = domain_name(match[2], within) if match else None
    known = type_name(match[1], domains[domain]) if match and domain else None
    return Relevance(domain=domain, type=known) if domain and known else None


def _dangling(name: str, within: list[str], domains: Mapping[str, Domain]) -> Note:
    elsewhere = [domain.name for domain in domains.values() if domain.type(name)]
    if elsewhere:
        kind = "preference references to a domain that the task does not have"
        return Note("dropped", kind, f"{name!r} is of {', '.join(elsewhere)}, the task of {', '.join(within)}")
    known = [t.name for domain in within for t in domains[domain].preferences]
    return Note("dropped", "preference references that no domain has", repr(name) + nearest(name, known))


def templates_in(folder: Path, domains: Mapping[str, Domain]) -> tuple[dict[str, Template], list[Note]]:
    """The task templates under `data/task` by task id, in a fixed order; damaged lines are dropped with a note."""
    found: dict[str, Template] = {}
    notes: list[Note] = []
    for path in sorted(folder.glob("*/task.jsonl")):
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            notes.append(Note("dropped", "template files", f"{path}: {error}"))
            continue
        for number, line in enumerate(lines, 1):
            try:
                found.update([_template(line, path, number, domains)] if line.strip() else [])
            except BadInput as error:
                notes.append(Note("dropped", "task templates", str(error)))
    return found, notes


def _template(line: str, path: Path, number: int, domains: Mapping[str, Domain]) -> tuple[str, Template]:
    where = f"{path}:{number}"
    try:
        data = _decoded(line)
        task_number = int(data["Task Number"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(f"is no task in JSON with a Task Number ({error!r})", where) from None
    folder = path.parent.name
    many = is_multi_domain(folder)
    id = f"MD-task-{task_number}" if many else f"SD-{folder}-task-{task_number}"
    return id, task_of(id, read_wording(data, () if many else (folder,), where), domains, where)


def is_multi_domain(folder: str) -> bool:
    """Whether a folder of templates is the one across domains: `Multi-Domain`, or `multi_domain`."""
    return re.sub(r"[\W_]", "", folder).casefold() == "multidomain"
