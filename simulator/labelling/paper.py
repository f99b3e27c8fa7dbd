"""Papers: dialogues as a labeller gets them, with what a judge is shown and nothing that tells the assistant."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from duologue.agents.questions import Asked, pose
from duologue.agents.rubric import Dimension, Input, Rubric
from duologue.labelling.sample import Place
from duologue.profiles.dataset import open_dataset, scenario
from duologue.profiles.scenario import Scenario, ScenarioKey
from duologue.provenance import campaign_of, check_unchanged, contents
from duologue.record.run import Dialogue, Run
from duologue.record.stored import Shelf

__all__ = ["Paper", "Papers"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A dialogue to be labelled: what it is about, what the user likes, what was said, what is asked."""

    scenario: Scenario
    preferences: tuple[Asked, ...]
    dialogue: Dialogue
    dimensions: tuple[Dimension, ...]
    """Those that make sense for it."""
    inputs: frozenset[Input]
    """What a judge is shown for one of them or another, beside what was said."""


class Papers:
    """The papers of some of a run's dialogues under a rubric. Raises BadInput where the run's data is no longer what
    the dialogues were about."""

    def __init__(self, run: Run, rubric: Rubric, places: Iterable[Place]) -> None:
        campaign = campaign_of(run.manifest, run.folder)
        self._data = open_dataset(campaign.data, Path(campaign.beside))
        cells = {cell for cell, _ in places}
        self._keys = {
            each.cell: ScenarioKey(each.profile, each.task, self._data.task(each.task).domains, each.situation)
            for each in run.dialogues
            if each.cell in cells
        }
        now = contents(self._data, list(self._keys.values()))
        then = {what: mark for what, mark in run.manifest.data.items() if what in now}
        check_unchanged(then, now, run.folder)
        self._rubric, self._shelf = rubric, Shelf(run.folder, cells)

    def open(self, place: Place) -> Paper:
        """The paper of one dialogue, read when its turn comes."""
        about = self.about(place)
        posed = pose(self._rubric.model_copy(update={"preferences": True}), about)
        dialogue = self._shelf.dialogue(place[0])
        assert dialogue is not None, "the run's index names a dialogue that its record does not hold"
        inputs = frozenset(name for dimension in posed.dimensions for name in self._rubric.shown(dimension))
        return Paper(about, posed.preferences, dialogue, posed.dimensions, inputs)

    def about(self, place: Place) -> Scenario:
        """Who talks about what in a dialogue."""
        return scenario(self._data, self._keys[place[0]])

    def asked(self, place: Place) -> tuple[Dimension, ...]:
        """The dimensions that make sense for a dialogue."""
        return pose(self._rubric, self.about(place)).dimensions
