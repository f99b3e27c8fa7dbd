"""The generator and what reads its people, measured by hand: `python tests/bench/people.py [COUNT]`.

Prints people a second on one core, bytes a person, and the seconds that checks, scenarios and popularity take.
Each is the best of a few rounds, since other work on the machine only slows it down.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from duologue.profiles.checks import examine_profiles
from duologue.profiles.dataset import open_dataset
from duologue.profiles.generator import generate, line, write_people
from duologue.profiles.inclination import shipped_inclined
from duologue.profiles.popularity import Popularity
from duologue.profiles.profile import Profile
from duologue.tasks.library import certain

ROUNDS, FEW = 3, 300


def best(work: Callable[[], Any], rounds: int = ROUNDS) -> tuple[float, Any]:
    """The least seconds of one core that `work` took in several rounds, and what it gave."""
    least, given = float("inf"), None
    for _ in range(rounds):
        start = time.process_time()
        given = work()
        least = min(least, time.process_time() - start)
    return least, given


def asked(popular: Popularity, person: Profile) -> list[tuple[str, ...]]:
    """What is popular of the first four types that `person` holds."""
    others = popular.without(person)
    pairs = [(domain, type) for domain, types in person.preferences.items() for type in types][:4]
    return [others[pair] for pair in pairs]


def measure(count: int) -> None:
    """Prints what `count` people take."""
    start = time.process_time()
    domains = list(certain(shipped_inclined()))
    first = next(generate(1, 1, domains))
    print(f"start: {time.process_time() - start:.2f} s (domains read, names drawn)")
    taken, size = best(lambda: sum(len(line(person).encode()) for person in generate(FEW, 1, domains)), 20)
    print(f"generate: {FEW / taken:,.0f} people a second, {size / FEW:,.0f} bytes a person ({first['id']} first)")
    with tempfile.TemporaryDirectory() as scratch:
        write_people(Path(scratch) / "profiles.jsonl", generate(count, 1, domains))
        taken, keys = best(lambda: sum(1 for _ in open_dataset(scratch).scenarios()))
        tasks = len(list(open_dataset(scratch).tasks()))
        print(f"scenarios: {keys:,} of {count:,} people and {tasks} tasks in {taken:.2f} s")
        taken, people = best(lambda: list(open_dataset(scratch).profiles()), 1)
        print(f"profiles: {count:,} read in {taken:.2f} s")
        taken, popular = best(lambda: Popularity(people))
        each, _ = best(lambda: [asked(popular, person) for person in people], 1)
        print(f"popularity: counted in {taken:.2f} s, {each / count * 1e6:.0f} us for four types without one person")
        taken, checked = best(lambda: examine_profiles(open_dataset(scratch)), 1)
        bounds = "all bounds kept" if checked.figures.met() and not checked.findings else "NOT within bounds"
        print(f"check: {taken:.1f} s, {bounds}")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1500)
