"""People of another data set with tasks of one's own: imported, met by assistants, and judged for what they like."""

import json
from pathlib import Path
from typing import Any

from tests.profiles.imports.made_up import write_json, write_lines, write_text

from duologue.agents.context import describe
from duologue.agents.user import system_prompt
from duologue.agents.verdict import NOTHING_RELEVANT
from duologue.campaign import Campaign
from duologue.profiles.checks import check_tasks
from duologue.profiles.imports.importing import import_people
from duologue.profiles.library import Library
from duologue.profiles.scenario import Scenario
from duologue.record.run import Run
from duologue.run import run
from duologue.scores import rows
from duologue.scoring.heeding import CHECKS, heeding
from duologue.tasks.task import Situation
from duologue.tasks.written import parse

TASK = """
id = "evening"
domains = ["Persona"]
intent = "You want an idea for this evening."
goal = "There is one idea that the user takes."
requests = ["What could I do this evening?"]
"""
RELEVANT = 'relevant = [["Persona", "evening plans"]]\n'
ROWS = [{"preference": "I avoid boats.", "question": "?"}, {"preference": "I enjoy quiet rooms.", "question": "?"}]


def answer(**scores: str) -> str:
    given = {name: {"reason": "so", "turn": 1, "quote": "boat", "score": score} for name, score in scores.items()}
    return "scripted:" + json.dumps({"scores": given})


async def held(folder: Path, judge: str, rubric: str = "prefeval") -> Run:
    table: dict[str, Any] = {
        "seed": 1,
        "data": str(folder),
        "user": {"model": "scripted:Any ideas for this evening?|Thanks, I take that.|Bye."},
        "judge": {"model": judge, "rubric": rubric},
        "limits": {"turns": 2},
        "assistant": [
            {
                "name": "plain",
                "model": "scripted:Why not a boat trip?",
                "tools": "off",
                "context": ["history", "preferences"],
            }
        ],
    }
    return await run(parse(Campaign, table, "test"), folder / "run")


async def test_preferences_of_imported_people_are_judged_in_a_task_of_ones_own(tmp_path: Path) -> None:
    import_people("prefeval", write_json(tmp_path / "in" / "evening_plans.json", ROWS), tmp_path / "to")
    write_text(tmp_path / "to" / "tasks" / "evening.toml", TASK + RELEVANT)
    assert [each for each in check_tasks(Library("to", tmp_path / "to")) if each.level == "error"] == []
    given = {"acknowledges": "no", "hallucinates": "no", "violates": "yes", "helpful": "yes"}
    found = rows(await held(tmp_path / "to", answer(**given)))
    assert sorted(row.profile for row in found) == ["prefeval-evening_plans-1", "prefeval-evening_plans-2"]
    assert [{name: row.metrics[name] for name in CHECKS} for row in found] == [
        {"acknowledges": 0.0, "hallucinates": 0.0, "violates": 1.0, "helpful": 1.0}
    ] * 2
    assert heeding(found).model_dump(include={"dialogues", "accuracy", "causes"}) == {
        "dialogues": 2,
        "accuracy": 0.0,
        "causes": {"unaware": 2},
    }


async def test_people_who_state_no_preference_meet_tasks_to_which_none_matters(tmp_path: Path) -> None:
    people = write_lines(tmp_path / "in" / "persona.jsonl", {"persona": "A baker who rows"})
    import_people("personahub", people, tmp_path / "to")
    write_text(tmp_path / "to" / "tasks" / "evening.toml", TASK)
    done = await held(tmp_path / "to", answer(helpful="yes"))
    (row,) = rows(done)
    assert (row.profile, row.metrics["helpful"]) == ("personahub-1", 1.0)
    assert row.unscored["violates"] == NOTHING_RELEVANT
    assert (heeding([row]).dialogues, heeding([row]).accuracy, heeding([row]).unscored) == (0, None, {})
    data = Library("to", tmp_path / "to")
    profile, task = data.profile("personahub-1"), data.task("evening")
    assert "- A baker who rows" in system_prompt(Scenario(profile, task))
    assert "Persona: A baker who rows" in describe(profile, task, Situation(), ["history"])
