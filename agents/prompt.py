"""Prompts: every sentence sent to a model is a file under `prompts/`."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from duologue.tasks.written import fingerprint

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["bench_fingerprint", "prompts_fingerprint", "render"]


def render(name: str, **values: Any) -> str:
    """The prompt file `name`, filled in. Raises jinja2.UndefinedError for a value not given."""
    return _environment().get_template(name).render(**values).strip()


@cache
def prompts_fingerprint() -> str:
    """Changes when any prompt file does."""
    folder = files("duologue.agents") / "prompts"
    return fingerprint(sorted((f.name, f.read_text(encoding="utf-8")) for f in folder.iterdir() if f.is_file()))


@cache
def bench_fingerprint(protocol: str) -> str:
    """Changes when a prompt file of that protocol of the benches does."""
    folder = files("duologue.agents") / "prompts" / "bench"
    held = [file for file in folder.iterdir() if file.name.startswith(f"{protocol}_")]
    return fingerprint(sorted((file.name, file.read_text(encoding="utf-8")) for file in held))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("duologue.agents", "prompts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
        auto_reload=False,
    )
