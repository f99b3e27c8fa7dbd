"""The command line: the one door, and the one place where faults become a sentence and an exit code.

Exit codes: 0 fine, 1 a gate not met, 2 bad input, 3 too much failed to be scored, 130 interrupted.
"""

import sys
from typing import Annotated

import typer

from duologue.commands import agreement, bench, compare, data, doctor, judge, label, look, plan, run
from duologue.garbage import seldom_collected
from duologue.tasks.faults import Fault

__all__ = ["app", "main"]

app = typer.Typer(
    name="duologue",
    help="Simulated people talk to your assistant; a judge scores how well it served each of them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def tell_version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        from importlib.metadata import version

        print(version("duologue"))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=tell_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Simulated people talk to your assistant; a judge scores how well it served each of them."""


app.command("run")(run.run)
app.command("resume")(run.resume)
app.command("chat")(run.chat)
app.command("list")(look.list_runs)
app.command("show")(look.show)
app.command("replay")(look.replay)
app.command("judge")(judge.judge)
app.command("compare")(compare.compare)
app.command("plan")(plan.plan)
app.command("label")(label.label)
app.command("agreement")(agreement.agreement)
app.add_typer(data.profiles, name="profiles")
app.add_typer(data.tasks, name="tasks")
app.command("bench")(bench.bench)
app.command("doctor")(doctor.doctor)


def main() -> None:
    """Run a command and end the process with its exit code."""
    seldom_collected()
    arguments = sys.argv[1:]
    try:
        app([word for word in arguments if word != "--debug"], prog_name="duologue")
    except Fault as fault:
        if "--debug" in arguments:
            raise
        _complain(str(fault))
        sys.exit(fault.code)
    except OSError as fault:
        if "--debug" in arguments:
            raise
        _complain(f"{fault.filename or 'the output'}: {fault.strerror or fault}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(text: str) -> None:
    from rich.text import Text

    from duologue.agents.secrets import redact
    from duologue.views.console import console
    from duologue.views.text import safe

    console(stderr=True).print(
        Text("error: ", style="bold red").append(safe(redact(text)), style="default not bold"), soft_wrap=True
    )
