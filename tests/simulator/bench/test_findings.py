"""What a bench has looked up, kept and read again."""

from pathlib import Path

import pytest

from duologue.bench.findings import FILE, findings, keep
from duologue.tasks.written import BadInput

FOUND = {"general/easy/1": ("2", "1"), "general/easy/2": ()}


def test_what_is_kept_is_read_again_and_damage_is_told(tmp_path: Path) -> None:
    assert findings(tmp_path) is None
    keep(FOUND, tmp_path)
    assert findings(tmp_path) == FOUND
    for text in ("{", '{"v": 2, "found": {}}', "[]"):
        (tmp_path / FILE).write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match=FILE):
            findings(tmp_path)
