"""Rubrics: what people write, what is refused, and what changes the fingerprint."""

from pathlib import Path

import pytest

from duologue.agents.rubric import Rubric, Scale, read_rubric
from duologue.tasks.written import BadInput

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
        (("{ low = 1, high = 3 }", '"1-3"'), 'expected "yes_no" or {low = 1, high = 5}'),
        (("low = 1, high = 3", "low = 3, high = 3"), "low must be below high"),
        (("3 = ", "4 = "), "anchor '4' of 'honesty' is not a point of its scale (1, 2, 3)"),
        (('"honesty"', '"Honesty!"'), "dimensions.0.name"),
        (('about = "assistant"', 'about = "judge"'), "dimensions.0.about"),
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
    other = read_rubric(str(written(tmp_path, TEN_LINES.replace("Always.", "Mostly."), "third.toml")))
    assert first.fingerprint == same.fingerprint
    assert first.fingerprint != other.fingerprint


def test_the_fingerprint_follows_the_prompt_files(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "judge.md").write_text("Grade it.", encoding="utf-8")
    (prompts / "assistant.md").write_text("Help.", encoding="utf-8")
    rubric = Rubric(name="preferences alone")
    before = rubric.fingerprint_with(prompts)
    (prompts / "assistant.md").write_text("Help more.", encoding="utf-8")
    assert rubric.fingerprint_with(prompts) == before
    (prompts / "judge.md").write_text("Grade it well.", encoding="utf-8")
    assert rubric.fingerprint_with(prompts) != before
