"""The house: imports go only down, the wheel holds what the folders hold, documents do not lie."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = {"duologue.tasks": 0, "duologue.profiles": 1, "duologue.agents": 2, "duologue": 3}
FOLDERS = {
    "simulator": "duologue",
    "agents": "duologue.agents",
    "profiles": "duologue.profiles",
    "tasks": "duologue.tasks",
}
HEAVY = {"langchain", "langchain_core", "openai", "numpy", "scipy", "jinja2", "aiohttp", "xllamacpp", "pydantic"}


def modules() -> dict[str, Path]:
    found = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([package, *(part for part in parts if part != "__init__")])] = path
    return found


def imports(path: Path, known: set[str]) -> set[str]:
    """The modules of the product that a file imports anywhere, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {name for name in found if name in known}


def floor(module: str) -> int:
    return next(level for package, level in FLOORS.items() if module == package or module.startswith(package + "."))


def test_imports_go_only_down() -> None:
    known = modules()
    upward = [
        f"{module} imports {other}"
        for module, path in known.items()
        for other in imports(path, set(known))
        if floor(other) > floor(module)
    ]
    assert not upward


def test_no_circle() -> None:
    known = modules()
    graph = {module: imports(path, set(known)) - {module} for module, path in known.items()}
    while leaves := {module for module, needs in graph.items() if not needs & graph.keys()}:
        graph = {module: needs for module, needs in graph.items() if module not in leaves}
    assert not graph, f"these import each other: {sorted(graph)}"


def test_views_are_leaves() -> None:
    """Nothing but commands and views imports a view."""
    known = modules()
    leaks = [
        f"{module} imports {other}"
        for module, path in known.items()
        for other in imports(path, set(known))
        if other.startswith("duologue.views")
        and not module.startswith(("duologue.views", "duologue.commands", "duologue.cli"))
    ]
    assert not leaks


def test_importing_is_cheap() -> None:
    """`--help` loads no provider library, no statistics and no templates."""
    code = (
        "import sys; sys.argv = ['duologue', '--help']\n"
        "from duologue.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"sys.exit(' '.join(sorted({HEAVY!r} & set(sys.modules))) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", cwd=ROOT / "runs"
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is under test, or one built from the folders."""
    if given := os.environ.get("DUOLOGUE_WHEEL"):
        return Path(given)
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(ROOT)]
    subprocess.run(command, check=True)
    return next(out.glob("*.whl"))


def test_wheel_holds_what_the_folders_hold(wheel: Path) -> None:
    on_disk = {
        "/".join([*package.split("."), *path.relative_to(ROOT / folder).parts])
        for folder, package in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert inside == on_disk


def test_dependencies_are_used() -> None:
    """Every core dependency is imported somewhere, or at least looked for by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[\[<>=; ]", entry)[0].replace("-", "_") for entry in project["dependencies"]}
    source = "\n".join(path.read_text(encoding="utf-8") for path in modules().values())
    unused = {name for name in needed if not re.search(rf"\b{name}\b", source)}
    assert not unused
