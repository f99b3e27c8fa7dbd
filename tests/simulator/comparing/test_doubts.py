"""Where a judge says nothing that chance would not."""

import pytest
from tests.simulator.comparing.worlds import acted
from tests.simulator.records import run
from tests.simulator.views.screens import drawn

from duologue.comparing.comparison import compare
from duologue.record.run import Run
from duologue.views.comparison import draw


def judged(profiles: int, saying: str) -> Run:
    """Two assistants of which every other dialogue is a success; the judge says `yes` always, `true`, or `guess`es."""
    rows = []
    for i in range(profiles):
        for name in ("a", "b"):
            success = i % 2 == 0
            said = {"yes": True, "true": success, "guess": i % 4 < 2}[saying]
            rows.append(acted(f"p{i}", name, 2, success=success, said=said))
    return run(*rows)


@pytest.mark.parametrize(
    ("profiles", "saying", "doubted"),
    [(12, "yes", True), (12, "guess", True), (12, "true", False), (3, "yes", False)],
)
def test_a_judge_that_chance_would_equal_is_doubted(profiles: int, saying: str, doubted: bool) -> None:
    told = compare([judged(profiles, saying)]).doubts
    assert bool(told) == doubted
    if doubted:
        assert "no better than chance on task success (kappa 0.00)" in told and "do not rank by its rows" in told


def test_it_stands_in_the_head() -> None:
    lines = drawn(draw(compare([judged(12, "yes")])), 160).splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith("Careful: the judge agrees")]
    assert at == 2
    assert "Careful" not in drawn(draw(compare([judged(12, "true")])), 160)
