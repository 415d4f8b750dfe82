"""``publish``: a whole release from one file."""

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, print_json
from discreet.cli.unwritten import told_if_unwritten

__all__ = ["publish"]


def publish(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release file: questions, prices, derived tables.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write tables, receipts and a page to.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost; spend and write nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Ask all questions of a release at once and write tables with intervals, receipts and a page."""
    from discreet.cli.waiting import waiting
    from discreet.curator.publish import publish as make

    with waiting(f"publishing {release.stem}") as say:
        made = make(release, out, dry_run=dry_run, progress=lambda what, done, every: say(_step(what, done, every)))
    with told_if_unwritten("nothing was spent: ask again" if dry_run else f"the release is in {out}; publishing again is free"):
        if as_json:
            print_json(made.to_dict())
        else:
            typer.echo(str(made))


def _step(what: str, done: int, every: int) -> str:
    return f"{what}, {done} of {every}" if every > 1 else what
