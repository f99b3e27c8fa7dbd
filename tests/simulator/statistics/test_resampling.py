import math

import pytest
from scipy.special import stdtrit

from duologue.statistics.resampling import quantile


@pytest.mark.parametrize("freedom", [1, 1.01, 1.5, 2, 2.7, 3, 4.4, 9, 30, 99.5, 1000, 12345.6, 1e6, 1e8, math.inf])
def test_quantile_is_that_of_students_t(freedom: float) -> None:
    assert quantile(freedom) == pytest.approx(float(stdtrit(freedom, 0.975)), rel=1e-7)
