"""The paper: dialogues in which all is well, and of each some with one fault planted, read from the data files."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

from pydantic import Field, model_validator

from duologue.agents.message import Message
from duologue.agents.rubric import Rubric
from duologue.agents.transcript import Transcript
from duologue.agents.verdict import Outcome, Route
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Relevance, Task
from duologue.tasks.written import BadInput, Written, fingerprint, parse, read_toml

__all__ = ["Exhibit", "Item", "Kind", "Sign", "read_kinds", "read_paper"]


class Sign(Written):
    """What a judge says where it sees a fault: a low score, or one of some outcomes or routes of a preference."""

    score: str = ""
    """A dimension's name. Low is no, or a point not above the middle of the scale."""
    outcome: tuple[Outcome, ...] = ()
    route: tuple[Route, ...] = ()

    @model_validator(mode="after")
    def _says_one_thing(self) -> "Sign":
        if sum(map(bool, (self.score, self.outcome, self.route))) != 1:
            raise ValueError("needs exactly one of score, outcome, route")
        return self


class Kind(Written):
    """A kind of fault. Of its signs the first that a rubric asks about counts."""

    name: str
    title: str
    signs: tuple[Sign, ...] = Field(min_length=1)


class Said(Written):
    """A turn of both sides; in a fault, empty is as it was."""

    user: str = ""
    assistant: str = ""


class Fault(Written):
    """What turns a good dialogue into a faulty one: other words, by the number of the turn."""

    kind: str
    preference: Relevance | None = None
    """The one that it is about, where it is about one."""
    turns: dict[int, Said] = Field(min_length=1)


class Sheet(Written):
    """A file: a good dialogue, and faults to plant in it."""

    profile: Profile
    task: Task
    turns: tuple[Said, ...] = Field(min_length=1)
    faults: tuple[Fault, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Exhibit:
    """A transcript to be judged."""

    scenario: Scenario
    script: Transcript

    @cached_property
    def cell(self) -> str:
        """Sixteen hex digits that change with anything that a judge may be shown."""
        said = [[message.role, message.text] for message in self.script.messages]
        return fingerprint(self.scenario.profile, self.scenario.task, said)


@dataclass(frozen=True, slots=True)
class Item:
    """A planted fault: the faulty dialogue and the good one."""

    name: str
    kind: Kind
    preference: Relevance | None
    faulty: Exhibit
    sound: Exhibit

    def sign(self, rubric: Rubric) -> Sign | None:
        """What shows the fault under `rubric`; None where it asks nothing that would."""
        names = {dimension.name for dimension in rubric.dimensions}
        of_preference = rubric.preferences and self.preference is not None
        return next((sign for sign in self.kind.signs if (sign.score in names if sign.score else of_preference)), None)


def read_kinds() -> dict[str, Kind]:
    """The kinds of fault by name, in the order shown."""
    path = _folder() / "kinds.toml"
    kinds = [parse(Kind, each, str(path)) for each in read_toml(path)["kinds"]]
    return {kind.name: kind for kind in kinds}


def read_paper() -> tuple[Item, ...]:
    """Every planted fault. Raises BadInput where a data file is damaged."""
    kinds = read_kinds()
    paths = sorted((_folder() / "papers").iterdir(), key=lambda path: path.name)
    return tuple(item for path in paths if path.name.endswith(".toml") for item in _items(path, kinds))


def _folder() -> Traversable:
    return files("duologue.exam")


def _items(path: Traversable, kinds: dict[str, Kind]) -> Iterator[Item]:
    sheet = parse(Sheet, read_toml(path), str(path))
    scenario = Scenario(sheet.profile, sheet.task)
    sound = Exhibit(scenario, _script(sheet.turns))
    for fault in sheet.faults:
        if fault.kind not in kinds:
            raise BadInput(f"no kind of fault {fault.kind!r}", str(path), f"There are: {', '.join(kinds)}")
        name = f"{path.name.removesuffix('.toml')}: {fault.kind}"
        faulty = Exhibit(scenario, _script(_planted(sheet.turns, fault)))
        yield Item(name, kinds[fault.kind], fault.preference, faulty, sound)


def _planted(turns: tuple[Said, ...], fault: Fault) -> Iterator[Said]:
    """The turns with those of the fault in their place or, beyond the last, behind them."""
    for number in range(1, max(len(turns), *fault.turns) + 1):
        was = turns[number - 1] if number <= len(turns) else Said()
        now = fault.turns.get(number, Said())
        yield Said(user=now.user or was.user, assistant=now.assistant or was.assistant)


def _script(turns: "tuple[Said, ...] | Iterator[Said]") -> Transcript:
    said = [(Message("user", turn.user), Message("assistant", turn.assistant)) for turn in turns]
    return Transcript(tuple(message for both in said for message in both))
