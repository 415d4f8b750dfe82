"""Words that several commands share: their options, and how a question, a price and a file are read from the command line."""

import sys
from codecs import BOM_UTF8
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.printing import json_text
from discreet.errors import FactsError, ParameterError, QuestionError

__all__ = [
    "ASKING", "As", "Assuming", "BoundsShare", "CHECKING", "Confidence", "Delta", "Epsilon", "FactsFile", "HOLDING", "Json",
    "MaxGroups", "MaxRows", "MaxRowsPerGroup", "Offer", "Reason", "Rho", "Sql", "SqlFile", "TRYING", "ValueIntervals",
    "Weight", "Within", "here", "is_there", "local", "named_numbers", "out_file", "picture_file", "print_json", "question_text",
    "reading_words", "typed",
]  # fmt: skip

_PICTURES = (".svg", ".png", ".txt")

# headings of `discreet --help`
TRYING, HOLDING, ASKING, CHECKING = "Try it", "For the data holder", "Ask", "Check"

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
FactsFile = Annotated[Path, typer.Argument(metavar="FILE", help="The facts file of a table, such as people.toml.")]
Sql = Annotated[str | None, typer.Argument(metavar="SQL", help='The question: "SELECT …", or - to read it from stdin.')]
SqlFile = Annotated[Path | None, typer.Option("--file", metavar="PATH", help="A file that holds the question.")]
Epsilon = Annotated[str | None, typer.Option("--epsilon", "-e", metavar="E", help="The price of the whole question: 0.1, 1/3.")]
Delta = Annotated[str | None, typer.Option("--delta", metavar="D", help="With --epsilon: Gaussian noise, costs both.")]
Rho = Annotated[str | None, typer.Option("--rho", metavar="R", help="The price on a budget that counts rho.")]
Within = Annotated[
    list[str] | None,
    typer.Option("--within", metavar="N|NAME=N", help="The ± wished for, of every number or of one; the price follows from it."),
]
Confidence = Annotated[str, typer.Option("--confidence", metavar="C", help="How sure intervals are: 0.95, 0.99.")]
Assuming = Annotated[
    int | None, typer.Option("--assuming", metavar="ROWS", help="How many rows to expect in a group, for quotes and --within.")
]
Weight = Annotated[
    list[str] | None, typer.Option("--weight", metavar="NAME=W", help="The share of the price that a number gets beside others.")
]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="The analyst who asks: recorded, limited.")]
MaxRows = Annotated[int | None, typer.Option("--max-rows", metavar="N", help="How many rows of each unit are read.")]
MaxGroups = Annotated[int | None, typer.Option("--max-groups", metavar="N", help="In how many groups each unit counts.")]
MaxRowsPerGroup = Annotated[
    int | None, typer.Option("--max-rows-per-group", metavar="N", help="How many rows of each unit count in one group.")
]
ValueIntervals = Annotated[
    bool, typer.Option("--value-intervals", help="Buy intervals for the values of quantiles, MIN and MAX: each counts for three.")
]
BoundsShare = Annotated[
    str | None, typer.Option("--bounds-share", metavar="S", help="The part of the price that finds bounds nobody knows: 0.2.")
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why: it is signed and stays in the ledger.")]


@dataclass(frozen=True, slots=True)
class Offer:
    """What a question may cost or how good it should be, as it was typed."""

    epsilon: str | None
    delta: str | None
    rho: str | None
    within: Sequence[str] | None
    confidence: str
    assuming: int | None
    weights: Sequence[str] | None

    def keywords(self) -> dict[str, Any]:
        """The same for the curator. Refused where there is no price, or two."""
        if self.within and (self.epsilon or self.delta or self.rho):
            raise ParameterError("a question has a price or a wish, not both", hint="write --epsilon 0.1, or --within 500")
        if not (self.within or self.epsilon or self.rho):
            alone = "--delta stands alone; " if self.delta else ""
            raise ParameterError(f"{alone}the question has no price",
                                 hint="write --epsilon 0.1, or say how good it should be: --within 500")  # fmt: skip
        words: dict[str, Any] = {"confidence": self.confidence}
        given = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho, "assuming": self.assuming}
        words |= {name: value for name, value in given.items() if value is not None}
        if self.within:
            words["within"] = _wish(self.within)
        if self.weights:
            words["weights"] = named_numbers(self.weights, "--weight")
        return words


