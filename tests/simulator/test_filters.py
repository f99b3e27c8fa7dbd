import pytest
from tests.simulator.records import dialogue, run
from tests.simulator.views.screens import drawn

from duologue.agents.verdict import Score
from duologue.filters import Filter, failing, filtered
from duologue.record.run import Run
from duologue.scores import rows
from duologue.tasks.written import BadInput
from duologue.views.failures import draw_failures
from duologue.views.listing import draw_dialogues

HELD = run(
    dialogue("anna"),
    dialogue("bo", "set-alarm", "other", scores={"personalisation": 1, "success": False}),
    dialogue("cy", reason="timeout", role="assistant", detail="no answer in 60 s"),
    dialogue("di", reason="timeout", role="assistant", detail="no answer in 60 s"),
    dialogue("ed", "set-alarm", "other", reason="error", role="assistant", detail="ValueError: boom"),
    dialogue("fy", reason=""),
    dialogue("gil", scores={"personalisation": Score(unscored="off the scale")}),
    dialogue("hal", unscored="not JSON", scores={}),
)
DOMAINS = {"book-table": ("Restaurants",), "set-alarm": ("Alarm", "Calendar")}


def held() -> Run:
    return Run(HELD.folder, HELD.manifest.changed(domains=DOMAINS), HELD.dialogues)


@pytest.mark.parametrize(
    ("by", "found"),
    [
        (Filter(), "anna bo cy di ed fy gil hal"),
        (Filter(domain="calendar"), "bo ed"),
        (Filter(assistant="plain"), "anna cy di fy gil hal"),
        (Filter(ended="timeout"), "cy di"),
        (Filter(ended="Infrastructure"), "cy di"),
        (Filter(ended="not ended"), "fy"),
        (Filter(where=("success=no",)), "bo ed"),
        (Filter(where=("task success = yes",)), "anna gil"),
        (Filter(where=("personalisation<2",)), "bo"),
        (Filter(where=("judge: personalisation<2",)), "bo"),
        (Filter(where=("personalisation>=1", "success!=0")), "anna"),
        (Filter(where=("personalisation=none",)), "cy di ed fy gil hal"),
        (Filter(where=("personalisation!=none",)), "anna bo"),
        (Filter(domain="Alarm", ended="satisfied", where=("user_turns>1",)), "bo"),
    ],
)
def test_what_a_filter_lets_through(by: Filter, found: str) -> None:
    assert [row.profile for row in filtered(rows(held()), by)] == found.split()
    assert bool(by) == (by != Filter())


@pytest.mark.parametrize(
    ("by", "told"),
    [
        (Filter(domain="Alarms"), "no dialogue has the domain 'Alarms', did you mean 'Alarm'?"),
        (Filter(assistant="plane"), "did you mean 'plain'?"),
        (Filter(ended="timeuot"), "did you mean 'timeout'?"),
        (Filter(where=("sucess=1",)), "no score 'sucess', did you mean 'success'?"),
        (Filter(where=("success",)), "is no condition on a score"),
        (Filter(where=("success=maybe",)), "'maybe' is no value of a score"),
        (Filter(where=("success<<1",)), "is no condition on a score"),
        (Filter(where=("personalisation<none",)), "'none' is no value of a score"),
    ],
)
def test_what_cannot_be_asked_is_told(by: Filter, told: str) -> None:
    with pytest.raises(BadInput) as fault:
        filtered(rows(held()), by)
    assert told in str(fault.value)


def test_what_ended_without_scores_is_grouped_by_its_reason() -> None:
    groups = failing(rows(held()))
    assert [(each.owner, each.reason, each.detail, len(each.rows), each.lacking) for each in groups] == [
        ("infrastructure", "timeout", "no answer in 60 s", 2, False),
        ("assistant", "error", "ValueError: boom", 1, False),
        ("", "not scored", "judge: not JSON", 1, True),
    ]
    shown = drawn(draw_failures(groups, "runs/my evening"), 100)
    for text in (
        "4 dialogues ended without scores", "2 × timeout (infrastructure)", "no answer in 60 s", "3, 4",
        "duologue resume --failed 'runs/my evening'", "duologue replay 'runs/my evening' 3",
    ):  # fmt: skip
        assert text in shown
    assert drawn(draw_failures([], "r")) == "No dialogue ended without scores."


def test_only_the_first_of_many_are_drawn_and_how_to_see_others_is_said() -> None:
    many = run(*(dialogue(f"p{n}") for n in range(30)))
    made = rows(many, most=5)
    assert [row.number for row in made] == [1, 2, 3, 4, 5] and made == rows(many)[:5]
    lines = drawn(draw_dialogues(made, held=30, unscored=2), 120).splitlines()
    assert len(lines) == 2 + 5 + 2
    assert lines[-2] == "30 dialogues, 2 not scored; pers: personalisation"
    assert lines[-1] == "and 25 more: narrow down with --domain, --assistant, --ended, --where, or --all"
    assert drawn(draw_dialogues(made, of=30), 120).splitlines()[-1].startswith("5 of 30 dialogues;")
    assert drawn(draw_dialogues([], of=30)) == "None of its 30 dialogues is like that."
