"""PersonaMem: version 1 has chats that its questions share, version 2 preferences and links to chats.

The rows of version 2 are held in memory, preferences and links alone; chats are read one at a time.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from duologue.profiles.imports.formats import FORMATS, keys_in, refusal
from duologue.profiles.imports.person import DOMAIN, TASTE, Person, Read
from duologue.profiles.imports.reading import one_file, read_csv
from duologue.profiles.imports.talk import sessions
from duologue.profiles.imports.wishes import wish
from duologue.tasks.personalens import Note, read_json
from duologue.tasks.written import BadInput, read_lines

__all__ = ["people"]

NAME = "personamem"
END = "end_index_in_shared_context"
LINKS = ("chat_history_32k_link", "chat_history_128k_link", "chat_history_link")
LEVELS = 3
"""How many folders above the CSV a link may count from."""
FORGOTTEN = "ask_to_forget"
QUESTIONS = "questions with their answers (they are what is asked of an assistant; write them as tasks)"
MISSING = "histories that are not there"
UNREAD = "histories that cannot be read"
Row = Mapping[str, Any]


def people(path: Path) -> Iterator[Read]:
    """The people of either version. Raises BadInput where the CSV at `path` is of none, or its contexts are missing."""
    file = one_file(path, ".csv")
    keys = keys_in(file)
    if not FORMATS[NAME].fits(keys):
        raise refusal(NAME, file)
    return _contexts(file) if "shared_context_id" in keys else _people(file)


def _contexts(path: Path) -> Iterator[Read]:
    """Version 1: one person a shared context, as far as some question reads it."""
    ends: dict[str, int] = {}
    asked = 0
    for where, row in read_csv(path, NAME):
        if isinstance(row, BadInput):
            yield row
            continue
        end = row[END].strip()
        if not (end.isascii() and end.isdigit()) or not row["shared_context_id"].strip():
            yield BadInput(f"has no context or no number as its {END} ({end!r})", where)
            continue
        asked += 1
        ends[row["shared_context_id"]] = max(int(end), ends.get(row["shared_context_id"], 0))
    yield [Note("dropped", QUESTIONS, number=asked)]
    found: set[str] = set()
    for line in read_lines(_beside(path)):
        try:
            held = line.data()
        except BadInput as fault:
            yield fault
            continue
        for id, messages in held.items() if isinstance(held, dict) else ():
            found.add(id)
            yield _context(line.where, id, messages, ends.get(id))
    if lacking := [id for id in ends if id not in found]:
        yield [Note("dropped", MISSING, lacking[0], len(lacking))]


def _context(where: str, id: str, messages: Any, end: int | None) -> Read:
    if not isinstance(messages, list):
        return BadInput(f"the context {id!r} is no list of messages", where)
    if end is None:
        return [Note("dropped", "contexts that no question is about", id)]
    notes: list[Note] = []
    if end > len(messages):
        notes.append(Note("repaired", "questions that stand behind the end of their context", f"{id}: {end}"))
    notes.append(Note("dropped", "messages after the last question", number=max(0, len(messages) - end)))
    history = sessions(messages[:end], notes)
    return Person(where, f"{NAME}-{id}", {"history": history} if history else None, notes)


def _beside(path: Path) -> Path:
    """The JSON Lines file with the contexts of the questions at `path`: `contexts_32k` for `questions_32k`."""
    found = sorted(path.parent.glob("*.jsonl"))
    size = path.stem.rpartition("_")[2]
    fitting = [each for each in found if each.stem.rpartition("_")[2] == size] or found
    if len(fitting) == 1:
        return fitting[0]
    what = "the contexts are not beside it" if not found else "it is not clear which contexts are its own"
    raise BadInput(what, path, f"Put one file such as shared_contexts_{size}.jsonl into its folder")


def _people(path: Path) -> Iterator[Read]:
    """Version 2: one person a `persona_id`, whose rows need not stand together."""
    held: dict[str, list[Row]] = {}
    links: dict[str, str] = {}
    where_first: dict[str, str] = {}
    asked = 0
    for where, row in read_csv(path, NAME):
        if isinstance(row, BadInput):
            yield row
            continue
        id = row["persona_id"].strip()
        if not id:
            yield BadInput("has no persona_id", where)
            continue
        asked += bool(row.get("user_query"))
        keys = ("preference", "pref_type", "who", "prev_pref", "sensitive_info")
        held.setdefault(id, []).append({key: row.get(key, "").strip() for key in keys})
        where_first.setdefault(id, where)
        if link := next((row[key].strip() for key in LINKS if row.get(key, "").strip()), ""):
            links.setdefault(id, link)
    yield [Note("dropped", QUESTIONS, number=asked)]
    for id, rows in held.items():
        notes: list[Note] = []
        preferences = _preferences(rows, notes)
        history = _history(path, links.get(id, ""), notes)
        data = {"preferences": {DOMAIN: preferences} if preferences else {}, "history": history}
        yield Person(where_first[id], f"{NAME}-{id}", data if preferences or history else None, notes)


def _preferences(rows: list[Row], notes: list[Note]) -> dict[str, list[dict[str, Any]]]:
    """By type what is in force: neither what was given up since, nor another's, nor what is to be forgotten."""
    former = {row["prev_pref"].casefold() for row in rows if row["prev_pref"]}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        text = row["preference"]
        if why := _out(row, former):
            notes.append(Note("dropped", why, text))
            continue
        type = row["pref_type"].replace("_", " ") or TASTE
        held = wish(text, notes, row["sensitive_info"].casefold() in ("true", "1", "yes"))
        before = found.setdefault(type, {}).setdefault(held["value"].casefold(), held)
        if before is not held:
            same = before["polarity"] == held["polarity"]
            why = "preferences given twice" if same else "preferences that gainsay an earlier one"
            notes.append(Note("repaired" if same else "dropped", why, text))
    return {type: list(held.values()) for type, held in found.items()}


def _out(row: Row, former: set[str]) -> str:
    """Why the preference of a row is not the person's now; empty where it is."""
    if not row["preference"]:
        return "rows without a preference"
    if row["pref_type"] == FORGOTTEN:
        return "preferences that the person asked to forget"
    if row["who"] and row["who"].casefold() not in ("self", "user"):
        return "preferences of somebody else"
    return "preferences that were given up since" if row["preference"].casefold() in former else ""


def _history(path: Path, link: str, notes: list[Note]) -> list[dict[str, Any]]:
    """The chat that `link` names, which counts from the folder of the CSV or from one above."""
    file = _linked(path, link)
    if file is None:
        notes.append(Note("dropped", MISSING, link or "no link"))
        return []
    try:
        data = read_json(file, dict)
    except BadInput as fault:
        notes.append(Note("dropped", UNREAD, str(fault)))
        return []
    messages = data.get("chat_history", data.get("conversations"))
    if not isinstance(messages, list):
        notes.append(Note("dropped", UNREAD, f"{file} has no chat_history"))
        return []
    return sessions(messages, notes)


def _linked(path: Path, link: str) -> Path | None:
    """The file that a link names. It must be below the folder it counts from: nothing else on the disk is read."""
    parts = PurePosixPath(link.replace("\\", "/"))
    if not link or parts.is_absolute() or ".." in parts.parts or ":" in link:
        return None
    homes = (path.absolute().parent, *path.absolute().parents[1 : LEVELS + 1])
    return next((home / parts for home in homes if (home / parts).is_file()), None)
