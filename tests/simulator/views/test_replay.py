import io
import re
import time
from typing import Any

import pytest
from rich.console import Console
from tests.simulator.records import Script, dialogue, preference
from tests.simulator.views.screens import drawn

from duologue.agents.ending import ending
from duologue.agents.events import (
    AssistantTurn,
    CellEnded,
    Disclosure,
    LedgerNoted,
    ToolAnswered,
    ToolCalled,
    UserDraft,
    UserTurn,
)
from duologue.agents.rubric import Dimension, Rubric, Scale
from duologue.agents.verdict import Evidence, PreferenceVerdict, Score, Verdict
from duologue.record.run import Dialogue
from duologue.views.replay import steps


def staged() -> tuple[Dialogue, Verdict]:
    """A dialogue in which all happens that can."""
    script = Script("anna", "book-table", "informed", trial=2, situation={"location": "home", "device": "phone"})
    script.say(1, "A table, [bold]please[/bold].\x1b[31m", "Which cuisine?", reasoning="Ask first.\nThen book.")
    thai = Disclosure(
        what="preference", domain="Restaurants", type="cuisine", value="Thai", how="asked", source="exact"
    )
    cheap = Disclosure(what="fact", value="cheap", how="invented", source="matched")
    script.note(UserDraft, 2, role="user", text="As an AI I like Thai", faults=("speaks as the assistant",))
    script.say(2, "Thai.", "Booked: Baan Thai.").note(LedgerNoted, 2, role="user", entries=(thai, cheap))
    script.note(UserTurn, 3, role="user", text="Thanks!", stop=True, reason="satisfied", source="script")
    script.note(AssistantTurn, 3, role="assistant", text="").end()
    booked = Evidence(turn=2, role="assistant", quote="Booked: Baan Thai.", found=True)
    verdict = script.verdict(
        scores={
            "success": Score(value=True, reason="It is booked.", evidence=booked),
            "personalisation": Score(unscored="score 9 is off the scale"),
            "user_coherence": Score(value=4, evidence=Evidence(turn=1, quote="never said")),
        },
        preferences=(preference("cuisine", "met", "asked", reason="Thai is liked."), preference("noise", "violated")),
        warnings=("the judge is the assistant's own model",),
    )
    return Dialogue(script.events[0], tuple(script.events), (verdict,)), verdict  # type: ignore[arg-type]


def played(width: int, one: Dialogue, verdict: Verdict | None) -> str:
    return "\n".join(drawn(step, width) for step in steps(one, verdict, "Anna Berg"))


NARROW = """\
Anna Berg (anna) × book-table  with  informed
home · phone · trial 2
╭─ user 1 ───────────────────────────╮
│ A table, [bold]please[/bold].␛[31m │
╰────────────────────────────────────╯
  ▸ reasoned, 21 characters: Ask first. Then book.
                                 ╭─── assistant 1 · 1.5 s ─╮
                                 │ Which cuisine?          │
                                 ╰─────────────────────────╯
  ✗ user 2, draft discarded: speaks as the assistant
    As an AI I like Thai
╭─ user 2 ───╮
│ Thai.      │
╰────────────╯
                              ╭────── assistant 2 · 1.5 s ─╮
                              │ Booked: Baan Thai.         │
                              ╰─── evidence: task success ─╯
  disclosed: cuisine = Thai (asked) · cheap (invented)"""


def test_both_sides_drafts_ledger_and_evidence_are_seen() -> None:
    lines, wanted = played(60, *staged()).splitlines(), NARROW.splitlines()
    assert [line.strip(" ") for line in lines[: len(wanted)]] == [line.strip(" ") for line in wanted]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    assert indents[6] > 30
    assert indents[2] == 0


def test_the_verdict_stands_below_where_there_is_no_room_beside() -> None:
    shown = played(80, *staged())
    below = shown[shown.index("■ satisfied") :]
    for line in (
        "■ satisfied  owner: user",
        "verdict  by scripted:judge under the rubric default (r1)",
        "! 1 of 2 quotes is not in the transcript",
        "! the judge is the assistant's own model",
        "task success  yes",
        "It is booked.",
        "“Booked: Baan Thai.”  assistant 2",
        "personalisation  unscored: score 9 is off the scale",
        "“never said”  not in the transcript",
        "Restaurants, cuisine  met, asked",
        "Restaurants, noise  violated",
    ):
        assert line in below.splitlines()