def reading_words(
    max_rows: int | None, max_groups: int | None, max_rows_per_group: int | None, value_intervals: bool
) -> dict[str, Any]:
    """How a question is read, for the curator, who checks the caps."""
    caps = {"max_rows": max_rows, "max_groups": max_groups, "max_rows_per_group": max_rows_per_group}
    return {name: most for name, most in caps.items() if most is not None} | {"value_intervals": value_intervals}


def _wish(written: Sequence[str]) -> str | dict[str, str]:
    """One number for all, or numbers by name."""
    if len(written) == 1 and "=" not in written[0]:
        return written[0]
    return named_numbers(written, "--within")


def named_numbers(written: Sequence[str], option: str) -> dict[str, str]:
    """``["m=500", "n=10"]`` by name."""
    found: dict[str, str] = {}
    for each in written:
        name, mark, number = each.rpartition("=")
        if not mark or not name.strip() or name.strip() in found:
            raise ParameterError(f"{option} is {each!r}, not NAME=NUMBER with each name once", hint=f"write {option} n=10")
        found[name.strip()] = number.strip()
    return found


def question_text(sql: str | None, file: Path | None) -> str:
    """The question from the command line, from a file, or from stdin where it is written ``-``."""
    if (sql is None) == (file is None):
        what = "there is no question" if sql is None else "there are two questions, one in a file"
        raise ParameterError(what, hint='write one: "SELECT COUNT(*) AS n FROM …", - for stdin, or --file PATH')
    if file is None and sql != "-":
        return str(sql)
    from discreet.questions.tokens import MOST_BYTES, TOO_LONG

    if file is None and sys.stdin is None:
        raise ParameterError("stdin cannot be read: it is closed", hint="write the question, or --file PATH")
    most = MOST_BYTES + len(BOM_UTF8)
    try:
        with nullcontext(sys.stdin.buffer) if file is None else file.open("rb") as stream:
            data = stream.read(most + 1)
        if len(data) > most:  # the rest is not read, so that it has no number; and the cut may be inside a letter
            raise QuestionError(TOO_LONG, hint="write a shorter one, or several")
        return data.decode("utf-8-sig")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"{file or 'stdin'} cannot be read: {why}", hint="write the path of a file of SQL") from None
    except UnicodeDecodeError:
        raise ParameterError(f"{file or 'stdin'} is not UTF-8", hint="save the question as UTF-8") from None


def local(file: Path) -> Path:
    """``file``, refused where it cannot be a facts file here."""
    written = here(file).as_posix()
    if is_there(file) and file.is_dir():
        raise FactsError("this is a folder, not a facts file", hint=f"write one of its files, such as {written}/people.toml",
                         file=str(file))  # fmt: skip
    return file


def here(path: Path) -> Path:
    """``path``, refused where it is the address of a table that is kept elsewhere."""
    if path.as_posix().casefold().startswith(("https:", "http:")):
        raise ParameterError("this is done where the table is kept", hint="write the path of a facts file")
    return path


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; a path that is too long, or leads where nobody may look, is none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def out_file(path: Path, *, new: bool = False) -> Path:
    """A path that can be written to, found out before anything is spent; ``new`` refuses one that is there."""
    if new and path.exists():
        raise ParameterError(f"{path} is there already", hint="move it away, or write another name after --out")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise ParameterError(f"{path} cannot be written: there is no such folder", hint="write a file in a folder that is there")
    return path


def picture_file(path: Path) -> Path:
    """The same for a chart, which its ending says how to draw."""
    if out_file(path).suffix.casefold() not in _PICTURES:
        raise ParameterError(f"a chart cannot be saved as {path.suffix or 'a file without an ending'}",
                             hint=f"end the name in {', '.join(_PICTURES)}")  # fmt: skip
    return path


def typed(path: Path) -> str:
    """``path`` as it is typed on a command line."""
    written = str(path)
    return written if written and all(letter.isalnum() or letter in "/\\._-:~+@" for letter in written) else f'"{written}"'


def print_json(told: object) -> None:
    """One JSON object on stdout."""
    typer.echo(json_text(told, indent=2 if sys.stdout.isatty() else None))
