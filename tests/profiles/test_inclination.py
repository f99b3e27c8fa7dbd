"""people.toml: what can be said of a preference type, and how each fault is told."""

from pathlib import Path

import pytest
from tests.profiles.made_up import TEA, domains

from duologue.profiles.inclination import inclined, shipped_inclined, traits
from duologue.profiles.odds import odds
from duologue.tasks.library import certain, shipped_domains
from duologue.tasks.written import BadInput


def refusal(folder: Path, old: str, new: str) -> BadInput:
    """What is said where `old` is written as `new`."""
    (folder / "domain.toml").write_text(TEA["domain.toml"], encoding="utf-8")
    assert old in TEA["people.toml"]
    (folder / "people.toml").write_text(TEA["people.toml"].replace(old, new), encoding="utf-8")
    ((_, found),) = inclined(folder)
    assert isinstance(found, BadInput)
    return found


def test_everything_that_can_be_written_is_read(tmp_path: Path) -> None:
    tea, bread = domains(tmp_path)
    assert tea.domain.name == "Tea"
    leaf, strength = tea.inclinations["leaf"], tea.inclinations["strength"]
    assert (leaf.likes, leaf.avoids, leaf.sensitive) == ((1, 2), 0.5, False)
    assert leaf.leans["mate"] == {"pace": ("lively",), "budget": ("tight", "middling")}
    assert leaf.never == {"pu-erh": {"budget": ("tight",)}}
    assert leaf.traits() == ("budget", "rhythm", "pace")
    assert (strength.likes, strength.avoids, strength.sensitive) == ((1, 1), 0.0, True)
    assert bread.inclinations["crust"].traits() == ()


def test_a_domain_without_the_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "domain.toml").write_text(TEA["domain.toml"], encoding="utf-8")
    assert list(inclined(tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("[leaf]\n", "[lef]\n", "no preference type 'lef' in Tea, did you mean 'leaf'?"),
        ("[leaf.never]\npu-erh", "[leaf.leans.mat]\npu-erh",
         'leans.mat.pu-erh: expected a level such as "early", or a list of levels'),
        ("avoids = 0.5", "avoid = 0.5", "unknown key 'avoid', did you mean 'avoids'?"),
        ("avoids = 0.5", "avoids = 2", "avoids: input should be less than or equal to 1"),
        ("likes = [1, 2]", "likes = [1, 3]", "likes: expected 1 <= from <= to <= 2, for there are 6 values"),
        ("likes = [1, 2]", "likes = [0, 1]", "likes: expected 1 <= from <= to <= 2, for there are 6 values"),
        ("sensitive = true", "likes = [1, 2]", "likes: expected 1 <= from <= to <= 1, for there are 4 values"),
        ('assam = ["wanted', 'asam = ["wanted', "hints: no value 'asam', did you mean 'assam'?"),
        (', "asked for leaves from the Brahmaputra"', "", "hints: 'assam' has 1, expected 2"),
        ("oolong = { pace", "olong = { pace", "leans: no value 'olong', did you mean 'oolong'?"),
        ('pace = "calm"', 'paces = "calm"', "leans.oolong: no trait 'paces', did you mean 'pace'?"),
        ('pace = "calm"', 'pace = "slow"', "leans.oolong: pace has no level 'slow' (known: calm, lively)"),
        ('pu-erh = { budget = "tight" }', 'pu-erh = { budget = "tigth" }',
         "never.pu-erh: budget has no level 'tigth', did you mean 'tight'?"),
        ('pu-erh = { budget = "tight" }',
         "\n".join(f'{leaf} = {{ pace = "calm" }}' for leaf in ("oolong", "sencha", "assam", "mate", "pu-erh")),
         "never: leaves 1 values to people with budget = 'tight' and rhythm = 'early' and pace = 'calm'"),
    ],
)  # fmt: skip
def test_each_fault_is_told_with_its_place(tmp_path: Path, old: str, new: str, what: str) -> None:
    fault = refusal(tmp_path, old, new)
    assert fault.what == what
    assert fault.where.startswith(str(tmp_path / "people.toml"))


def test_a_type_that_is_left_out_is_missed(tmp_path: Path) -> None:
    rest = TEA["people.toml"][TEA["people.toml"].index("[strength]") :]
    fault = refusal(tmp_path, rest, "")
    assert (fault.what, fault.then) == ("nothing on the preference type 'strength'", 'Add a table ["strength"].')


def test_traits_are_those_that_the_shipped_files_may_name() -> None:
    assert set(traits()) == {"budget", "rhythm", "company", "pace", "place", "diet"}
    assert all(2 <= len(levels) <= 4 for levels in traits().values())


def test_every_shipped_domain_says_how_people_are_inclined() -> None:
    told = {each.domain.name for each in certain(shipped_inclined())}
    assert told == {domain.name for domain in certain(shipped_domains())}


def test_odds_lean_but_are_even_over_everybody(tmp_path: Path) -> None:
    leaf = domains(tmp_path)[0].inclinations["leaf"]
    values = ("oolong", "sencha", "assam", "rooibos", "mate", "pu-erh")
    found = odds(values, leaf)
    shares = {
        mix: [high - low for low, high in zip((0.0, *share.sums), share.sums, strict=False)]
        for mix, share in found.shares.items()
    }
    assert found.traits == ("budget", "rhythm", "pace")
    assert all(share[5] == 0 for mix, share in shares.items() if mix[0] == "tight")
    calm, lively = ("ample", "early", "calm"), ("ample", "early", "lively")
    assert shares[calm][0] > 2 * shares[lively][0]
    for place in range(len(values)):
        assert sum(share[place] for share in shares.values()) / len(shares) == pytest.approx(1 / 6, rel=0.05)
