"""An errand: how a reference assistant carries out one aim of a task with tools.

Generators: each yields the calls that it wants made together and is sent their answers.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duologue.agents.references.selection import Found, Selection
from duologue.tasks.aim import Aim
from duologue.tasks.task import Bound
from duologue.tasks.tool import Tool, Verb

__all__ = ["Act", "Answers", "Calling", "Done", "Errand", "together"]

PAGE = 50
TRIES = 8
"""How often one record is tried for before it is given up."""


@dataclass(frozen=True, slots=True)
class Act:
    """A call that is wanted: a tool's name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an aim, once: the record's fields as last passed, its entity, and what stood in the way."""

    verb: Verb
    aim: Aim
    fields: Mapping[str, Any] = field(default_factory=dict)
    entity: Found | None = None
    id: str = ""
    lost: tuple[str, ...] = ()
    """Entities that were sold out."""
    error: str = ""


Answers = tuple[Mapping[str, Any], ...]
Calling = Generator[tuple[Act, ...], Answers, Sequence[Done]]


class Errand:
    """One aim, what is known for it and to be chosen for it, and the tools that it takes."""

    def __init__(self, selection: Selection, tools: Mapping[tuple[str, Verb, str], Tool]) -> None:
        self._selection, self._aim, self._tools = selection, selection.aim, tools

    def run(self) -> Calling:
        """Carry it out: as many records made as are required, or those that stand changed or cancelled."""
        if self._aim.gone or self._aim.changes:
            return (yield from self._see_to_given())
        made: list[Done] = []
        while len(made) < self._aim.count and not (made and made[-1].error):
            made.append((yield from self._make({}, "")))
        return made

    def amend(self, done: Done) -> Calling:
        """Choose again what was chosen before, by the taste as it is now, and have the record changed to it."""
        return [(yield from self._make(done.fields, done.id))]

    def _tool(self, verb: Verb) -> Tool | None:
        record = "" if verb in ("search", "get") else self._aim.record.name
        return self._tools.get((self._aim.domain.name, verb, record))

    def _see_to_given(self) -> Calling:
        listing = self._tool("list")
        if listing is None:
            return [Done("list", self._aim, error="There is no way to see what you have.")]
        (answer,) = yield (Act(listing.name, {}),)
        standing = [record for record in answer.get("records", ()) if record.get("status") == "active"]
        if not standing:
            return [Done("list", self._aim, error="There is none that I can see.")]
        likeliest = max(standing, key=self._selection.agreement)
        if self._aim.gone:
            return (yield from self._cancel([r for r in standing if self._selection.is_meant(r)] or [likeliest]))
        return [(yield from self._make(self._fields_of(likeliest), str(likeliest["id"])))]

    def _fields_of(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {name: record[name] for name in self._selection.own if name in record}

    def _cancel(self, records: Sequence[Mapping[str, Any]]) -> Calling:
        tool = self._tool("cancel")
        if tool is None:
            return [Done("cancel", self._aim, error="It cannot be cancelled.")]
        answers = yield tuple(Act(tool.name, {"id": record["id"]}) for record in records)
        return [
            Done("cancel", self._aim, self._fields_of(r), id=str(r["id"]), error=str(answer.get("error", "")))
            for r, answer in zip(records, answers, strict=True)
        ]

    def _make(self, before: Mapping[str, Any], id: str) -> Generator[tuple[Act, ...], Answers, Done]:
        """Make a record, or change the one of that id, choosing again until the world takes it."""
        verb: Verb = "change" if id else "create"
        tool = self._tool(verb)
        if tool is None:
            return Done(verb, self._aim, before, error="That cannot be done here.")
        candidates = yield from self._candidates(before)
        entity = next(candidates, None)
        if self._aim.entity_field and entity is None:
            return Done(verb, self._aim, before, error="I do not know of any that fits.")
        dropped, lost, error = set[str](), list[str](), ""
        for _ in range(TRIES):
            fields = self._selection.fields(before, entity, dropped)
            passed = {name: value for name, value in fields.items() if before.get(name) != value}
            if id and not passed:
                return Done(verb, self._aim, before, entity, id)
            (answer,) = yield (Act(tool.name, {"id": id, **passed} if id else passed),)
            if "error" not in answer:
                made = answer.get(self._aim.record.name, {})
                return Done(verb, self._aim, {**before, **fields}, entity, str(made.get("id", id)), tuple(lost))
            error = str(answer["error"])
            if faulty := {name for name in passed if self._may_drop(name, error)} - dropped:
                dropped |= faulty
            elif entity is None or str(entity["name"]) not in error:
                break
            else:
                lost += [str(entity["name"])] if "sold out" in error else []
                if (entity := next(candidates, None)) is None:
                    break
        return Done(verb, self._aim, before, None, id, tuple(lost), error)

    def _may_drop(self, name: str, error: str) -> bool:
        """Whether a refusal speaks of an argument that nobody has asked for."""
        needed = name in self._selection.facts or name == self._aim.entity_field or self._selection.own[name].required
        return not needed and re.search(rf"\b{re.escape(name)}\b", error) is not None

    def _candidates(self, before: Mapping[str, Any]) -> Generator[tuple[Act, ...], Answers, Iterator[Found]]:
        """What there is to choose from, best first: what a search finds, or the entity that is settled already."""
        name, selection = self._aim.entity_field, self._selection
        if not name or (name in self._aim.where and name not in selection.facts):
            return iter(())
        settled = selection.facts.get(name, None if selection.chooses_entity(before) else before.get(name))
        if settled is None:
            return selection.ranked((yield from self._search()), before)
        get = self._tool("get")
        if get is None or isinstance(settled, Bound):
            return iter([{"name": settled}])
        (answer,) = yield (Act(get.name, {"name": settled}),)
        return iter([{"name": settled} if "error" in answer else answer])

    def _search(self) -> Generator[tuple[Act, ...], Answers, list[Found]]:
        tool, entity, found = self._tool("search"), self._aim.domain.entity, list[Found]()
        assert tool is not None
        assert entity is not None
        filters, more = self._selection.filters(), True
        while more:
            paging = {"limit": PAGE, **({"offset": len(found)} if found else {})}
            (answer,) = yield (Act(tool.name, {**filters, **paging}),)
            found += answer.get(entity.plural, ())
            more = bool(answer.get("more"))
        return found


def together(errands: Sequence[Calling]) -> Calling:
    """Run several at once: what they want called next is called in one step. Gives what each has done, in order."""
    wanted: dict[int, tuple[Act, ...]] = {}
    done: dict[int, Sequence[Done]] = {}

    def go_on(place: int, answers: Answers | None) -> None:
        try:
            wanted[place] = errands[place].send(answers)  # type: ignore[arg-type]
        except StopIteration as end:
            done[place] = end.value

    for place in range(len(errands)):
        go_on(place, None)
    while wanted:
        asked, wanted = wanted, {}
        answers = yield tuple(act for acts in asked.values() for act in acts)
        start = 0
        for place, acts in asked.items():
            go_on(place, answers[start : start + len(acts)])
            start += len(acts)
    return [each for place in range(len(errands)) for each in done[place]]
