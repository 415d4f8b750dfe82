"""``report``: all that was answered about a table, for whoever has to account for it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.ledgers import read_document
from discreet.cli.options import FactsFile, Json, local, out_file, print_json
from discreet.cli.unwritten import file_unwritten
from discreet.errors import ParameterError

__all__ = ["report"]

_FORMS = (".html", ".json")


def report(
    file: FactsFile,
    out: Annotated[Path | None, typer.Option("--out", metavar="PATH", help="Write it to an .html or .json file.")] = None,
    against: Annotated[
        Path | None, typer.Option("--witness", metavar="PATH", help="A witness kept elsewhere: finds a rolled-back ledger.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Account for a table: every charge, by whom, at what price; what is left; the ledger verified. Exit code 1 if it is not."""
    if out is not None and out_file(out).suffix.casefold() not in _FORMS:
        what = out.suffix or "a file without an ending"
        raise ParameterError(f"a report cannot be written as {what}", hint="end the name in .html or .json")
    from discreet.cli.waiting import waiting
    from discreet.curator.report import report_on

    witness = None if against is None else read_document(against, "a witness")
    with waiting("verifying"):
        found = report_on(local(file), witness)
    if out is not None:
        _write(found, out)
    if as_json:
        print_json(found)
    else:
        _show(found, file, out)
    if not found["ledger"]["ok"]:
        raise typer.Exit(1)


def _write(found: dict[str, Any], out: Path) -> None:
    if out.suffix.casefold() == ".json":
        content = json.dumps(found, ensure_ascii=False, indent=2, default=str) + "\n"
    else:
        from discreet.publishing.report_page import report_page

        content = report_page(found)
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise file_unwritten(error, f"cannot write {out}", "write a path after --out that you may write to") from None


def _show(found: dict[str, Any], file: Path, out: Path | None) -> None:
    from discreet.answers.bodies import read_budget, read_loss
    from discreet.answers.losses import loss_in_words
    from discreet.cli.page import Page
    from discreet.cli.stopped import show_stops
    from discreet.cli.views import show_budget
    from discreet.ledger.stops import Stop
    from discreet.plots.lettering import clean, minute, shortened

    page, ledger = Page(), found["ledger"]
    show_budget(page, read_budget(found["budget"]), clean(found["table"]["name"]))
    if found["shared_with"]:
        others = ", ".join(map(clean, found["shared_with"]))
        page.say(f"shared with {others}: what was asked there is part of what is spent, and in other reports")
    show_stops(page, [Stop(**stop) for stop in found["stops"]], found["table"]["name"], file)
    rows = [(str(each["number"]), minute(each["at"]), clean(each["analyst"]) or "anonymous",
             loss_in_words(read_loss(each["cost"])), each["state"], shortened(clean(each["question"]), 50))
            for each in found["charges"]]  # fmt: skip
    if rows:
        page.gap()
        page.table("rlllll", ["entry", "at", "analyst", "price", "", "question"], rows)
    page.gap()
    if ledger["ok"]:
        page.line(("consistent", "bold green"), f": chain and totals recomputed; rollback {ledger['rollback']}")
    else:
        page.line(("violated", "bold red"), f": {ledger['problems'][0]}")
    if out is not None:
        page.line(("written ", "dim"), str(out))
