"""Dialogues from outside as a run: who, what for, which trial; what is not known stays so."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.events import AssistantTurn, UserTurn
from duologue.agents.questions import pose
from duologue.agents.rubric import read_rubric
from duologue.campaign import JudgeSpec, read_campaign
from duologue.outside.bringing import Origin, bring_in, brought_before, read_origin
from duologue.profiles.dataset import open_dataset, scenario
from duologue.profiles.scenario import Scenario
from duologue.provenance import campaign_of
from duologue.record.run import Dialogue, Run, read_dialogues, read_run
from duologue.selection import select
from duologue.tasks.written import BadInput

JUDGE = JudgeSpec(model="scripted:Fine.")
TURNS = ["A table, please.", "Thai at seven? Booked."]
ANN = {"assistant": "alpha", "profile": "ann", "task": "A table for two."}


async def brought(folder: Path, *records: Any, name: str = "chats.jsonl", data: str = "") -> tuple[Run, Origin]:
    """The run that `records`, one a line, are made."""
    path = folder / name
    path.write_text(
        "\n".join(each if isinstance(each, str) else json.dumps(each) for each in records), encoding="utf-8"
    )
    made = folder / f"run-{name}"
    origin = await bring_in(path, made, JUDGE, data)
    return read_run(made), origin


def dialogues(run: Run) -> list[Dialogue]:
    return list(read_dialogues(run))


def scenarios(run: Run) -> dict[str, Scenario]:
    """The scenarios of a run by the id that its cells bear, from the data in its folder."""
    campaign = campaign_of(run.manifest, run.folder)
    data = open_dataset(campaign.data, Path(campaign.beside))
    found = (scenario(data, key) for key in select(campaign, data))
    return {each.id: each for each in found}


def said(record: Mapping[str, Any]) -> dict[str, Any]:
    return {**record, "turns": TURNS}


async def test_a_dialogue_of_which_all_is_told(tmp_path: Path) -> None:
    told = ANN | {
        "id": 7,
        "domain": "Restaurants",
        "goal": "A table is booked.",
        "preferences": {
            "Restaurants": {"cuisine": ["Thai", {"value": "sushi", "polarity": "avoids"}]},
            "diet": "vegan",
        },
        "situation": {"device": "phone"},
    }
    run, origin = await brought(tmp_path, said(told))
    (one,), (held,) = dialogues(run), scenarios(run).values()
    assert (one.started.profile, one.started.assistant, one.started.trial) == ("ann", "alpha", 1)
    assert one.started.scenario == held.id
    assert (held.task.intent, held.task.goal, held.situation.device) == (
        "A table for two.",
        "A table is booked.",
        "phone",
    )
    assert held.profile.likes("Restaurants", "cuisine") == ("Thai",)
    assert held.profile.avoids("Restaurants", "cuisine") == ("sushi",)
    assert held.profile.likes("Restaurants", "diet") == ("vegan",)
    assert [(a.domain, a.type) for a in pose(read_rubric(), held).preferences] == [
        ("Restaurants", "cuisine"), ("Restaurants", "diet"),
    ]  # fmt: skip
    assert (origin.dialogues, origin.left_out, len(run.manifest.notes)) == (1, (), 1)


async def test_what_is_not_told_stays_unknown(tmp_path: Path) -> None:
    run, _ = await brought(tmp_path, said({}), {"turns": ["Hello", "Hi"]})
    first, second = dialogues(run)
    assert {first.started.assistant, second.started.assistant} == {"chats"}
    assert first.started.profile != second.started.profile
    assert first.started.task != second.started.task
    for held in scenarios(run).values():
        posed = pose(read_rubric(), held)
        assert posed.preferences == () and posed.pointless == {"personalisation": "no relevant preference"}
        assert held.profile.model_dump(exclude_defaults=True) == {"id": held.profile.id}
        assert held.task.domains == ("unknown",)
        assert held.task.intent.startswith("Not told beforehand")
    notes = "\n".join(run.manifest.notes)
    assert "Who the user was is not told in 2 of 2" in notes
    assert "The task is not told in 2 of 2" in notes
    assert "No preferences are told in 2 of 2" in notes
    (digest, _) = run.dialogues
    assert (digest.tokens, digest.state, digest.acted, digest.had_world) == (None, False, False, False)


async def test_dialogues_pair_by_id_and_never_by_place(tmp_path: Path) -> None:
    first, _ = await brought(tmp_path, said({"id": "q1"}), said({"note": 1}), name="a.jsonl")
    second, _ = await brought(tmp_path, said({"id": "q1"}), {"turns": ["Hello", "Hi"]}, name="b.jsonl")
    keys = [{(d.profile, d.task) for d in run.dialogues} for run in (first, second)]
    assert keys[0] & keys[1] == {("q1", "q1")}
    assert {d.assistant for d in first.dialogues} == {"a"}


async def test_several_about_the_same_are_trials_where_user_and_task_are_told(tmp_path: Path) -> None:
    other = {**ANN, "turns": ["A table!", "No."]}
    run, origin = await brought(
        tmp_path, said(ANN), other, {**ANN, "trial": 5, "turns": ["Hm", "Yes?"]}, {**other, "trial": 5}
    )
    assert [d.trial for d in run.dialogues] == [1, 2, 5]
    assert len({d.cell for d in run.dialogues}) == 3
    assert "trial 5 of this user, task and assistant is there already" in origin.left_out[0]


async def test_an_id_that_is_there_twice_is_no_trial(tmp_path: Path) -> None:
    run, _ = await brought(tmp_path, said({"id": 1}), {"id": 1, "turns": ["Hello", "Hi"]})
    assert [(d.profile, d.trial) for d in run.dialogues] == [("1", 1), ("1-2", 1)]


async def test_the_same_dialogue_twice_is_taken_once_and_told(tmp_path: Path) -> None:
    run, origin = await brought(tmp_path, said(ANN), "", said(ANN))
    assert len(run.dialogues) == 1
    assert origin.left_out == (f"{tmp_path}/chats.jsonl:3: is the same dialogue as {tmp_path}/chats.jsonl:1",)


async def test_what_several_dialogues_tell_of_one_user_adds_up(tmp_path: Path) -> None:
    cuisine, seat = {"Restaurants": {"cuisine": "Thai"}}, {"Flights": {"seat": "aisle"}}
    other = {"profile": {"id": "ann", "demographics": {"age": 34}}, "task": "A flight.", "preferences": seat}
    run, origin = await brought(
        tmp_path,
        said(ANN | {"preferences": cuisine}),
        said(other),
        said(ANN | {"trial": 2, "preferences": {"Restaurants": {"diet": "vegan"}}}),
        said(ANN | {"trial": 3, "preferences": {"Restaurants": {"cuisine": "French"}}}),
    )
    table, flight = scenarios(run).values()
    assert table.profile is flight.profile or table.profile == flight.profile
    assert table.profile.demographics.age == "34"
    assert [(r.domain, r.type) for r in table.task.relevant] == [("Restaurants", "cuisine"), ("Restaurants", "diet")]
    assert [(r.domain, r.type) for r in flight.task.relevant] == [("Flights", "seat")]
    assert "chats.jsonl:4: says otherwise of what 'ann' likes (Restaurants, cuisine) than" in origin.left_out[0]


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({"cuisine": "Thai"}, {("unknown", "cuisine"): ("Thai",)}),
        ({"cuisine": {"value": "Thai", "strength": 0.5}}, {("unknown", "cuisine"): ("Thai",)}),
        (["vegan", "quiet"], {("unknown", "vegan"): ("vegan",), ("unknown", "quiet"): ("quiet",)}),
        ({"Restaurants": {"cuisine": ["Thai", "Lao"]}}, {("Restaurants", "cuisine"): ("Thai", "Lao")}),
    ],
)
async def test_preferences_in_short(tmp_path: Path, given: Any, held: dict[tuple[str, str], tuple[str, ...]]) -> None:
    run, _ = await brought(tmp_path, said(ANN | {"preferences": given}))
    (one,) = scenarios(run).values()
    assert {(r.domain, r.type): one.profile.likes(r.domain, r.type) for r in one.task.relevant} == held


async def test_a_profile_and_a_task_in_full(tmp_path: Path) -> None:
    profile = {"id": "bo", "name": "Bo", "preferences": {"Hotels": {"view": "sea", "floor": "high"}}}
    task = {
        "id": "room",
        "domains": ["Hotels"],
        "intent": "A room.",
        "goal": "Booked.",
        "relevant": [["Hotels", "view"]],
    }
    run, _ = await brought(tmp_path, said({"profile": profile, "task": task}))
    (one,) = scenarios(run).values()
    assert (one.profile.name, one.task.id, [r.type for r in one.task.relevant]) == ("Bo", "room", ["view"])


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ("{", "is not valid JSON"), ("5", "is no dialogue: neither an object nor a list"),
        ({"text": "Hi"}, "has no turns: it has none of the keys"), (said({"messages": []}), "under turns and messages"),
        (said({"preferences": 3}), "preferences is neither a table nor a list"),
        (said({"preferences": [3]}), "preferences is a list of something else"),
        (said({"preferences": {"Restaurants": {"cuisine": 3}}}), "profile"),
        (said({"profile": ["ann"]}), "profile is neither an id nor a table"),
        (said({"profile": {"id": "x", "age": 3}}), "unknown key 'age'"),
        (said({"task": ["x"]}), "task is neither a text nor a table"), (said({"task": {"intend": "x"}}), "unknown key"),
        (said({"trial": "2"}), "trial is no whole number"), (said({"domain": 3}), "domain is no text"),
        (said({"relevant": "cuisine"}), "relevant is no list"), (said({"situation": {"where": "x"}}), "unknown key"),
        (said({"notes": json.loads("[" * 700 + "]" * 700)}), "is nested too deep"),
        (said(ANN | {"task": {"id": "t", "intent": "Other.", "goal": "Other."}}), "says otherwise of the task 't'"),
    ],
)  # fmt: skip
async def test_a_faulty_dialogue_is_told_with_its_line_and_the_rest_is_taken(
    tmp_path: Path, record: Any, why: str
) -> None:
    good = said(ANN | {"task": {"id": "t", "intent": "A table.", "goal": "Booked."}})
    run, origin = await brought(tmp_path, good, record, {"turns": ["Hello", "Hi"]})
    assert (len(run.dialogues), origin.dialogues, len(origin.left_out)) == (2, 2, 1)
    assert origin.left_out[0].startswith(f"{tmp_path}/chats.jsonl:2") and why in origin.left_out[0]
    assert "1 could not be taken" in run.manifest.notes[-1]
    assert read_origin(run.folder) == origin


async def test_a_file_without_a_dialogue_makes_no_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no dialogue that can be read: .*chats.jsonl:1: .*; and 1 more"):
        await brought(tmp_path, "{}", "[]]")
    assert [path.name for path in tmp_path.iterdir()] == ["chats.jsonl"]


async def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    await brought(tmp_path, said(ANN))
    with pytest.raises(BadInput, match="already holds a run"):
        await brought(tmp_path, said(ANN))
    (tmp_path / "run-b.jsonl").mkdir()
    (tmp_path / "run-b.jsonl" / "mine.txt").touch()
    with pytest.raises(BadInput, match="is not empty"):
        await brought(tmp_path, said(ANN), name="b.jsonl")
    assert [path.name for path in (tmp_path / "run-b.jsonl").iterdir()] == ["mine.txt"]


async def test_the_same_files_are_known_again(tmp_path: Path) -> None:
    run, _ = await brought(tmp_path, said(ANN))
    path = tmp_path / "chats.jsonl"
    assert brought_before(path, "", [tmp_path / "none", run.folder]) == run.folder
    assert brought_before(path, "shipped", [run.folder]) is None
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert brought_before(path, "", [run.folder]) is None


async def test_profiles_and_tasks_of_a_dataset(tmp_path: Path) -> None:
    data = tmp_path / "people"
    data.mkdir()
    profile = {"id": "cy", "name": "Cy", "preferences": {"Tea": {"kind": "green"}}}
    task = {"id": "brew", "domains": ["Tea"], "intent": "Tea.", "goal": "Brewed.", "relevant": [["Tea", "kind"]]}
    (data / "profiles.jsonl").write_text(json.dumps(profile), encoding="utf-8")
    (data / "tasks.jsonl").write_text(json.dumps(task), encoding="utf-8")
    known = {"profile": "cy", "task": "brew"}
    run, origin = await brought(tmp_path, said(known), said(known | {"profile": "cyy"}), data=str(data))
    for path in data.iterdir():
        path.unlink()
    (one,) = scenarios(run).values()
    assert (one.profile.name, one.task.goal) == ("Cy", "Brewed.")
    assert "chats.jsonl:2: no profile 'cyy', did you mean 'cy'?" in origin.left_out[0]


async def test_a_run_may_be_moved_with_its_data(tmp_path: Path) -> None:
    run, _ = await brought(tmp_path, said(ANN | {"preferences": ["vegan"]}))
    (one,) = scenarios(read_run(run.folder.rename(tmp_path / "moved"))).values()
    assert one.profile.likes("unknown", "vegan") == ("vegan",)


async def test_odd_characters_neither_stop_nor_change_anything(tmp_path: Path) -> None:
    odd = "\u202eمرحبا 你好 e\u0301 👩‍👩‍👧 \x1b[31m\u0000"
    line = json.dumps({"id": odd, "profile": "\ud83d half", "preferences": [odd], "turns": [odd, odd]})
    run, origin = await brought(tmp_path, line)
    (one,) = dialogues(run)
    assert origin.left_out == ()
    assert one.started.profile == "\\ud83d half"
    assert [each.text for each in one.events if isinstance(each, UserTurn | AssistantTurn)] == [odd, odd]
    (held,) = scenarios(run).values()
    assert held.profile.likes("unknown", odd) == (odd,)


async def test_what_is_not_read_is_counted(tmp_path: Path) -> None:
    system = {
        "messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "Hi"}],
        "score": 1,
        "lang": "en",
    }
    _, origin = await brought(tmp_path, system, said({"lang": "en"}))
    assert (origin.system, origin.unread) == (1, {"lang": 2, "score": 1})


def test_elsewhere_is_nothing_to_run(tmp_path: Path) -> None:
    text = '[user]\nelsewhere = true\n[[assistant]]\nname = "a"\nelsewhere = true\n'
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="elsewhere is for dialogues that were brought in"):
        read_campaign(tmp_path / "c.toml")


PULL = """
import asyncio, sys
from pathlib import Path
from duologue.campaign import JudgeSpec
from duologue.outside.bringing import bring_in
import resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
origin = asyncio.run(bring_in(Path(sys.argv[1]), Path(sys.argv[2]), JudgeSpec(model="scripted:Fine.")))
print(origin.dialogues, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(("name", "dialogues", "most"), [("big.jsonl", 1000, 60), ("big.json", 400, 90)])
def test_a_large_file_is_read_in_little_memory(tmp_path: Path, name: str, dialogues: int, most: int) -> None:
    """Lines are held one at a time; of an array its text, and one dialogue."""
    words = "word " * 5000
    with (tmp_path / name).open("w", encoding="utf-8") as file:
        lines = name.endswith("l")
        file.write("" if lines else "[\n")
        for number in range(dialogues):
            comma = "," if number and not lines else ""
            file.write(f'{comma}{{"id": {number}, "turns": ["{words}", "{words}"]}}\n')
        file.write("" if lines else "]")
    assert (tmp_path / name).stat().st_size > 49_000 * dialogues
    done = subprocess.run(
        [sys.executable, "-c", PULL, str(tmp_path / name), str(tmp_path / "run")],
        capture_output=True, text=True, encoding="utf-8", timeout=100, check=True,
    )  # fmt: skip
    count, megabytes = map(int, done.stdout.split())
    assert (count, megabytes < most) == (dialogues, True), megabytes
