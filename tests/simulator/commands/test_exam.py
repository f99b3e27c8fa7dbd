"""`duologue judge --exam`, as people call it."""

import json
from pathlib import Path

from tests.commandline import duologue
from tests.simulator.exam.sitters import BAD, GOOD, perfect, written


def test_a_judge_sits_the_exam(tmp_path: Path) -> None:
    (tmp_path / "perfect.jsonl").write_text(written(perfect()), encoding="utf-8")
    done = duologue(tmp_path, "judge", "--exam", "--model", "scripted:perfect.jsonl", "--json")
    assert done.returncode == 0 and not done.stderr
    marks = json.loads(done.stdout)
    assert (marks["overall"]["found"]["count"], marks["overall"]["alarms"]["count"]) == (44, 0)
    assert not list(tmp_path.glob("runs"))


def test_the_judge_of_a_run_sits_it(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(written([BAD]), encoding="utf-8")
    sets = ["--set", "select.sample=1", "--set", "judge.model=scripted:bad.jsonl"]
    assert duologue(tmp_path, "run", "references", *sets, "--out", "one").returncode == 0
    done = duologue(tmp_path, "judge", "one", "--exam", "--to", "kept.jsonl")
    assert done.returncode == 0
    assert "judged by scripted:" in done.stdout and "44 of 44" in done.stdout
    assert len((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()) == 66


def test_what_cannot_be_is_told(tmp_path: Path) -> None:
    nobody = duologue(tmp_path, "judge", "--exam")
    assert nobody.returncode == 2 and "duologue judge --exam --model MODEL" in nobody.stderr
    (tmp_path / "good.jsonl").write_text(written([GOOD]), encoding="utf-8")
    pairs = duologue(tmp_path, "judge", "--exam", "--model", "scripted:good.jsonl", "--rubric", "pairwise")
    assert pairs.returncode == 2 and "it compares two dialogues" in pairs.stderr


def test_nothing_scored_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    done = duologue(tmp_path, "judge", "--exam", "--model", "scripted:no idea")
    assert done.returncode == 3 and "44 × no object" in done.stdout
