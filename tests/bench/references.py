"""The reference scale, measured by hand: `python tests/bench/references.py [SCENARIOS] [PROFILES] [SEED] [TASK]`.

Holds dialogues of the agenda-based user with floor, ceiling, asker, and a ceiling that reads somebody else's wishes,
over a sample of generated people and shipped tasks, logged and read by the state judge, and prints what came of them.
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from duologue.agents.agenda.user import AgendaUser
from duologue.agents.events import CellEnded, Event, LedgerNoted
from duologue.agents.references.assistant import ReferenceAssistant
from duologue.agents.state.judge import state_verdict
from duologue.agents.transcript import transcript
from duologue.agents.verdict import Verdict
from duologue.dialogue import Talk, converse
from duologue.garbage import seldom_collected
from duologue.profiles.generator import generate
from duologue.profiles.inclination import shipped_inclined
from duologue.profiles.popularity import Popularity
from duologue.profiles.profile import Profile
from duologue.profiles.scenario import Scenario
from duologue.profiles.wishes import wish, wishes
from duologue.record.store import Writer
from duologue.tasks.chance import choose, number
from duologue.tasks.domain import Domain
from duologue.tasks.library import certain, shipped_domains, shipped_situations, shipped_tasks
from duologue.tasks.stage import Stage, set_stage
from duologue.tasks.task import Task
from duologue.tasks.wish import Wish
from duologue.tasks.world import World
from duologue.tasks.written import BadInput

KINDS = ("floor", "ceiling", "asker", "another's")
TURNS = 20


@dataclass
class Tally:
    """What came of one assistant's dialogues."""

    knows: bool
    """Whether the assistant comes to know the preferences, so that one that is not met is worth a look."""
    held: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    routes: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    disclosed: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    regret: list[float] = field(default_factory=list)
    misused: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def lines(self, name: str) -> Iterator[str]:
        """What there is to say, a line each."""
        decided = sum(self.outcomes[outcome] for outcome in ("met", "unmet", "violated"))
        yield f"{name}: {self.held} dialogues, {self.held / self.seconds:.0f} a second of one core"
        yield f"  success {self.counts['success'] / self.held:.4f}; endings {dict(self.endings)}"
        met = ", ".join(f"{route} {count / max(decided, 1):.4f}" for route, count in self.routes.most_common())
        yield f"  met {self.outcomes['met'] / max(decided, 1):.4f} of {decided} ({met}); all {dict(self.outcomes)}"
        yield (
            f"  regret {_mean(self.regret):.4f}, misused {_mean(self.misused):.4f} ({len(self.misused)}), "
            f"known questions {self.counts['known_questions']}, false claims {self.counts['false_claims']}"
        )
        turns, questions = self.counts["turns"] / self.held, self.counts["questions"] / self.held
        yield f"  user turns {turns:.2f}, questions {questions:.2f}; preferences let out {dict(self.disclosed)}"
        yield from (f"    {count} x {fault}" for fault, count in self.faults.most_common(40))

    def take(self, scenario: Scenario, events: Sequence[Event], verdict: Verdict) -> None:
        self.held += 1
        end, task = events[-1], scenario.task.id
        assert isinstance(end, CellEnded)
        self.endings[end.ending.reason] += 1
        if end.ending.reason != "satisfied":
            self.faults[f"{task}: {end.ending.reason} {end.ending.detail}"] += 1
        if verdict.unscored:
            self.faults[f"{task}: unscored, {verdict.unscored}"] += 1
            return
        script = transcript(events)
        self.counts["turns"] += len(script.said_by("user"))
        self.counts["questions"] += sum(text.count("?") for text in script.said_by("assistant"))
        for event in events:
            if isinstance(event, LedgerNoted):
                self.disclosed.update(entry.how for entry in event.entries if entry.what == "preference")
        self._score(task, verdict)

    def _score(self, task: str, verdict: Verdict) -> None:
        success = verdict.scores["success"]
        self.counts["success"] += bool(success.value)
        if not success.value:
            self.faults[f"{task}: {success.reason}{success.unscored}"] += 1
        for each in verdict.preferences:
            self.outcomes[each.outcome] += 1
            self.routes[each.route] += each.outcome == "met"
            if each.outcome in ("unmet", "violated", "no_decision") and self.knows:
                self.faults[f"{task}: {each.domain} {each.type} {each.outcome} {each.route}"] += 1
        for name in ("known_questions", "false_claims"):
            score = verdict.scores[name]
            self.counts[name] += int(score.value or 0)
            if score.value and score.evidence:
                self.faults[f"{task}: {name} turn {score.evidence.turn}: {score.evidence.quote}"] += 1
        for name, values in (("regret", self.regret), ("misused", self.misused)):
            if (value := verdict.scores[name].value) is not None:
                values.append(float(value))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, eq=False)
