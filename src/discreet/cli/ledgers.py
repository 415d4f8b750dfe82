"""``ledger show``, ``verify``, ``export``, ``witness`` and ``recover``: what was spent, and whether the account is sound."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import FactsFile, Json, local, out_file, print_json
from discreet.cli.printing import json_text, say
from discreet.cli.unwritten import file_unwritten
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.cli.page import Page
    from discreet.ledger.verify import Verified

__all__ = ["export", "ledgers", "read_document", "recover", "show", "show_verified", "verify", "witness"]

Place = Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A facts file, or the folder of its ledger.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="PATH", help="The file to write instead of stdout.")]

ledgers = typer.Typer(no_args_is_help=False, help="What was spent, entry by entry: show, verify, export, witness, recover.")


@ledgers.command("show")
def show(
    file: FactsFile,
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="How many of the latest entries.")] = 20,
    as_json: Json = False,
) -> None:
    """List the latest entries."""
    from discreet.curator import office

    entries = office.entries(local(file), last=last)
    if as_json:
        shape = ("number", "at", "kind", "body", "hash")
        print_json({"entries": [{name: getattr(entry, name) for name in shape} for entry in entries]})
        return
    from discreet.cli.entries import entry_in_words
    from discreet.cli.page import Page
    from discreet.plots.lettering import minute

    page = Page()
    for entry in entries:
        what, about = entry_in_words(entry.kind, entry.body, entry.hash)
        page.line(f"{entry.number:>5}  ", (f"{minute(entry.at)}  ", "dim"), (f"{entry.kind:<9}", "bold"), what, indent=0)
        if about:
            page.say(about, indent=38, style="dim")
    if entries and entries[0].number > 1:
        page.line((f"the last {len(entries)} of {entries[-1].number}; --last N shows more", "dim"), indent=0)


@ledgers.command("verify")
def verify(
    path: Place,
    against: Annotated[
        Path | None, typer.Option("--witness", metavar="PATH", help="A witness kept elsewhere: finds a rolled-back ledger.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Recompute the chain and every total. Exit code 1 if anything is not as it should be."""
    from discreet.cli.waiting import waiting
    from discreet.curator import office

    kept = None if against is None else read_document(against, "a witness")
    with waiting("verifying"):
        found = office.verify(path, witness=kept)
    if as_json:
        print_json(found.to_dict())
    else:
        from discreet.cli.page import Page

        show_verified(Page(), found, indent=0)
    if not found.ok:
        raise typer.Exit(1)


def show_verified(page: "Page", found: "Verified", *, indent: int = 2) -> None:
    """What verification found, on a page."""
    many = "entry" if found.entries == 1 else "entries"
    if found.ok:
        page.line(("consistent", "bold green"), f": {found.entries} {many}, chain and totals recomputed", indent=indent)
        by = "excluded by the witness" if found.rollback == "excluded" else "not excluded: that takes a witness"
        page.line((f"rollback {by}", "dim"), indent=indent)
        page.line((f"head {found.head}", "dim"), indent=indent)
        for note in found.notes:
            page.say(note, indent=indent, style="dim")
        return
    page.line(("violated", "bold red"), f": {found.entries} {many} read", indent=indent)
    for problem in found.problems:
        page.say(f"- {problem}", indent=indent + 2)


@ledgers.command("export")
def export(path: Place, out: Out = None, as_json: Json = False) -> None:  # noqa: ARG001 - it is JSON, whatever is asked for
    """Print every entry, one JSON object on each line."""
    from discreet.curator import office

    lines = (json_text(entry, sort_keys=True) for entry in office.export(path))
    _put(lines, out)


@ledgers.command("witness")
def witness(path: Place, out: Out = None, as_json: Json = False) -> None:  # noqa: ARG001 - it is JSON, whatever is asked for
    """Sign the ledger's length, head and totals. Keep it elsewhere: with it, verify finds a ledger that was rolled back.

    A witness that is in PATH is renewed, unless the ledger has not come from it.
    """
    from discreet.cli.witnesses import keep_witness, witness_in, witness_text
    from discreet.curator import office

    if out is None:
        typer.echo(witness_text(office.witness(path)))
        return
    keep_witness(office.witness(path, before=witness_in(out)), out)
    say(f"written {out}", err=True)


@ledgers.command("recover")
def recover(file: FactsFile, as_json: Json = False) -> None:
    """Finish questions that were charged and then cut off by a crash."""
    from discreet.cli.waiting import waiting
    from discreet.curator import office

    with waiting("recovering"):
        answers = office.recover(local(file))
    if as_json:
        print_json({"recovered": [answer.to_dict() for answer in answers]})
        return
    from discreet.cli.page import Page
    from discreet.cli.views import show_answer

    page = Page()
    if not answers:
        page.line("nothing was left unfinished", indent=0)
    for answer in answers:
        page.line((answer.question, "bold"), indent=0)
        show_answer(page, answer)


def _put(lines: Iterable[str], out: Path | None) -> None:
    if out is None:
        for line in lines:
            typer.echo(line)
        return
    try:
        with out_file(out).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise file_unwritten(error, f"cannot write {out}", "write a path after --out that you may write to") from None
    say(f"written {out}", err=True)


def read_document(path: Path, what: str) -> dict[str, Any]:
    """A JSON object in a file."""
    is_answer = what == "an answer"  # which is written in other forms too
    saved = "save the answer as JSON: --save answer.json" if is_answer else f"write the path of {what} as discreet wrote it"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"{path} cannot be read: {why}", hint=f"write the path of {what}") from None
    except (ValueError, RecursionError):
        raise ParameterError(f"{path} is not JSON", hint=saved) from None
    if not isinstance(found, dict):
        raise ParameterError(f"{path} is not {what}", hint=saved)
    return found
