"""Rubrics: what people write, what is refused, and what changes the fingerprint."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from duologue.agents.dimension import USUAL, Dimension
from duologue.agents.rubric import Rubric, Scale, read_rubric
from duologue.tasks.written import BadInput, parse

TEN_LINES = """
name = "short"
preferences = false

[[dimensions]]
name = "honesty"
scale = { low = 1, high = 3 }
about = "assistant"
question = "Did the assistant claim only what it did?"
anchors = { 1 = "No.", 3 = "Always." }
"""


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_rubric_has_the_reference_scales() -> None:
    rubric = read_rubric("default")
    scales = {d.name: str(d.scale) for d in rubric.dimensions}
    assert scales == {
        "success": "yes_no",
        "personalisation": "1 to 4",
        "user_naturalness": "1 to 5",
        "user_coherence": "1 to 5",
        "assistant_naturalness": "1 to 5",
        "assistant_coherence": "1 to 5",
    }
    assert rubric.preferences


def test_a_rubric_of_ten_lines_is_read_beside_the_campaign(tmp_path: Path) -> None:
    written(tmp_path, TEN_LINES)
    rubric = read_rubric("mine.toml", tmp_path)
    assert rubric.dimensions[0].scale == Scale(low=1, high=3)
    assert rubric.dimensions[0].points == ("1", "2", "3")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("question", "qestion"), "did you mean 'question'?"),
        (('name = "short"', 'name = "short"\npreference = true'), "did you mean 'preferences'?"),
        (("{ low = 1, high = 3 }", '"1-3"'), 'expected "yes_no", {low = 1, high = 5}, or "pair"'),
        (("low = 1, high = 3", "low = 3, high = 3"), "low must be below high"),
        (("3 = ", "4 = "), "anchor '4' of 'honesty' is not a point of its scale (1, 2, 3)"),
        (('"honesty"', '"Honesty!"'), "'Honesty!' must be small letters, digits and underscores"),
        (
            ("preferences = false", 'preferences = false\ninputs = ["tools"]'),
            "unknown input 'tools' (known: task, intent",
        ),
        (("preferences = false", 'preferences = false\ninputs = ["profiles"]'), "did you mean 'profile'?"),
        (
            ("preferences = false", "preferences = false\ninputs = 3"),
            'inputs: expected a list, such as ["task", "profile"]',
        ),
        (("preferences = false", 'preferences = false\ncalls = "every"'), "calls: input should be 'one' or 'each'"),
        (
            ("preferences = false", "preferences = true\ninputs = []"),
            'add "preferences" to inputs, or write preferences =',
        ),
        (("about =", 'inputs = ["goal"]\nabout ='), 'which need a call of its own: write calls = "each" above'),
        (("{ low = 1, high = 3 }", '"pair"'), "is not a point of its scale (first, tie, second)"),
        (('about = "assistant"', 'about = "judge"'), "dimension honesty.about: input should be"),
        (("[[dimensions]]", "[dimensions]"), "Write [[dimensions]], with two brackets"),
        (("scale = { low = 1, high = 3 }\n", ""), "dimension honesty.scale: field required. Write it like name ="),
        (("high = 3 }", "hight = 3 }"), "unknown key 'dimension honesty.scale.hight', did you mean 'high'?"),
        (("high = 3 }", "high = 1000000000 }"), "a scale has 101 points at most"),
        (('name = "honesty"\n', ""), "dimension number 1.name: field required"),
        ((TEN_LINES[TEN_LINES.index("[[") :], ""), "asks nothing"),
        (("[[dimensions]]", TEN_LINES[TEN_LINES.index("[[") :] + "\n[[dimensions]]"), "two dimensions are named"),
    ],
)
def test_a_fault_is_named_with_its_file(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    path = written(tmp_path, TEN_LINES.replace(*change))
    with pytest.raises(BadInput) as fault:
        read_rubric("mine.toml", tmp_path)
    assert told in str(fault.value)
    assert str(path) in str(fault.value)


def test_an_unknown_name_tells_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="did you mean 'default'"):
        read_rubric("defualt", tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        read_rubric("missing.toml", tmp_path)


def test_the_fingerprint_follows_the_content(tmp_path: Path) -> None:
    first = read_rubric(str(written(tmp_path, TEN_LINES)))
    same = read_rubric(str(written(tmp_path, "# a remark\n" + TEN_LINES, "other.toml")))
    assert first.fingerprint == same.fingerprint
    changes = [
        ("Always.", "Mostly."), ("honesty", "candour"), ("high = 3", "high = 4"), ("claim only", "claim just"),
        ('about = "assistant"', 'about = "user"'), ("preferences = false", "preferences = true"),
        ("preferences = false", 'preferences = false\ninputs = ["task"]'),
        ("about =", "needs_preferences = true\nabout ="),
        ("preferences = false", 'preferences = false\ncalls = "each"'), ("about =", "grounds = false\nabout ="),
    ]  # fmt: skip
    others = [read_rubric(str(written(tmp_path, TEN_LINES.replace(*change), "third.toml"))) for change in changes]
    assert len({rubric.fingerprint for rubric in [first, *others]}) == len(changes) + 1


def test_the_fingerprint_follows_nothing_that_shapes_no_question() -> None:
    asks = {"name": "d", "scale": "yes_no", "question": "?"}
    rubric = Rubric(name="a", calls="each", preferences=False, dimensions=[{**asks, "inputs": ["goal", "state"]}])
    same = [
        rubric.changed(name="b"),
        rubric.changed(inputs=["history"]),
        rubric.changed(dimensions=[{**asks, "inputs": ["state", "goal", "state"], "anchors": {}}]),
        rubric.changed(inputs=["state", "goal"], dimensions=[asks]),
    ]
    assert {each.fingerprint for each in same} == {rubric.fingerprint}
    assert rubric.changed(dimensions=[{**asks, "inputs": ["goal"]}]).fingerprint != rubric.fingerprint


def test_the_shipped_personalens_rubric_shows_what_its_protocol_shows() -> None:
    rubric = read_rubric("personalens")
    assert (rubric.calls, rubric.preferences) == ("each", False)
    assert {d.name: (str(d.scale), rubric.shown(d)) for d in rubric.dimensions} == {
        "success": ("yes_no", ("goal",)),
        "personalisation": ("1 to 4", ("intent", "profile", "tastes", "history")),
        "user_naturalness": ("1 to 5", ()),
        "user_coherence": ("1 to 5", ()),
        "assistant_naturalness": ("1 to 5", ()),
        "assistant_coherence": ("1 to 5", ()),
    }


def test_a_rubric_of_pairs_compares_two() -> None:
    pair = {"name": "better", "scale": "pair", "question": "Which?", "anchors": {"tie": "Alike."}}
    grade = {"name": "good", "scale": "yes_no", "question": "Good?"}
    rubric = parse(Rubric, {"name": "p", "dimensions": [pair]}, "p.toml")
    assert (rubric.pairwise, rubric.preferences, rubric.dimensions[0].points) == (
        True,
        False,
        ("first", "tie", "second"),
    )
    assert not read_rubric().pairwise
    assert read_rubric("pairwise").pairwise
    with pytest.raises(BadInput, match="'good' grades one dialogue and others compare two: write scale"):
        parse(Rubric, {"name": "p", "dimensions": [pair, grade]}, "p.toml")
    with pytest.raises(BadInput, match="preferences = true is for grading one dialogue; drop it"):
        parse(Rubric, {"name": "p", "preferences": True, "dimensions": [pair]}, "p.toml")


def test_inputs_stand_in_one_order_and_once() -> None:
    assert Rubric(name="r", inputs=["state", "task", "preferences", "task"]).inputs == ("task", "preferences", "state")


def test_the_fingerprint_follows_the_prompt_files(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "judge.md").write_text("Grade it.", encoding="utf-8")
    (prompts / "assistant.md").write_text("Help.", encoding="utf-8")
    rubric = Rubric(name="preferences alone")
    before = rubric.fingerprint_with(prompts)
    (prompts / "assistant.md").write_text("Help more.", encoding="utf-8")
    (prompts / "duel.md").write_text("Compare.", encoding="utf-8")
    assert rubric.fingerprint_with(prompts) == before
    (prompts / "judge.md").write_text("Grade it well.", encoding="utf-8")
    assert rubric.fingerprint_with(prompts) != before


@pytest.mark.parametrize("name", ["preferences_met", "state_success", "user_turns", "tokens"])
def test_a_question_cannot_have_the_name_of_a_score_that_is_counted(name: str) -> None:
    with pytest.raises(ValidationError, match=f"'{name}' is the name of a score that is counted"):
        Dimension(name=name, scale="yes_no", question="Is it?")


@pytest.mark.parametrize(
    ("name", "scale"), [("success", Scale(low=1, high=5)), ("personalisation", Scale(low=1, high=5)), ("success", "x")]
)
def test_usual_names_keep_their_usual_scale(name: str, scale: object) -> None:
    with pytest.raises(ValidationError):
        Dimension(name=name, scale=scale, question="Is it?")  # type: ignore[arg-type]
    assert Dimension(name=name, scale=USUAL[name], question="Is it?").name == name
    assert Dimension(name=name, scale="pair", question="Which?").name == name


def test_inputs_without_preferences_ask_for_none_unless_the_rubric_says_so(tmp_path: Path) -> None:
    silent = TEN_LINES.replace("preferences = false\n", "")
    hidden = read_rubric(str(written(tmp_path, silent.replace("[[", 'inputs = ["task"]\n[['))))
    assert not hidden.preferences and hidden.inputs == ("task",)
    assert read_rubric(str(written(tmp_path, silent))).preferences
    assert read_rubric(str(written(tmp_path, silent.replace("[[", 'inputs = ["preferences"]\n[[')))).preferences
    with pytest.raises(BadInput, match="asks about each preference and shows none"):
        read_rubric(str(written(tmp_path, 'name = "outcomes"\ninputs = ["task"]\n')))
