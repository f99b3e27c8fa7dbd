"""Strata: differences by domain, by what assistants are told, or by a group of users."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from duologue.comparing.difference import Difference, settled
from duologue.comparing.pairs import Pair
from duologue.profiles.profile import Demographics, Profile
from duologue.record.run import Run
from duologue.scoring.scorecard import Row
from duologue.tasks.task import Situation
from duologue.tasks.written import BadInput, Written, fingerprint, nearest

__all__ = ["CONTEXT", "Stratum", "check_grouping", "grouped", "grouping", "settled_together"]

CONTEXT, DOMAIN = "context", "domain"
SEVERAL, UNKNOWN = "several", "not said"
"""Tasks that cross domains; users of whom it is not known."""
PLACES = tuple(Situation.model_fields)
PEOPLE = tuple(Demographics.model_fields)
MANY = 12
"""Numbers are taken by tens where there are more of them."""


class Stratum(Written):
    """Two assistants within one group."""

    group: str
    a: str
    b: str
    pairs: int
    profiles: int
    differences: tuple[Difference, ...]


def check_grouping(by: str) -> None:
    """Raises BadInput where there is no such way to group."""
    known = (DOMAIN, CONTEXT, *PLACES, *PEOPLE)
    if by and by not in known:
        raise BadInput(f"no way to group by {by!r}{nearest(by, known)}", "--by", f"There are: {', '.join(known)}")


def grouping(by: str, runs: Sequence[Run], rows: Iterable[Row]) -> Callable[[Row], str]:
    """To which group a dialogue belongs: its domain, a field of its situation, or one of its user's demographics.

    Raises BadInput where the users' profiles cannot be read, or are no longer those that the runs were about.
    """
    if by == DOMAIN:
        return lambda row: row.domains[0] if len(row.domains) == 1 else SEVERAL if row.domains else UNKNOWN
    if by in PLACES:
        return lambda row: getattr(row.situation, by) or UNKNOWN
    said = _said(by, runs, {row.profile for row in rows})
    return lambda row: said.get(row.profile) or UNKNOWN


def grouped(pairs: Sequence[Pair], group: Callable[[Row], str]) -> dict[str, list[Pair]]:
    """`pairs` by group, the largest first."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[group(pair.row)].append(pair)
    return dict(sorted(found.items(), key=lambda item: (item[0] in (SEVERAL, UNKNOWN), -len(item[1]), item[0])))


def settled_together(strata: Sequence[Stratum]) -> tuple[Stratum, ...]:
    """`strata` with what may be said of each difference in view of all the groups."""
    done = iter(settled([each for stratum in strata for each in stratum.differences]))
    return tuple(
        stratum.model_copy(update={"differences": tuple(next(done) for _ in stratum.differences)}) for stratum in strata
    )


def _said(by: str, runs: Sequence[Run], profiles: set[str]) -> dict[str, str]:
    """What `profiles` say of themselves, by the data that the runs were made with; many numbers by tens."""
    found: dict[str, str] = {}
    for run in runs:
        for profile in _profiles(run, profiles - found.keys()):
            found[profile.id] = getattr(profile.demographics, by)
    numbers = {value for value in found.values() if re.fullmatch(r"\d{1,3}", value)}
    if len(numbers) > MANY:
        found |= {id: _ten(value) for id, value in found.items() if value in numbers}
    return found


def _ten(number: str) -> str:
    begin = int(number) // 10 * 10
    return f"{begin} to {begin + 9}"


def _profiles(run: Run, wanted: set[str]) -> Iterable[Profile]:
    """Those of the `wanted` profiles that the run was about, as they were."""
    from duologue.profiles.dataset import open_dataset
    from duologue.provenance import campaign_of

    there: dict[str, Any] = {id: of for id in wanted if (of := run.manifest.data.get(f"profile {id}"))}
    if not there:
        return
    campaign = campaign_of(run.manifest, run.folder)
    data = open_dataset(campaign.data, Path(campaign.beside))
    for id, of in sorted(there.items()):
        profile = data.profile(id)
        if fingerprint(profile) != of:
            raise BadInput(
                f"profile {id} changed since the run, so that its groups are not known",
                run.folder,
                "Put the data back, or compare by domain, by context or by a field of the situation",
            )
        yield profile
