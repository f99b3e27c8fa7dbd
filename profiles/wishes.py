"""What the user of a scenario would have, as far as the task, the profile and the situation settle it."""

from functools import lru_cache

from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Wanted
from duologue.tasks.wish import Wish

__all__ = ["called_for", "former", "wish", "wishes"]


@lru_cache(maxsize=64)
def wishes(scenario: Scenario) -> tuple[Wish, ...]:
    """A wish for each relevant preference that the profile or the situation settles, in the task's order. Kept for a
    while: users, judges and worlds ask for the same ones."""
    wanted = {(want.domain, want.type): want for want in called_for(scenario)}
    found = (
        _situated(wanted[pair.domain, pair.type])
        if (pair.domain, pair.type) in wanted
        else wish(scenario.profile, pair.domain, pair.type)
        for pair in dict.fromkeys(scenario.task.relevant)
    )
    return tuple(each for each in found if each is not None)


def wish(profile: Profile, domain: str, type: str) -> Wish | None:
    """What the person would have in one respect, wherever they are; None where the profile does not say."""
    held = profile.preferences.get(domain, {}).get(type, ())
    if not held:
        return None
    liked = [preference for preference in held if preference.polarity == "likes"]
    return Wish(
        domain,
        type,
        likes=tuple(preference.value for preference in liked),
        avoids=profile.avoids(domain, type),
        former=former(profile, domain, type),
        weight=max((1.0 if p.strength is None else p.strength for p in liked or held), default=1.0),
    )


def former(profile: Profile, domain: str, type: str) -> tuple[str, ...]:
    """Values that the history shows and that a later session replaced."""
    seen = profile.shown.get((domain, type), ())
    if not any(evidence.kind == "update" for evidence in seen):
        return ()
    now = {preference.value.casefold() for preference in profile.preferences.get(domain, {}).get(type, ())}
    shown = (e.value for e in seen if e.kind != "distractor" and e.value.casefold() not in now)
    return tuple(dict.fromkeys(shown))


def called_for(scenario: Scenario) -> tuple[Wanted, ...]:
    """What the situation calls for where the task tells situations apart."""
    return next((case.wants for case in scenario.task.cases if case.situation == scenario.situation), ())


def _situated(want: Wanted) -> Wish:
    return Wish(want.domain, want.type, likes=(want.value,), situated=True)
