"""Which verdicts are used: those of one judge under one rubric, never a mixture."""

from collections.abc import Sequence

from duologue.agents.verdict import Verdict
from duologue.record import Dialogue, Run
from duologue.tasks.written import BadInput, Written, nearest

__all__ = ["Judging", "judged_by", "judging", "latest", "verdicts"]


class Judging(Written):
    """Which verdicts are used: those of one judge under one rubric."""

    rubric: str = ""
    """The rubric's fingerprint."""
    rubric_name: str = ""
    judge: str = ""


def judging(runs: Sequence[Run], rubric: str = "") -> Judging:
    """Whose verdicts to use: the newest, or those that `rubric` names.

    `rubric` is a rubric's fingerprint or its beginning, a rubric's name, or a judge. Raises BadInput
    where no verdict answers to it.
    """
    newest: dict[Judging, float] = {}
    for run in runs:
        for verdict in (verdict for dialogue in run.dialogues for verdict in verdicts(dialogue)):
            each = judged_by(verdict)
            newest[each] = max(verdict.time, newest.get(each, verdict.time))
    fitting = [each for each in newest if _answers_to(each, rubric)]
    if rubric and not fitting:
        known = sorted({name for each in newest for name in (each.rubric_name, each.rubric, each.judge)})
        raise BadInput(
            f"no verdict under {rubric!r}{nearest(rubric, known)}",
            ", ".join(str(run.folder) for run in runs),
            f"There are: {', '.join(known)}" if known else f"Judge it first: duologue judge {runs[0].folder}",
        )
    return max(fitting, key=lambda each: (newest[each], each.rubric, each.judge), default=Judging())


def judged_by(verdict: Verdict) -> Judging:
    return Judging(rubric=verdict.rubric, rubric_name=verdict.rubric_name, judge=verdict.judge)


def verdicts(dialogue: Dialogue) -> list[Verdict]:
    """The verdicts on the attempt that counts."""
    return [verdict for verdict in dialogue.verdicts if verdict.attempt == dialogue.started.attempt]


def latest(dialogue: Dialogue, rubric: str = "") -> Verdict | None:
    """The newest verdict on a dialogue, or the newest that answers to `rubric` as in `judging`."""
    return next((v for v in reversed(verdicts(dialogue)) if _answers_to(judged_by(v), rubric)), None)


def _answers_to(each: Judging, wanted: str) -> bool:
    return not wanted or wanted in (each.rubric_name, each.judge) or each.rubric.startswith(wanted)
