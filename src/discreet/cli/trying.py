"""``demo`` and ``sample``: something to look at, and something to try on. Every row is made up."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from discreet.cli.interrupted import tidy_if_ended
from discreet.cli.options import Json, print_json, typed
from discreet.errors import ParameterError

__all__ = ["demo", "figures", "sample"]


def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep the tables and their ledger in DIR, to go on asking.")
    ] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the tables on this machine, with a page to ask them on.")] = False,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="With --serve: the port; 0 takes any that is free.")] = 0,
    as_json: Json = False,
) -> None:
    """Watch a budget being spent: made-up tables, real questions, exact noise, a ledger that adds up. Takes seconds."""
    with _room(keep) as folder:
        if serve:
            from discreet.cli.demo.served import serve_demo

            serve_demo(folder, port, as_json=as_json)
            return
        from discreet.cli.demo.story import tell

        if as_json:
            print_json({"steps": [step.to_dict() for step in tell(folder)]})
            return
        from discreet.cli.demo.telling import show_end, show_start, show_step
        from discreet.cli.page import Page

        page = Page()
        show_start(page)
        for step in tell(folder):
            show_step(page, step)
        show_end(page, keep)


@contextmanager
def _room(keep: Path | None) -> Iterator[Path]:
    """A folder for the demo: a temporary one, or a new one that stays."""
    if keep is None:
        with tidy_if_ended(), TemporaryDirectory(prefix="discreet-demo-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise ParameterError(f"{keep} is there and not an empty folder", hint="write a new folder after --keep")
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"cannot make {keep}: {why}", hint="write a folder after --keep that you may make") from None
    yield keep


def sample(
    name: Annotated[str, typer.Argument(metavar="NAME", help="adult, ce_book, ce_slides, devices or fulton.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write to; made if it is not there.")] = Path(),
    as_json: Json = False,
) -> None:
    """Write a made-up table and its facts file, NAME.csv and NAME.toml."""
    from discreet.lessons.samples import write_sample

    data, facts = write_sample(name, out)
    release = data.with_name(f"{name}_release.toml")
    if as_json:
        also = {"release": str(release)} if release.exists() else {}
        print_json({"name": name, "data": str(data), "facts": str(facts)} | also)
        return
    from discreet.cli.page import Page

    page = Page()
    files = [(str(data), ("the rows, all made up", "dim")), (str(facts), ("what is public about them", "dim"))]
    if release.exists():
        files.append((str(release), ("questions to publish about them", "dim")))
    page.table("ll", [], files, indent=0)
    page.gap()
    page.line(f"discreet register {typed(facts)}", ("   opens its budget", "dim"), indent=0)


def figures(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to draw into; made if it is not there.")],
    only: Annotated[list[int] | None, typer.Option("--page", metavar="N", help="Only this page; may be given again.")] = None,
    form: Annotated[str, typer.Option("--as", metavar="FORM", help="svg, png, or txt without the plots extra.")] = "svg",
    as_json: Json = False,
) -> None:
    """Draw the pictures of five teaching texts: each with a table of its numbers and a sentence that says it. Takes a minute."""
    from discreet.gallery import PAGES, page, write_figures

    wanted = tuple(page(number) for number in only) if only else PAGES
    written = []
    for path in write_figures(folder, wanted, form=form):
        written.append(str(path))
        if not as_json:
            typer.echo(path)
    if as_json:
        print_json({"figures": written})
