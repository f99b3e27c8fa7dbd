"""The rubrics that a run was judged under, kept in its folder: the file that one came from may be gone or changed."""

import json
from pathlib import Path

from duologue.agents.rubric import Rubric, Scale
from duologue.record.store import write_once
from duologue.scoring.measures import SCALES
from duologue.tasks.written import BadInput, parse

__all__ = ["keep_rubric", "kept_rubric", "own_ends"]


def keep_rubric(run: Path, rubric: Rubric) -> None:
    """Write `rubric` into a run's folder, as `rubric-FINGERPRINT.json`, unless it stands there.

    Raises StoreFault where the disk does not take it.
    """
    path = _path(run, rubric.fingerprint)
    if not path.exists():
        write_once(path, rubric.model_dump(mode="json"))


def kept_rubric(run: Path, fingerprint: str) -> Rubric | None:
    """The rubric of that fingerprint; None where the run's folder does not hold it. Raises BadInput where the file is
    damaged."""
    path = _path(run, fingerprint)
    try:
        return parse(Rubric, json.loads(path.read_text(encoding="utf-8")), path)
    except FileNotFoundError:
        return None
    except ValueError as fault:
        raise BadInput(
            f"is not valid JSON: {fault}", path, "Delete it; judging under the rubric again writes it"
        ) from None


def own_ends(run: Path, fingerprint: str) -> dict[str, tuple[float, float]]:
    """The ends of the scales of a kept rubric's own questions, of yes and no 0 and 1.

    Raises BadInput where its file is damaged.
    """
    rubric = kept_rubric(run, fingerprint)
    return {
        each.name: (each.scale.low, each.scale.high) if isinstance(each.scale, Scale) else (0, 1)
        for each in (rubric.dimensions if rubric else ())
        if each.name not in SCALES
    }


def _path(run: Path, fingerprint: str) -> Path:
    return run / f"rubric-{fingerprint}.json"
