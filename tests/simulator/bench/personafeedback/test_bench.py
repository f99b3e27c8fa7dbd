"""The bench as a whole: options, roles, what is drawn, and what its fingerprint rests on."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.personafeedback.made_up import opened, planned, row, write_lines, write_release

from duologue.bench.personafeedback.bench import open_bench
from duologue.tasks.written import BadInput

CELLS = {f"{name}/{tier}": 6 for name in ("general", "spedific") for tier in ("easy", "medium", "hard")}


@pytest.mark.parametrize(
    ("options", "models", "told"),
    [
        ({"style": "generate"}, ("model",), "style=generate needs a judge. Type: --judge"),
        ({"style": "generate"}, ("model", "judge"), "needs a reference. Type: --set reference.model=openai:NAME"),
        ({}, ("model", "judge"), "style=choice asks no judge"),
        ({"style": "generate"}, ("model", "judge", "reference", "refrence"), "did you mean 'reference'?"),
        ({"style": "likelihood", "setting": "none"}, ("model",), "take setting=profile or setting=rag"),
        ({"retriever": "hybrid", "k": 3}, ("model",), "k and retriever say how facts are found: take setting=rag"),
        (
            {"setting": "rag", "retriever": "dense"},
            ("model",),
            "retriever: input should be 'bm25', 'embedding' or 'hybrid'",
        ),
        ({"setting": "everything"}, ("model",), "setting: input should be 'profile', 'rag' or 'none'"),
        ({"seting": "rag"}, ("model",), "did you mean 'setting'?"),
        ({"k": 0}, ("model",), "k: "),
        ({"tiers": "easy,tough"}, ("model",), "tiers.1: "),
        ({"tiers": "hard"}, ("model",), "no case of these families and tiers"),
    ],
)
def test_what_is_chosen_wrongly_is_told(
    tmp_path: Path, options: dict[str, Any], models: tuple[str, ...], told: str
) -> None:
    release = write_release(tmp_path, {"general/easy": 1})
    with pytest.raises(BadInput) as caught:
        opened(release, models, **options)
    assert told in str(caught.value)


def test_families_and_tiers_may_be_chosen(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, CELLS), families="specific", tiers="easy, hard")
    assert {question.id.rsplit("/", 2)[0] for question in bench.stages[0]({})} == {
        "choice/specific/easy", "choice/specific/hard",
    }  # fmt: skip
    assert (bench.options["families"], bench.options["tiers"]) == ("specific", "easy, hard")


def drawn(folder: Path, seed: int = 1, sample: int | None = None, **options: Any) -> set[str]:
    plan = planned(folder, options=options, sample=sample, seed=seed)
    return {question.id.removeprefix("choice/").rpartition("/")[0] for question in open_bench(plan).stages[0]({})}


def test_a_sample_is_spread_over_the_strata_and_drawn_by_the_seed(tmp_path: Path) -> None:
    release = write_release(tmp_path, CELLS)
    found = drawn(release, sample=8)
    assert sorted(Counter(id.rpartition("/")[0] for id in found).values()) == [1, 1, 1, 1, 2, 2]
    assert drawn(release, sample=8) == found != drawn(release, sample=8, seed=2)
    assert found < drawn(release, sample=20)
    assert len(drawn(release, sample=100)) == 36


def test_so_many_of_each_stratum(tmp_path: Path) -> None:
    release = write_release(tmp_path, {**CELLS, "general/hard": 2})
    found = drawn(release, each=4)
    assert sorted(Counter(id.rpartition("/")[0] for id in found).values()) == [2, 4, 4, 4, 4, 4]
    assert found == drawn(release, each=4) != drawn(release, each=4, seed=2)
    assert len(drawn(release, each=4, sample=5)) == 5


def test_contents_rest_on_what_is_used(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"general/easy": 2, "general/hard": 2})
    before = opened(release, tiers="easy").contents
    write_lines(release / "data/general/hard.jsonl", [row(9, 1)])
    assert opened(release, tiers="easy").contents == before
    write_lines(release / "data/general/easy.jsonl", [row(0, 1), row(1, 2, chosen="Better.")])
    changed = opened(release, tiers="easy").contents
    assert changed != before
    write_lines(release / "persona/all_personas.jsonl", [{"Name": "Ana", "Preference": "meat"}, {"Name": "Bo"}])
    assert opened(release, tiers="easy").contents != changed
