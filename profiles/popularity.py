"""Popularity: what most people like, the person at hand not counted. It is all that an assistant which ignores the
user can know."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from duologue.profiles.profile import Profile

__all__ = ["Popularity"]

Pair = tuple[str, str]


class Popularity:
    """Counts what people like, reading the profiles once and keeping none."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self._liked: dict[Pair, Counter[str]] = {}
        for profile in profiles:
            for pair in _pairs(profile):
                self._liked.setdefault(pair, Counter()).update(set(profile.likes(*pair)))

    def without(self, profile: Profile) -> Mapping[Pair, tuple[str, ...]]:
        """By domain and type, the values that the others like, most popular first and ties by value.

        `profile` must be among those that were counted. Each pair is worked out when it is asked for.
        """
        return _Others(self._liked, profile)


class _Others(Mapping[Pair, tuple[str, ...]]):
    """What everybody but one person likes."""

    def __init__(self, liked: Mapping[Pair, Counter[str]], profile: Profile) -> None:
        self._liked = liked
        self._profile = profile
        self._ranked = cache(self._rank)

    def __getitem__(self, pair: Pair) -> tuple[str, ...]:
        return self._ranked(pair)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._liked)

    def __len__(self) -> int:
        return len(self._liked)

    def _rank(self, pair: Pair) -> tuple[str, ...]:
        own = set(self._profile.likes(*pair))
        counts = {value: count - (value in own) for value, count in self._liked[pair].items()}
        return tuple(sorted((value for value in counts if counts[value]), key=lambda value: (-counts[value], value)))


def _pairs(profile: Profile) -> Iterator[Pair]:
    return ((domain, type) for domain, types in profile.preferences.items() for type in types)
