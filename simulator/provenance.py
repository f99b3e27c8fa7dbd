"""Provenance: what a run was made of, so that its parts and its pairs stay comparable."""

import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from duologue.agents.prompt import prompts_fingerprint
from duologue.agents.rubric import Rubric
from duologue.agents.secrets import masked
from duologue.alterations import ALTERABLE, origin
from duologue.campaign import Campaign
from duologue.profiles.dataset import Dataset
from duologue.profiles.scenario import ScenarioKey
from duologue.record.run import Manifest
from duologue.tasks.written import BadInput, fingerprint, parse

__all__ = ["OWN", "campaign_of", "check_unchanged", "contents", "fingerprints", "gone_on_with", "manifest"]

WORLDS = "1"
"""To be raised when equal domains and tasks are staged, or tools answer, otherwise than before."""

OWN = "own"
"""What the data of a run are called that lie in its folder, under `data`."""


def manifest(
    campaign: Campaign,
    data: Dataset,
    keys: list[ScenarioKey],
    count: int,
    *,
    rubric: Rubric | None,
    judges: tuple[str, ...],
    notes: tuple[str, ...],
) -> Manifest:
    """What `run.json` says of a run of `count` dialogues that is about to begin."""
    written = _frozen(origin(campaign))
    return Manifest(
        name=campaign.name,
        duologue=version("duologue"),
        started=time.time(),
        cells=count,
        campaign=written,
        fingerprints={**fingerprints(campaign, rubric), "campaign": _parts(written)},
        data=contents(data, keys),
        domains={id: data.task(id).domains for id in sorted({key.task for key in keys})},
        judges=judges,
        notes=notes,
    )


def gone_on_with(begun: Manifest, campaign: Campaign) -> Manifest:
    """`begun`, saying under which limits and prices the run goes on."""
    now = _frozen(campaign)
    kept = {name: value for name, value in begun.campaign.items() if name not in ALTERABLE}
    return begun.model_copy(update={"campaign": kept | {name: now[name] for name in ALTERABLE if name in now}})


def fingerprints(campaign: Campaign, rubric: Rubric | None) -> dict[str, str]:
    """Of what must be equal for dialogues to be pairs, the data aside."""
    judge = campaign.judge.model_dump(mode="json", exclude_defaults=True) if campaign.judge else None
    return {
        "world": WORLDS,
        "prompts": prompts_fingerprint(),
        "user": fingerprint(campaign.user.model_dump(mode="json", exclude_defaults=True)),
        "judge": fingerprint(judge, rubric),
        "seed": str(campaign.seed),
    }


def contents(data: Dataset, keys: list[ScenarioKey]) -> dict[str, str]:
    """Fingerprints of the profiles, the tasks and their domains among `keys`. Raises BadInput where one cannot be
    read."""
    used = sorted({name for key in keys for name in key.domains if name in data.domains})
    profiles = {f"profile {id}": fingerprint(data.profile(id)) for id in sorted({key.profile for key in keys})}
    tasks = {f"task {id}": fingerprint(data.task(id)) for id in sorted({key.task for key in keys})}
    return profiles | tasks | {f"domain {name}": fingerprint(data.domains[name]) for name in used}


def campaign_of(begun: Manifest, folder: Path) -> Campaign:
    """The campaign that the run in `folder` was begun with, its own data, if it has such, found in that folder.

    Raises BadInput where it is none any more, or another.
    """
    path = folder / "run.json"
    campaign = parse(Campaign, begun.campaign, path)
    if begun.fingerprints.get("campaign", _parts(begun.campaign)) != _parts(begun.campaign):
        raise BadInput(
            "the campaign in it was edited after the run began; its parts would not compare",
            path,
            "Put it back as it was, or begin a new run",
        )
    return campaign.model_copy(update={"data": str((folder / "data").absolute())}) if campaign.data == OWN else campaign


def _frozen(campaign: Campaign) -> dict[str, Any]:
    """`campaign` as `run.json` holds it."""
    written: dict[str, Any] = masked(campaign.model_dump(mode="json", exclude_defaults=True))
    return written


def _parts(written: dict[str, Any]) -> str:
    """The fingerprint of a campaign as `run.json` holds it, but for where its files lie, how fast, how patiently and
    how thriftily it is run."""
    limits = {"turns": written["limits"]["turns"]} if "turns" in written.get("limits", {}) else {}
    return fingerprint({k: v for k, v in written.items() if k not in ("data", *ALTERABLE)}, limits)


def check_unchanged(then: dict[str, str], now: dict[str, str], folder: Path) -> None:
    """Raises BadInput that names what differs between two sets of fingerprints, that of the campaign aside: `run.json`
    itself bears it out."""
    changed = sorted(what for what in (then | now).keys() - {"campaign"} if then.get(what) != now.get(what))
    if changed:
        named = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise BadInput(
            f"changed since the run began: {named}; its parts would not compare",
            folder,
            f"Put {'them' if len(changed) > 1 else 'it'} back, or begin a new run",
        )
