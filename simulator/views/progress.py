"""The bar of a download."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from duologue.views.console import console
from duologue.views.text import safe

__all__ = ["fetching"]


@contextmanager
def fetching(notice: str, size: int) -> Iterator[Callable[[int, int], None]]:
    """Say what is fetched and show how far it is. `size` is in bytes; call it with (done, in all)."""
    screen = console(stderr=True)
    screen.print(safe(notice), style="dim", markup=False)
    columns = (TextColumn("  "), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("", total=size)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)
