import pytest
from tests.simulator.records import dialogue, run

from duologue.agents.rubric import read_rubric
from duologue.scores import rows
from duologue.scoring.heeding import CAUSES, CHECKS, heeding, lapse


def checks(marks: str) -> dict[str, bool | None]:
    """The four scores in their order, `+` yes, `-` no and `?` none."""
    return dict(zip(CHECKS, ({"+": True, "-": False, "?": None}[mark] for mark in marks), strict=True))


@pytest.mark.parametrize(
    ("marks", "cause"),
    [
        ("---+", ""),
        ("+--+", ""),
        ("++-+", ""),
        ("??-+", ""),
        ("----", "unhelpful"),
        ("+-+-", "unhelpful"),
        ("???-", "unhelpful"),
        ("+-++", "inconsistent"),
        ("++++", "hallucinated"),
        ("--++", "unaware"),
        ("-+++", "unaware"),
        ("-?++", "unaware"),
        ("?-++", "unclear"),
        ("+?++", "unclear"),
        ("+-?+", None),
        ("+--?", None),
    ],
)
def test_each_dialogue_that_fails_has_one_cause(marks: str, cause: str | None) -> None:
    assert lapse(checks(marks)) == cause
    assert cause in ("", None, *CAUSES)


def test_most_of_several_looks_decide() -> None:
    scores = {"acknowledges": 0.0, "hallucinates": 0.0, "helpful": 0.75}
    assert lapse({**scores, "violates": 0.25}) == ""
    assert lapse({**scores, "violates": 0.75}) == "unaware"
    assert lapse({**scores, "violates": 0.5}) is None


def test_the_accuracy_of_a_run_and_what_does_not_tell() -> None:
    people = [dialogue(profile=f"p{n}", scores=checks("--++" if n < 3 else "---+")) for n in range(12)]
    others = [dialogue(profile="p20", scores=checks("---?")), dialogue(profile="p21", reason="error", role="assistant")]
    found = heeding(rows(run(*people, *others)))
    assert (found.dialogues, found.accuracy, found.causes) == (12, 0.75, {"unaware": 3})
    assert found.low is not None and found.high is not None and found.low < 0.75 < found.high
    assert found.unscored == {"judge: gave no score": 1, "error (assistant)": 1}


def test_below_eight_profiles_there_is_no_interval() -> None:
    found = heeding(rows(run(*(dialogue(profile="p1", scores=checks("---+")) for _ in range(12)))))
    assert (found.accuracy, found.low) == (1.0, None)


def test_the_shipped_rubric_asks_the_four_questions_apart() -> None:
    rubric = read_rubric("prefeval")
    assert tuple(each.name for each in rubric.dimensions) == CHECKS
    assert {each.scale for each in rubric.dimensions} == {"yes_no"}
    assert (rubric.calls, rubric.preferences) == ("each", False)
    assert [rubric.shown(each) for each in rubric.dimensions] == [(), ("preferences",), ("preferences",), ("intent",)]
    assert [each.needs_preferences for each in rubric.dimensions] == [True, True, True, False]
