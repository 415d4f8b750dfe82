"""How a command that did not succeed ends: its exit code, and what it says on stderr.

Exit codes: 1 an audit or a verification found a violation; 2 a wrong question, wrong facts or a wrong command line; 3 refused by
the budget; 4 a fault; 5 no access; 70 internal error; 74 the output cannot be written; 130 interrupted; 141 nobody reads it.
"""

import errno
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import typer

from discreet.cli.printing import json_text
from discreet.cli.unwritten import FULL, NO_ROOM, Unwritten
from discreet.errors import AccessError, BudgetError, DiscreetError, FactsError, Fault, QuestionError, TrialFault
from discreet.remedies import on_command_line, said

__all__ = ["Ending", "ending_of", "print_ending"]


@dataclass(frozen=True, slots=True)
class Ending:
    """An exit code, the code of the error, and what to say; ``place`` is where the error is, ``more`` what JSON says beside."""

    exit_code: int
    error: str
    message: str
    hint: str
    place: str = ""
    more: dict[str, Any] = field(default_factory=dict)


def ending_of(error: Exception) -> Ending:
    """How a command ends that raised ``error``."""
    hint = said(getattr(error, "hint", ""), on_command_line)
    match error:
        case TrialFault():
            return Ending(70, error.code, error.message, hint, more={"reference": error.reference})
        case Fault() if error.told:  # whoever holds the data looks at their own source: there is no log yet
            return Ending(4, error.code, f"{error.message}: {error.told}", hint)
        case Fault():
            return Ending(4, error.code, error.message, hint, more={"reference": error.reference} if error.reference else {})
        case FactsError():
            place = {"file": error.file, "line": error.line, "key": error.key}
            where = ":".join(str(part) for part in (error.file, error.line) if part is not None)
            where = " · ".join(filter(None, [where, error.key]))
            return Ending(2, error.code, error.message, hint, where, {k: v for k, v in place.items() if v is not None})
        case QuestionError():
            more = {"line": error.line, "column": error.column} if error.line is not None else {}
            return Ending(2, error.code, error.message, hint, more=more)
        case BudgetError():
            return Ending(3, error.code, error.message, hint)
        case AccessError():
            known = {"reference": error.reference} if error.reference else {}
            return Ending(5, error.code, error.message, hint, more=known)
        case Unwritten():
            return Ending(error.exit_code, "output", error.message, hint)
        case OSError(errno=number) if number in (*FULL, errno.EBADF):
            why, first = (error.strerror or "no room").lower(), "open it" if number == errno.EBADF else "make room"
            return Ending(NO_ROOM, "output", f"the output could not be written: {why}", f"{first}, and run it again")
        case DiscreetError():
            return Ending(2, error.code, error.message, hint)
    if callable(complaint := getattr(error, "format_message", None)):  # the command line itself is wrong
        context = getattr(error, "ctx", None)
        called = getattr(context, "command_path", None) or "discreet"
        return Ending(2, "parameter", str(complaint()).rstrip("."), f"see {called} --help")
    # the text of an unforeseen error might quote data: its kind is all that is shown
    hint = "this is a mistake in discreet; set DISCREET_TRACEBACK=1 to see where"
    return Ending(70, "crash", f"unexpected {type(error).__name__}", hint)


def print_ending(ending: Ending, *, as_json: bool, shown: str = "") -> None:
    """Say on stderr what went wrong, ``shown`` if there is something to point at, and what to write instead."""
    if as_json:
        told = {"error": ending.error, "message": ending.message, "hint": ending.hint} | ending.more
        with suppress(OSError):  # there is nowhere left to say it
            typer.echo(json_text(told), err=True)
        return
    place = f"{ending.place}: " if ending.place else ""
    reference = f" (reference {ending.more['reference']})" if "reference" in ending.more else ""
    _say("error:", "red", f" {place}{ending.message}{reference}")
    if shown:
        _say("", "red", shown)
    if ending.hint:
        _say("hint:", "cyan", f"  {ending.hint}")


def _say(word: str, colour: str, text: str) -> None:
    """One line on stderr: plain where that is no terminal or colour is not wanted, ASCII where it must be."""
    from discreet.plots.lettering import for_terminal

    with suppress(OSError):  # there is nowhere left to say it
        typer.echo((word if os.environ.get("NO_COLOR") else typer.style(word, fg=colour)) + for_terminal(text), err=True)
