"""`--require`: bounds that scores must keep to, for builds that stop where they do not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from duologue.gates import Outcome

__all__ = ["REQUIRE", "kept"]

REQUIRE = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BOUND",
        help="End with exit code 1 unless a score keeps to it, such as 'personalisation.mean>=0.6' or "
        "'mine:state_success.low>=0.9' (mean, low, high, n, unscored), and with 3, before that, where the scores are "
        "not to be relied on. Without a name it binds every assistant but the references.",
    ),
]


def kept(found: "Sequence[Outcome]") -> bool:
    """Whether all bounds are met; a line on standard error for each that is not."""
    if not found:
        return True
    from duologue.views.console import console
    from duologue.views.layout import BAD, GOOD
    from duologue.views.text import count, plain

    screen, missed = console(stderr=True), [outcome for outcome in found if not outcome.met]
    for outcome in missed:
        screen.print(plain(f"not met: {outcome}", BAD), soft_wrap=True)
    if not missed:
        bounds = len({outcome.gate for outcome in found})
        names = ", ".join(dict.fromkeys(outcome.assistant for outcome in found))
        screen.print(plain(f"{count(bounds, 'requirement')} met, by {names}", GOOD), soft_wrap=True)
    return not missed
