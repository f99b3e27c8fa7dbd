"""Campaigns: what may be written, what is refused and how, what a cell is."""

from pathlib import Path

import pytest

from duologue.campaign import Campaign, Cell, cells, read_campaign
from duologue.overrides import overridden
from duologue.profiles.dataset import open_dataset
from duologue.profiles.scenario import ScenarioKey
from duologue.selection import select, stratified
from duologue.tasks.task import Situation
from duologue.tasks.written import BadInput, parse

SMALL = """
seed = 5
[user]
script = ["I want a table.", "Thanks, that is all."]
[[assistant]]
name = "plain"
script = ["Booked."]
[[assistant]]
name = "told"
model = "scripted:Booked."
context = ["demographics", "history"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_name_and_folder(tmp_path: Path) -> None:
    campaign = read_campaign(written(tmp_path, SMALL))
    assert (campaign.name, campaign.beside) == ("mine", str(tmp_path))
    assert campaign.assistant[1].context == ("demographics", "history")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("seed = 5", "sead = 5", r"mine.toml: unknown key 'sead', did you mean 'seed'\?"),
        ("[user]", "[limits]\nturn = 3\n[user]", r"unknown key 'limits.turn', did you mean 'turns'\?"),
        ('name = "told"\nmodel', 'name = "told"\nmodl', r"unknown key 'assistant.1.modl', did you mean 'model'\?"),
        ('name = "told"', 'name = "plain"', "two assistants are named 'plain'"),
        ('context = ["demographics", "history"]', 'context = ["demografics"]', "assistant.1.context.0"),
        ('model = "scripted:Booked."', 'model = "scripted:x"\ncallable = "a:b"', "exactly one of"),
        ('model = "scripted:Booked."', "", "none is given"),
        ("seed = 5", "seed = 5\nname = 'a/b'", "name"),
        ("seed = 5", "seed = ", "not valid TOML"),
    ],
)
def test_a_fault_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in SMALL
    with pytest.raises(BadInput, match=told):
        read_campaign(written(tmp_path, SMALL.replace(old, new)))


MEMORY = "memory must be bm25:N or embedding:N, N from 1 to 999, such as"
AGENDA = """
user = { agenda = true }
[[assistant]]
reference = "ceiling"
[[assistant]]
name = "plain"
script = ["Booked."]
"""


def test_a_reference_is_named_after_its_kind_unless_it_has_a_name(tmp_path: Path) -> None:
    read = read_campaign(written(tmp_path, AGENDA), ["assistant.ceiling.whose=wrong"])
    assert [(each.name, each.reference, each.whose) for each in read.assistant] == [
        ("ceiling", "ceiling", "wrong"),
        ("plain", "", "own"),
    ]
    assert read.judge is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{ agenda = true }", '{ agenda = true, script = ["x"] }', "agenda and script are both given"),
        ("{ agenda = true }", '{ script = ["x"], correction = "object" }', "correction belongs to agenda = true"),
        ("{ agenda = true }", '{ agenda = true, correction = "shout" }', "user.correction"),
        ('reference = "ceiling"', 'reference = "roof"', "assistant.0.reference"),
        ('reference = "ceiling"', 'reference = "ceiling"\ncontext = "history"', "drop context and memory"),
        ('reference = "ceiling"', 'reference = "floor"\nwhose = "wrong"', "whose is for the ceiling"),
        ('reference = "ceiling"', 'reference = "asker"\ntools = "off"', "acts through tools alone"),
        ('script = ["Booked."]', 'script = ["x"]\ntools = "native"', "a script calls no tools"),
        ('script = ["Booked."]', 'callable = "a:b"\ntools = "text"', "tools = 'text' is for models"),
        (
            'script = ["Booked."]',
            'script = ["x"]\nmemory = "bm26:5"',
            "memory must be bm25:N or embedding:N, N from 1 to 999, such as",
        ),
        (
            'script = ["Booked."]',
            'script = ["x"]\nmemory = "bm25:0"',
            "memory must be bm25:N or embedding:N, N from 1 to 999, such as",
        ),
        (
            'script = ["Booked."]',
            'script = ["x"]\nmemory = "bm25:x"',
            "memory must be bm25:N or embedding:N, N from 1 to 999, such as",
        ),
        (
            'script = ["Booked."]',
            'script = ["x"]\nmemory = "faiss:5"',
            "memory must be bm25:N or embedding:N, N from 1 to 999, such as",
        ),
        (
            'script = ["Booked."]',
            'script = ["x"]\nmemory = "bm25:1000"',
            "memory must be bm25:N or embedding:N, N from 1 to 999, such as",
        ),
        (
            'script = ["Booked."]',
            'script = ["x"]\nmemory = 5',
            "memory must be bm25:N or embedding:N, N from 1 to 999, such as",
        ),
        ('reference = "ceiling"', 'reference = ["floor"]', "assistant.0.reference: "),
        ('reference = "ceiling"', 'reference = "floor"\ntemperature = 0.0', "and the floor is none; drop temperature"),
        ('reference = "ceiling"', 'reference = "floor"\nbase_url = "http://h"\nkey = "K"', "drop base_url and key"),
        ('reference = "ceiling"', 'reference = "floor"\ntop_p = 0.5', "drop top_p"),
        ('reference = "ceiling"', 'reference = "floor"\nmax_tokens = 9', "drop max_tokens"),
        ('reference = "ceiling"', 'reference = "floor"\nstateful = true', "stateful changes nothing for the floor"),
        ('script = ["Booked."]', 'callable = "a:b"\ntemperature = 1.0', "and a callable is none"),
        ("{ agenda = true }", "{ agenda = true, temperature = 1.0 }", "and an agenda is none"),
        ('script = ["Booked."]', 'script = ["x"]\nmemory = "bm25"\ncontext = "history"', "every session already"),
        (
            'script = ["Booked."]',
            'script = ["x"]\nwhose = "wrong"',
            "changes nothing where nothing of the user is told",
        ),
        ('script = ["Booked."]', 'script = ["x"]\nwhose = "popular"\nmemory = "bm25"', "takes preferences in context"),
    ],
)
def test_what_does_not_go_together_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in AGENDA
    with pytest.raises(BadInput, match=told):
        read_campaign(written(tmp_path, AGENDA.replace(old, new)))


@pytest.mark.parametrize("name", ["quickstart", "references"])
def test_the_shipped_campaigns_find_their_scenarios(name: str) -> None:
    shipped = read_campaign(name)
    keys = select(shipped, open_dataset(shipped.data))
    assert len(keys) == shipped.select.sample
    assert len({key.profile for key in keys}) > 2


def test_an_unknown_campaign_names_the_shipped_ones() -> None:
    with pytest.raises(BadInput, match="did you mean 'quickstart'"):
        read_campaign("quikstart")


def test_each_kind_of_context_counts_once(tmp_path: Path) -> None:
    text = SMALL.replace('["demographics", "history"]', '["history", "demographics", "history"]')
    assert read_campaign(written(tmp_path, text)).assistant[1].context == ("history", "demographics")


def test_context_none_is_no_context(tmp_path: Path) -> None:
    text = SMALL.replace('context = ["demographics", "history"]', 'context = "none"')
    assert read_campaign(written(tmp_path, text)).assistant[1].context == ()


@pytest.mark.parametrize(
    ("entry", "path", "value"),
    [
        ("limits.concurrency=50", ("limits", "concurrency"), 50),
        ("name=other one", ("name",), "other one"),
        ("select.tasks=['a']", ("select", "tasks"), ["a"]),
        ("*.base_url=http://h/v1", ("judge", "base_url"), "http://h/v1"),
    ],
)
def test_overrides_set_one_value(entry: str, path: tuple[str, ...], value: object) -> None:
    held: object = overridden({"judge": {"model": "m"}, "user": {"script": ["x"]}, "assistant": []}, [entry])
    for step in path:
        assert isinstance(held, dict)
        held = held[step]
    assert held == value


def test_overrides_reach_one_assistant_and_leave_scripts_alone() -> None:
    table = {"user": {"script": ["x"]}, "assistant": [{"name": "a", "model": "m"}, {"name": "b", "script": ["y"]}]}
    changed = overridden(table, ["*.model=n", "assistant.b.context=['history']"])
    assert changed["user"] == {"script": ["x"]}
    assert changed["assistant"] == [{"name": "a", "model": "n"}, {"name": "b", "script": ["y"], "context": ["history"]}]
    assert table["assistant"][0] == {"name": "a", "model": "m"}


@pytest.mark.parametrize("entry", ["limits", "=3", "assistant.c.model=x", "seed.x=1"])
def test_overrides_that_lead_nowhere_are_refused(entry: str) -> None:
    with pytest.raises(BadInput):
        overridden({"seed": 1, "assistant": [{"name": "a"}]}, [entry])


def test_a_cell_is_named_by_what_it_is_and_not_by_its_place() -> None:
    key = ScenarioKey("p", "t", ("D",), Situation(day="Friday"))
    ids = {
        Cell(key, "a", 1).id,
        Cell(key, "b", 1).id,
        Cell(key, "a", 2).id,
        Cell(key._replace(profile="q"), "a", 1).id,
        Cell(key._replace(task="u"), "a", 1).id,
        Cell(key._replace(situation=Situation()), "a", 1).id,
    }
    assert len(ids) == 6
    assert Cell(key, "a", 1).id == Cell(key._replace(situation=Situation(day="Friday")), "a", 1).id


def test_cells_are_scenarios_by_trials_by_assistants(tmp_path: Path) -> None:
    campaign = read_campaign(written(tmp_path, "trials = 2\n" + SMALL))
    keys = [ScenarioKey(p, "t", ("D",), Situation()) for p in "xy"]
    held = [(cell.scenario.profile, cell.trial, cell.assistant) for cell in cells(campaign, keys)]
    assert held[:5] == [("x", 1, "plain"), ("x", 1, "told"), ("x", 2, "plain"), ("x", 2, "told"), ("y", 1, "plain")]
    assert len(held) == 8


def campaign(**select: object) -> Campaign:
    table = {"user": {"script": ["x"]}, "assistant": [{"name": "a", "script": ["y"]}], "select": select}
    return parse(Campaign, table, "test")


def test_select_takes_by_name() -> None:
    data = open_dataset("shipped")
    some = next(iter(data.scenarios()))
    kept = select(campaign(profiles=(some.profile,), tasks=(some.task,)), data)
    assert kept == [some]
    assert {d for key in select(campaign(domains=("Movies",)), data) for d in key.domains} == {"Movies"}


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ({"profiles": ("p1-001",)}, "no profile 'p1-001' in the data, did you mean"),
        ({"tasks": ("no-such",)}, "duologue tasks list"),
        ({"domains": ("Movis",)}, "did you mean 'Movies'"),
    ],
)
def test_select_refuses_what_is_not_there(what: dict[str, tuple[str, ...]], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        select(campaign(**what), open_dataset("shipped"))


def test_a_number_of_profiles_is_drawn_by_seed() -> None:
    data = open_dataset("shipped")
    drawn = [{k.profile for k in select(campaign(profiles=3).model_copy(update={"seed": s}), data)} for s in range(6)]
    assert all(len(profiles) == 3 for profiles in drawn)
    assert len({frozenset(profiles) for profiles in drawn}) > 1


def test_a_sample_is_stratified_and_spread_over_profiles() -> None:
    keys = [
        ScenarioKey(f"p{p}", f"{domain}-{t}", (domain,), Situation())
        for p in range(10)
        for domain, tasks in (("Big", 30), ("Small", 2))
        for t in range(tasks)
    ] + [ScenarioKey(f"p{p}", "both", ("Big", "Small"), Situation()) for p in range(10)]
    drawn = stratified(keys, 12, seed=1)
    assert len(set(drawn)) == 12
    count = {kind: sum(1 for key in drawn if key.domains == kind) for kind in (("Big",), ("Small",), ("Big", "Small"))}
    assert set(count.values()) == {4}
    assert len({key.profile for key in drawn}) == 10
    assert drawn == stratified(reversed(keys), 12, seed=1) != stratified(keys, 12, seed=2)
    assert len(stratified(keys, 10**6, seed=1)) == len(keys)