def test_the_verdict_stands_beside_its_evidence_where_there_is_room() -> None:
    lines = played(130, *staged()).splitlines()
    (booked,) = [line for line in lines if "│ Booked: Baan Thai." in line]
    assert booked.endswith("It is booked.")
    assert sum("task success  yes" in line for line in lines) == 1
    assert any(line.startswith("■ satisfied") and "1 of 2 quotes is not in the transcript" in line for line in lines)
    assert sum("the judge is the assistant's own model" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("reason", "role", "told"),
    [
        ("error", "assistant", "■ error of the assistant  owner: assistant"),
        ("timeout", "assistant", "■ timeout of the assistant  owner: infrastructure"),
        ("provider_error", "user", "■ provider error of the user's model  owner: infrastructure"),
        ("loop", "user", "■ loop of the simulated user  owner: simulator"),
        ("loop", "assistant", "■ loop of the assistant  owner: assistant"),
        ("turn_limit", "simulator", "■ turn limit  owner: limits  cut short"),
        ("interrupted", "simulator", "■ interrupted  owner: limits  not finished: resume goes on"),
        ("", "", "■ no ending: it is under way, or its run was killed"),
    ],
)
def test_the_ending_names_its_owner(reason: str, role: str, told: str) -> None:
    shown = played(80, dialogue(reason=reason, role=role, detail="why \x1b[2J" if reason else ""), None)
    assert told in shown.splitlines()
    assert not reason or "  why ␛[2J" in shown.splitlines()


def test_quotes_that_stand_nowhere_are_counted_in_one_line() -> None:
    nowhere = {name: Score(value=3, evidence=Evidence(quote="never said")) for name in ("personalisation", "success")}
    told = tuple(f"{name}: the quote is not in the transcript" for name in nowhere)
    moved = ("user_naturalness: the quote stands in turn 2, not 1",)
    one = dialogue(scores=nowhere, warnings=(*told, *moved))
    lines = [line for line in played(80, one, one.verdicts[0]).splitlines() if line.startswith("! ")]
    assert lines == [
        "! 2 of 2 quotes are not in the transcript",
        "! user naturalness: the quote stands in turn 2, not 1",
    ]


def test_a_scored_ending_without_a_verdict_is_not_judged() -> None:
    assert "  not judged" in played(80, dialogue(judged=False), None).splitlines()


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("text", ["x" * 3000, "欧阳 שרה 👩‍👩‍👧 e\u0301 " * 200, "a\n" * 500, "\x00\x9b\ud800\u202e"])
def test_odd_texts_stay_within_the_width(width: int, text: str) -> None:
    from rich.cells import cell_len

    shown = played(width, dialogue(turns=[(text, text)]), None)
    assert max(map(cell_len, shown.splitlines())) <= width
    assert not set(shown) & {"\x00", "\x9b", "\ud800", "\u202e"}


@pytest.mark.parametrize("turn", ["lorem ipsum dolor " * 280_000, "x" * 5_000_000, "欧阳 שרה " * 250_000])
def test_a_turn_of_five_megabytes_is_shown_in_full_within_seconds(turn: str) -> None:
    one: Any = dialogue(turns=[("Hi", turn)])
    screen = Console(file=io.StringIO(), width=120, color_system=None)
    began = time.process_time()
    for step in steps(one, one.verdicts[0]):
        screen.print(step)
    assert time.process_time() - began < 10
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert shown.count(turn[0]) >= turn.count(turn[0])


def acted() -> Dialogue:
    """A dialogue with calls that go well, are refused, are broken and are never answered."""
    script = Script("anna", "book-table", "informed")
    script.note(UserTurn, 1, role="user", text="A table, please.", source="agenda")
    search = {"cuisine": "Thai", "limit": 5}
    called: dict[str, Any] = {"role": "assistant", "seconds": 2.0, "reasoning": "Search first.", "text": "One moment."}
    script.note(ToolCalled, 1, call="c1", name="search_restaurants", arguments=search, **called)
    script.note(ToolCalled, 1, role="assistant", call="c2", name="book_\x1b[31mtable", arguments='{"restau\x9b')
    found = {"total": 1, "restaurants": [{"name": "Baan\x1b[2J Thai", "tags": ["quiet"] * 500}]}
    script.note(ToolAnswered, 1, call="c1", ok=True, result=found)
    script.note(ToolAnswered, 1, call="c2", ok=False, result={"error": "The arguments are no\nJSON."})
    script.note(ToolCalled, 1, role="assistant", call="c3", name="", arguments="x" * 10_000, step=2)
    script.note(AssistantTurn, 1, role="assistant", text="Booked.")
    state = {"table": [{"id": f"table-{n}", "day": "Fri\x1bday", "seats": n} for n in range(1, 11)]}
    script.note(CellEnded, role="user", ending=ending("satisfied", "user"), state=state)
    return Dialogue(script.events[0], tuple(script.events), ())  # type: ignore[arg-type]


ACTED = """\
╭─ user 1 · by agenda ───╮
│ A table, please.       │
╰────────────────────────╯
  ▸ reasoned, 13 characters: Search first.
  One moment.
  ⚙ search_restaurants(cuisine=Thai, limit=5) → total=1, restaurants=[{"name": …
  ⚙ book_␛[31mtable({"restau\\x9b) → The arguments are no JSON."""


