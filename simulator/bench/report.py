"""What a bench says in the end: tables of figures, and what to know about them."""

from pydantic import Field

from duologue.agents.usage import Usage
from duologue.tasks.written import Written

__all__ = ["Figure", "Line", "Report", "Table"]


class Figure(Written):
    """One number. `value` is None where there is none; `why` then says so."""

    value: float | None = None
    low: float | None = None
    """Its 95 % interval, clustered as the table's `clusters` say; None where none is shown."""
    high: float | None = None
    n: int = 0
    """Over how many items."""
    unscored: int = 0
    """Items that are not in it, since nothing could be scored."""
    why: str = ""


class Line(Written):
    """One row of a table."""

    name: tuple[str, ...]
    """What it is of, such as `("specific", "hard")`."""
    figures: dict[str, Figure]


class Table(Written):
    """Figures of the same kinds, row by row."""

    title: str
    names: tuple[str, ...]
    """What the parts of a line's name are, such as `("family", "tier")`."""
    shares: tuple[str, ...] = ()
    """Figures that are shown in percent."""
    clusters: str = ""
    """What the intervals are clustered by; empty where there are none."""
    lines: tuple[Line, ...]
    comparable_to_paper: dict[str, bool] = Field(default_factory=dict)
    """Of figures that have a namesake in the paper, whether they were got in the same way."""


class Report(Written):
    """What a bench found."""

    bench: str
    folder: str
    data: str
    models: dict[str, str]
    """By role."""
    options: dict[str, str]
    """What was chosen, in words."""
    items: int
    asked: int
    """Questions of the whole bench that are known so far."""
    answered: int
    failed: dict[str, int] = Field(default_factory=dict)
    """Questions without an answer, by owner and reason, such as `infrastructure: timeout`."""
    tables: tuple[Table, ...]
    usage: dict[str, Usage] = Field(default_factory=dict)
    """Tokens by role."""
    cost: dict[str, float | None] = Field(default_factory=dict)
    """By role in `currency`; None where a price or a count is unknown."""
    currency: str = ""
    seconds: dict[str, float] = Field(default_factory=dict)
    stopped: str = ""
    """Why it was stopped early, if it was."""
    notes: tuple[str, ...] = ()
    """What a reader of the figures must know."""
