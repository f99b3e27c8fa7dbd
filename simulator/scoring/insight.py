"""Insights: what each assistant of a run is told of the user, from the campaign that its folder holds."""

from collections.abc import Mapping
from typing import Any

from duologue.record.run import Run
from duologue.scoring.scorecard import Insight

__all__ = ["insight", "insights", "scale_ends"]

_WHOSE = {"wrong": "another user's ", "popular": "popular "}
_REFERENCES = {"floor": "", "ceiling": "preferences, read outright", "asker": ""}


def insights(run: Run) -> dict[str, Insight]:
    """What each assistant of the campaign is told about the user, by its name."""
    tables = run.manifest.campaign.get("assistant", [])
    return {str(table.get("name") or table.get("reference", "")): insight(table) for table in tables}


def scale_ends(found: Mapping[str, Insight]) -> dict[str, str]:
    """The names of the assistants that are the floor and the ceiling, by `floor` and `ceiling`."""
    ends: dict[str, str] = {}
    for name, told in found.items():
        if told.reference in ("floor", "ceiling") and told.reads_answers == (told.reference == "ceiling"):
            ends.setdefault(told.reference, name)
    return ends


def insight(table: Mapping[str, Any]) -> Insight:
    """What an assistant is told that a campaign writes so."""
    given: Any = table.get("context") or ()
    kinds = given.replace("+", ",").split(",") if isinstance(given, str) else given
    context = tuple(dict.fromkeys(kind for each in kinds if (kind := str(each).strip()) not in ("", "none")))
    reference, memory, whose = (str(table.get(key, "")) for key in ("reference", "memory", "whose"))
    unknown = "not known" if table.get("elsewhere") else ""
    parts = [unknown, _REFERENCES.get(reference, ""), *context, f"memory {memory}" if memory else ""]
    told = " + ".join(filter(None, parts))
    scope = ", of the task's domains alone" if told and table.get("scope") == "task" else ""
    return Insight(
        context=context,
        reference=reference,
        told=f"{_WHOSE.get(whose, '')}{told}{scope}" if told else "",
        reads_answers=("preferences" in context or reference == "ceiling") and whose in ("", "own"),
    )
