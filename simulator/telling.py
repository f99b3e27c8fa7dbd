"""Telling: of whom each assistant is told what, the controls included."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from duologue.agents.context import Held, Popular, Told, known, sessions, tell
from duologue.agents.memory import Embedding, Memory, memory
from duologue.campaign import AssistantSpec, Campaign
from duologue.profiles.dataset import Dataset
from duologue.profiles.profile import Profile, Session
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wish, wishes
from duologue.tasks.chance import choose
from duologue.tasks.wish import Wish
from duologue.tasks.written import BadInput

if TYPE_CHECKING:
    from duologue.profiles.popularity import Popularity

__all__ = ["Telling"]


class Telling:
    """What the assistants of a campaign are told of a scenario's user.

    `embedding` opens what memories of that kind look sessions up with; it is asked for where a campaign has one.
    """

    def __init__(self, campaign: Campaign, data: Dataset, embedding: Embedding | None = None) -> None:
        self._campaign, self._data = campaign, data
        self._memories = {spec.name: _memory(spec, embedding) for spec in campaign.assistant if spec.memory}

    def told(self, spec: AssistantSpec, scenario: Scenario, recalled: Sequence[Session] | None = None) -> Told:
        """What the assistant of `spec` is told, `recalled` being what its memory has found."""
        popular = self.popular(scenario.profile) if spec.whose == "popular" else None
        return tell(
            self._shown(spec, scenario), scenario.task, scenario.situation, spec.context, spec.scope,
            recalled=recalled, popular=popular,
        )  # fmt: skip

    async def recalled(self, spec: AssistantSpec, scenario: Scenario, opener: str) -> Sequence[Session] | None:
        """The sessions that an assistant's memory finds once the user has said `opener`; None where it has none."""
        found = self._memories.get(spec.name)
        held = sessions(self._shown(spec, scenario), scenario.task, spec.scope) if found else []
        return await found.recall(held, opener) if found else None

    def known(self, spec: AssistantSpec, scenario: Scenario, told: Told) -> Mapping[tuple[str, str], Held]:
        """How what an assistant is told holds what the user wants. A ceiling reads wishes outright."""
        wanted = wishes(scenario)
        if spec.reference != "ceiling":
            return known(told, wanted)
        read = {(each.domain, each.type): {*each.likes} for each in self.read(spec, scenario)}
        return {
            (each.domain, each.type): "verbatim" if read.get((each.domain, each.type), set()) & {*each.likes} else ""
            for each in wanted
        }

    def read(self, spec: AssistantSpec, scenario: Scenario) -> tuple[Wish, ...]:
        """The wishes that a ceiling reads: the user's, another user's, or popular values as if they were wishes."""
        wanted = wishes(scenario)
        if spec.whose == "own":
            return wanted
        if spec.whose == "popular":
            popular = self.popular(scenario.profile)
            return tuple(_only(popular, each) for each in wanted)
        other = self._shown(spec, scenario)
        found = (wish(other, each.domain, each.type) for each in wanted)
        return tuple(each for each in found if each is not None)

    def popular(self, profile: Profile) -> Popular:
        """What the others of the data like, the most popular values first."""
        return self._popularity.without(profile)

    @cached_property
    def _popularity(self) -> "Popularity":
        from duologue.profiles.popularity import Popularity

        return Popularity(self._data.profiles())

    def _shown(self, spec: AssistantSpec, scenario: Scenario) -> Profile:
        """Whose profile an assistant is told of."""
        if spec.whose != "wrong":
            return scenario.profile
        others = [id for id in self._fitting[scenario.task.id] if id != scenario.profile.id]
        if not others:
            raise BadInput(f"nobody but {scenario.profile.id} has the domains of {scenario.task.id}", spec.name)
        return self._data.profile(choose(others, self._campaign.seed, scenario.id, "wrong user"))

    @cached_property
    def _fitting(self) -> Mapping[str, list[str]]:
        """By task, the profiles that have preferences in its domains."""
        found: dict[str, list[str]] = defaultdict(list)
        for key in self._data.scenarios():
            if key.profile not in found[key.task][-1:]:
                found[key.task].append(key.profile)
        return {task: list(dict.fromkeys(held)) for task, held in found.items()}


def _memory(spec: AssistantSpec, embedding: Embedding | None) -> Memory:
    def opened() -> Embedding:
        assert embedding is not None
        return embedding

    return memory(spec.memory, opened)


def _only(popular: Popular, each: Wish) -> Wish:
    """Popular values in place of a wish's own, as many as it has."""
    values: Iterable[str] = popular.get((each.domain, each.type), ())
    return replace(each, likes=tuple(values)[: max(len(each.likes), 1)], avoids=(), former=())
