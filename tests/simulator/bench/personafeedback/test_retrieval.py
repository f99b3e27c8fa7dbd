"""Facts found by vectors and by both; what is found is kept and taken again; recall of what answers rely on."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.simulator.bench.asking import CASES, plan_for, settle
from tests.simulator.bench.asking import answers as recorded
from tests.simulator.bench.personafeedback.made_up import line, opened, planned, row, write_lines, write_release

from duologue.agents.models.known import DEFAULT
from duologue.agents.models.weights import named
from duologue.bench.findings import FILE, findings, keep
from duologue.bench.performance import perform, reported
from duologue.bench.personafeedback.bench import open_bench
from duologue.bench.personafeedback.cases import read_cases
from duologue.bench.personafeedback.choices import Choices
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.retrieval import by_both, by_vectors, fused
from duologue.bench.plan import begin
from duologue.tasks.written import BadInput

STANDIN = str(Path(__file__).parents[3] / "agents" / "models" / "standin")
FACTS = ("Food: soup", "City: Porto", "Pet: a tortoise")


class Vectors:
    """Vectors by the words that a text holds; what it knows no word of has nothing in common with anything."""

    known = ("soup", "porto", "tortoise")
    alike: ClassVar = {"reptile": "tortoise", "lunch": "soup", "vegetables": "soup"}

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text.casefold()) for text in texts]

    def _vector(self, text: str) -> list[float]:
        for word, meant in self.alike.items():
            text = text.replace(word, meant)
        held = [float(word in text) for word in self.known]
        return [each / (sum(held) or 1) ** 0.5 for each in held]


async def test_vectors_find_what_shares_no_word() -> None:
    assert await by_vectors(FACTS, "What does a reptile eat?", Vectors()) == [2]
    assert await by_vectors(FACTS, "Something else?", Vectors()) == []


async def test_both_find_what_either_finds() -> None:
    asked = "May my reptile live in Porto?"  # words: Porto; vectors: Porto and the tortoise alike
    assert await by_both(FACTS, asked, Vectors()) == [1, 2]
    assert await by_both(FACTS, "Is lunch good in Porto?", Vectors()) == [1, 0]


def test_ranks_are_fused() -> None:
    # 0: 1/61 + 1/63, 1: 1/62 + 1/62, 2: 1/63, 3: 1/61; 1/61 + 1/63 > 2/62
    assert fused([[0, 1, 2], [3, 1, 0]]) == [0, 1, 3, 2]
    assert fused([[1, 0], [0, 1]]) == [0, 1]
    assert fused([[], [2]]) == [2]
    # Two third places, 2/63, are better than a first and a tenth, 1/61 + 1/70.
    assert fused([[0, 2, 1], [3, 4, 1, 5, 6, 7, 8, 9, 10, 0]])[:2] == [1, 0]


def sheet(folder: Path, **options: Any) -> Sheet:
    held = read_cases(write_release(folder, {"general/easy": 3}))
    return Sheet(held.cases, held.personas, Choices(setting="rag", **options), 1)


async def test_what_is_found_is_told_the_best_first_and_at_most_k(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    made = sheet(tmp_path, retriever="hybrid", k=1)
    found = await made.seek(Vectors(), lambda done, of: seen.append((done, of)))
    assert found == {"general/easy/1": ("5",), "general/easy/2": ("2",), "general/easy/3": ("4",)}
    assert seen == [(0, 3), (1, 3), (2, 3)]
    made.take(found)
    assert made.told(made.cases[0]).facts == ("Preference, Food: spicy soups",)


@pytest.mark.parametrize("lacking", [{}, {"general/easy/1": ("6",)}, {"general/easy/1": ("0",)}])
def test_findings_that_do_not_fit_the_data_are_told(tmp_path: Path, lacking: dict[str, tuple[str, ...]]) -> None:
    held = {f"general/easy/{number}": () for number in (2, 3)} | lacking
    with pytest.raises(BadInput, match=r"findings.json: does not tell which facts were found for general/easy/1"):
        sheet(tmp_path, retriever="embedding").take(held)


def test_only_vectors_have_to_be_looked_up(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"general/easy": 1})
    assert opened(release, setting="rag", retriever="embedding").seeks
    assert not opened(release, setting="rag").seeks
    assert not opened(release).seeks  # the whole persona is told


def test_results_are_marked(tmp_path: Path) -> None:
    bench = opened(write_release(tmp_path, {"general/easy": 1}), setting="rag", retriever="hybrid")
    assert bench.options["told"].startswith("RAG (our configuration): 5 facts")
    bench.take({"general/easy/1": ("2",)})
    (table,) = bench.tables({})
    assert table.title.endswith("RAG (our configuration)") and not any(table.comparable_to_paper.values())


OPTIONS = {"setting": "rag", "retriever": "embedding", "k": 2}
FOUND = {f"general/easy/{number}": ("2", "1") for number in range(1, 5)}


async def test_what_is_kept_is_not_looked_up_again(tmp_path: Path, server: Any) -> None:
    plan = plan_for(tmp_path, server, options=OPTIONS)
    folder = tmp_path / "b"
    folder.mkdir()
    begin(plan, open_bench(plan).contents, folder)
    with pytest.raises(BadInput, match=rf"has no {FILE}. Look it all up again: duologue resume"):
        reported(folder)
    keep(FOUND, folder)
    report = await perform(plan, folder)
    assert {tuple(each["shown"]) for each in recorded(folder)} == {("2", "1")}
    assert (report.answered, reported(folder).tables) == (report.asked, report.tables)


async def test_it_is_looked_up_once_by_the_embedded_model(
    tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in's vectors, of which the longest text's is the nearest to all."""
    weights = named(DEFAULT)
    assert weights is not None
    cached = tmp_path / "cache" / "models" / f"{weights.name}-{weights.sha256[:16]}.gguf"
    cached.parent.mkdir(parents=True)
    with cached.open("wb") as file:
        file.truncate(weights.size)
    with monkeypatch.context() as here:
        here.setenv("DUOLOGUE_CACHE", str(tmp_path / "cache"))
        here.setenv("PYTHONPATH", STANDIN)
        here.syspath_prepend(STANDIN)
        seen: list[tuple[int, int]] = []
        plan = plan_for(tmp_path, server, options={**OPTIONS, "k": 1})
        await perform(plan, tmp_path / "b", lambda done, of, answer: seen.append((done, of)))
    assert seen[:CASES] == [(done, CASES) for done in range(CASES)]
    found = findings(tmp_path / "b")
    assert found is not None and found["general/easy/1"] == ("5",)  # Preference, Food: spicy soups
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    settle(tmp_path / "b", 3)
    again = await perform(plan, tmp_path / "b")
    assert again.answered == 2 * CASES and findings(tmp_path / "b") == found


