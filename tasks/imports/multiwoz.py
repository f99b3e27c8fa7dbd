"""MultiWOZ 2.2, and the goals of the original `data.json` where that is there: the goal then, not the states, counts.

Catalogues are of the databases `*_db.json` that stand in the folder, in its `db`, or in a `db` above it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from duologue.tasks.imports.files import Tell, dialogues, find
from duologue.tasks.imports.goal import Goal, Value, Want, forms, goal_of, likely_intents
from duologue.tasks.imports.schema import Service, read_services
from duologue.tasks.imports.seen import Seen
from duologue.tasks.imports.stream import elements
from duologue.tasks.imports.taking import Goals, Taken
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["take"]

_ASIDE = ("message", "topic")
"""What stands beside the services in a goal."""


def take(path: Path, tell: Tell) -> Taken:
    """The goals of the dialogues at `path` as tasks. Raises BadInput where there are none, or no schema."""
    files = find(path)
    services, notes = read_services(files.schemas)
    tell([Note("read", "services", number=len(services)), *notes])
    original = next((each for each in (path / "data.json", path.parent / "data.json") if each.is_file()), None)
    if not files.dialogues and original is None:
        raise BadInput("holds neither dialogues_*.json nor data.json", path, "Give the folder of MultiWOZ 2.2.")
    goals, seen, known = Goals(), Seen(), set[str]()
    _look_up(path, services, seen, tell)
    for id, entry in _originals(original, tell) if original else ():
        goal, notes = _original_goal(entry, services)
        if not goal:
            tell(
                [Note("dropped", "goals of data.json that ask for nothing (the states count, where there are any)", id)]
            )
        else:
            known.add(id)
            tell([*notes, *goals.add(id.removesuffix(".json"), goal), Note("read", "goals of data.json")])
    for id, dialogue in dialogues(files, tell):
        if isinstance(dialogue, dict) and dialogue.get("dialogue_id") in known:
            continue
        goal, notes = goal_of(dialogue, services, seen, infer=True)
        tell([*notes, *goals.add(id.removesuffix(".json"), goal)])
    return goals.taken("MultiWOZ", services, seen, tell)


def _originals(path: Path, tell: Tell) -> Iterator[tuple[str, Any]]:
    try:
        yield from elements(path)
    except BadInput as fault:
        tell([Note("dropped", "files from the first damage on", str(fault))])


def _original_goal(entry: Any, services: Mapping[str, Service]) -> tuple[Goal, list[Note]]:
    told = entry.get("goal") if isinstance(entry, dict) else None
    notes: list[Note] = []
    wants = []
    for name, part in told.items() if isinstance(told, dict) else ():
        if name in _ASIDE or not isinstance(part, dict) or not part:
            continue
        if name not in services:
            notes.append(Note("dropped", "parts of a goal whose service the schema does not have", name))
            continue
        wants.append(_want(services[name], part, notes))
    return tuple(want for want in wants if want.intents), notes


def _want(service: Service, part: Mapping[str, Any], notes: list[Note]) -> Want:
    values = []
    for table, before in (("info", ""), ("book", "book")):
        for name, value in _table(part, table).items():
            slot = f"{before}{name.casefold()}"
            if isinstance(value, bool):
                continue
            if slot not in service.slots:
                notes.append(Note("dropped", "slots that their service does not have", f"{service.name}: {slot}"))
                continue
            found, note = forms(value, f"{service.name}: {slot}")
            notes += note
            values += [Value(slot, found)] if found else []
        if _table(part, f"fail_{table}"):
            what = "first attempts that were to fail (the values that were to do count)"
            notes.append(Note("repaired", what, service.name))
    asked = dict.fromkeys(_asked(service, part.get("reqt"), notes))
    intents = likely_intents(service, [each.slot for each in values])
    return Want(service.name, intents, tuple(values), tuple(asked))


def _asked(service: Service, reqt: Any, notes: list[Note]) -> Iterator[str]:
    """The slots that the user is to be told; the original spells some with a space and with the service before."""
    for name in reqt if isinstance(reqt, list) else ():
        slot = str(name).casefold()
        known = (slot, slot.replace(" ", ""), slot.rpartition(" ")[2])
        found = next((each for each in known if each in service.slots), None)
        if found is None:
            notes.append(Note("dropped", "slots that their service does not have", f"{service.name}: {slot}"))
        else:
            yield found


def _table(part: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = part.get(name)
    return table if isinstance(table, dict) else {}


def _look_up(path: Path, services: Mapping[str, Service], seen: Seen, tell: Tell) -> None:
    """Every row of the databases, as if it had been searched for."""
    around = (path, path / "db", path.parent / "db", path.parent.parent / "db")
    for service in services.values():
        file = next((f for each in around if (f := each / f"{service.name}_db.json").is_file()), None)
        if file is None or not service.transactions:
            continue
        try:
            for _, row in elements(file):
                if isinstance(row, dict):
                    seen.add(service, [row])
        except BadInput as fault:
            tell([Note("dropped", "files from the first damage on", str(fault))])
