"""A stage: what one dialogue's world holds at the start. It depends on the scenario and never on the assistant.

The catalogue stands as written. A few newcomers, found in this world only, come in beside it; where nothing suits the
user in everything that matters, one of them is made to, so that what the user wants can be had in full. A task may
stage the contrary: what suits best is taken, or nothing suits in everything.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from duologue.tasks.aim import Aim, aims, fits
from duologue.tasks.catalogue import Entity
from duologue.tasks.chance import series
from duologue.tasks.domain import Attribute, Domain, key
from duologue.tasks.task import Task
from duologue.tasks.tool import Tool, tools
from duologue.tasks.wish import Wish, worth

__all__ = ["NEWCOMERS", "Stage", "set_stage"]

NEWCOMERS = 4
"""How many entities of a domain are found in one world only."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What a world is made from. `taken` holds (domain, entity name) of what can be found but not had.

    Equal to itself alone: nobody reads it through to see whether it is another one.
    """

    task: Task
    domains: Mapping[str, Domain]
    aims: tuple[Aim, ...]
    entities: Mapping[str, tuple[Entity, ...]]
    taken: frozenset[tuple[str, str]] = frozenset()
    searched: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)
    """What searches have found: whoever meets the stage searches for much the same."""

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of its domains, in their order."""
        return tools(self.domains.values())

    @cached_property
    def tool_named(self) -> Mapping[str, Tool]:
        """Its tools by name."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def by_name(self) -> Mapping[str, Mapping[str, Entity]]:
        """By domain and case-folded name, the first entity of that name."""
        return {
            domain: {entity.name.casefold(): entity for entity in reversed(held)}
            for domain, held in self.entities.items()
        }

    def available(self, domain: str, entity: Entity) -> bool:
        return (domain, entity.name) not in self.taken


def set_stage(task: Task, domains: Mapping[str, Domain], wishes: Sequence[Wish], *seed: Any) -> Stage:
    """The stage for a user with these wishes; equal for equal `seed`. Raises BadInput where the task requires what its
    domains do not keep."""
    aimed = aims(task, domains)
    held = {name: domains[name] for name in task.domains if name in domains}
    entities: dict[str, tuple[Entity, ...]] = {}
    taken: set[tuple[str, str]] = set()
    for name, domain in held.items():
        own = [aim for aim in aimed if aim.domain.name == name and aim.entity_field and not aim.gone]
        entities[name] = _entities(task, domain, own, wishes, (*seed, "world", name)) if domain.entity else ()
        taken |= {(name, lost) for lost in _taken(task, own, entities[name], wishes)}
    return Stage(task, held, aimed, entities, frozenset(taken))


def _entities(
    task: Task, domain: Domain, own: Sequence[Aim], wishes: Sequence[Wish], seed: tuple[Any, ...]
) -> tuple[Entity, ...]:
    """The catalogue with newcomers among it, each at a place of its own."""
    found, about = list(domain.entities), _tied(domain, wishes)
    unserved = _unserved(task, own, found, about)
    for number, name in enumerate(_names(domain, seed)):
        draws = series(2 * len(domain.catalogue[0]) + 2, *seed, number)
        made = _newcomer(domain, name, draws)
        if number < len(unserved):
            made = _made_to_suit(domain, unserved[number][0], about, unserved[number][1], made, draws)
        found.insert(next(draws) % (len(found) + 1), made)
    return tuple(found)


def _names(domain: Domain, seed: tuple[Any, ...]) -> Iterator[str]:
    known = domain.entity.newcomers if domain.entity and domain.catalogue else ()
    first = next(series(1, *seed, "newcomers"))
    return (known[(first + place) % len(known)] for place in range(min(NEWCOMERS, len(known))))


def _unserved(
    task: Task, own: Sequence[Aim], entities: Sequence[Entity], about: Sequence[Wish]
) -> list[tuple[Aim, Sequence[Wish]]]:
    """What newcomers are to suit: the aims for which nothing does in full, as often as something is missing.

    Where wishes clash, one suits in the first respect and another in the others.
    """
    if not about:
        return []
    if task.staged == "clash":
        return [(aim, part) for aim in own[:1] for part in (about[:1], about[1:])]
    enough = 2 if task.staged == "sold_out" else 1
    suited = [entity for entity in entities if _in_full(entity, about)]
    return [(aim, about) for aim in own for _ in range(enough - sum(fits(aim, entity) for entity in suited))]


def _in_full(entity: Entity, about: Sequence[Wish]) -> bool:
    values = entity.values
    return all(wish.met_by(values[wish.key]) for wish in about if wish.likes)


def _newcomer(domain: Domain, name: str, draws: Iterator[int]) -> Entity:
    """An entity with the facts of one in the catalogue, and in each matter of taste like another one."""
    rows, tastes = domain.entities, {key(type.name) for type in domain.preferences}
    facts = rows[next(draws) % len(rows)].values
    tasty = {name: rows[next(draws) % len(rows)].values[name] for name in facts if name in tastes}
    return Entity(name, {**facts, **tasty})


def _made_to_suit(
    domain: Domain, aim: Aim, about: Sequence[Wish], served: Sequence[Wish], made: Entity, draws: Iterator[int]
) -> Entity:
    """`made` with the facts of one that fits the task, and with a liked value in the respects `served` and no other."""
    first = next(draws) % len(domain.entities)
    around = (*domain.entities[first:], *domain.entities[:first])
    model = next((entity for entity in around if fits(aim, entity)), None)
    if model is None:
        return made
    values = dict(model.values)
    for wish in about:
        attribute = _attribute(domain, wish)
        known = domain.values(wish.key)
        suitable = [value for value in known if wish.met_by(value) is (wish in served)]
        if attribute is not None and suitable and wish.met_by(values[wish.key]) is not (wish in served):
            value = suitable[next(draws) % len(suitable)]
            values[attribute.name] = (value,) if attribute.kind == "choices" else value
    suited = Entity(made.name, values)
    return suited if fits(aim, suited) else made


def _tied(domain: Domain, wishes: Sequence[Wish]) -> list[Wish]:
    """The wishes that the choice of an entity decides."""
    return [wish for wish in wishes if wish.domain == domain.name and _attribute(domain, wish) is not None]


def _attribute(domain: Domain, wish: Wish) -> Attribute | None:
    if domain.entity is None:
        return None
    return next((each for each in domain.entity.attributes if each.name == wish.key), None)


def _taken(task: Task, own: Sequence[Aim], entities: Sequence[Entity], wishes: Sequence[Wish]) -> list[str]:
    """Whom the task's staging takes away: of what fits, the best, or everything that suits in full."""
    if not task.staged or not own or own[0].entity_field in own[0].where:
        return []
    about = _tied(own[0].domain, wishes)
    fitting = [entity for entity in entities if fits(own[0], entity)]
    if len(fitting) < 2:
        return []
    if task.staged == "sold_out":
        return [max(fitting, key=lambda entity: worth(entity.values, about)).name]
    full = [entity.name for entity in fitting if _in_full(entity, about)]
    return full if len(full) < len(fitting) else []
