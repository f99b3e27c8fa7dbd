"""What models are ranked by, beside the published figures."""

import pytest

from duologue.bench.persobench.ranking import composite, instructability

VANILLA = {
    "Mistral": 0.435, "Qwen": 0.509, "Gemma": 0.425, "Llama": 0.448,
    "GPT-3.5": 0.090, "GPT-4o-mini": 0.086, "GPT-4-turbo": 0.035, "Gemini": 0.248,
}  # fmt: skip
"""Published failure ratios on FoCus."""


@pytest.mark.parametrize(
    ("model", "expected"),
    [("Qwen", 0.0), ("Mistral", 0.1454), ("GPT-3.5", 0.8232), ("GPT-4-turbo", 0.9312), ("Gemini", 0.5128)],
)
def test_instructability_beside_the_published_cohort(model: str, expected: float) -> None:
    assert instructability(VANILLA[model], VANILLA.values()) == pytest.approx(expected, abs=5e-5)


def test_instructability_depends_on_the_cohort() -> None:
    assert instructability(0.1, [0.2]) == pytest.approx(0.5)
    assert instructability(0.1, [0.4]) == pytest.approx(0.75)
    assert instructability(0.3, [0.2]) == 0
    assert instructability(0, [0]) == 1


def test_the_published_composite() -> None:
    obeyed = round(instructability(VANILLA["GPT-3.5"], VANILLA.values()), 2)
    assert composite(0.37, 0.51, 0.72, 0.26, obeyed, "faithful") == pytest.approx(37.364)
    assert round(composite(0.37, 0.51, 0.72, 0.26, obeyed, "faithful"), 2) == 37.36


def test_the_composite_on_one_scale() -> None:
    assert composite(0.37, 0.51, 0.72, 0.26, 0.82) == pytest.approx(100 * (0.185 + 0.51 + 0.72 + 0.63 + 0.82) / 5)
    assert composite(2, 1, 1, 1, 1) == 100
    assert composite(0, 0, 0, -1, 0) == 0
