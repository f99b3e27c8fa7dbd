"""Writing what was imported into a folder that a campaign can name."""

from collections.abc import Iterable
from pathlib import Path

from duologue.tasks.domain import Domain
from duologue.tasks.imports.taking import Taken
from duologue.tasks.library import certain, line_entries
from duologue.tasks.written import BadInput, Written, written_whole

__all__ = ["write"]


def write(taken: Taken, folder: Path) -> None:
    """Write `tasks.jsonl` and `domains.jsonl` into `folder`; other domains that stand there stay.

    Raises BadInput where the folder cannot be written, or holds domains that cannot be read.
    """
    domains = folder / "domains.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = certain(line_entries(domains, Domain)) if domains.is_file() else iter(())
        others = [domain for domain in held if domain.name not in taken.domains]
        _write(domains, (*others, *taken.domains.values()))
        _write(folder / "tasks.jsonl", taken.tasks)
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", folder, "Name another place with --to.") from None


def _write(path: Path, records: Iterable[Written]) -> None:
    import jsonlines

    with written_whole(path) as file, jsonlines.Writer(file, compact=True) as lines:
        for record in records:
            lines.write(record.model_dump(mode="json", exclude_defaults=True))
