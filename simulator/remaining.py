"""What remains to be done of a run: dialogues to hold, to finish, to read and to judge."""

from collections.abc import Sequence

from duologue.campaign import Campaign, Cell, cells
from duologue.cast import Cast
from duologue.engine import Work
from duologue.profiles.scenario import ScenarioKey
from duologue.record.digest import Digest
from duologue.record.run import Run

__all__ = ["begun_of", "left", "openers", "unscored"]


def left(campaign: Campaign, keys: list[ScenarioKey], so_far: Run, cast: Cast, failed: bool) -> list[Work]:
    """What is still to do, in the order of the campaign. No dialogue is held of those who spoke elsewhere."""
    if campaign.user.elsewhere:
        return unscored(campaign, keys, so_far, cast)
    held = {dialogue.cell: dialogue for dialogue in so_far.dialogues}
    return [work for cell in cells(campaign, keys) if (work := _left_of(cell, held.get(cell.id), cast, failed))]


def openers(campaign: Campaign, work: Sequence[Work], so_far: Run) -> list[str]:
    """The cells whose first words stand at the beginning of dialogues to come: those of the same scenario and trial."""
    held = [each.cell for each in work if each.ended is None and campaign.user.model]
    wanted = {(cell.scenario.profile, cell.scenario.task, cell.scenario.situation, cell.trial) for cell in held}
    return [d.cell for d in so_far.dialogues if (d.profile, d.task, d.situation, d.trial) in wanted]


def unscored(campaign: Campaign, keys: list[ScenarioKey], so_far: Run, cast: Cast) -> list[Work]:
    """The ended dialogues that lack a reading or a verdict, in the order of the campaign."""
    held = {dialogue.cell: dialogue for dialogue in so_far.dialogues}
    ended = ((cell, held[cell.id]) for cell in cells(campaign, keys) if cell.id in held)
    return [work for cell, dialogue in ended if (work := _to_score(cell, dialogue, cast))]


def begun_of(work: Sequence[Work]) -> list[str]:
    """The cells among `work` of which events are stored."""
    return [each.cell.id for each in work if each.begun]


def _left_of(cell: Cell, dialogue: Digest | None, cast: Cast, failed: bool) -> Work | None:
    if dialogue is None:
        return Work(cell)
    attempt, end = dialogue.attempt, dialogue.ending
    if end is None or not end.finished:
        if not cast.speakers.rebuildable(cell.assistant):
            return Work(cell, attempt + 1)
        return Work(cell, attempt, begun=True)
    if failed and end.owner == "infrastructure":
        return Work(cell, attempt + 1)
    return _to_score(cell, dialogue, cast)


def _to_score(cell: Cell, dialogue: Digest, cast: Cast) -> Work | None:
    """What an ended dialogue lacks: the reading of its end state, looks of the judges; None where it has all."""
    end = dialogue.ending
    if end is None or not end.scored:
        return None
    reads = dialogue.had_world and not any(map(cast.is_read, dialogue.verdicts))
    stood = cast.jury.stood(dialogue.verdicts)
    judges = not stood >= set(cast.jury.looks)
    if not reads and not judges:
        return None
    return Work(cell, dialogue.attempt, True, end, reads, judges, stood)
