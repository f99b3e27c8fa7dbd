"""`duologue profiles import` and `duologue tasks import`: what they take, what they say, what they refuse."""

from pathlib import Path

from tests.commandline import duologue
from tests.profiles.imports.made_up import write_text

from duologue.profiles.imports.formats import FORMATS

TEXT = "1 your persona: i dont row.\n2 your persona: i am [NAME].\n3 a\tb\n"


def test_help_and_errors_know_the_same_names(tmp_path: Path) -> None:
    said = "".join(duologue(tmp_path, "profiles", "import", "--help", COLUMNS="400").stdout.split())
    done = duologue(tmp_path, "profiles", "import", "x", "--from", "prefevel")
    assert done.returncode == 2
    assert "unknown format 'prefevel', did you mean 'prefeval'?" in done.stderr
    for name in ("personalens", *FORMATS):
        assert name in said and name in done.stderr


def test_what_was_taken_repaired_and_left_out_is_told(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", TEXT)
    done = duologue(tmp_path, "profiles", "import", "a.txt", "--from", "personachat", "--to", "people")
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert told[0].startswith("read      dialogues: 1, people: 1")
    assert "repaired  apostrophes that were deleted: 1, such as 'i dont row.' is \"i don't row.\"" in told
    assert "dropped   sentences with a slot that nobody filled: 1, such as i am [NAME]." in told
    assert told[-2].startswith("Wrote 1 profiles to people/profiles.jsonl. The data keep their own licence (MIT")
    assert told[-1] == 'Next: data = "people" in a campaign, and "Persona" among the domains of tasks of your own'
    checked = duologue(tmp_path, "profiles", "check", "--data", "people")
    assert checked.returncode == 0, checked.stdout


def test_people_alone_bring_no_tasks(tmp_path: Path) -> None:
    done = duologue(tmp_path, "tasks", "import", "a.txt", "--from", "personachat")
    assert done.returncode == 2
    assert "personachat holds people and no tasks" in done.stderr
    assert "duologue profiles import --from personachat" in done.stderr
