"""A bench performed: recorded, gone on with where it was left, refused where it is another one."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.bench.asking import CASES, A, B, answers, plan_for, settle
from tests.simulator.bench.personafeedback.made_up import row, write_lines

from duologue.bench.performance import perform, reported
from duologue.bench.plan import Plan
from duologue.record.store import Lock
from duologue.tasks.written import BadInput

ALL = 2 * CASES


async def test_all_is_asked_once_and_recorded(tmp_path: Path, server: Any) -> None:
    seen: list[tuple[int, int]] = []
    plan = plan_for(tmp_path, server)
    report = await perform(plan, tmp_path / "b", lambda done, of, answer: seen.append((done, of)))
    assert (report.items, report.asked, report.answered, report.stopped) == (CASES, ALL, ALL, "")
    assert seen == [(done, ALL) for done in range(ALL + 1)]
    held = answers(tmp_path / "b")
    assert len({each["id"] for each in held}) == len(held) == len(server.calls) == ALL
    assert held[0]["text"] == A and held[0]["model"] == f"say:{A}" and held[0]["usage"]["input"] > 0
    assert report.usage["model"].calls == ALL
    again = await perform(plan, tmp_path / "b")
    assert len(server.calls) == ALL
    assert again.tables == report.tables == reported(tmp_path / "b").tables


@pytest.mark.parametrize("torn", ["", '{"v":1,"id":"choice/gen'])
async def test_only_what_is_missing_is_asked_again(tmp_path: Path, server: Any, torn: str) -> None:
    plan = plan_for(tmp_path, server)
    whole = await perform(plan, tmp_path / "b")
    settle(tmp_path / "b", 3, torn)
    assert reported(tmp_path / "b").answered == 3
    server.calls.clear()
    resumed = await perform(plan, tmp_path / "b")
    assert len(server.calls) == ALL - 3
    assert (resumed.answered, resumed.tables) == (ALL, whole.tables)


async def test_damage_within_the_record_is_refused(tmp_path: Path, server: Any) -> None:
    plan = plan_for(tmp_path, server)
    await perform(plan, tmp_path / "b")
    settle(tmp_path / "b", 3, '{"v":1,"id":\n{"v":1}\n')
    with pytest.raises(BadInput, match=r"answers-0001.jsonl:4"):
        await perform(plan, tmp_path / "b")


async def test_what_the_infrastructure_spoilt_is_asked_again(tmp_path: Path, server: Any, servers: Any) -> None:
    plan = plan_for(tmp_path, server)
    server.then(servers.error(500, "down"), servers.say(B), servers.error(400, "content_filter", "content_filter"))
    first = await perform(plan, tmp_path / "b")
    assert first.failed == {"infrastructure: provider_error": 1, "assistant: content_filter": 1}
    assert first.answered == ALL - 2
    spoilt = [each["id"] for each in answers(tmp_path / "b") if each["fault"] == "provider_error"]
    server.calls.clear()
    second = await perform(plan, tmp_path / "b")
    assert len(server.calls) == 1 and answers(tmp_path / "b")[-1]["id"] == spoilt[0]
    assert second.failed == {"assistant: content_filter": 1}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"options": {"setting": "none"}}, "options: {} -> {'setting': 'none'}"),
        ({"seed": 2}, "seed: 1 -> 2"),
        ({"sample": 2}, "sample: None -> 2"),
        ({"model": f"say:{B}"}, "models: "),
    ],
)
async def test_another_bench_is_refused(tmp_path: Path, server: Any, changes: dict[str, Any], told: str) -> None:
    await perform(plan_for(tmp_path, server), tmp_path / "b")
    with pytest.raises(BadInput) as caught:
        await perform(plan_for(tmp_path, server, **changes), tmp_path / "b")
    assert "holds another bench" in str(caught.value) and told in str(caught.value)
    assert "Name another folder with --out" in str(caught.value)
    assert len(server.calls) == ALL


async def test_changed_data_is_refused(tmp_path: Path, server: Any) -> None:
    plan = plan_for(tmp_path, server)
    await perform(plan, tmp_path / "b")
    write_lines(tmp_path / "data/data/general/easy.jsonl", [row(0, 1)] * CASES)
    for again in (lambda: reported(tmp_path / "b"), None):
        with pytest.raises(BadInput, match=r"the data or the prompts have changed since it began.*begin anew"):
            again() if again else await perform(plan, tmp_path / "b")


async def test_limits_may_change(tmp_path: Path, server: Any) -> None:
    await perform(plan_for(tmp_path, server), tmp_path / "b")
    settle(tmp_path / "b", 2)
    report = await perform(plan_for(tmp_path, server, limits={"concurrency": 3, "call": 9}), tmp_path / "b")
    assert report.answered == ALL
    kept = json.loads((tmp_path / "b" / "bench.json").read_text(encoding="utf-8"))
    assert kept["plan"]["limits"]["concurrency"] == 3


async def test_two_at_once_are_refused_and_change_nothing(tmp_path: Path, server: Any) -> None:
    await perform(plan_for(tmp_path, server), tmp_path / "b")
    before = (tmp_path / "b" / "bench.json").read_text(encoding="utf-8")
    with Lock(tmp_path / "b"), pytest.raises(BadInput, match="in use"):
        await perform(plan_for(tmp_path, server, limits={"concurrency": 9}), tmp_path / "b")
    assert (tmp_path / "b" / "bench.json").read_text(encoding="utf-8") == before


def priced(tmp_path: Path, server: Any, budget: float) -> Plan:
    prices = {f"say:{A}": {"input": 1_000_000, "output": 0}}
    return plan_for(tmp_path, server, limits={"budget": budget}, prices=prices)


async def test_a_spent_budget_stops_it_and_a_higher_one_goes_on(tmp_path: Path, server: Any, servers: Any) -> None:
    server.behave = lambda call: servers.say(A, usage={"prompt_tokens": 10, "completion_tokens": 1})
    first = await perform(priced(tmp_path, server, 30), tmp_path / "b")
    assert (first.answered, first.cost["model"]) == (3, 30.0)
    assert "budget of 30.00 USD is spent" in first.stopped
    with pytest.raises(BadInput, match=r"is spent \(30.00 USD so far\).*--budget 60"):
        await perform(priced(tmp_path, server, 30), tmp_path / "b")
    second = await perform(priced(tmp_path, server, 50), tmp_path / "b")
    assert (second.answered, len(server.calls)) == (5, 5)
    third = await perform(priced(tmp_path, server, 1000), tmp_path / "b")
    assert (third.answered, third.stopped, third.cost["model"]) == (ALL, "", 10.0 * ALL)
    done = await perform(priced(tmp_path, server, 30), tmp_path / "b")  # nothing is left to be paid
    assert done.answered == ALL


async def test_a_budget_needs_prices(tmp_path: Path, server: Any) -> None:
    with pytest.raises(BadInput, match="a budget needs the price of say:"):
        await perform(plan_for(tmp_path, server, limits={"budget": 1}), tmp_path / "b")
    assert not server.calls


async def test_no_secret_is_recorded(
    tmp_path: Path, server: Any, servers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "quite-private-0123456789"
    monkeypatch.setenv("MY_KEY", key)
    server.then(servers.say('{"choice": "' + key + '"}'), servers.error(400, f"bad key {key}"))
    await perform(plan_for(tmp_path, server, spec={"key": "MY_KEY"}), tmp_path / "b")
    assert server.calls[0].headers["Authorization"] == f"Bearer {key}"
    held = [path.read_text(encoding="utf-8") for path in (tmp_path / "b").iterdir()]
    assert not any(key in text for text in held)
    assert any('{\\"choice\\": ' in text for text in held)


async def test_a_model_that_cannot_be_opened_leaves_no_folder(tmp_path: Path, server: Any) -> None:
    plan = plan_for(tmp_path, server)
    plan = plan.changed(models={"model": {"model": "opnai:x"}})
    with pytest.raises(BadInput, match="did you mean 'openai'"):
        await perform(plan, tmp_path / "b")
    assert not (tmp_path / "b").exists()


async def test_a_model_that_tells_no_likelihood_is_refused_at_once(tmp_path: Path, server: Any) -> None:
    plan = plan_for(tmp_path, server, options={"style": "likelihood"})
    with pytest.raises(BadInput, match=r"does not tell how likely a given text is.*Take local, or a server") as caught:
        await perform(plan, tmp_path / "b")
    assert "\n" not in str(caught.value)
    assert len(server.calls) == 1 and not (tmp_path / "b").exists()
    scripted = plan.changed(models={"model": {"model": "scripted:A"}})
    with pytest.raises(BadInput, match="scripted:A does not tell"):
        await perform(scripted, tmp_path / "b")


async def test_likelihoods_stand_in_the_record(tmp_path: Path, server: Any, servers: Any) -> None:
    def echo(call: Any) -> Any:
        async def behave(call: Any) -> Any:
            tokens = call.body["prompt"].split(" ")
            tokens = [tokens[0], *(f" {token}" for token in tokens[1:])]
            gain = 2.0 if "About the person" in tokens[0] + call.body["prompt"] else 1.0
            marks = [None, *[-1 / gain] * (len(tokens) - 1)]
            whole = servers.completion(call, {"content": ""})
            whole["choices"][0]["logprobs"] = {"tokens": tokens, "token_logprobs": marks}
            return servers.web.json_response(whole)

        return behave

    server.behave = echo
    report = await perform(plan_for(tmp_path, server, options={"style": "likelihood"}), tmp_path / "b")
    held = {each["id"]: each["figures"] for each in answers(tmp_path / "b")}
    assert len(held) == report.asked == 4 * CASES
    told, untold = (held[f"likelihood/general/easy/1/rejected/{way}"] for way in ("told", "untold"))
    assert told["tokens"] == untold["tokens"]
    assert told["logprob"] == untold["logprob"] / 2
    (table,) = report.tables
    assert table.lines[0].figures["accuracy"].value == 0  # the longer one gains more here


async def test_what_was_found_stands_in_the_record(tmp_path: Path, server: Any) -> None:
    await perform(plan_for(tmp_path, server, options={"setting": "rag", "k": 2}), tmp_path / "b")
    shown = {each["id"]: each["shown"] for each in answers(tmp_path / "b")}
    assert shown["choice/general/easy/2/chosen first"] == shown["choice/general/easy/2/rejected first"] == ["2"]
