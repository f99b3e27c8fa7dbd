"""Cases from the field, as users meet them: the right one is blamed, and what is counted and told is so."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.commandline import called
from tests.simulator.loopback import campaign, played_by
from tests.simulator.records import stored

from duologue.listener import Listener
from duologue.record.run import Run
from duologue.run import run
from duologue.scores import alarms, summary

COUNTED = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}
APART = {"input_tokens": 40, "output_tokens": 20, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 0}


def endings(done: Run) -> dict[str, tuple[str, str]]:
    return {d.assistant: (d.ending.reason, d.ending.owner) for d in done.dialogues if d.ending}


# 9


async def test_one_that_raises_at_its_second_turn_fails_the_task_and_nothing_else(server: Any, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "def reply(messages):\n    if len(messages) > 2:\n        raise ValueError('no table')\n    return 'Gladly.'\n",
        encoding="utf-8",
    )
    bot = {"name": "bot", "callable": "bot.py:reply"}
    plan = campaign(server, assistant=[bot], beside=str(tmp_path), **played_by(server, "judge"))
    done = await run(plan, tmp_path / "r")
    assert endings(done) == {"bot": ("error", "assistant")}
    (one,) = stored(done)
    assert one.script.said_by("assistant") == ("Gladly.",) and len(one.script.said_by("user")) == 2
    assert one.ending and one.ending.detail.startswith("ValueError: no table (bot.py:3")
    said = summary(done)
    (bot_said,) = said.assistants
    assert bot_said.metrics["success"].mean == 0 and bot_said.metrics["personalisation"].n == 0
    assert [(each.reason, each.owner, each.count) for each in bot_said.endings] == [("error", "assistant", 1)]
    assert not server.calls and len(alarms(said)) == 2


# 10


async def test_filters_and_overflows_are_asked_once_and_have_reasons_of_their_own(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    names = ["filter-400", "filter-finish", "refusal", "overflow"]
    plan = campaign(server, names, cache={"path": str(tmp_path / "c.db")})
    expected = {name: ("context_overflow" if name == "overflow" else "content_filter", "assistant") for name in names}
    for times in (1, 2):  # a second run asks again: none of these is kept
        done = await run(plan, tmp_path / str(times))
        assert endings(done) == expected
        assert sorted(call.model for call in server.calls) == sorted(names * times)
    assert all(d.script.said_by("assistant") == () for d in stored(done))


@pytest.mark.parametrize("kind", ["filter-400", "overflow"])
async def test_a_filter_at_the_user_is_not_the_assistants_doing(server: Any, tmp_path: Path, kind: str) -> None:
    user = {"model": kind, "base_url": server.base_url}
    done = await run(campaign(server, user=user), tmp_path / "r")
    assert endings(done) == {"helper": ("content_filter" if kind == "filter-400" else "context_overflow", "simulator")}
    assert len(server.calls) == 1 and summary(done).assistants[0].metrics["success"].n == 0


async def test_a_judge_that_a_transcript_is_too_long_for_saw_all_of_it_and_scores_nothing(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    long = "word " * 30_000 + "and the very end"
    replies = {"helper": servers.say(long), "judge": servers.BEHAVIOURS["overflow"]("")}
    server.behave = lambda call: replies[call.model]
    done = await run(campaign(server, limits={"turns": 1}, **played_by(server, "judge")), tmp_path / "r")
    (verdict,) = done.dialogues[0].verdicts
    assert verdict.unscored.startswith("too long for the judge: ") and verdict.owner == "judge"
    (asked,) = [call for call in server.calls if call.model == "judge"]
    assert asked.texts[-1].count("word ") == 30_000 and "and the very end" in asked.texts[-1]


# 12


async def test_an_empty_reply_is_delivered_as_such_and_three_running_end_it(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    def behave(call: Any) -> Any:
        quiet = call.model == "mute" or (call.model == "shy" and servers.turns_before(call) == 1)
        return servers.say("") if quiet else None

    server.behave = behave
    script = {"script": ["A film, please.", "Are you there?", "Hello?", "Then something else.", "Never mind."]}
    plan = campaign(server, ["mute", "shy"], user=script, **played_by(server, "judge"))
    done = await run(plan, tmp_path / "r")
    assert endings(done) == {"mute": ("empty", "assistant"), "shy": ("satisfied", "user")}
    mute, shy = sorted(stored(done), key=lambda d: d.started.assistant)
    assert mute.script.said_by("assistant") == ("", "", "")
    assert shy.script.said_by("assistant")[:2] == (servers.ASSISTANT[0], "")
    (judged,) = [call.texts[-1] for call in server.calls if call.model == "judge"]
    assert "[2] assistant:\n| (said nothing)\n" in judged


async def test_an_empty_user_is_asked_again_and_an_empty_judge_scores_nothing(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    def behave(call: Any) -> Any:
        if call.model == "user":
            return servers.say(json.dumps(json.loads(servers.plausible_text(call)) | {"message": ""}))
        return servers.say("") if call.model == "judge" else None

    server.behave = behave
    done = await run(campaign(server, **played_by(server, "user", "judge")), tmp_path / "user")
    assert endings(done) == {"helper": ("user_broken", "simulator")}
    assert [call.model for call in server.calls] == ["user"] * 3
    done = await run(campaign(server, **played_by(server, "judge")), tmp_path / "judge")
    (verdict,) = done.dialogues[0].verdicts
    assert endings(done) == {"helper": ("satisfied", "user")} and "empty" in verdict.unscored
    assert summary(done).scored == 0 and alarms(summary(done))


# 25


async def test_tokens_told_in_three_ways_add_up_by_role_and_what_is_untold_is_unknown(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    told = {"user": COUNTED, "helper": APART, "judge": {}}
    hindered = {"helper": 2, "judge": 1}

    def behave(call: Any) -> Any:
        if hindered.get(call.model, 0) > 0:
            hindered[call.model] -= 1
            return servers.error(500, "Not now")
        return servers.say(servers.plausible_text(call), usage=told[call.model])

    server.behave = behave
    price = {"input": 10, "cached": 1, "output": 100}
    prices = dict.fromkeys(("user", "helper", "judge"), price)
    done = await run(campaign(server, prices=prices, **played_by(server, "user", "judge")), tmp_path / "r")
    (said,) = summary(done).assistants
    used = {role: (u.calls, u.input, u.cached, u.output, u.retries) for role, u in said.usage.items()}
    assert used == {
        "user": (3, 300, 180, 60, 0),
        "assistant": (3, 300, 180, 60, 2),
        "judge": (1, None, None, None, 1),
    }
    each = 3 * (40 * 10 + 60 * 1 + 20 * 100) / 1e6
    assert said.cost == {"user": pytest.approx(each), "assistant": pytest.approx(each), "judge": None}
    shown = await called(tmp_path, "show", "r", COLUMNS="200")
    assert "unknown" in shown.stdout and "retries" in shown.stdout


# 27


async def test_what_an_endpoint_refuses_is_learnt_once_and_told_and_reasoning_is_kept_apart(
    server: Any, servers: ModuleType, tmp_path: Path
) -> None:
    class Ear(Listener):
        notes: list[str] = []  # noqa: RUF012

        def note(self, text: str) -> None:
            self.notes.append(text)

    thinking = {
        "inline": servers.say("<think>They greet.</think>\n\nGladly, what would you like?"),
        "field": servers.say("Gladly, what would you like?", reasoning_content="They greet."),
        "both": servers.say("<think>They greet.</think>Gladly, what would you like?", reasoning="They muse."),
    }
    server.behave = lambda call: thinking.get(call.model)
    picky = [{"name": n, "model": n, "tools": "off", "base_url": server.base_url, "temperature": 0.5, "max_tokens": 99}
             for n in ("refuses:temperature", "completion-tokens", *thinking)]  # fmt: skip
    plan = campaign(server, assistant=picky, **played_by(server, "user", "judge"))
    ear = Ear()
    done = await run(plan, tmp_path / "r", [ear])
    assert {reason for reason, _ in endings(done).values()} == {"satisfied"}
    for name, parameter in (("refuses:temperature", "temperature"), ("completion-tokens", "max_tokens")):
        sent = [parameter in call.body for call in server.calls if call.model == name]
        assert sent == [True] + [False] * 3
        assert len([note for note in ear.notes if note.startswith(f"{name} at ") and parameter in note]) == 1
    for one in stored(done):
        for event in one.events if one.started.assistant in thinking else ():
            if event.kind == "assistant_turn":
                assert event.text == "Gladly, what would you like?" and event.reasoning.count("They greet.") == 1
    heard = [text for call in server.calls for text in call.texts]
    assert not [text for text in heard if "They greet" in text or "They muse" in text]
