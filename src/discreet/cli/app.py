"""``discreet``: the commands, and how each ends.

Exit codes: 0 done; 1 an audit or a verification found a violation; 2 a wrong question, wrong facts or a wrong command
line; 3 refused by the budget; 4 a fault; 5 no access; 70 internal error; 74 the output cannot be written; 130
interrupted; 141 nobody reads the output. What went wrong goes to stderr, and what to write instead below it; with
``--json`` both are one JSON object.
"""

import logging
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from discreet.cli import (
    analysts,
    asking,
    attacking,
    auditing,
    backups,
    budgets,
    history,
    holding,
    ledgers,
    receipts,
    releases,
    reports,
    serving,
    trying,
)
from discreet.cli.endings import ending_of, print_ending
from discreet.cli.options import ASKING, CHECKING, HOLDING, TRYING
from discreet.cli.unwritten import NOBODY_READS, stand_ins

__all__ = ["app", "discreet", "main", "run"]

app = typer.Typer(
    name="discreet",
    help="A trusted curator for confidential tables.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
versions = typer.Typer(no_args_is_help=False, help="New rows of a table: `version new FILE`.")
versions.command("new")(holding.version_new)

app.command(rich_help_panel=TRYING)(trying.demo)
app.command(rich_help_panel=TRYING)(trying.sample)
app.command(rich_help_panel=TRYING)(trying.figures)
app.command(rich_help_panel=HOLDING)(holding.init)
app.command(rich_help_panel=HOLDING)(holding.check)
app.command(rich_help_panel=HOLDING)(holding.register)
app.add_typer(budgets.budgets, name="budget", rich_help_panel=HOLDING)
app.add_typer(versions, name="version", rich_help_panel=HOLDING)
app.add_typer(analysts.analysts, name="analyst", rich_help_panel=HOLDING)
app.command(rich_help_panel=HOLDING)(holding.freeze)
app.command(rich_help_panel=HOLDING)(holding.unfreeze)
app.command(rich_help_panel=HOLDING)(releases.publish)
app.command(rich_help_panel=HOLDING)(serving.serve)
app.command(rich_help_panel=HOLDING)(reports.report)
app.command(rich_help_panel=HOLDING)(backups.backup)
app.command(rich_help_panel=HOLDING)(backups.restore)
app.command(rich_help_panel=HOLDING)(backups.forget)
app.command(rich_help_panel=ASKING)(asking.quote)
app.command(rich_help_panel=ASKING)(asking.ask)
app.command(rich_help_panel=ASKING)(history.history)
app.command(rich_help_panel=CHECKING)(auditing.audit)
app.command(rich_help_panel=CHECKING)(attacking.attack)
app.add_typer(ledgers.ledgers, name="ledger", rich_help_panel=CHECKING)
app.add_typer(receipts.receipts, name="receipt", rich_help_panel=CHECKING)
app.add_typer(releases.releases, name="release", rich_help_panel=CHECKING)


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


def run(words: Sequence[str]) -> int:
    """Run one command line, print what went wrong if anything did, and return the exit code."""
    if not (log := logging.getLogger("discreet")).handlers:
        log.addHandler(logging.NullHandler())  # faults are told below, and logged beside the ledger
    try:
        code = app(list(words), prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _unread()
    except SystemExit as left:  # the printing libraries leave by it when the reader has gone; completion when it is done
        return 0 if left.code in (0, None) else _unread()
    except Exception as error:  # noqa: BLE001 - the last place that can turn it into an exit code
        ending = ending_of(error)
        if ending.error == "output":
            _unread()
        print_ending(ending, as_json="--json" in words, shown="\n".join(getattr(error, "__notes__", [])))
        if ending.exit_code == 70 and os.environ.get("DISCREET_TRACEBACK"):
            traceback.print_exception(error)
        return ending.exit_code
    return code if isinstance(code, int) else 0


def _unread() -> int:
    """Let the rest of the output go nowhere, without a complaint when the process ends."""
    with suppress(OSError):  # a stream that was closed from the start has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return NOBODY_READS


def main() -> None:
    """The ``discreet`` command."""
    stand_ins()
    for stream in (sys.stdout, sys.stderr):
        if callable(change := getattr(stream, "reconfigure", None)):
            change(errors="replace")  # a terminal without our letters shows question marks, not a crash
    sys.exit(run(sys.argv[1:]))
