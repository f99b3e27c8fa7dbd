"""Rubrics that a run keeps: what it was judged under is known when the file is gone."""

import asyncio
import json
from pathlib import Path

import pytest
from tests.simulator.labelling.labelled import brief, held
from tests.simulator.views.screens import drawn

from duologue.agents.rubric import read_rubric
from duologue.provenance import campaign_of
from duologue.record.run import Run, read_run
from duologue.roles import JudgeSpec
from duologue.rubrics import keep_rubric, kept_rubric
from duologue.run import judge_again, resume
from duologue.scores import summary
from duologue.scoring.judging import judging
from duologue.tasks.written import BadInput
from duologue.views.summary import draw

KIND = """
name = "kind"
preferences = false
dimensions = [
    { name = "zeal", scale = { low = 1, high = 5 }, question = "?" },
    { name = "brevity", scale = { low = 0, high = 9 }, question = "?" },
    { name = "kept", scale = "yes_no", question = "?" },
]
"""
SAID = json.dumps({"scores": {"success": "yes", "warmth": 2}})


@pytest.fixture
def unjudged(tmp_path: Path) -> Run:
    return asyncio.run(held(tmp_path, 1))


def spec(folder: Path) -> JudgeSpec:
    return JudgeSpec(model=f"scripted:{SAID}", rubric=str(folder / "brief.toml"))


def test_a_run_keeps_each_rubric_that_it_is_judged_under(unjudged: Run, tmp_path: Path) -> None:
    first = brief(tmp_path)
    asyncio.run(judge_again(unjudged.folder, spec(tmp_path)))
    path = tmp_path / "brief.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("How warm", "How cold"), encoding="utf-8")
    second = brief(tmp_path)
    asyncio.run(judge_again(unjudged.folder, spec(tmp_path)))
    assert first.fingerprint != second.fingerprint
    for rubric in (first, second):
        found = kept_rubric(unjudged.folder, rubric.fingerprint)
        assert found == rubric and found.fingerprint == rubric.fingerprint
    assert kept_rubric(unjudged.folder, "0" * 16) is None


def test_run_and_resume_keep_it_too(tmp_path: Path) -> None:
    done = asyncio.run(held(tmp_path, 1, judge={"model": f"scripted:{SAID}", "rubric": str(tmp_path / "brief.toml")}))
    fingerprint = judging([done]).rubric
    (path,) = done.folder.glob("rubric-*")
    assert path.stem == f"rubric-{fingerprint}" and campaign_of(done.manifest, done.folder).judge
    path.unlink()
    asyncio.run(resume(done.folder))
    assert kept_rubric(done.folder, fingerprint) == brief(tmp_path)


def test_a_run_without_a_judge_keeps_none(unjudged: Run) -> None:
    assert not list(unjudged.folder.glob("rubric*"))


@pytest.mark.parametrize("name", ["default", "personalens", "preferences", "pairwise", "prefeval"])
def test_a_rubric_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    rubric = read_rubric(name)
    keep_rubric(tmp_path, rubric)
    assert kept_rubric(tmp_path, rubric.fingerprint) == rubric


def test_a_damaged_one_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "rubric-abc.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadInput, match=r"abc\.json: is not valid JSON"):
        kept_rubric(tmp_path, "abc")


def test_a_rubrics_file_names_its_verdicts(unjudged: Run, tmp_path: Path) -> None:
    asyncio.run(judge_again(unjudged.folder, spec(tmp_path)))
    asyncio.run(judge_again(unjudged.folder, JudgeSpec(model=f"scripted:{SAID}", rubric="default")))
    run = read_run(unjudged.folder)
    assert judging([run]).rubric_name == "default"
    assert judging([run], str(tmp_path / "brief.toml")).rubric_name == "brief"
    path = tmp_path / "other.toml"
    path.write_text((tmp_path / "brief.toml").read_text(encoding="utf-8").replace("warm", "cold"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"no verdict under '.*other\.toml'"):
        judging([run], str(path))


def test_own_scores_are_shown_in_the_rubrics_order_with_a_bar(unjudged: Run, tmp_path: Path) -> None:
    (tmp_path / "kind.toml").write_text(KIND, encoding="utf-8")
    said = json.dumps({"scores": {"zeal": 4, "brevity": 3, "kept": "yes"}})
    kind = JudgeSpec(model=f"scripted:{said}", rubric=str(tmp_path / "kind.toml"))
    done, _ = asyncio.run(judge_again(unjudged.folder, kind))
    found = summary(done)
    for each in found.assistants:
        assert [name for name in each.metrics if name in ("zeal", "brevity", "kept")] == ["zeal", "brevity", "kept"]
        assert [each.metrics[name].ends for name in ("zeal", "brevity", "kept")] == [(1, 5), (0, 9), (0, 1)]
        assert each.metrics["user_turns"].ends is None
    lines = drawn(draw(found), 120).splitlines()
    assert [line.split()[0] for line in lines if "●" in line][:3] == ["zeal", "brevity", "kept"]
    narrow = drawn(draw(found), 60)
    assert "4.00 of 5" in narrow and "3.00 of 9" in narrow
