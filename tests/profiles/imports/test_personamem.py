from pathlib import Path
from typing import Any

import pytest
from tests.profiles.imports.made_up import brought, counts, write_csv, write_json, write_lines, write_text

from duologue.profiles.imports.importing import import_people
from duologue.tasks.written import BadInput

CHAT = [
    {"role": "system", "content": "A cook from Oslo."},
    {"role": "user", "content": "User: I burnt the stew."},
    {"role": "assistant", "content": "Assistant: Try less heat."},
    {"role": "system", "content": "A cook from Oslo."},
    {"role": "user", "content": "It worked."},
    {"role": "tool", "content": "noise"},
    {"role": "assistant", "content": "Never heard by anybody."},
]


def question(context: str, end: Any) -> dict[str, Any]:
    options = "['(a) x', '(b) y']"
    asked = {"question_id": "q", "question": "What now?", "correct_answer": "(c)", "all_options": options}
    return {**asked, "shared_context_id": context, "end_index_in_shared_context": end}


def stated(persona: str, preference: str, **more: str) -> dict[str, str]:
    row = {
        "persona_id": persona,
        "user_query": "{'role': 'user', 'content': 'Hm?'}",
        "incorrect_answers": "['a', 'b']",
        "preference": preference,
        "pref_type": "food_taste",
        "who": "self",
        "prev_pref": "",
        "sensitive_info": "False",
        "chat_history_32k_link": "",
        "chat_history_128k_link": "",
    }
    return {**row, **more}


def test_a_shared_context_is_a_person_as_far_as_questions_read(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "questions_32k.csv",
        question("c1", 3), question("c1", 6), question("gone", 2), question("c1", "soon"), question("short", 9),
    )  # fmt: skip
    write_lines(
        tmp_path / "shared_contexts_32k.jsonl",
        {"c1": CHAT}, {"unasked": CHAT}, {"short": CHAT[1:3]}, "{broken", {"c1 list": {}},
    )  # fmt: skip
    write_lines(tmp_path / "shared_contexts_1M.jsonl", {"c1": []})
    found, made = brought("personamem", path, tmp_path / "to")
    assert list(found) == ["personamem-c1", "personamem-short"]
    first, second = found["personamem-c1"].history
    assert (first.summary, second.summary) == ("A cook from Oslo.", "")
    assert [turn.text for turn in (*first.turns, *second.turns)] == [
        "I burnt the stew.",
        "Try less heat.",
        "It worked.",
    ]
    assert not found["personamem-c1"].preferences
    assert counts(made, "repaired") == {
        "questions that stand behind the end of their context": 1,
        "roles written again before the words": 4,
    }
    assert counts(made, "dropped") == {
        "contexts that no question is about": 1,
        "histories that are not there": 1,
        "messages after the last question": 1,
        "messages without words or without a known role": 1,
        "questions with their answers (they are what is asked of an assistant; write them as tasks)": 4,
        "rows that cannot be read": 3,
    }


def test_questions_without_their_contexts_are_told(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "questions_32k.csv", question("c1", 3))
    with pytest.raises(BadInput, match=r"the contexts are not beside it.*shared_contexts_32k\.jsonl"):
        import_people("personamem", path, tmp_path / "to")
    write_lines(tmp_path / "x.jsonl", {})
    write_lines(tmp_path / "y.jsonl", {})
    with pytest.raises(BadInput, match="it is not clear which contexts are its own"):
        import_people("personamem", path, tmp_path / "to")


def test_the_rows_of_a_persona_are_one_person_with_preferences(tmp_path: Path) -> None:
    root = tmp_path / "release"
    parts = [{"type": "text", "text": "Look at this."}, {"type": "image_url", "image_url": {}}]
    write_json(
        root / "data" / "chat_1.json", {"metadata": {}, "chat_history": [*CHAT[:3], {"role": "user", "content": parts}]}
    )
    link = {"chat_history_32k_link": "data/chat_1.json"}
    path = write_csv(
        root / "benchmark" / "text" / "benchmark.csv",
        stated("1", "Enjoys clear soups", **link),
        stated("2", "Dislikes loud music", pref_type="therapy", sensitive_info="True"),
        stated("1", "Always eats before noon"),
        stated("1", "Enjoys clear soups"),
        stated("1", "Dislikes clear soups"),
        stated("1", "Enjoys tea", prev_pref="Enjoys coffee"),
        stated("1", "Enjoys coffee"),
        stated("1", "Do not remember my address", pref_type="ask_to_forget"),
        stated("1", "Enjoys golf", who="others"),
        stated("1", ""),
        stated("", "Enjoys chess"),
        stated("3", "", chat_history_32k_link="../../../etc/passwd"),
    )
    found, made = brought("personamem", path, tmp_path / "to")
    assert list(found) == ["personamem-1", "personamem-2"]
    one, two = found.values()
    assert one.likes("Persona", "food taste") == ("clear soups", "this to be heeded: Always eats before noon", "tea")
    assert one.history[0].turns[-1].text == "Look at this."
    (only,) = two.preferences["Persona"]["therapy"]
    assert (only.value, only.polarity, only.sensitive) == ("loud music", "avoids", True)
    assert counts(made, "dropped") == {
        "histories that are not there": 2,
        "people of whom nothing is said": 1,
        "pictures and other parts of messages": 1,
        "preferences of somebody else": 1,
        "preferences that gainsay an earlier one": 1,
        "preferences that the person asked to forget": 1,
        "preferences that were given up since": 1,
        "questions with their answers (they are what is asked of an assistant; write them as tasks)": 11,
        "rows that cannot be read": 1,
        "rows without a preference": 2,
    }
    assert counts(made, "repaired", ["preferences given twice"]) == {"preferences given twice": 1}


def test_a_damaged_history_leaves_the_person(tmp_path: Path) -> None:
    write_text(tmp_path / "h.json", "{")
    write_json(tmp_path / "i.json", {"talk": []})
    path = write_csv(
        tmp_path / "b.csv",
        stated("1", "Enjoys tea", chat_history_32k_link="h.json"),
        stated("2", "Enjoys rye", chat_history_128k_link="i.json"),
    )
    found, made = brought("personamem", path, tmp_path / "to")
    assert len(found) == 2
    assert made.tally.dropped["histories that cannot be read"].number == 2


def test_the_wrong_file_is_told(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"user 1 personas": "I row.", "user 2 personas": "I knit."})
    with pytest.raises(BadInput, match=r"holds no personamem rows.*It looks like synthetic-persona-chat"):
        import_people("personamem", path, tmp_path / "to")