class Field:
    """The people, tasks and domains that scenarios are drawn from."""

    people: tuple[Profile, ...]
    tasks: tuple[Task, ...]
    domains: Mapping[str, Domain]
    seed: int

    def scenarios(self, count: int) -> Iterator[Scenario]:
        """A sample in which every task comes about as often; people have preferences where the task needs them."""
        for place in range(count):
            task = self.tasks[place % len(self.tasks)]
            fitting = self.fitting(task.id)
            if not fitting:
                continue
            person = choose(fitting, self.seed, "who", place)
            situations = [case.situation for case in task.cases] or list(shipped_situations())
            yield Scenario(self.people[person], task, situations[number(self.seed, "where", place) % len(situations)])

    @cache  # noqa: B019 - there is one field in a run
    def fitting(self, task: str) -> list[int]:
        """The people who have preferences where the task needs them, by their places."""
        needed = {each.domain for each in next(t for t in self.tasks if t.id == task).relevant}
        return [place for place, person in enumerate(self.people) if needed <= person.preferences.keys()]

    def another(self, scenario: Scenario) -> tuple[Wish, ...]:
        """The wishes of somebody else in what matters to the scenario."""
        fitting = [self.people[place] for place in self.fitting(scenario.task.id)]
        others = [person for person in fitting if person.id != scenario.profile.id] or fitting
        other = choose(others, self.seed, "another", scenario.id)
        found = (wish(other, each.domain, each.type) for each in wishes(scenario))
        return tuple(each for each in found if each is not None)


def gather(people: int, seed: int, only: str) -> Field:
    """Everything that ships and can be read; what cannot is named and left out."""
    domains, tasks = {}, []
    for where, domain in shipped_domains():
        if isinstance(domain, BadInput):
            print(f"left out: {where}: {domain}")
        elif domain.records:
            domains[domain.name] = domain
    for where, task in shipped_tasks():
        if isinstance(task, BadInput):
            print(f"left out: {where}: {task}")
        elif task.require and set(task.domains) <= domains.keys() and (only in task.id or only in task.domains):
            tasks.append(task)
    folk = tuple(Profile.model_validate(each) for each in generate(people, seed, certain(shipped_inclined())))
    return Field(folk, tuple(tasks), domains, seed)


async def hold(
    field: Field,
    kind: str,
    scenario: Scenario,
    stage: Stage,
    read: Sequence[Wish],
    popular: Mapping[Any, Any],
    log: Writer,
) -> tuple[list[Event], Verdict]:
    """One dialogue, logged and read."""
    world = World(stage)
    as_kind = "floor" if kind == "floor" else "asker" if kind == "asker" else "ceiling"
    assistant = ReferenceAssistant(
        as_kind,
        scenario,
        field.domains,
        world.tools,
        read,
        popular,
        seed=field.seed,  # type: ignore[arg-type]
    )
    user = AgendaUser(scenario, field.domains, seed=field.seed)
    talk = Talk(
        cell="c", attempt=1, scenario=scenario, assistant_name=kind, trial=1, user=user, assistant=assistant,
        turns=TURNS, domains=field.domains, world=world,
    )  # fmt: skip
    events = []
    async for event in converse(talk):
        events.append(event)
        log.append(event)
    verdict = state_verdict(scenario, stage, events, cell="c", attempt=1, known={})
    log.append(verdict)
    return events, verdict


async def measure(scenarios: int, people: int, seed: int, only: str, shown: Sequence[str]) -> None:
    """Hold the dialogues and print what came of them; the first of each kind in full where they are to be `shown`."""
    field = gather(people, seed, only)
    popularity = Popularity(field.people)
    print(f"{len(field.domains)} domains, {len(field.tasks)} tasks, {len(field.people)} people")
    tallies = {kind: Tally(kind in ("ceiling", "asker")) for kind in KINDS}
    with tempfile.TemporaryDirectory() as scratch:
        log = Writer(Path(scratch) / "events.jsonl", lambda fault: print(fault))
        for scenario in field.scenarios(scenarios):
            popular, own, other = popularity.without(scenario.profile), wishes(scenario), field.another(scenario)
            read = {kind: other if kind == "another's" else own for kind in KINDS}
            before = time.process_time()
            stage = set_stage(scenario.task, field.domains, wishes(scenario), seed, scenario.id, 1)
            for kind, tally in tallies.items():
                events, verdict = await hold(field, kind, scenario, stage, read[kind], popular, log)
                log.commit()
                tally.seconds += time.process_time() - before
                if kind in shown and not tally.held:
                    show(events, verdict)
                tally.take(scenario, events, verdict)
                before = time.process_time()
        log.close()
    for kind, tally in tallies.items():
        print("\n".join(tally.lines(kind)))
    print(f"{_pace(tallies.values()):.0f} dialogues a second of one core in all")
    scale = [tally for kind, tally in tallies.items() if kind != "another's"]
    print(f"floor, ceiling and asker: {_pace(scale):.0f} a second")


def _pace(tallies: Collection[Tally]) -> float:
    """Dialogues a second of one core."""
    return sum(tally.held for tally in tallies) / sum(tally.seconds for tally in tallies)


def show(events: Sequence[Event], verdict: Verdict) -> None:
    """Print a dialogue and what was found."""
    for event in events:
        told = event.model_dump(mode="json", exclude_defaults=True)
        kept = {name: value for name, value in told.items() if name not in ("cell", "time", "seq", "turn", "role")}
        print(f"{event.turn} {event.role}: {str(kept)[:400]}")
    print(verdict.model_dump_json(indent=1, exclude_defaults=True))


if __name__ == "__main__":
    given = [each for each in sys.argv[1:] if each not in KINDS]
    defaults = ["300", "300", "1", ""]
    count, size, key, name = [*given, *defaults[len(given) :]]
    seldom_collected()  # as the command line does
    asyncio.run(measure(int(count), int(size), int(key), name, [each for each in sys.argv[1:] if each in KINDS]))
