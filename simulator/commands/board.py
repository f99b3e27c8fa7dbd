"""The board: work done with what happens on the screen, and what must be fetched before it."""

import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from duologue.campaign import Campaign
    from duologue.listener import Listener

__all__ = ["fetch", "fetch_weights", "output_kept", "performing"]

Done = TypeVar("Done")


def performing(work: "Callable[[Listener], Awaitable[Done]]") -> "Done":
    """Do `work` with the board on the screen, and give back what was done."""
    import asyncio

    from duologue.views.live import Board

    held: list[Done] = []

    async def watched() -> None:  # gives nothing back: asyncio puts in words what a task gave, all of a run
        with Board() as board:
            held.append(await work(board))

    with output_kept():
        asyncio.run(watched())
    return held[0]


@contextmanager
def output_kept() -> Iterator[None]:
    """What a callable prints, or what it starts does, is not our output: it goes to standard error."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # there is none
        yield
        return
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def fetch(campaign: "Campaign") -> None:
    """Fetch the weights of a campaign's embedded models that are not in the cache yet, with a bar."""
    specs = [campaign.user, *(campaign.judge.members if campaign.judge else ()), *campaign.assistant]
    embeds = ["local"] if any(spec.memory.startswith("embedding") for spec in campaign.assistant) else []
    fetch_weights([*(spec.model for spec in specs if not spec.base_url), *embeds])


def fetch_weights(models: Iterable[str]) -> None:
    """Fetch the weights of those of `models` that are embedded and not in the cache yet, with a bar."""
    from duologue.agents.models.weights import fetch as fetched
    from duologue.agents.models.weights import missing
    from duologue.views.progress import fetching

    local = dict.fromkeys(model for model in models if model.partition(":")[0] == "local")
    for weights in dict.fromkeys(filter(None, map(missing, local))):
        with fetching(weights.notice, weights.size) as progress:
            fetched(weights, progress)
