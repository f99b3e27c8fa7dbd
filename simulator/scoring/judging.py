"""Which verdicts are used: those of one judge under one rubric, never a mixture.

The world's end state has a judge of its own, which needs no model. Its verdicts stand beside the others'.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from duologue.agents.rubric import read_rubric
from duologue.agents.verdict import Verdict
from duologue.record.digest import VerdictDigest
from duologue.record.run import Run
from duologue.tasks.written import BadInput, Written, nearest

__all__ = ["BETWEEN", "STATE", "Judging", "by_state", "heard", "judged_by", "judging", "others", "panel_of"]

STATE = "state"
"""What the judge that reads end states is called, and its rubric. Reading its verdicts must not load it."""


BETWEEN = " + "
"""What stands between the names of a panel."""

Given = TypeVar("Given", Verdict, VerdictDigest)


class Judging(Written):
    """Which verdicts are used: those of one judge, or of a panel of several, under one rubric."""

    rubric: str = ""
    """The rubric's fingerprint."""
    rubric_name: str = ""
    judge: str = ""
    """The judge's model, or those of a panel with ` + ` between them."""
    panel: tuple[str, ...] = ()
    """Those of a panel one by one."""

    @property
    def judges(self) -> tuple[str, ...]:
        """Everybody whose verdicts are used."""
        return self.panel or (self.judge,)

    def covers(self, other: "Judging") -> bool:
        """Whether it uses the verdicts of `other`, a judge or a panel."""
        under = (self.rubric, self.rubric_name) == (other.rubric, other.rubric_name)
        return under and set(other.judges) <= set(self.judges)

    @property
    def of_state(self) -> bool:
        """Whether it is the reading of the world's end state."""
        return self.judge == self.rubric_name == STATE


def judging(runs: Sequence[Run], rubric: str = "", judge: str = "") -> Judging:
    """Whose verdicts to use: the newest, or the newest of those that `rubric` and `judge` name. Where the campaign has
    a panel, its judges count together, and one of them is meant alone where it is named.

    `rubric` is a rubric's name, or its fingerprint or the beginning of that, or the TOML file that it stands in;
    `judge` is a judge's model, with or without its provider and folder. Those of the state are meant only where they
    are named. Raises BadInput where no verdict answers to them.
    """
    newest = _known(runs, judge)
    under = read_rubric(rubric).fingerprint if rubric.endswith(".toml") else rubric
    fitting = _meant(_fitting(newest, under, judge), under, judge)
    if (rubric or judge) and not fitting:
        raise _unknown(runs, list(newest), rubric, judge)
    return max(fitting, key=lambda each: (newest[each], bool(each.panel), each.rubric, each.judge), default=Judging())


def others(run: Run, used: Judging, state: Judging) -> tuple[Judging, ...]:
    """Who else judged, beside `used` and `state`; the judges of a panel together."""
    known = [each for each in _known([run]) if each != state and not used.covers(each)]
    panels = [each for each in known if each.panel]
    return tuple(each for each in known if each.panel or not any(panel.covers(each) for panel in panels))


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


def heard(verdicts: Iterable[Given], used: Judging) -> list[Given]:
    """The verdicts on a dialogue that `used` means: of each judge and each of its looks the newest, look by look."""
    rubric, name, judges = used.rubric, used.rubric_name, used.judges
    held = [each for each in verdicts if each.rubric == rubric and each.judge in judges and each.rubric_name == name]
    if len(held) < 2:
        return held
    found = {(each.judge, each.look): each for each in held}
    return [found[key] for key in sorted(found, key=lambda key: (judges.index(key[0]), key[1]))]


def panel_of(judges: Sequence[str], rubric: str, rubric_name: str) -> Judging:
    """The judging of several judges, or of one."""
    panel = tuple(judges) if len(judges) > 1 else ()
    return Judging(rubric=rubric, rubric_name=rubric_name, judge=BETWEEN.join(judges), panel=panel)


def _known(runs: Sequence[Run], named: str = "") -> dict[Judging, float]:
    """Everybody who judged, and the panels of the campaigns and the one that is `named`, with the newest time."""
    newest = _newest(runs)
    panels = dict.fromkeys([*(run.manifest.judges for run in runs), tuple(named.split(BETWEEN))])
    for rubric, name in dict.fromkeys((each.rubric, each.rubric_name) for each in newest):
        under = {each.judge: time for each, time in newest.items() if (each.rubric, each.rubric_name) == (rubric, name)}
        for panel in panels:
            there = list(dict.fromkeys(judge for member in panel for judge in _called(member, under)))
            if len(panel) > 1 and len(there) > 1:
                newest[panel_of(there, rubric, name)] = max(under[judge] for judge in there)
    return newest


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
    return exact or [each for each in under if _answers(judge, each)]


def _answers(named: str, each: Judging) -> bool:
    """Whether a judge, or each of a panel, is meant by what is named."""
    members = named.split(BETWEEN) if each.panel else [named]
    return len(members) == len(each.judges) and all(_called(member, each.judges) for member in members)


def _called(named: str, judges: Iterable[str]) -> list[str]:
    """Who of `judges` is meant by a name: the one that has it, else those that it is short for."""
    known = list(judges)
    return [named] if named in known else [judge for judge in known if _means(named, judge)]


def _means(named: str, judge: str) -> bool:
    """Whether a judge is meant by a name, with or without its provider and folder."""
    return named in _spellings(judge) or judge in _spellings(named)


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
