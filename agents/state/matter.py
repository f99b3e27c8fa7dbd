"""The matter: one dialogue as the state judge looks at it, with what its world let the assistant choose."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from duologue.agents.agenda.hearing import Heard
from duologue.agents.deeds import Deed
from duologue.agents.events import Disclosure, LedgerNoted
from duologue.agents.transcript import Transcript
from duologue.tasks.aim import Aim
from duologue.tasks.choice import Choice, choices
from duologue.tasks.domain import key
from duologue.tasks.record import Record
from duologue.tasks.stage import Stage
from duologue.tasks.wish import Wish
from duologue.tasks.world import World

__all__ = ["Matter"]


@dataclass(frozen=True)
class Matter:
    """What the world held in the end, what was done, what was said and let out."""

    stage: Stage
    world: World
    deeds: tuple[Deed, ...]
    script: Transcript
    noted: tuple[LedgerNoted, ...]
    wishes: tuple[Wish, ...]
    heard: Mapping[int, Heard]
    """By turn, what the assistant's words say."""

    @cached_property
    def aims(self) -> tuple[Aim, ...]:
        """The aims by which something is to be there in the end."""
        return tuple(aim for aim in self.stage.aims if not aim.gone)

    def possible(self, aim: Aim) -> tuple[Choice, ...]:
        """What could be chosen for the aim, with the wishes that it meets."""
        return _possible(self.stage, self.stage.aims.index(aim), self.wishes)

    def chosen(self, aim: Aim) -> list[Record]:
        """The records of the aim's kind that stand in the end and that the assistant made or changed."""
        return [record for record in self._standing if record.kind == aim.record.name]

    @cached_property
    def _standing(self) -> list[Record]:
        done = {deed.record for deed in self.deeds}
        return [record for record in self.world.records if record.status == "active" and record.id in done]

    def deciding(self, domain: str, name: str) -> list[tuple[Aim, Record]]:
        """The chosen records that hold something under `name`, each with the aim that it is for."""
        return [
            (aim, record)
            for aim in self.aims
            if aim.domain.name == domain
            for record in self.chosen(aim)
            if record.view.get(name) is not None
        ]

    def entity_field(self, kind: str) -> str:
        """The field by which records of a kind that is aimed at name their entity; empty where there is none."""
        return next((aim.entity_field for aim in self.stage.aims if aim.record.name == kind), "")

    def entities(self, domain: str) -> Mapping[str, Mapping[str, Any]]:
        """By name, what is known of everything that there is to choose from in a domain."""
        return self._entities.get(domain, {})

    @cached_property
    def _entities(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        return {domain: {e.name: e.values for e in held} for domain, held in self.stage.entities.items()}

    def disclosed(self, domain: str, type: str) -> list[tuple[int, Disclosure]]:
        """What the user let out about a preference type, with the turns."""
        name = key(type)
        return [
            (turn, entry)
            for turn, entry in self._tastes_told
            if key(entry.type) == name and entry.domain in ("", domain)
        ]

    @cached_property
    def _tastes_told(self) -> list[tuple[int, Disclosure]]:
        """All that was let out about preferences, with the turns."""
        return [(event.turn, e) for event in self.noted for e in event.entries if e.what == "preference"]


@lru_cache(maxsize=256)
def _possible(stage: Stage, number: int, wishes: tuple[Wish, ...]) -> tuple[Choice, ...]:
    """Kept for a while: several assistants meet the same stage one soon after the other."""
    return tuple(choices(stage, stage.aims[number], wishes))
