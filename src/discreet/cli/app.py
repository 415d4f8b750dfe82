"""``discreet``: the commands, and how each ends.

Exit codes: 0 done; 1 an audit or a verification found a violation; 2 a wrong question, wrong facts or a wrong command
line; 3 refused by the budget; 4 a fault; 5 no access; 70 a mistake of ours; 130 interrupted; 141 nobody reads the
output. What went wrong goes to stderr, and what to write instead below it; with ``--json`` both are one JSON object.
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from discreet.errors import AccessError, BudgetError, DiscreetError, Fault

__all__ = ["Ending", "Json", "app", "demo", "discreet", "main", "run", "sample"]

app = typer.Typer(
    name="discreet",
    help="A trusted curator for confidential tables.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@app.callback(invoke_without_command=True)
def discreet(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    """A trusted curator for confidential tables: exact noise, counted privacy, answers with error bars."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"discreet {installed('discreet')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def demo(as_json: Json = False) -> None:
    """Tell the story on made-up tables: printed releases, exact noise, a malicious question, an auction."""
    from discreet.cli.story import tell

    story = tell()
    if as_json:
        typer.echo(json.dumps(story.to_dict(), indent=2))
        return
    from discreet.cli.screen import show

    show(story)


@app.command()
def sample(
    name: Annotated[str, typer.Argument(metavar="NAME", help="adult, ce_book, ce_slides, devices or fulton.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write to; made if it is not there.")] = Path(),
    as_json: Json = False,
) -> None:
    """Write a made-up table and its facts file, NAME.csv and NAME.toml."""
    from discreet.lessons.samples import write_sample

    data, facts = write_sample(name, out)
    if as_json:
        typer.echo(json.dumps({"name": name, "data": str(data), "facts": str(facts)}))
    else:
        typer.echo(f"{data}    the rows, all made up\n{facts}    what is public about them")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command that did not succeed ends."""

    exit_code: int
    error: str
    message: str
    hint: str


def run(words: Sequence[str]) -> int:
    """Run one command line, print what went wrong if anything did, and return the exit code."""
    try:
        code = app(list(words), prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except (BrokenPipeError, SystemExit):  # the printing libraries leave by SystemExit when the reader has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:  # noqa: BLE001 - the last place that can turn it into an exit code
        ending = _ending(error)
        _print(ending, as_json="--json" in words)
        if ending.exit_code == 70 and os.environ.get("DISCREET_TRACEBACK"):
            traceback.print_exception(error)
        return ending.exit_code
    return code if isinstance(code, int) else 0


def _ending(error: Exception) -> Ending:
    match error:
        case Fault():
            return Ending(4, error.code, error.message, error.hint)
        case BudgetError():
            return Ending(3, error.code, error.message, error.hint)
        case AccessError():
            return Ending(5, error.code, error.message, error.hint)
        case DiscreetError():
            return Ending(2, error.code, error.message, error.hint)
    if callable(said := getattr(error, "format_message", None)):  # the command line itself is wrong
        return Ending(2, "parameter", str(said()).rstrip("."), "see discreet --help")
    # the text of an unforeseen error might quote data: its kind is all that is shown
    hint = "this is a mistake in discreet; set DISCREET_TRACEBACK=1 to see where"
    return Ending(70, "crash", f"unexpected {type(error).__name__}", hint)


def _print(ending: Ending, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"error": ending.error, "message": ending.message, "hint": ending.hint}), err=True)
        return
    typer.echo(ending.message, err=True)
    if ending.hint:
        typer.echo(ending.hint, err=True)


def main() -> None:
    """The ``discreet`` command."""
    for stream in (sys.stdout, sys.stderr):
        if callable(change := getattr(stream, "reconfigure", None)):
            change(errors="replace")  # a terminal without our letters shows question marks, not a crash
    sys.exit(run(sys.argv[1:]))
