"""`duologue doctor`: is everything there that a campaign needs?"""

import os
import sys
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from duologue.commands.run import BASE_URL, MODEL, SET, everywhere

if TYPE_CHECKING:
    from duologue.campaign import AssistantSpec, Campaign, UserSpec
    from duologue.cast import Cast

__all__ = ["doctor"]

Found = tuple[bool | None, str, str]
"""Whether it is fine (None: not there, and perhaps not needed), what was looked at, and what was found."""


def doctor(
    campaign: Annotated[
        str, typer.Argument(help="A campaign to check, with one short call to each model and endpoint.")
    ] = "",
    model: MODEL = "",
    base_url: BASE_URL = "",
    sets: SET = None,
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
        async for found in _campaign(campaign, everywhere(model, base_url, sets)):
            screen.print(check_line(*found))
            fine = fine and found[0] is not False
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
        yield None, "embedded model", "not installed, needed for local models: pip install 'duologue[local]'"
    yield True, "weights", f"{', '.join(cached()) or 'none fetched yet'}, in {cache_folder()}"
    if os.environ.get("OPENAI_API_KEY"):
        yield True, "OPENAI_API_KEY", "is set"
    else:
        yield None, "OPENAI_API_KEY", "is not set, needed for openai: models without a base_url"


async def _campaign(name: str, sets: list[str]) -> AsyncIterator[Found]:
    from duologue.tasks.written import BadInput

    try:
        async for found in _parts(name, sets):
            yield found
    except BadInput as fault:
        yield False, "campaign", str(fault)


async def _parts(name: str, sets: list[str]) -> AsyncIterator[Found]:
    from pathlib import Path

    from duologue.agents.memory import gist
    from duologue.campaign import cells, read_campaign
    from duologue.cast import Cast
    from duologue.preflight import rehearse
    from duologue.profiles.dataset import open_dataset
    from duologue.scoring.kinship import cautions
    from duologue.selection import select
    from duologue.views.text import count

    campaign = read_campaign(name, sets)
    yield True, "campaign", campaign.name
    data = open_dataset(campaign.data, Path(campaign.beside))
    keys = select(campaign, data)
    rehearse(data, keys)
    counts = [count(len(keys), "scenario"), count(len(list(cells(campaign, keys))), "dialogue")]
    yield True, "data", f"{data.source}: {', '.join(counts)}"
    once = campaign.limits.model_copy(update={"tries": 1})  # whoever does not answer is told of at once
    async with Cast(campaign.model_copy(update={"limits": once}), data) as cast:
        yield True, "user", _user(campaign.user)
        for spec in campaign.assistant:
            takes = cast.speakers.takes(spec)
            yield True, f"assistant {spec.name}", _assistant(spec, acts=cast.speakers.acts(spec), takes=takes)
        yield True, "judge", "the end states, by rule" + (_judges(campaign, cast) or " alone")
        for sentence in cautions(cast.jury.judging.judges, [spec.model_dump() for spec in campaign.assistant]):
            yield None, "judge", sentence
        async for model, fault in cast.probe():
            yield not fault, model, fault or "answers"
        sessions = [
            session for id in dict.fromkeys(key.profile for key in keys) for session in data.profile(id).history
        ]
        if sessions and (pace := await cast.pace(gist(sessions[0]))) is not None:
            yield True, "memory", _lookup(pace, len(sessions))


def _judges(campaign: "Campaign", cast: "Cast") -> str:
    """Who judges, and how often; nothing where no model does."""
    if campaign.judge is None:
        return ""
    looks = f", {campaign.judge.samples} looks each" if campaign.judge.samples > 1 else ""
    return f", and {cast.jury.judging.judge}{looks}"


def _lookup(pace: float, sessions: int) -> str:
    """How long the embedded model reads for a memory, from the seconds that one session took."""
    from duologue.views.text import count, duration

    told = f"{count(sessions, 'session')} at {pace:.1f} s each, about {duration(pace * sessions)} in all"
    return f"the embedded model reads {told}; bm25 needs none of it"


def _user(spec: "UserSpec") -> str:
    if spec.agenda:
        does = "accepts whatever suits the task", "objects to what its tastes speak against"
        return f"an agenda, no model; {does[spec.correction == 'object']}"
    return "you, at the keyboard" if spec.person else "lines to say in order" if spec.script else spec.model


def _assistant(spec: "AssistantSpec", *, acts: bool, takes: tuple[str, ...]) -> str:
    """Who it is, whether it acts, and what it is told."""
    from duologue.scoring.insight import insight

    function = spec.callable and f"{spec.callable}({', '.join(('messages', *takes))})"
    who = next(filter(None, (spec.model, function, spec.reference, spec.endpoint and spec.endpoint.url)), "")
    does = f"calls tools{' in its words' if spec.tools == 'text' else ''}" if acts else "only talks"
    told = insight(spec.model_dump()).told or "nothing"
    return "; ".join(filter(None, [str(who), does, f"is told of the user: {told}"]))
