"""A rubric: what a judge is asked about a transcript, and what it is shown. People write their own."""

import re
from collections.abc import Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from duologue.agents.dimension import Dimension, Input, Scale, known_inputs
from duologue.tasks.written import BadInput, Written, fingerprint, nearest, parse, read_toml

__all__ = ["Dimension", "Input", "Rubric", "Scale", "read_rubric"]

_PLACE = re.compile(r"\bdimensions\.(\d+)\b")
_EXAMPLE = 'Write it like name = "kindness", scale = {low = 1, high = 5}, question = "How kind is it?"'


class Rubric(Written):
    """The questions of one judgement."""

    name: str = Field(min_length=1)
    inputs: tuple[Input, ...] = ("task", "profile", "preferences")
    """What the judge is shown beside what was said."""
    calls: Literal["one", "each"] = "one"
    """Whether all is asked in one call, or each dimension in a call of its own, the preferences together in one."""
    preferences: bool = True
    """Whether to ask for outcome and route of each preference that matters to the task. A rubric that does not say
    asks for them, unless it compares pairs, or has dimensions and inputs without them."""
    dimensions: tuple[Dimension, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _no_outcomes_unasked(cls, value: Any) -> Any:
        if isinstance(value, dict) and "preferences" not in value and _asks_for_none(value):
            return {**value, "preferences": False}
        return value

    @field_validator("inputs", mode="before")
    @classmethod
    def _known_inputs(cls, value: Any) -> Any:
        return known_inputs(value)

    @model_validator(mode="after")
    def _asks_something(self) -> "Rubric":
        if fault := next(filter(None, (check(self) for check in _CHECKS)), ""):
            raise ValueError(fault)
        return self

    @property
    def pairwise(self) -> bool:
        """Whether it compares two dialogues, and does not grade one."""
        return any(dimension.scale == "pair" for dimension in self.dimensions)

    def shown(self, dimension: Dimension | None = None) -> tuple[Input, ...]:
        """What is shown for `dimension`, or for the preferences."""
        own = dimension.inputs if dimension else None
        return self.inputs if own is None else own

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits that change with whatever shapes the questions: the rubric's content but for its name,
        and the prompt files of judges."""
        return self.fingerprint_with(files("duologue.agents") / "prompts")

    def fingerprint_with(self, prompts: Traversable) -> str:
        """The fingerprint under the prompt files in the folder `prompts`."""
        asker = "duel" if self.pairwise else "judge"
        words = [file for file in prompts.iterdir() if file.name.startswith(asker) and file.name.endswith(".md")]
        asked = [(d.model_dump(mode="json", exclude={"inputs"}), self.shown(d)) for d in self.dimensions]
        outcomes = self.inputs if self.preferences else None
        return fingerprint(
            self.calls, asked, outcomes, sorted((file.name, file.read_text(encoding="utf-8")) for file in words)
        )


def read_rubric(name_or_path: str = "default", beside: Path = Path()) -> Rubric:
    """A shipped rubric by its name, or one in a TOML file whose path counts from `beside`.

    Raises BadInput where there is none, or where it is not a rubric.
    """
    if name_or_path in (shipped := _shipped()):
        return _checked(read_toml(shipped[name_or_path]), f"rubric {name_or_path}")
    path = beside / name_or_path
    if path.suffix != ".toml" and not path.exists():
        known = ", ".join(sorted(shipped))
        raise BadInput(
            f"no rubric {name_or_path!r}{nearest(name_or_path, shipped)}", then=f"name one of: {known}, or a .toml file"
        )
    return _checked(read_toml(path), str(path))


def _checked(data: dict[str, Any], where: str) -> Rubric:
    """`data` as a rubric. Raises BadInput that calls a dimension by its name and shows what is missing."""
    try:
        return parse(Rubric, data, where)
    except BadInput as fault:
        what = fault.what.replace(".scale.points", ".scale")
        then = fault.then
        if found := _PLACE.search(what):
            what = what.replace(found[0], _called(data["dimensions"], int(found[1])))
            then = _EXAMPLE if "required" in what else then
        elif what.startswith("dimensions: "):
            what, then = (
                "dimensions: expected a list of tables",
                "Write [[dimensions]], with two brackets, above each one",
            )
        raise BadInput(what, where, then) from None


def _called(dimensions: Any, place: int) -> str:
    """The dimension at a place, counted from 0, as people find it: by its name, else by its number."""
    table = dimensions[place]
    name = table.get("name") if isinstance(table, dict) else None
    return f"dimension {name if isinstance(name, str) and name else f'number {place + 1}'}"


def _shipped() -> dict[str, Path]:
    folder = Path(str(files("duologue.agents") / "rubrics"))
    return {path.stem: path for path in folder.glob("*.toml")}


def _asks_for_none(written: dict[str, Any]) -> bool:
    """Whether a rubric as it was written cannot mean to ask what became of preferences."""
    dimensions, shown = written.get("dimensions"), written.get("inputs")
    named = [shown] if isinstance(shown, str) else shown
    hidden = isinstance(named, list | tuple) and "preferences" not in named
    return _scales(dimensions) == {"pair"} or (bool(dimensions) and hidden)


def _scales(dimensions: Any) -> set[str]:
    """The kinds of scale in `dimensions` as they were written."""
    tables = dimensions if isinstance(dimensions, list | tuple) else ()
    scales: Iterable[Any] = (d.get("scale") if isinstance(d, dict) else getattr(d, "scale", None) for d in tables)
    return {scale if isinstance(scale, str) else "points" for scale in scales}


def _name_fault(rubric: Rubric) -> str:
    names = [dimension.name for dimension in rubric.dimensions]
    twice = next((name for name in names if names.count(name) > 1), "")
    return f"two dimensions are named {twice!r}" if twice else ""


def _empty_fault(rubric: Rubric) -> str:
    if rubric.dimensions or rubric.preferences:
        return ""
    return "asks nothing: write [[dimensions]] with name, scale and question, or preferences = true"


def _pair_fault(rubric: Rubric) -> str:
    if not rubric.pairwise:
        return ""
    if graded := next((d.name for d in rubric.dimensions if d.scale != "pair"), ""):
        return (
            f'{graded!r} grades one dialogue and others compare two: write scale = "pair" for all of them or for none'
        )
    return "preferences = true is for grading one dialogue; drop it" if rubric.preferences else ""


def _input_fault(rubric: Rubric) -> str:
    own = next((d.name for d in rubric.dimensions if d.inputs is not None), "")
    if own and rubric.calls == "one":
        return f'{own!r} has inputs of its own, which need a call of its own: write calls = "each" above the dimensions'
    if rubric.preferences and "preferences" not in rubric.inputs:
        return 'asks about each preference and shows none: add "preferences" to inputs, or write preferences = false'
    return ""


_CHECKS = (_name_fault, _empty_fault, _pair_fault, _input_fault)
