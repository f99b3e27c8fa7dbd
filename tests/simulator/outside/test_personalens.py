"""PersonaLens's dialogue files, in a checkout made up for the purpose and beside none."""

import json
from pathlib import Path
from typing import Any

from duologue.campaign import JudgeSpec
from duologue.outside.bringing import Origin, bring_in
from duologue.profiles.dataset import Library, open_dataset, scenario
from duologue.profiles.scenario import Scenario
from duologue.record.run import Run, read_run

SITUATION = {
    "Location": "Turin", "Device": "Tablet", "Time of Day": "Evening", "Day of the Week": "Friday",
    "Environment": "Quiet",
}  # fmt: skip
WORDING = {
    "Task Description": "Buy a ticket.",
    "User Intent": "A seat on a bus.",
    "Task Goal": "A seat as the user likes it.",
    "Relevant Affinity Types": ["Seat Preference"],
}


def checkout(folder: Path) -> Path:
    """One domain, one user, one task."""
    user = folder / "data" / "profile" / "user7"
    user.mkdir(parents=True)
    profile: dict[str, Any] = {
        "affinities": {"Buses": {"Seat Preference": "window"}},
        "demographics": {"user_id": "user7", "age": "25-34 years old"},
        "interests": {"Buses": 1},
        "interactions": {"Buses": "Took a bus."},
    }
    own = {**WORDING, "task_id": "SD-Buses-task-1", "situations": SITUATION, "Relevant Domains": ["Buses"]}
    (user / "profile.json").write_text(json.dumps(profile), encoding="utf-8")
    (user / "tasks.json").write_text(json.dumps({"Task 1": own}), encoding="utf-8")
    templates = folder / "data" / "task" / "Buses"
    templates.mkdir(parents=True)
    (templates / "task.jsonl").write_text(json.dumps({"Task Number": 1, **WORDING}), encoding="utf-8")
    return folder


def file(folder: Path, task: str = "SD-Buses-task-1", label: str = "claude_d_p_s", messages: int = 4) -> Path:
    """A dialogue file in the layout of `output/dialogue`."""
    path = folder / "output" / "dialogue" / "user7" / label / f"{task}_dialogue.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = [{"role": ("user", "assistant")[n % 2], "content": f"Words {n}."} for n in range(messages)]
    record = {
        "user_id": 7, "task_id": task, "task_description": WORDING["User Intent"], "user_model": "claude",
        "assistant_model": "claude", "dialogue": said,
    }  # fmt: skip
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


async def brought(place: Path, to: Path, data: str = "") -> tuple[Run, Origin, list[Scenario]]:
    origin = await bring_in(place, to, JudgeSpec(model="scripted:Fine."), data)
    held = open_dataset("data", to)
    assert isinstance(held, Library)
    return read_run(to), origin, [scenario(held, key) for key in held.scenarios()]


async def test_in_a_checkout_profile_task_and_situation_are_known(tmp_path: Path) -> None:
    file(checkout(tmp_path))
    run, origin, (one,) = await brought(tmp_path / "output" / "dialogue", tmp_path / "run")
    (held,) = run.dialogues
    assert (held.profile, held.task, held.assistant) == ("user7", "SD-Buses-task-1", "claude_d_p_s")
    assert (held.situation.location, held.situation.time_of_day) == ("Turin", "evening")
    assert one.profile.likes("Buses", "Seat Preference") == ("window",)
    assert (one.task.goal, [r.type for r in one.task.relevant]) == ("A seat as the user likes it.", ["Seat Preference"])
    assert (origin.left_out, origin.unread, len(run.manifest.notes)) == ((), {}, 1)
    assert held.ending and not held.ending.cut_short


async def test_what_the_cap_cut_off_is_marked_so(tmp_path: Path) -> None:
    file(checkout(tmp_path), messages=41)
    run, _, _ = await brought(tmp_path / "output", tmp_path / "run")
    (held,) = run.dialogues
    assert held.ending and (held.ending.cut_short, held.ending.scored, held.ending.owner) == (True, True, "limits")


async def test_labels_are_assistants_on_the_same_scenario(tmp_path: Path) -> None:
    file(checkout(tmp_path))
    file(tmp_path, label="claude")
    run, _, scenarios = await brought(tmp_path / "output", tmp_path / "run")
    assert [d.assistant for d in run.dialogues] == ["claude", "claude_d_p_s"]
    assert len({(d.profile, d.task, d.situation, d.trial) for d in run.dialogues}) == len(scenarios) == 1


async def test_a_task_that_the_user_does_not_have_is_told(tmp_path: Path) -> None:
    file(checkout(tmp_path))
    file(tmp_path, task="SD-Trains-task-1")
    run, origin, _ = await brought(tmp_path / "output", tmp_path / "run")
    assert len(run.dialogues) == 1
    assert "SD-Trains-task-1_dialogue.json:1: no task 'SD-Trains-task-1' of 'user7'" in origin.left_out[0]


async def test_without_a_checkout_the_preferences_are_not_known(tmp_path: Path) -> None:
    path = file(tmp_path)
    run, _, (one,) = await brought(path, tmp_path / "run")
    (held,) = run.dialogues
    assert (held.profile, held.task, held.assistant) == ("user7", "SD-Buses-task-1", "claude_d_p_s")
    assert (one.task.intent, one.task.domains, one.task.relevant) == ("A seat on a bus.", ("Buses",), ())
    assert not one.profile.preferences
    assert "No preferences are told in 1 of 1" in "\n".join(run.manifest.notes)


async def test_a_checkout_may_be_named(tmp_path: Path) -> None:
    home, path = checkout(tmp_path / "lens"), file(tmp_path / "apart")
    _, _, (one,) = await brought(path, tmp_path / "run", f"personalens:{home}")
    assert one.profile.likes("Buses", "Seat Preference") == ("window",)
