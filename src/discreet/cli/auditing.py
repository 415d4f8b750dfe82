"""``audit``: try to refute a claim of privacy, of a question here or of any program."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import Delta, Json, Rho, Sql, SqlFile, local, picture_file, print_json, question_text
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.audit.grey import GreyAudit
    from discreet.audit.report import Audit

__all__ = ["audit"]

_HOW = "write a facts file and a question, --command with --against, or --python with --against"


def audit(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="A facts file; its data is not opened.")] = None,
    sql: Sql = None,
    sql_file: SqlFile = None,
    epsilon: Annotated[str | None, typer.Option("--epsilon", "-e", metavar="E", help="The claim, or the price.")] = None,
    delta: Delta = None,
    rho: Rho = None,
    mu: Annotated[str | None, typer.Option("--mu", metavar="M", help="The claim, in Gaussian differential privacy.")] = None,
    command: Annotated[
        str | None, typer.Option("--command", metavar="WORDS", help="A program on one table; what it prints is its outcome.")
    ] = None,
    python: Annotated[
        str | None, typer.Option("--python", metavar="MODULE:NAME", help="A Python function of no argument, on one table.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="…", help="The same on a neighbouring table, written as the first.")
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Many outcomes at once: one on each line, or a function of their number.")
    ] = False,
    samples: Annotated[int | None, typer.Option("--samples", metavar="N", help="How many outcomes a side test events.")] = None,
    pairs: Annotated[int, typer.Option("--pairs", metavar="N", min=1, help="How many pairs of tables to try.")] = 200,
    alpha: Annotated[str, typer.Option("--alpha", metavar="A", help="How likely a wrong violation may be.")] = "0.001",
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", help="Seconds after which a call hangs.")] = 60.0,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the events in letters, too.")] = False,
    save: Annotated[Path | None, typer.Option("--save", metavar="PATH", help="Draw the events: a .svg, .png, .txt file.")] = None,
    as_json: Json = False,
) -> None:
    """Try to refute a claim: a question on made-up neighbouring tables, or any two programs. Exit code 1 on a violation."""
    claim = {name: value for name, value in (("epsilon", epsilon), ("delta", delta), ("rho", rho)) if value is not None}
    programs = command is not None or python is not None or against is not None
    if programs == (file is not None) or (command is not None and python is not None):
        raise ParameterError("there is not one thing to audit", hint=_HOW)
    if file is not None:
        if mu is not None or plot or save is not None:
            raise ParameterError("a question has a price in epsilon or rho, and no events", hint="leave out --mu, --plot, --save")
        found: GreyAudit | Audit = _question(file, question_text(sql, sql_file), claim, pairs)
    else:
        if mu is not None:
            claim["mu"] = mu
        if save is not None:
            picture_file(save)  # before anything is run
        one, other = _sides(command, python, against, timeout)
        found = _programs(one, other, claim, samples, alpha, timeout, batch=batch, usual=100 if command and not batch else None)
    _show(found, plot=plot, save=save, as_json=as_json)
    if found.found_violation:
        raise typer.Exit(1)


def _question(file: Path, sql: str, price: dict[str, Any], pairs: int) -> "GreyAudit":
    from discreet.audit import question
    from discreet.cli.asking import pointing
    from discreet.cli.waiting import waiting

    with pointing(sql), waiting("auditing") as say:
        return question(local(file), sql, **price, pairs=pairs, progress=lambda done, of: say(f"auditing, {done} of {of} pairs"))


def _sides(command: str | None, python: str | None, against: str | None, timeout: float) -> tuple[Callable[..., Any], ...]:
    written = command if command is not None else python
    if written is None or against is None:
        raise ParameterError("two programs are needed, on neighbouring tables", hint=_HOW)
    if python is not None:
        return _function(python), _function(against)
    from discreet.audit import command as program

    return program(written, timeout=timeout), program(against, timeout=timeout)


def _function(path: str) -> Callable[..., Any]:
    """``module:name``, found from the folder that we are in."""
    module, _, name = path.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ParameterError(f"{path} is not there: {type(error).__name__}", hint="write module:name of a function") from None
    if not callable(found):
        raise ParameterError(f"{path} is not a function", hint="write module:name of a function")
    return found  # type: ignore[no-any-return]


def _programs(
    one: Callable[..., Any], other: Callable[..., Any], claim: dict[str, Any], samples: int | None, alpha: str, timeout: float,
    *, batch: bool, usual: int | None,
) -> "Audit":  # fmt: skip
    from discreet.audit.black import audit as sampled
    from discreet.cli.waiting import waiting

    with waiting("auditing") as say:
        return sampled(one, other, **claim, samples=samples or usual, alpha=alpha, batch=batch, timeout=timeout * 1.5,
                       progress=lambda done, of: say(f"auditing, {done:,} of {of:,} outcomes"))  # fmt: skip


def _show(found: "GreyAudit | Audit", *, plot: bool, save: Path | None, as_json: bool) -> None:
    from discreet.audit.report import Audit

    if save is not None and isinstance(found, Audit):
        from discreet.audit.charts import save as drawn

        drawn(found, save)
    if as_json:
        print_json(found.to_dict())
        return
    from discreet.cli.page import Page

    page = Page()
    head, *lines = found.lines()
    style = "bold red" if found.found_violation else "bold"
    page.line((found.verdict, style), head.removeprefix(found.verdict), indent=0)
    for line in lines:
        page.line(line, indent=0)
    if save is not None:
        page.line(f"written to {save}", indent=0)
    if plot and isinstance(found, Audit):
        from discreet.audit.charts import in_letters

        page.gap()
        typer.echo(in_letters(found, page.width, ascii_only=page.console.options.ascii_only))
