"""`label` and `agreement` as people use them: at a terminal, and with files."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("termios")

from tests.commandline import duologue
from tests.simulator.labelling.labelled import ASSISTANTS, Terminal, brief, held, judged, labelled

from duologue.agents.rubric import read_rubric
from duologue.commands.label import label
from duologue.labelling.labels import Label, labels_path, read_labels
from duologue.record.run import Run, read_run
from duologue.tasks.written import BadInput

ANN = ("label", "runs/one", "--as", "ann", "--rubric", "brief.toml")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of eight dialogues, and the rubric `brief.toml`."""
    folder = tmp_path_factory.mktemp("labelled")
    asyncio.run(held(folder))
    return folder


@pytest.fixture
def place(original: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(original, tmp_path / "place")


@pytest.fixture
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def taken(**changes: Any) -> None:
    """`label` with ann's labels in `l.csv`, but for what `changes`."""
    known = {"run": "runs/one", "name": "ann", "rubric": "brief.toml", "source": Path("l.csv")}
    label(**{**known, **changes})


def read(place: Path) -> Run:
    return read_run(place / "runs" / "one")


def labels(place: Path) -> list[Label]:
    return read_labels(place / "runs" / "one", [])


def test_dialogues_are_labelled_one_by_one_and_gone_on_with(place: Path) -> None:
    with Terminal(place, *ANN, "--n", "3") as one:
        shown = one.answer("y", "3", "no", "q")
        told, code = one.end()
    assert "ann labels 3 dialogues, drawn at random from 8" in shown and "dialogue 1 of 3" in shown
    told = " ".join(told.split())
    assert "1 dialogue labelled now, 1 of 3 in all. 1 dialogue begun: what is answered is kept." in told and code == 0
    assert "duologue label runs/one --as ann --n 3 --rubric brief.toml" in told
    assert [(each.scores, each.part) for each in labels(place)] == [
        ({"success": True, "warmth": 3}, False), ({"success": False}, True),
    ]  # fmt: skip
    with Terminal(place, *ANN, "--n", "3") as one:
        shown = one.answer("1", "y", "s")
        told, code = one.end()
    assert "1 of them are labelled already" in shown and "dialogue 1 of 3" not in shown
    assert "2 dialogues labelled now, 3 of 3 in all." in told and "go on" not in told and "begun" not in told
    found = [each for each in labels(place) if not each.part]
    assert len({each.cell for each in found}) == 3
    assert [each.scores for each in found[:2]] == [{"success": True, "warmth": 3}, {"success": False, "warmth": 1}]
    assert found[2].scores["warmth"] is None
    assert {each.drawn.model_dump_json() for each in found if each.drawn} == {'{"seed":1,"n":3,"of":8}'}


def test_the_hint_names_the_run_and_not_the_last_one(place: Path) -> None:
    with Terminal(place, "label", "last", *ANN[2:]) as one:
        one.answer("q")
        told, _ = one.end()
    assert "duologue label runs/one --as ann" in told and "label last" not in told


def test_each_question_tells_the_keys(place: Path) -> None:
    with Terminal(place, *ANN) as one:
        first, second, third = one.answer("y"), one.answer("?"), one.answer("q")
    assert first.endswith("no/yes  [s]kip [b]ack [t]ext [?]help [q]uit > ")
    assert second.endswith("1/2/3  [s]kip [b]ack [t]ext [?]help [q]uit > ")
    assert "[t]ext   shows the dialogue again" in third and "3  the highest" in third


def test_nothing_on_the_screen_tells_the_assistant_or_the_judges_scores(place: Path) -> None:
    run = judged(read(place), brief(place), lambda number: {"success": True, "warmth": 2}, judge="openai:strict-judge")
    with Terminal(place, *ANN) as one:
        shown = one.answer(*["?", "t", "y", "2"] * 8)
        told, code = one.end()
    assert code == 0 and "All booked." in shown and "8 of 8" in told
    for name in (
        *ASSISTANTS,
        "strict-judge",
        *(each.cell for each in run.dialogues),
        *(each.profile for each in run.dialogues),
    ):
        assert name not in shown + told
    by_cell = {each.cell: each.assistant for each in run.dialogues}
    assert [by_cell[each.cell] for each in labels(place)] != sorted(by_cell[each.cell] for each in labels(place))


def test_two_labellers_get_the_same_dialogues_in_another_order(place: Path) -> None:
    for name in ("ann", "bob"):
        with Terminal(place, "label", "runs/one", "--as", name, "--rubric", "brief.toml", "--n", "6") as one:
            one.answer(*["y", "2"] * 6)
            one.end()
    ann, bob = ([each.cell for each in labels(place) if each.labeller == name] for name in ("ann", "bob"))
    assert ann != bob and {*ann} == {*bob} and len(ann) == 6


def test_ctrl_c_and_ctrl_d_leave_what_is_written(place: Path) -> None:
    for words, key, expected in ((("y", "2", "y"), b"\x03", 130), (("2", "n"), b"\x04", 0)):
        with Terminal(place, *ANN) as one:
            one.answer(*words, key)
            told, code = one.end()
        assert code == expected and "Traceback" not in told and "1 dialogue labelled now" in told
        assert "1 dialogue begun" in told
    assert [(each.scores.get("success"), each.part) for each in labels(place)] == [
        (True, False), (True, True), (True, False), (False, True),
    ]  # fmt: skip


def test_a_kill_loses_at_most_the_dialogue_under_way(place: Path) -> None:
    with Terminal(place, *ANN) as one:
        one.answer("y", "2", "n", "1", "y")
        one.wait()
        one.kill()
    assert [each.scores for each in labels(place)] == [{"success": True, "warmth": 2}, {"success": False, "warmth": 1}]


def test_whatever_is_typed_is_answered(place: Path) -> None:
    with Terminal(place, *ANN) as one:
        shown = one.answer("é́ 漢字", b"\xff\xfe\n", "[bold]", "y", "q")
        shown += one.end()[0]
    assert shown.count("is no point of this scale") == 3 and "[bold]" in shown and "Traceback" not in shown


async def test_long_dialogues_come_page_by_page(tmp_path: Path) -> None:
    long = "\n".join(f"Line {number}." for number in range(60))
    script = {"script": ["Hello, \u202eodd\x1b[2J one: \U0001f469\u200d\U0001f680 and العربية.", "Thanks."]}
    await held(tmp_path, 1, user=script, assistant=[{"name": "zephyr-nine", "script": [long, "Bye."]}])
    with Terminal(tmp_path, *ANN, lines=24) as one:
        first = one.answer("")
        second = one.answer("s")
        third = one.answer("q")
        told, _ = one.end()
    assert "more lines: Enter goes on, s skips to the questions" in first and "Line 50." not in first
    assert "Line 10." in second and "Line 59." not in second and "Is all done?" in third
    assert second.count("\n") <= 24 and first.count("\n") <= 24 + 3  # what is greeted with stands above the first
    assert "\x1b[2J" not in first + second and "0 dialogues labelled now" in told


def test_labels_come_from_a_file(place: Path, here: None, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "l.csv").write_text("dialogue,success,warmth\n1,yes,2\n2,no,\n", encoding="utf-8")
    taken(picked=True)
    assert "2 dialogues labelled by ann" in capsys.readouterr().out
    assert [(each.scores, each.drawn) for each in labels(place)] == [
        ({"success": True, "warmth": 2}, None), ({"success": False, "warmth": None}, None),
    ]  # fmt: skip
    taken(picked=True)
    assert "0 dialogues labelled by ann; 2 said what was known already" in capsys.readouterr().out
    assert len(labels(place)) == 2


def test_a_file_of_drawn_dialogues_must_hold_such(place: Path, here: None) -> None:
    rows = "".join(f"{number},yes\n" for number in range(1, 9))
    (place / "l.csv").write_text(f"dialogue,success\n{rows}", encoding="utf-8")
    with pytest.raises(BadInput, match=r"is not among those drawn, which .*sample-3-by-1\.json lists.*--picked"):
        taken(n=3)
    assert not labels(place)
    taken()
    assert {each.drawn is not None for each in labels(place)} == {True}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"source": None}, "labels are given at a terminal, and this is none. Give labels made elsewhere: --from FILE"),
        ({"source": None, "picked": True}, "--picked is for labels made elsewhere"),
        ({"name": "a/b"}, "'a/b' cannot name a labeller. Name yourself with --as"),
        ({"run": "runs/none"}, "no run 'runs/none'"),
        ({"source": Path("none.csv")}, "none.csv: no such file"),
        ({"rubric": "pairwise"}, "the rubric pairwise compares two dialogues, and people label one at a time"),
        ({"rubric": "bare.toml"}, "the rubric bare has no dimension to label"),
    ],
)
def test_bad_input_is_told_in_a_sentence(place: Path, here: None, arguments: dict[str, Any], told: str) -> None:
    (place / "bare.toml").write_text('name = "bare"\npreferences = true\n', encoding="utf-8")
    (place / "l.csv").write_text("dialogue,success\n1,yes\n", encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        taken(**arguments)
    assert told in str(raised.value) and len(str(raised.value).splitlines()) == 1


def test_profiles_that_changed_since_are_refused(place: Path, here: None) -> None:
    path = place / "runs" / "one" / "run.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["data"] = dict.fromkeys(manifest["data"], "0" * 16)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    (place / "l.csv").write_text("dialogue,success\n1,yes\n", encoding="utf-8")
    with pytest.raises(BadInput, match="changed since the run began"):
        taken(picked=True)


def test_agreement_is_printed_and_is_json(place: Path) -> None:
    rubric = brief(place)
    run = judged(read(place), rubric, lambda number: {"success": number % 2 == 0, "warmth": 1 + number % 3})
    said: dict[int, dict[str, Any]] = {at: {"success": at % 2 == 0, "warmth": 1 + at % 3} for at in range(8)}
    for name in ("ann", "bob"):
        labelled(run, rubric, name, said)
    shown = duologue(place, "agreement", "one").stdout
    for text in ("judge, people together", "ann, bob", "too few profiles"):
        assert text in shown
    assert "Fleiss" not in shown and "alpha" not in shown  # of two people, their own line says it all
    labelled(run, rubric, "cid", said)
    shown = duologue(place, "agreement", "one").stdout
    assert "all 3 people" in shown and "Fleiss' kappa" in shown and "alpha" in shown
    found = json.loads(duologue(place, "agreement", "one", "--json", "-d", "success").stdout)
    assert [each["name"] for each in found["dimensions"]] == ["success"]
    assert found["dimensions"][0]["judge"][0]["kappa"]["value"] == 1


def test_the_labels_lie_in_the_runs_folder(place: Path, here: None) -> None:
    (place / "l.jsonl").write_text('{"dialogue": 1, "success": true}\n', encoding="utf-8")
    taken(source=Path("l.jsonl"), picked=True)
    line = json.loads(labels_path(place / "runs" / "one", "ann").read_text(encoding="utf-8"))
    assert {"v", "cell", "attempt", "labeller", "rubric", "rubric_name", "scores", "drawn", "time"} <= line.keys()
    assert read(place).dialogues[0].cell == line["cell"]


def test_an_own_rubric_is_known_by_its_file_and_when_that_is_gone(place: Path) -> None:
    verdict = json.dumps({"scores": {"warmth": 2, "success": "yes"}})
    other = json.dumps({"scores": {"kindness": 4}})
    kind = "name = 'kind'\ninputs = ['task']\ndimensions = [{ name = 'kindness', scale = { low = 1, high = 5 }, "
    (place / "kind.toml").write_text(f"{kind}question = 'How kind is it?' }}]\n", encoding="utf-8")
    for rubric, said in (("./brief.toml", verdict), ("./kind.toml", other)):
        assert duologue(place, "judge", "one", "--rubric", rubric, "--model", f"scripted:{said}").returncode == 0
    run, rubric = read(place), brief(place)
    labelled(run, rubric, "ann", {at: {"success": at % 2 == 0, "warmth": 2} for at in range(8)})
    mine = read_rubric(str(place / "kind.toml"))
    labelled(run, mine, "ann", {at: {"kindness": 1 + at % 4} for at in range(8)})
    shown = json.loads(duologue(place, "agreement", "one", "--rubric", "kind.toml", "--json").stdout)
    assert [each["name"] for each in shown["dimensions"]] == ["kindness"] and shown["dimensions"][0]["judge"]
    (place / "kind.toml").unlink()
    (place / "brief.toml").unlink()
    for name in ("brief", "kind"):
        shown = json.loads(duologue(place, "agreement", "one", "--rubric", name, "--json").stdout)
        assert all(each["judge"] and not each["why"] for each in shown["dimensions"])
    told = duologue(place, "replay", "one", "1", "--rubric", "kind").stdout
    assert "kindness  4 of 5" in told
    gone = duologue(place, "agreement", "one", "--rubric", "kind.toml")
    assert gone.returncode == 2 and "kind.toml: no such file" in gone.stderr
