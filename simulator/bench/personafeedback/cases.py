"""The cases of PersonaFeedback as they are published: personas, and pairs of answers of which people chose one.

Source: Tao et al. 2025, "PersonaFeedback: A Large-scale Human-annotated Benchmark For Personalization",
arXiv 2506.12915. The layout is that of its release; two fields that it does not have may be added to a case: `votes`,
see `votes_in`, and `relies_on`, see `relied_in`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duologue.tasks.written import BadInput, Line, read_lines

__all__ = ["BOTH", "FAMILIES", "TIERS", "Case", "Cases", "Persona", "object_in", "read_cases", "relied_in", "votes_in"]

FAMILIES: Mapping[str, tuple[str, ...]] = {"general": ("general",), "specific": ("spedific", "specific")}
"""The folders of each family; the release spells one of them so."""
BOTH = ("chosen", "rejected")
TIERS = ("easy", "medium", "hard")
PERSONAS = Path("persona") / "all_personas.jsonl"
REJECTED = ("reject", "rejected")


@dataclass(frozen=True, slots=True)
class Persona:
    """One line of the personas' file. Its number, from 1, is its id."""

    id: str
    sections: Mapping[str, Any]

    @property
    def facts(self) -> tuple[str, ...]:
        """Everything it says, one fact each: the leaves of its sections, with where they stand."""
        return tuple(fact for name, value in self.sections.items() for fact in _leaves(name, value))


@dataclass(frozen=True, slots=True)
class Case:
    """A question of a person, and two answers."""

    id: str
    family: str
    tier: str
    persona: str
    question: str
    chosen: str
    rejected: str
    votes: tuple[str, ...] = ()
    """What each annotator chose, where the data tell."""
    relies_on: tuple[str, ...] = field(default=(), repr=False)
    """Where the data tell, the numbers of the persona's facts, from 1, that the chosen answer relies on."""

    @property
    def both(self) -> tuple[tuple[str, str], ...]:
        """Which answer it is, and the answer."""
        return tuple(zip(BOTH, (self.chosen, self.rejected), strict=True))


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases and the personas that they speak of."""

    personas: Mapping[str, Persona]
    cases: tuple[Case, ...]


def read_cases(folder: Path) -> Cases:
    """The cases in `folder`. Raises BadInput: what is missing, or which line is wrong, and what to do."""
    personas = {persona.id: persona for persona in _personas(folder)}
    cases = tuple(case for family in FAMILIES for tier in TIERS for case in _cases(folder, family, tier, personas))
    if not cases:
        wanted = "data/general/easy.jsonl, data/spedific/hard.jsonl and so on"
        raise BadInput("holds no cases", folder, f"Give the folder of the release: it holds {PERSONAS} and {wanted}")
    return Cases(personas, cases)


def _personas(folder: Path) -> Iterator[Persona]:
    path = folder / PERSONAS
    if not path.is_file():
        raise BadInput(f"has no {PERSONAS.as_posix()}", folder, "Give the folder of the release, which holds it")
    for line in read_lines(path):
        held = {name: value for name, value in object_in(line).items() if value not in (None, "")}
        yield Persona(_number(line), held)


def _cases(folder: Path, family: str, tier: str, personas: Mapping[str, Persona]) -> Iterator[Case]:
    held = [folder / "data" / name / f"{tier}.jsonl" for name in FAMILIES[family]]
    there = [path for path in held if path.is_file()]
    if len(there) > 1:
        raise BadInput(f"stands beside {there[0]}: the same cases twice", there[1], "Take one of the folders away")
    for line in read_lines(there[0]) if there else ():
        yield _case(object_in(line), f"{family}/{tier}/{_number(line)}", line.where, personas)


def _number(line: Line) -> str:
    """Its place in the file, from 1, blank lines counted."""
    return line.where.rpartition(":")[2]


def object_in(line: Line) -> Mapping[str, Any]:
    """The object in a line. Raises BadInput where it is none."""
    data = line.data()
    if not isinstance(data, dict):
        raise BadInput("is no JSON object", line.where, "Mend the line, or take it away")
    return data


def _case(data: Mapping[str, Any], id: str, where: str, personas: Mapping[str, Persona]) -> Case:
    family, tier, _ = id.split("/")
    rejected = next((name for name in REJECTED if name in data), REJECTED[0])
    persona = _persona_of(data, where, personas)
    texts = {name: _text(data, name, where) for name in ("question", "chosen", rejected)}
    return Case(
        id=id,
        family=family,
        tier=tier,
        persona=persona,
        question=texts["question"],
        chosen=texts["chosen"],
        rejected=texts[rejected],
        votes=votes_in(data, where),
        relies_on=relied_in(data, where, personas[persona]),
    )


def votes_in(data: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """What the annotators chose: a list, or how often each. Raises BadInput where `votes` is neither."""
    votes = data.get("votes")
    if isinstance(votes, Mapping) and all(isinstance(times, int) and times >= 0 for times in votes.values()):
        return tuple(str(vote) for vote, times in votes.items() for _ in range(times))
    if isinstance(votes, list) and all(isinstance(vote, str | int) for vote in votes):
        return tuple(map(str, votes))
    if votes is None:
        return ()
    then = 'Write them like ["chosen", "rejected"] or {"chosen": 7, "rejected": 2}'
    raise BadInput("votes is neither a list nor a table of counts", where, then)


def relied_in(data: Mapping[str, Any], where: str, persona: Persona) -> tuple[str, ...]:
    """The numbers of the facts in `relies_on`, a field that the release does not have and that whoever annotates may
    add: a list of the numbers of facts, from 1 as they stand in the persona, or of the facts' words, such as
    `"Preference, Food: spicy soups"` or `"spicy soups"`. Raises BadInput where one is no fact, or several."""
    relied = data.get("relies_on", [])
    if not isinstance(relied, list):
        then = 'Write numbers or words of its facts, like [2, "spicy soups"]'
        raise BadInput(f"relies_on is {relied!r}, no list", where, then)
    return tuple(dict.fromkeys(_fact_of(each, where, persona) for each in relied))


def _fact_of(named: object, where: str, persona: Persona) -> str:
    """The number of the one fact that is named."""
    facts = {str(number): fact for number, fact in enumerate(persona.facts, 1)}
    meant = str(named).strip()
    fitting = [number for number, fact in facts.items() if meant in (number, fact, fact.partition(": ")[2])]
    if isinstance(named, bool) or len(fitting) != 1:
        told = f"the facts {' and '.join(fitting)}" if fitting else f"none of the {len(facts)} facts"
        raise BadInput(f"relies_on names {named!r}, {told} of persona {persona.id}", where, "Give one fact's number")
    return fitting[0]


def _persona_of(data: Mapping[str, Any], where: str, personas: Mapping[str, Persona]) -> str:
    id = data.get("user_id")
    if isinstance(id, bool) or not isinstance(id, int | str) or str(id).strip() not in personas:
        there = f"has {len(personas)}, the last on line {list(personas)[-1]}" if personas else "is empty"
        raise BadInput(
            f"user_id is {id!r}, and {PERSONAS.as_posix()} {there}",
            where,
            "Give the line of its persona there, counted from 1",
        )
    return str(id).strip()


def _text(data: Mapping[str, Any], name: str, where: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        why = "empty" if isinstance(value, str) else "missing" if name not in data else "no text"
        raise BadInput(f"{name} is {why}", where, "Mend the line, or take it away")
    return value.strip()


def _leaves(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(f"{name}, {key}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(name, inner)
    elif value not in (None, ""):
        yield f"{name}: {value}"
