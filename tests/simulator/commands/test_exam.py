"""`duologue judge --exam`, as people call it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
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


def test_it_is_sat_with_all_looks_and_the_panel_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text(written([BAD]), encoding="utf-8")
    (tmp_path / "good.jsonl").write_text(written([GOOD]), encoding="utf-8")
    panel = 'judge.panel=[{model = "scripted:good.jsonl"}]'
    sets = ["--set", "select.sample=1", "--set", "judge.model=scripted:bad.jsonl", "--set", panel]
    assert duologue(tmp_path, "run", "references", *sets, "--out", "one").returncode == 0
    done = duologue(tmp_path, "judge", "one", "--exam", "--samples", "2", "--to", "kept.jsonl")
    assert done.returncode in (0, 3) and ", 2 looks each" in " ".join(done.stdout.split())
    assert len((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()) == 264


def test_a_rubric_that_sees_no_kind_of_fault_is_refused(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_text(written([GOOD]), encoding="utf-8")
    asked = '[[dimensions]]\nname = "brevity"\nquestion = "How short is it?"\nscale = {low = 1, high = 5}\n'
    (tmp_path / "own.toml").write_text(f'name = "own"\npreferences = false\n{asked}', encoding="utf-8")
    done = duologue(tmp_path, "judge", "--exam", "--model", "scripted:good.jsonl", "--rubric", "own.toml")
    assert done.returncode == 2 and not done.stdout
    assert "asks nothing that would show a fault" in done.stderr and "preferences = true" in done.stderr


def test_what_cannot_be_is_told(tmp_path: Path) -> None:
    nobody = duologue(tmp_path, "judge", "--exam")
    assert nobody.returncode == 2 and "duologue judge --exam --model MODEL" in nobody.stderr
    (tmp_path / "good.jsonl").write_text(written([GOOD]), encoding="utf-8")
    pairs = duologue(tmp_path, "judge", "--exam", "--model", "scripted:good.jsonl", "--rubric", "pairwise")
    assert pairs.returncode == 2 and "it compares two dialogues" in pairs.stderr


def test_nothing_scored_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    done = duologue(tmp_path, "judge", "--exam", "--model", "scripted:no idea")
    assert done.returncode == 3 and "44 × no object" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="needs POSIX limits")
def test_a_full_disk_ends_it_and_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_text(written([GOOD]), encoding="utf-8")
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    code = f"{full}from duologue.cli import main; main()"
    asked = ["judge", "--exam", "--model", "scripted:good.jsonl", "--to", "kept.jsonl"]
    done = subprocess.run(
        [sys.executable, "-c", code, *asked], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 3 and "kept.jsonl: the record can no longer be written" in done.stderr, done.stderr
    assert duologue(tmp_path, *asked).returncode == 0
