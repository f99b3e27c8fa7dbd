"""What `duologue profiles import` and `duologue tasks import` do, and what they say of it."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.profiles.tally import Tally

__all__ = ["bring_dataset", "bring_people", "bring_tasks"]

LICENCE = "CC BY-NC 4.0"


def bring_people(name: str, path: Path, to: Path) -> None:
    """Import the people of the format `name`. Raises BadInput for an unknown one, and for data of another one."""
    from duologue.profiles.imports.formats import FORMATS
    from duologue.profiles.imports.importing import import_people
    from duologue.profiles.imports.person import DOMAIN
    from duologue.tasks.written import BadInput, nearest

    if name not in FORMATS:
        known = ("personalens", *FORMATS)
        raise BadInput(f"unknown format {name!r}{nearest(name, known)}", "--from", f"Known: {', '.join(known)}")
    made = import_people(name, path, to)
    licence = f"The data keep their own licence ({FORMATS[name].licence})."
    folder = made.file.parent.as_posix()
    use = (
        f'Next: data = "{folder}" in a campaign, and "{DOMAIN}" among the domains of tasks of your own'
        if made.file.name == "profiles.jsonl"
        else f"Next: name it profiles.jsonl to use it; the domain {DOMAIN!r} stands in {made.domains}"
    )
    _say(made.tally, (f"Wrote {made.profiles:,} profiles to {made.file}. {licence}", use))


def bring_tasks(name: str, path: Path, to: Path) -> None:
    """Import the tasks of the format `name`. Raises BadInput for an unknown one, and for data of another one."""
    from duologue.profiles.imports.formats import FORMATS as OF_PEOPLE
    from duologue.profiles.tally import Tallying
    from duologue.tasks.imports.formats import FORMATS
    from duologue.tasks.imports.writing import write
    from duologue.tasks.written import BadInput, nearest

    if name in OF_PEOPLE:
        raise BadInput(f"{name} holds people and no tasks", "--from", f"Type: duologue profiles import --from {name}")
    if name not in FORMATS:
        known = ("personalens", *FORMATS)
        raise BadInput(f"unknown format {name!r}{nearest(name, known)}", "--from", f"Known: {', '.join(known)}")
    tallying = Tallying()
    taken = FORMATS[name].take(path, tallying.count)
    if not taken.tasks:
        _say(tallying.tally(), ())
        raise BadInput("holds no goal of which a task can be made", path, f"Expected {FORMATS[name].what}.")
    write(taken, to)
    licence = f"The data keep their own licence ({FORMATS[name].licence})."
    wrote = f"Wrote {len(taken.tasks):,} tasks and {len(taken.domains):,} domains to {to}. {licence}"
    _say(tallying.tally(), (wrote, f'Next: data = "{to.as_posix()}" in a campaign'))


def bring_dataset(path: Path, to: Path, part: Literal["profiles", "tasks"]) -> None:
    """Import one part of a PersonaLens checkout. Raises BadInput where there is none at `path`."""
    from duologue.profiles.dataset import write_dataset
    from duologue.profiles.personalens import open_personalens

    data = open_personalens(path)
    written = write_dataset(data, to, (part,))
    counts = ", ".join(f"{count} {what}" for what, count in written.items())
    told = [f"Wrote {counts} to {to}. The data keep their own licence ({LICENCE})."]
    if "scenarios" not in written:
        other = "tasks" if part == "profiles" else "profiles"
        command = f"duologue {other} import --from personalens {shlex.quote(str(path))} --to {shlex.quote(str(to))}"
        told.append(f"Next: {command}")
    _say(data.tally, told)


def _say(tally: "Tally", told: "Iterable[str]") -> None:
    from duologue.profiles.tally import lines
    from duologue.views.console import console
    from duologue.views.text import safe

    screen = console()
    for line in (*lines(tally), *told):
        screen.print(safe(line), markup=False, soft_wrap=True)