async def test_without_the_library_nothing_is_begun(
    tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(BadInput, match=r"retriever=embedding cannot be used: .*or write --set retriever=bm25"):
        await perform(plan_for(tmp_path, server, options=OPTIONS), tmp_path / "b")
    assert not server.calls and not (tmp_path / "b").exists()


def test_recall_of_the_facts_that_answers_rely_on(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"general/easy": 1})
    # Of Ana's facts the soup is found (5), of Bo's the lake (2).
    rows = [row(0, 1, relies_on=["spicy soups", 3]), row(1, 2, relies_on=[2]), row(2, 3), row(0, 1, relies_on=[])]
    write_lines(release / "data/general/easy.jsonl", rows)
    _, table = opened(release, setting="rag", k=3).tables({})
    found = line(table, "general", "easy")["recall_at_3"]
    assert (found.value, found.n, found.unscored) == ((1 / 2 + 1) / 2, 2, 2)
    assert "our configuration" in table.title
    assert len(opened(release).tables({})) == 1  # nothing is retrieved


def test_facts_may_be_annotated_in_a_file_of_their_own(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"general/easy": 2})
    write_lines(release / "facts.jsonl", [{"case": "general/easy/2", "relies_on": ["distrusts apps", "2"]}])
    bench = open_bench(planned(release, options={"setting": "rag", "annotations": "facts.jsonl"}))
    _, table = bench.tables({})
    assert line(table, "general", "easy")["recall_at_5"].value == 1 / 2


@pytest.mark.parametrize(
    ("relied", "told"),
    [
        ("spicy soups", "relies_on is 'spicy soups', no list"),
        ([6], "relies_on names 6, none of the 5 facts of persona 1. Give one fact's number"),
        (["Porto!"], "relies_on names 'Porto!', none of"),
        ([True], "relies_on names True, none of"),
        ([None], "relies_on names None, none of"),
        (["tea"], "relies_on names 'tea', the facts 4 and 5 of persona 1"),
    ],
)
def test_facts_that_are_none_are_told(tmp_path: Path, relied: Any, told: str) -> None:
    persona = {"Name": "Ana", "Age": 34, "City": "Porto", "Food": ["tea", "tea"] if relied == ["tea"] else ["a", "b"]}
    release = write_release(tmp_path, {"general/easy": 1}, [persona])
    write_lines(release / "data/general/easy.jsonl", [row(0, 1, relies_on=relied)])
    with pytest.raises(BadInput) as caught:
        read_cases(release)
    assert f"easy.jsonl:1: {told}" in str(caught.value)
