"""SGD, the Schema-Guided Dialogue data: goals from the users' states, catalogues from what services answered."""

from pathlib import Path

from duologue.tasks.imports.files import Tell, dialogues, find
from duologue.tasks.imports.goal import goal_of
from duologue.tasks.imports.schema import read_services
from duologue.tasks.imports.seen import Seen
from duologue.tasks.imports.taking import Goals, Taken
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput

__all__ = ["take"]


def take(path: Path, tell: Tell) -> Taken:
    """The goals of the dialogues at `path` as tasks. Raises BadInput where there are none, or no schema."""
    files = find(path)
    if not files.dialogues:
        raise BadInput("holds no dialogues_*.json", path, "Give the folder of a split, or the one that holds them.")
    services, notes = read_services(files.schemas)
    tell([Note("read", "services", number=len(services)), *notes])
    goals, seen = Goals(), Seen()
    for id, dialogue in dialogues(files, tell):
        goal, notes = goal_of(dialogue, services, seen, infer=False)
        tell([*notes, *goals.add(id, goal)])
    return goals.taken("SGD", services, seen, tell)
