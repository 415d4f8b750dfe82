"""The table that a command asks: one of a facts file here, or one behind the address of a service."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import local
from discreet.cli.printing import say
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.client import FarTable
    from discreet.curator import Curator

__all__ = ["FileOrAddress", "TokenFile", "far_table", "is_far", "short_name", "table_to_ask", "told_if_cut_off"]

FileOrAddress = Annotated[
    str, typer.Argument(metavar="FILE", help="The facts file of a table, such as people.toml; or https://host/TABLE.")
]
TokenFile = Annotated[
    Path | None, typer.Option("--token-file", metavar="PATH", help="A file with the token for an address; else DISCREET_TOKEN.")
]


def is_far(file: str) -> bool:
    """Whether the table is behind a service."""
    from discreet.client.addresses import is_address

    return is_address(file)


@contextmanager
def table_to_ask(
    file: str, token_file: Path | None, told: Callable[[str], None] | None = None
) -> "Iterator[Curator | FarTable]":
    """The table, closed at the end. ``told`` is told how far a long wait is."""
    if is_far(file):
        with closing(far_table(file, token_file, told)) as far:
            yield far
        return
    if token_file is not None:
        raise ParameterError("a facts file needs no token", hint="leave --token-file out, or write https://host/TABLE")
    from discreet.curator import open_table

    with closing(open_table(local(Path(file)))) as curator:
        yield curator


def far_table(file: str, token_file: Path | None, told: Callable[[str], None] | None = None) -> "FarTable":
    """The table behind an address. A token is never a word of the command line, where others would see it."""
    from discreet.client import connect
    from discreet.client.addresses import token_in

    return connect(file, token=None if token_file is None else token_in(token_file), told=told)


def short_name(file: str) -> str:
    """The table in one word, for messages."""
    return file.rstrip("/").rpartition("/")[2] if is_far(file) else Path(file).stem


@contextmanager
def told_if_cut_off(file: str) -> Iterator[None]:
    """Inside, an interruption is told: what was sent goes on without whoever asked."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"\ninterrupted; what was asked goes on there: see discreet history {file}, or ask it again, which is free", err=True)
        raise typer.Exit(130) from None
