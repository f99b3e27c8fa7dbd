"""A lot of dialogues from outside: each becomes a cell of a run, and what cannot be read is told."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duologue.agents.ending import Ending, ending
from duologue.agents.events import Event
from duologue.agents.message import sound
from duologue.campaign import Cell
from duologue.outside.gathered import Gathered
from duologue.outside.personalens import is_capped, is_theirs, plainly
from duologue.outside.spoken import TURNS, Part, Words, parts_of
from duologue.outside.told import Told, identity, told
from duologue.outside.turned import as_events, turns_of
from duologue.profiles.dataset import Dataset
from duologue.profiles.personalens import PersonaLens
from duologue.profiles.scenario import Scenario, ScenarioKey
from duologue.tasks.written import BadInput, fingerprint

__all__ = ["Lot"]


@dataclass(slots=True)
class Lot:
    """Takes dialogues one by one. `data` holds the profiles and tasks that they name, where there is such."""

    data: Dataset | None
    time: float
    gathered: Gathered = field(default_factory=Gathered)
    keys: dict[str, ScenarioKey] = field(default_factory=dict)
    """By the scenario's id."""
    assistants: dict[str, int] = field(default_factory=dict)
    """How many dialogues of each."""
    trials: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """How many dialogues do not tell of their user, task or preferences, and how many messages of the system."""
    unread: Counter[str] = field(default_factory=Counter)
    """Keys of which nothing is known."""
    _seen: dict[str, str] = field(default_factory=dict)
    """Where each dialogue stood first, by its content."""
    _taken: set[tuple[str, str, int]] = field(default_factory=set)
    _names: set[tuple[str, str]] = field(default_factory=set)

    def take(self, value: Any, where: str, path: Path, assistant: str) -> Iterator[Event]:
        """The events of the dialogue that `value` is, of `assistant` where it names none. Raises BadInput, before the
        first of them, where it cannot be taken."""
        if isinstance(value, BadInput):
            raise value
        record: Mapping[str, Any] = {"turns": value} if isinstance(value, list) else value
        if not isinstance(record, Mapping):
            raise BadInput("is no dialogue: neither an object nor a list", where)
        capped = is_theirs(record) and is_capped(record)
        record = plainly(record, path) if is_theirs(record) else record
        parts = parts_of(_turns(record, where), where)
        turns = turns_of(parts, where)
        id, named = identity(record)
        by = sound(named or assistant)
        content = fingerprint(record, by)
        self._once(content, where)
        about = told(record, where, self._name(by, id or f"dialogue-{content[:8]}"), known=self.data is not None)
        scenario = self._scenario(about, where)
        cell = self._cell(scenario, by, about.trial, where)
        self.gathered.take(scenario.profile, scenario.task, where)
        self._note(cell, scenario, about, parts)
        end = _ending(parts, capped)
        return as_events(turns, scenario, cell.id, by, cell.trial, end, self.time)

    def _once(self, content: str, where: str) -> None:
        first = self._seen.setdefault(content, where)
        if first != where:
            raise BadInput(f"is the same dialogue as {first}", where)

    def _name(self, assistant: str, id: str) -> str:
        """What stands for a user or task that is not named: the dialogue's id, which may be there twice."""
        name, number = id, 2
        while (assistant, name) in self._names:
            name, number = f"{id}-{number}", number + 1
        self._names.add((assistant, name))
        return name

    def _scenario(self, about: Told, where: str) -> Scenario:
        if self.data is None or not (about.user or about.errand):
            return Scenario(about.profile, about.task, about.situation)
        try:
            if isinstance(self.data, PersonaLens) and about.user and about.errand:
                key = self.data.key(about.user, about.errand)
                return Scenario(self.data.profile(key.profile), self.data.task(key.task), key.situation)
            profile = self.data.profile(about.user) if about.user else about.profile
            task = self.data.task(about.errand) if about.errand else about.task
        except BadInput as fault:
            raise BadInput(f"{fault.what} in {fault.where}", where) from None
        return Scenario(profile, task, about.situation)

    def _cell(self, scenario: Scenario, assistant: str, trial: int, where: str) -> Cell:
        """The cell of a dialogue: of several about the same, each is a trial."""
        key = ScenarioKey(scenario.profile.id, scenario.task.id, scenario.task.domains, scenario.situation)
        number = trial or 1
        while (scenario.id, assistant, number) in self._taken:
            if trial:
                raise BadInput(f"trial {trial} of this user, task and assistant is there already", where)
            number += 1
        return Cell(key, assistant, number)

    def _note(self, cell: Cell, scenario: Scenario, about: Told, parts: list[Part]) -> None:
        self.keys[scenario.id] = cell.scenario
        self._taken.add((scenario.id, cell.assistant, cell.trial))
        self.trials = max(self.trials, cell.trial)
        self.assistants[cell.assistant] = self.assistants.get(cell.assistant, 0) + 1
        self.counts.update(about.unsaid - ({"preferences"} if scenario.task.relevant else set()))
        self.counts["system"] += sum(isinstance(part, Words) and part.role == "system" for part in parts)
        self.unread.update(about.unread)


def _turns(record: Mapping[str, Any], where: str) -> Any:
    found = [key for key in TURNS if key in record]
    if len(found) != 1:
        if found:
            raise BadInput(f"has turns under {' and '.join(found)}", where)
        keys = ", ".join(map(repr, list(record)[:8])) or "none"
        raise BadInput(f"has no turns: it has none of the keys {', '.join(TURNS)}; its own are {keys}", where)
    return record[found[0]]


def _ending(parts: list[Part], capped: bool) -> Ending:
    """How it ended is not known, unless it was cut off at its longest."""
    said = [part.role for part in parts if isinstance(part, Words) and part.role != "system"]
    role = "user" if said[-1:] == ["user"] else "assistant"
    end = ending("held_elsewhere", role)  # type: ignore[arg-type]
    return end.changed(owner="limits", detail="cut off at its longest") if capped else end
