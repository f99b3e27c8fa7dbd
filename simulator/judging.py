"""Which verdicts are used: those of one judge under one rubric, never a mixture.

The world's end state has a judge of its own, which needs no model. Its verdicts stand beside the others'.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from duologue.agents.verdict import Verdict
from duologue.digest import VerdictDigest
from duologue.record import Dialogue, Run
from duologue.tasks.written import BadInput, Written, nearest

__all__ = ["STATE", "Judging", "by_state", "judged_by", "judging", "latest"]

STATE = "state"
"""What the judge that reads end states is called, and its rubric. Reading its verdicts must not load it."""


class Judging(Written):
    """Which verdicts are used: those of one judge under one rubric."""

    rubric: str = ""
    """The rubric's fingerprint."""
    rubric_name: str = ""
    judge: str = ""

    @property
    def of_state(self) -> bool:
        """Whether it is the reading of the world's end state."""
        return self.judge == self.rubric_name == STATE


def judging(runs: Sequence[Run], rubric: str = "", judge: str = "") -> Judging:
    """Whose verdicts to use: the newest, or the newest of those that `rubric` and `judge` name.

    `rubric` is a rubric's name, or its fingerprint or the beginning of that; `judge` is a judge's model, with
    or without its provider and folder. Those of the state are meant only where they are named. Raises BadInput
    where no verdict answers to them.
    """
    newest = _newest(runs)
    fitting = _meant(_fitting(newest, rubric, judge), rubric, judge)
    if (rubric or judge) and not fitting:
        raise _unknown(runs, list(newest), rubric, judge)
    return max(fitting, key=lambda each: (newest[each], each.rubric, each.judge), default=Judging())


def by_state(runs: Sequence[Run]) -> Judging:
    """The newest reading of the end states; empty where there is none."""
    newest = {each: time for each, time in _newest(runs).items() if each.of_state}
    return max(newest, key=lambda each: (newest[each], each.rubric), default=Judging())


def judged_by(verdict: Verdict | VerdictDigest) -> Judging:
    """Whose verdict it is."""
    return _judging(verdict.rubric, verdict.rubric_name, verdict.judge)


@lru_cache(maxsize=256)
def _judging(rubric: str, rubric_name: str, judge: str) -> Judging:
    return Judging(rubric=rubric, rubric_name=rubric_name, judge=judge)


def latest(dialogue: Dialogue, rubric: str = "", judge: str = "") -> Verdict | None:
    """The newest verdict on a dialogue, or the newest that answers to `rubric` and `judge` as in `judging`.

    Where neither is named and nothing but the state was judged, that.
    """
    held = [verdict for verdict in dialogue.verdicts if verdict.attempt == dialogue.started.attempt]
    fitting = _fitting([judged_by(verdict) for verdict in held], rubric, judge)
    fitting = _meant(fitting, rubric, judge) or ([] if rubric or judge else fitting)
    return next((verdict for verdict in reversed(held) if judged_by(verdict) in fitting), None)


def _newest(runs: Sequence[Run]) -> dict[Judging, float]:
    """Everybody who judged, with the time of the last verdict."""
    newest: dict[tuple[str, str, str], float] = {}
    for run in runs:
        for verdict in (verdict for dialogue in run.dialogues for verdict in dialogue.verdicts):
            each = verdict.rubric, verdict.rubric_name, verdict.judge
            newest[each] = max(verdict.time, newest.get(each, verdict.time))
    return {Judging(rubric=each[0], rubric_name=each[1], judge=each[2]): time for each, time in newest.items()}


def _meant(fitting: Iterable[Judging], rubric: str, judge: str) -> list[Judging]:
    """Without the state's, unless it is named."""
    named = STATE in (rubric, judge)
    return [each for each in fitting if named or not each.of_state or (rubric and each.rubric.startswith(rubric))]


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
