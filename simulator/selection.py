"""Which scenarios of a dataset a campaign runs: filtered, then drawn by seed, never by position."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from duologue.campaign import Campaign, Select
from duologue.profiles.dataset import Dataset
from duologue.profiles.scenario import ScenarioKey
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput, nearest

__all__ = ["select"]


def select(campaign: Campaign, data: Dataset) -> list[ScenarioKey]:
    """The scenarios that `campaign` runs, in a stable order. Raises BadInput where none is left."""
    wanted = campaign.select
    keys = list(data.scenarios())
    _check_known("profile", wanted.profiles if isinstance(wanted.profiles, tuple) else (), {k.profile for k in keys})
    _check_known("task", wanted.tasks, {k.task for k in keys})
    _check_known("domain", wanted.domains, data.domains)
    kept = [key for key in keys if _fits(key, wanted)]
    if isinstance(wanted.profiles, int):
        kept = _of_profiles(kept, wanted.profiles, campaign.seed)
    if wanted.sample is not None:
        kept = stratified(kept, wanted.sample, campaign.seed)
    if not kept:
        raise BadInput("select leaves no scenario", campaign.name, "Widen it, or see: duologue tasks list")
    return kept


def stratified(keys: Iterable[ScenarioKey], size: int, seed: int) -> list[ScenarioKey]:
    """`size` of `keys`: every domain (several domains together count as one more) as often as the others,
    and within it the profiles that have been drawn least."""
    strata: dict[str, list[ScenarioKey]] = defaultdict(list)
    for key in keys:
        strata[key.domains[0] if len(key.domains) == 1 else "+"].append(key)
    for stratum, held in strata.items():
        held.sort(key=lambda key: number(seed, "sample", stratum, key.profile, key.task))
    order = sorted(strata, key=lambda stratum: number(seed, "stratum", stratum))
    used: Counter[str] = Counter()
    drawn: list[ScenarioKey] = []
    while order and len(drawn) < size:
        for stratum in order[: size - len(drawn)]:
            held = strata[stratum]
            pick = min(range(min(len(held), 200)), key=lambda i: used[held[i].profile])
            used[held[pick].profile] += 1
            drawn.append(held.pop(pick))
        order = [stratum for stratum in order if strata[stratum]]
    return drawn


def _fits(key: ScenarioKey, wanted: Select) -> bool:
    return (
        (isinstance(wanted.profiles, int) or not wanted.profiles or key.profile in wanted.profiles)
        and (not wanted.tasks or key.task in wanted.tasks)
        and (not wanted.domains or set(key.domains) <= set(wanted.domains))
    )


def _of_profiles(keys: list[ScenarioKey], count: int, seed: int) -> list[ScenarioKey]:
    profiles = sorted({key.profile for key in keys}, key=lambda profile: number(seed, "profile", profile))
    drawn = set(profiles[:count])
    return [key for key in keys if key.profile in drawn]


def _check_known(what: str, named: Iterable[str], known: Iterable[str]) -> None:
    known = set(known)
    for name in named:
        if name not in known:
            raise BadInput(
                f"no {what} {name!r} in the data{nearest(name, sorted(known))}",
                "select",
                f"See them: duologue {'profiles' if what == 'profile' else 'tasks'} list",
            )
