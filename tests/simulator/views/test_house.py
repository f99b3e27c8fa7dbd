import ast
from pathlib import Path

import pytest

VIEWS = sorted((Path(__file__).parents[3] / "simulator" / "views").glob("*.py"))


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.name)
def test_a_view_opens_no_file_and_calls_no_model(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert "open" not in called
    assert not {
        m for m in modules if m.startswith(("duologue.agents.models", "duologue.record.store", "pathlib", "asyncio"))
    }
