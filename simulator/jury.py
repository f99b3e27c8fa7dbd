"""The jury: the judges of a campaign, under one rubric, and the looks that they take at each dialogue."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from duologue.agents.ending import Ending
from duologue.agents.judge import Judge
from duologue.agents.models.call import Model
from duologue.agents.models.door import ModelSpec
from duologue.agents.rubric import Rubric, read_rubric
from duologue.agents.state.judge import NAME, state_rubric
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Verdict
from duologue.campaign import Campaign, Cell
from duologue.profiles.scenario import Scenario
from duologue.reconsideration import reconsidered
from duologue.record.digest import VerdictDigest
from duologue.scoring.judging import Judging, panel_of
from duologue.scoring.kinship import kinship
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput

__all__ = ["Jury", "Look", "unlike"]


class Look(NamedTuple):
    """One look of a judge at a dialogue."""

    judge: str
    number: int


class Jury:
    """The judges that a campaign names; none until they are seated, and none where it names none."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._spoke = {spec.name: spec.model for spec in campaign.assistant}
        self._judges: dict[str, Judge] = {}
        self.rubric: Rubric | None = None

    def seat(self, open: Callable[[ModelSpec], Model]) -> None:
        """Read the rubric and open the judges. Raises BadInput where one of them cannot be, or two are called alike."""
        if (spec := self._campaign.judge) is not None:
            self.rubric = rubric = read_rubric(spec.rubric, Path(self._campaign.beside))
            self._judges = unlike(Judge(open(member), rubric) for member in spec.members)

    @property
    def models(self) -> tuple[Model, ...]:
        return tuple(judge.model for judge in self._judges.values())

    @property
    def looks(self) -> tuple[Look, ...]:
        """What is asked about each dialogue: every look of every judge."""
        samples = self._campaign.judge.samples if self._campaign.judge else 1
        return tuple(Look(name, number) for name in self._judges for number in range(1, samples + 1))

    @property
    def takes_over(self) -> bool:
        """Whether a judge's earlier verdict may spare it questions: each of them has a call of its own."""
        return self.rubric is not None and self.rubric.calls == "each"

    async def judged(
        self,
        cell: Cell,
        scenario: Scenario,
        script: Transcript,
        attempt: int,
        end: Ending,
        look: Look,
        earlier: Sequence[Verdict] = (),
    ) -> Verdict:
        """A judge's verdict on an ended dialogue, which it takes over from an `earlier` one as far as that goes."""
        seed = number(self._campaign.seed, scenario.id, "judge", cell.trial, 0, 0, "verdict") % 2**31
        judge, spoke = self._judges[look.judge], self._spoke[cell.assistant]
        return await reconsidered(
            judge,
            earlier,
            scenario,
            script,
            cell=cell.id,
            attempt=attempt,
            seed=seed,
            ending=end,
            assistant_model=look.judge if kinship(look.judge, spoke) == "self" else spoke,
            look=look.number,
        )

    def unscored(self, cell: Cell, attempt: int, why: str, look: Look) -> Verdict:
        """The verdict where judging itself broke."""
        judge = self._judges[look.judge]
        return Verdict(
            cell=cell.id,
            attempt=attempt,
            rubric=judge.fingerprint,
            rubric_name=judge.rubric.name,
            judge=look.judge,
            look=look.number,
            unscored=why,
            owner="infrastructure",
        )

    def stood(self, verdicts: Sequence[VerdictDigest]) -> frozenset[Look]:
        """The looks among `verdicts` that stand: under this rubric, and not spoilt by the infrastructure."""
        return frozenset(
            Look(verdict.judge, verdict.look)
            for verdict in verdicts
            if (judge := self._judges.get(verdict.judge))
            and verdict.rubric == judge.fingerprint
            and not (verdict.unscored and verdict.owner == "infrastructure")
        )

    @property
    def judging(self) -> Judging:
        """Whose verdicts are given: the judges', or where there is none the reading of the end states."""
        judge = next(iter(self._judges.values()), None)
        if judge is None:
            return Judging(rubric=state_rubric(), rubric_name=NAME, judge=NAME)
        return panel_of(tuple(self._judges), judge.fingerprint, judge.rubric.name)


def unlike(judges: Iterable[Judge]) -> dict[str, Judge]:
    """The judges by what they are called in their verdicts. Raises BadInput where two are called alike."""
    found: dict[str, Judge] = {}
    for judge in judges:
        if (name := judge.model.name) in found:
            then = "Name each once; write samples = 2 for two looks of each"
            raise BadInput(
                f"two judges are called {name!r}: their verdicts could not be told apart", "judge.panel", then
            )
        found[name] = judge
    return found
