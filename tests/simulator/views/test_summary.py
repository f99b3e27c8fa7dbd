import pytest
from tests.simulator.records import Script, dialogue, preference, run
from tests.simulator.views.screens import drawn

from duologue.agents.verdict import Evidence, Score
from duologue.record.run import Dialogue
from duologue.scores import summary
from duologue.views.summary import draw

SMALL = run(
    dialogue("anna", preferences=[preference("cuisine", "met", "asked")]),
    dialogue("bo", scores={"success": False, "personalisation": 2}),
    dialogue("cy", reason="timeout", role="assistant"),
    dialogue("anna", assistant="informed", scores={"personalisation": 4}),
    dialogue("bo", assistant="informed", reason="error", role="assistant"),
    assistants={"plain": (), "informed": ("demographics", "preferences")},
)


def test_the_screen_after_a_run() -> None:
    shown = drawn(draw(summary(SMALL), ["A small embedded model spoke."]))
    for line in (
        "evening   5 dialogues · 2 assistants · 3 profiles · 1 task · 0:05",
        "judged by scripted:judge under the rubric default (r1)",
        "plain   is told of the user: nothing",
        "  task success            50 %  0 ······●····· 100 %  2           1",
        "  personalisation         2.50  1 ······●····· 4      2           1",
        "  endings        satisfied 2 · timeout 1 (infrastructure)",
        "  not scored     1 × timeout (infrastructure): all scores",
        "intervals  no 95 % interval with 2 profiles: below 8 it would be a guess",
        "  met            1 preference: 0 unasked · 1 asked · 0 told · 0 corrected",
        "  tokens         user 360 · assistant 720 · judge 1,980",
        "  retries        assistant 6",
        "informed   is told of the user: demographics + preferences (reads the answers)",
        "  not scored     1 × error (assistant): all but task success",
        "Note: A small embedded model spoke.",
        "run the failed again  duologue resume --failed runs/evening",
        "replay one            duologue replay runs/evening 1",
        "compare               duologue compare runs/evening",
    ):
        assert line in shown.splitlines()
    assert shown.count("95 % interval") == 1  # said once, not of each assistant


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_every_width_shows_every_score_and_breaks_no_line(width: int) -> None:
    lines = drawn(draw(summary(SMALL)), width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.strip().startswith("assistant coherence ") for line in lines) == 2
    assert any("2.50" in line and line.split()[0] == "personalisation" for line in lines)


def test_where_no_scale_is_drawn_its_end_stands_beside_the_mean() -> None:
    narrow, wide = (drawn(draw(summary(SMALL)), width) for width in (60, 120))
    assert "2.50 of 4" in narrow and "50 % of" not in narrow
    assert "2.50  1 ·" in wide and "2.50 of 4" not in wide


def test_a_wide_terminal_draws_mean_and_interval_on_the_scale() -> None:
    held = run(*(dialogue(f"p{i}", scores={"personalisation": 2 + i % 2}) for i in range(12)))
    (line,) = [row for row in drawn(draw(summary(held)), 120).splitlines() if "personalisation" in row]
    assert "1 ·········━━━●━━········· 4" in line
    assert "2.21 to 2.79" in line


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (run(), "No dialogue has begun."),
        (
            run(dialogue(unscored="cut", scores={})),
            "Note: No dialogue was scored: this run says nothing about the assistants.",
        ),
        (run(dialogue(judged=False)), "Not judged."),
        (run(dialogue(reason="interrupted")), "go on       duologue resume runs/evening"),
        (run(dialogue(reason="")), "no ending 1 (not finished)"),
        (run(dialogue(), name="my run"), "replay one  duologue replay 'runs/my run' 1"),
        (run(dialogue(), name="x"), "compare     duologue compare runs/x runs/ANOTHER"),
        (run(dialogue(assistant="[red]a\x1b[31m")), "[red]a␛[31m   is told of the user: nothing"),
    ],
)
def test_what_is_odd_is_said(held: object, told: str) -> None:
    assert told in drawn(draw(summary(held)))  # type: ignore[arg-type]


def test_verdicts_left_aside_are_counted() -> None:
    script = Script().say(1, "Hi", "Hello").end()
    both = (script.verdict("r1"), script.verdict("r2", time=9000.0))
    held = run(Dialogue(script.events[0], tuple(script.events), both))  # type: ignore[arg-type]
    told = "1 verdict of other rubrics or judges left aside: duologue show runs/evening --rubric r1"
    assert told in drawn(draw(summary(held)), 120).splitlines()
    other = run(dialogue(judge="openai:mild"), dialogue("bo", judge="strict", time=9000.0))
    assert "left aside: duologue show runs/evening --judge openai:mild" in drawn(draw(summary(other)), 120)


def test_quotes_and_unknown_tokens_are_told() -> None:
    script = Script().say(1, "Hi", "Hello", usage=None).end()
    invented = {"success": Score(value=True, evidence=Evidence(quote="never said"))}
    held = run(Dialogue(script.events[0], tuple(script.events), (script.verdict(scores=invented),)))  # type: ignore[arg-type]
    lines = drawn(draw(summary(held)), 120).splitlines()
    told = "6 judgements: 0 with a quote that is in the transcript, 1 with one that is not, 5 without"
    assert f"  evidence       {told}" in lines
    assert "  tokens         user 60 · assistant unknown · judge 990" in lines


def test_a_run_without_a_judge_on_purpose_is_not_blamed_for_it() -> None:
    assert "No dialogue was scored" not in drawn(draw(summary(run(dialogue(judged=False)))))
