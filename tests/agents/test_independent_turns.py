"""Assistant turns written by somebody who had not seen the parser: what the agenda user makes of them.

The first set is what the parser was mended by; the second was kept from whoever mended it.
"""

import pytest

from .turns import items, outcome


@pytest.mark.parametrize(("name", "least"), [("first", 58), ("second", 50)])
async def test_most_turns_are_understood(name: str, least: int) -> None:
    found = [await outcome(item) for item in items(name)]
    failed = [each.item["id"] for each in found if each.faults]
    assert len(found) == 60
    assert len(found) - len(failed) >= least, failed
