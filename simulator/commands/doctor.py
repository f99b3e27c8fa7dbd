"""`duologue doctor`: is everything there that a campaign needs?"""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

import typer

__all__ = ["doctor"]

Found = tuple[bool, str, str]
"""Whether it is fine, what was looked at, and what was found."""


def doctor(
    campaign: Annotated[str, typer.Argument(help="A campaign to check, with one short call to each model.")] = "",
) -> None:
    """Check this machine and, if you name one, a campaign."""
    import asyncio

    from duologue.views.console import console
    from duologue.views.people import check_line

    screen, sound = console(), True
    for found in _machine():
        screen.print(check_line(*found))

    async def examine() -> bool:
        fine = True
        async for found in _campaign(campaign):
            screen.print(check_line(*found))
            fine = fine and found[0]
        return fine

    if campaign:
        sound = asyncio.run(examine())
    if not sound:
        raise typer.Exit(2)


def _machine() -> Iterator[Found]:
    from importlib.metadata import PackageNotFoundError, version

    from duologue.agents.models.weights import cache_folder, cached

    yield True, "Duologue", f"{version('duologue')} on Python {sys.version.split()[0]}, {os.cpu_count()} cores"
    try:
        yield True, "embedded model", f"xllamacpp {version('xllamacpp')}"
    except PackageNotFoundError:
        yield False, "embedded model", "not installed: pip install 'duologue[local]'"
    yield True, "weights", f"{', '.join(cached()) or 'none fetched yet'}, in {cache_folder()}"
    key = "is set" if os.environ.get("OPENAI_API_KEY") else "is not set (needed for openai: models without a base_url)"
    yield True, "OPENAI_API_KEY", key


async def _campaign(name: str) -> AsyncIterator[Found]:
    from duologue.tasks.written import BadInput

    try:
        async for found in _parts(name):
            yield found
    except BadInput as fault:
        yield False, "campaign", str(fault)


async def _parts(name: str) -> AsyncIterator[Found]:
    from pathlib import Path

    from duologue.campaign import cells, read_campaign
    from duologue.cast import Cast
    from duologue.profiles.dataset import open_dataset
    from duologue.selection import select

    campaign = read_campaign(name)
    yield True, "campaign", campaign.name
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    yield True, "data", f"{data.source}: {len(keys)} scenarios, {len(list(cells(campaign, keys)))} dialogues"
    async with Cast(campaign, data) as cast:
        async for model, fault in cast.probe():
            yield not fault, model, fault or "answers"
