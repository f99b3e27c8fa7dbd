"""Which verdicts are used: those of one judge under one rubric, never a mixture."""

from collections.abc import Iterable, Sequence

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


def judging(runs: Sequence[Run], rubric: str = "", judge: str = "") -> Judging:
    """Whose verdicts to use: the newest, or the newest of those that `rubric` and `judge` name.

    `rubric` is a rubric's name, or its fingerprint or the beginning of that; `judge` is a judge's model, with
    or without its provider and folder. Raises BadInput where no verdict answers to them.
    """
    newest: dict[Judging, float] = {}
    for run in runs:
        for verdict in (verdict for dialogue in run.dialogues for verdict in verdicts(dialogue)):
            each = judged_by(verdict)
            newest[each] = max(verdict.time, newest.get(each, verdict.time))
    fitting = _fitting(newest, rubric, judge)
    if (rubric or judge) and not fitting:
        raise _unknown(runs, list(newest), rubric, judge)
    return max(fitting, key=lambda each: (newest[each], each.rubric, each.judge), default=Judging())


def judged_by(verdict: Verdict) -> Judging:
    return Judging(rubric=verdict.rubric, rubric_name=verdict.rubric_name, judge=verdict.judge)


def verdicts(dialogue: Dialogue) -> list[Verdict]:
    """The verdicts on the attempt that counts."""
    return [verdict for verdict in dialogue.verdicts if verdict.attempt == dialogue.started.attempt]


def latest(dialogue: Dialogue, rubric: str = "", judge: str = "") -> Verdict | None:
    """The newest verdict on a dialogue, or the newest that answers to `rubric` and `judge` as in `judging`."""
    held = verdicts(dialogue)
    fitting = _fitting([judged_by(verdict) for verdict in held], rubric, judge)
    return next((verdict for verdict in reversed(held) if judged_by(verdict) in fitting), None)


def _fitting(known: Iterable[Judging], rubric: str, judge: str) -> list[Judging]:
    """Those that answer to both names; a judge's whole name goes before a shortened one."""
    under = [each for each in known if not rubric or rubric == each.rubric_name or each.rubric.startswith(rubric)]
    exact = [each for each in under if judge in ("", each.judge)]
    return exact or [each for each in under if judge in _spellings(each.judge) or each.judge in _spellings(judge)]


def _spellings(judge: str) -> set[str]:
    """A judge's name, without its provider, and without the folders of its file."""
    kind, between, rest = judge.partition(":")
    model = rest if between else judge
    file = model.replace("\\", "/").rpartition("/")[2]
    return {judge, model, file, f"{kind}:{file}"}


def _unknown(runs: Sequence[Run], known: Sequence[Judging], rubric: str, judge: str) -> BadInput:
    told = " ".join(([f"by {judge!r}"] if judge else []) + ([f"under {rubric!r}"] if rubric else []))
    names = sorted({each.judge for each in known} if judge else {each.rubric_name for each in known})
    there = dict.fromkeys(f"{each.judge} under {each.rubric_name} ({each.rubric[:8]})" for each in known)
    return BadInput(
        f"no verdict {told}{nearest(judge or rubric, names)}",
        ", ".join(str(run.folder) for run in runs),
        f"There are: {', '.join(there)}" if there else f"Judge it first: duologue judge {runs[0].folder}",
    )
