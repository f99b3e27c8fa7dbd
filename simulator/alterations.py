"""Alterations: what of a campaign may change while its run is interrupted, and what differs where something else
did."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from duologue.agents.secrets import masked
from duologue.campaign import Campaign, read_campaign
from duologue.tasks.written import BadInput

__all__ = ["ALTERABLE", "altered", "differences", "origin"]

ALTERABLE = ("beside", "limits", "prices", "cache", "require", "source", "sets")
"""Tables and keys of a campaign that change nothing of what is said and scored, but for limits.turns."""
SHOWN = 8
"""Differences that are told one by one."""


def origin(campaign: Campaign) -> Campaign:
    """`campaign`, without the file it was read from where it is no longer what that file says."""
    if not campaign.source:
        return campaign
    try:
        same = not differences(campaign, read_campaign(campaign.source, campaign.sets))
    except BadInput:
        same = False
    return campaign if same else campaign.model_copy(update={"source": "", "sets": ()})


def altered(begun: Campaign, folder: Path) -> Campaign:
    """The campaign that the run in `folder` goes on with: as it began, under the limits, the prices and the cache that
    its file names by now. Where that file is gone, as it began.

    Raises BadInput where the file says anything else than it did, with each difference.
    """
    if not begun.source or not Path(begun.source).is_file():
        return begun
    now = read_campaign(begun.source, begun.sets)
    if found := differences(begun, now):
        more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise BadInput(
            f"the campaign is no longer what {folder} began with: {'; '.join(found[:SHOWN])}{more}",
            begun.source,
            f"Put it back and resume, or begin a new run: duologue run {begun.source}",
        )
    prices = now.prices.beside(begun.prices)
    return begun.model_copy(update={"limits": now.limits, "prices": prices, "cache": now.cache})


def differences(then: Campaign, now: Campaign) -> list[str]:
    """What differs between two campaigns and may not, field by field: `assistant a: model openai:x -> openai:y`."""
    before, after = _tables(then), _tables(now)
    return [told for place in dict.fromkeys((*before, *after)) for told in _between(place, before, after)]


def _between(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    if place not in before or place not in after:
        yield f"{place} is {'new' if place not in before else 'gone'}"
        return
    old, new = before[place], after[place]
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            yield f"{place + ': ' if place else ''}{key} {_shown(old.get(key))} -> {_shown(new.get(key))}"


def _tables(campaign: Campaign) -> dict[str, dict[str, Any]]:
    """The tables of a campaign by what they are called; under an empty name what stands in none."""
    written: dict[str, Any] = masked(campaign.model_dump(mode="json"))
    tables = {name: value for name, value in written.items() if isinstance(value, dict) and name not in ALTERABLE}
    assistants = {f"assistant {each['name']}": each for each in written["assistant"]}
    plain = {
        name: value
        for name, value in written.items()
        if name not in (*tables, *ALTERABLE, "assistant") and not (name == "judge" and value is None)
    }
    return {"": plain, **tables, **assistants, "limits": {"turns": written["limits"]["turns"]}}


def _shown(value: Any) -> str:
    if value in (None, "", [], {}):
        return "(none)"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
