"""A domain of one's own, whatever word it has for what is done: the references tell it, and the agenda understands."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tasks.inn import inns, task

from duologue.campaign import Campaign
from duologue.record.run import Run
from duologue.run import run
from duologue.scores import summary
from duologue.tasks.written import parse

PERSON = {"id": "mia", "name": "Mia", "preferences": {"Inns": {"view": ["sea"], "breakfast": ["eggs"]}}}
REQUEST = "Could I have a room in {town} for {guests} on {night}?"


async def held(folder: Path, correction: str, **record: Any) -> Run:
    """The references in the domain of inns, the keys of whose record are changed; None takes one away."""
    domain = inns().model_dump(mode="json", exclude_defaults=True)
    stay = {**domain["records"][0], **record}
    domain["records"] = [{key: value for key, value in stay.items() if value is not None}]
    asked = task(requests=[REQUEST]).model_dump(mode="json", exclude_defaults=True)
    if name := record.get("name"):
        asked["require"] = [{**asked["require"][0], "record": name}]
    data = folder / "data"
    data.mkdir()
    for part, written in (("domains", domain), ("tasks", asked), ("profiles", PERSON)):
        (data / f"{part}.jsonl").write_text(json.dumps(written) + "\n", encoding="utf-8")
    table = {
        "seed": 1, "data": str(data), "user": {"agenda": True, "correction": correction},
        "assistant": [{"reference": kind} for kind in ("floor", "ceiling", "asker")],
    }  # fmt: skip
    return await run(parse(Campaign, table, "test"), folder / "run")


@pytest.mark.parametrize("correction", ["silent", "object"])
@pytest.mark.parametrize("done", [None, "booked", "made", "entered", "set up", "put down", "withdrawn", "Kept free"])
async def test_what_the_references_say_is_done_is_understood(tmp_path: Path, correction: str, done: str | None) -> None:
    found = await held(tmp_path, correction, done=done)
    assert [dialogue.ending and dialogue.ending.reason for dialogue in found.dialogues] == ["satisfied"] * 3
    assert [each.metrics["state_success"].mean for each in summary(found).assistants] == [1.0] * 3
    assert [each.metrics["state_false_claims"].mean for each in summary(found).assistants] == [0.0] * 3


async def test_a_request_may_be_all_there_is_to_make(tmp_path: Path) -> None:
    found = await held(tmp_path, "silent", name="room_request", done="sent")
    assert [dialogue.ending and dialogue.ending.reason for dialogue in found.dialogues] == ["satisfied"] * 3