def test_calls_and_their_answers_take_a_line_each() -> None:
    lines = [line.rstrip() for line in played(80, acted(), None).splitlines()]
    assert lines[1:8] == ACTED.splitlines()
    assert lines[8].startswith("  ⚙ unreadable call(xxxx") and lines[8].endswith("x…) → no answer")
    assert not set("".join(lines)) & {"\x1b", "\x9b"}


def test_the_end_state_is_told_in_brief() -> None:
    lines = [line.strip() for line in played(80, acted(), None).splitlines()]
    at = lines.index("in the end:")
    assert lines[at + 1] == "table  id=table-1, day=Fri␛day, seats=1"
    assert lines[at + 8 : at + 10] == ["table  id=table-8, day=Fri␛day, seats=8", "table  and 2 more"]
    script = Script().note(CellEnded, role="user", ending=ending("satisfied", "user"), state={})
    empty = Dialogue(script.events[0], tuple(script.events), ())  # type: ignore[arg-type]
    assert "in the end: nothing was recorded" in played(80, empty, None)
    assert "in the end" not in played(80, dialogue(), None)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_calls_and_state_stay_within_the_width(width: int) -> None:
    from rich.cells import cell_len

    assert max(map(cell_len, played(width, acted(), None).splitlines())) <= width


def test_own_scores_stand_in_the_rubrics_order_and_on_its_scale() -> None:
    asked = [
        Dimension(name="zeal", scale=Scale(low=1, high=5), question="?"),
        Dimension(name="brevity", scale=Scale(low=1, high=7), question="?"),
    ]
    own = Rubric(name="kind", preferences=False, dimensions=tuple(asked))
    one = dialogue(scores={"zeal": 4, "brevity": 3}, rubric="kind")
    shown = "\n".join(drawn(step, 80) for step in steps(one, one.verdicts[0], rubric=own))
    assert "zeal  4 of 5" in shown and "brevity  3 of 7" in shown
    assert shown.index("zeal") < shown.index("brevity")
    assert {"zeal  4", "brevity  3"} <= {*played(80, one, one.verdicts[0]).splitlines()}  # nobody knows the scale


def test_the_same_quote_that_stands_nowhere_is_told_once() -> None:
    never = Evidence(quote="never said")
    names = ("success", "personalisation", "user_coherence")
    tastes = tuple(preference(type, "met", evidence=never) for type in ("cuisine", "noise"))
    one = dialogue(scores={name: Score(value=3, evidence=never, reason="So.") for name in names}, preferences=tastes)
    for width in (80, 130):
        shown = played(width, one, one.verdicts[0])
        assert shown.count("never said") == 1 and "“never said”  5 × not in the transcript" in shown
        assert len(re.findall(r"\S  without evidence", shown)) == 5
        assert shown.count("So.") == 3


def reading(*tastes: PreferenceVerdict, success: bool = False) -> Verdict:
    return Verdict(
        cell="c", attempt=1, rubric="s" * 16, rubric_name="state", judge="state",
        scores={"success": Score(value=success)}, preferences=tastes,
    )  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_end_state_stands_beside_the_judge_with_a_line_where_they_differ(width: int) -> None:
    one, verdict = staged()
    state = reading(preference("cuisine", "violated"), preference("noise", "violated"), preference("price", "met"))
    shown = "\n".join(drawn(step, width) for step in steps(one, verdict, state=state))
    assert "by state" in shown
    flat = " ".join(shown.replace("│", " ").split())
    assert "task success by state no" in flat and "1 preference as the judge has it" in flat
    assert "Restaurants, cuisine violated by state, met by the judge" in flat
    assert "Restaurants, price met by state, nothing by the judge" in flat
    assert "noise violated by state" not in flat
    assert max(map(len, shown.splitlines())) <= width


def test_a_judge_that_was_asked_of_no_preference_is_not_said_to_differ() -> None:
    one = dialogue(scores={"success": True})
    state = reading(preference("cuisine", "violated"))
    shown = "\n".join(drawn(step, 80) for step in steps(one, one.verdicts[0], state=state))
    assert "Restaurants, cuisine  violated by state\n" in shown + "\n" and "nothing by the judge" not in shown


def test_in_full_nothing_of_a_call_is_cut() -> None:
    shown = "\n".join(drawn(step, 80) for step in steps(acted(), full=True))
    flat = "".join("".join(shown.split()).split("│"))
    assert flat.count("quiet") == 500 and "x" * 10_000 in flat and "…" not in shown
    assert "table-10" in flat and "and 2 more" not in shown
    assert not set(shown) & {"\x1b", "\x9b"}
    assert max(map(len, shown.splitlines())) <= 80
    cut = played(80, acted(), None)
    assert cut.count("quiet") < 20 and "table-10" not in cut
