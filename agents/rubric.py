"""A rubric: what a judge is asked about a transcript, and on which scales. People write their own."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from duologue.tasks.written import BadInput, Written, fingerprint, nearest, parse, read_toml

__all__ = ["Dimension", "Rubric", "Scale", "read_rubric"]


class Scale(Written):
    """Whole numbers from `low` to `high`, the higher the better."""

    low: int
    high: int

    @model_validator(mode="after")
    def _has_points(self) -> "Scale":
        if not self.low < self.high:
            raise ValueError("low must be below high")
        return self

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


def _kind(scale: Any) -> str:
    return "points" if isinstance(scale, dict | Scale) else "yes_no"


class Dimension(Written):
    """One question about the transcript."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    scale: Annotated[
        Annotated[Literal["yes_no"], Tag("yes_no")] | Annotated[Scale, Tag("points")], Discriminator(_kind)
    ]
    about: Literal["assistant", "user", "dialogue"] = "dialogue"
    question: str = Field(min_length=1)
    anchors: dict[str, str] = Field(default_factory=dict)
    """What points of the scale mean, by the point: `1`, `2`, ..., or `yes` and `no`."""
    needs_preferences: bool = False
    """Whether it makes no sense for a task to which no preference of the user matters."""
    grounds: bool = True
    """Whether a small judge, too, gives reason and quote, and not the score alone. Others always do."""

    def __hash__(self) -> int:
        return hash(self.name)

    @field_validator("scale", mode="before")
    @classmethod
    def _plain_fault(cls, value: Any) -> Any:
        if value == "yes_no" or isinstance(value, dict | Scale):
            return value
        raise ValueError('expected "yes_no" or {low = 1, high = 5}')

    @property
    def points(self) -> tuple[str, ...]:
        """The points of the scale, as words, the lowest first."""
        if isinstance(self.scale, Scale):
            return tuple(str(point) for point in range(self.scale.low, self.scale.high + 1))
        return ("no", "yes")

    @model_validator(mode="after")
    def _anchors_on_scale(self) -> "Dimension":
        stray = next((point for point in self.anchors if point not in self.points), None)
        if stray is not None:
            raise ValueError(
                f"anchor {stray!r} of {self.name!r} is not a point of its scale ({', '.join(self.points)})"
            )
        return self


class Rubric(Written):
    """The questions of one judgement."""

    name: str = Field(min_length=1)
    dimensions: tuple[Dimension, ...] = ()
    preferences: bool = True
    """Whether to ask for outcome and route of each preference that matters to the task."""

    @model_validator(mode="after")
    def _asks_something(self) -> "Rubric":
        names = [dimension.name for dimension in self.dimensions]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two dimensions are named {twice!r}")
        if not names and not self.preferences:
            raise ValueError("asks nothing: it needs dimensions, or preferences = true")
        return self

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits that change with the rubric's content and with the judge's prompt files."""
        return self.fingerprint_with(files("duologue.agents") / "prompts")

    def fingerprint_with(self, prompts: Traversable) -> str:
        """The fingerprint under the judge's prompt files in the folder `prompts`."""
        judge = [file for file in prompts.iterdir() if file.name.startswith("judge")]
        return fingerprint(self, sorted((file.name, file.read_text(encoding="utf-8")) for file in judge))


def read_rubric(name_or_path: str = "default", beside: Path = Path()) -> Rubric:
    """A shipped rubric by its name, or one in a TOML file whose path counts from `beside`.

    Raises BadInput where there is none, or where it is not a rubric.
    """
    if name_or_path in (shipped := _shipped()):
        return parse(Rubric, read_toml(shipped[name_or_path]), f"rubric {name_or_path}")
    path = beside / name_or_path
    if path.suffix != ".toml" and not path.exists():
        known = ", ".join(sorted(shipped))
        raise BadInput(
            f"no rubric {name_or_path!r}{nearest(name_or_path, shipped)}", then=f"name one of: {known}, or a .toml file"
        )
    return parse(Rubric, read_toml(path), path)


def _shipped() -> dict[str, Path]:
    folder = Path(str(files("duologue.agents") / "rubrics"))
    return {path.stem: path for path in folder.glob("*.toml")}
