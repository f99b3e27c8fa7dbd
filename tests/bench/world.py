"""What a world costs: setting a stage, building a world on it, one call. CPU time, in milliseconds.

python tests/bench/world.py
"""

import random
import time

from duologue.tasks.library import certain, shipped_domains, shipped_tasks
from duologue.tasks.stage import set_stage
from duologue.tasks.wish import Wish
from duologue.tasks.world import World

ROUNDS = 5


def main() -> None:
    domains = {domain.name: domain for domain in certain(shipped_domains())}
    draw = random.Random(1)
    spent: dict[str, list[float]] = {"set a stage": [], "build a world": [], "search": [], "list": []}
    for number in range(ROUNDS):
        for task in certain(shipped_tasks()):
            wishes = [
                Wish(pair.domain, pair.type, likes=(draw.choice(kind.values),))
                for pair in task.relevant
                if (kind := domains[pair.domain].type(pair.type)) and kind.values
            ]
            stage = _timed(spent["set a stage"], lambda t=task, w=wishes, n=number: set_stage(t, domains, w, n))
            world = _timed(spent["build a world"], lambda s=stage: World(s))
            for tool in world.tools:
                if tool.verb in ("search", "list"):
                    _timed(spent[tool.verb], lambda w=world, t=tool: w.call(t.name, {}))
    for what, times in spent.items():
        times.sort()
        print(
            f"{what:14} n={len(times):6}  mean {sum(times) / len(times):.3f}  99 %: {times[int(0.99 * len(times))]:.3f}"
        )


def _timed(into, act):  # type: ignore[no-untyped-def]
    began = time.process_time()
    result = act()
    into.append(1000 * (time.process_time() - began))
    return result


if __name__ == "__main__":
    main()
