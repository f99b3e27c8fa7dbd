import io
import time
from typing import Any

import pytest
from rich.console import Console
from tests.simulator.records import Script, dialogue, preference
from tests.simulator.views.screens import drawn

from duologue.agents.events import AssistantTurn, Disclosure, LedgerNoted, UserDraft, UserTurn
from duologue.agents.verdict import Evidence, Score, Verdict
from duologue.record import Dialogue
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
