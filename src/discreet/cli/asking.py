"""``quote`` and ``ask``: one question to one table."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import (
    As,
    Assuming,
    BoundsShare,
    Confidence,
    Delta,
    Epsilon,
    Json,
    MaxGroups,
    MaxRows,
    MaxRowsPerGroup,
    Offer,
    Rho,
    Sql,
    SqlFile,
    ValueIntervals,
    Weight,
    Within,
    local,
    out_file,
    print_json,
    question_text,
    reading_words,
)
from discreet.cli.printing import say
from discreet.cli.tables import FileOrAddress, TokenFile, is_far, short_name, table_to_ask, told_if_cut_off
from discreet.cli.unwritten import file_unwritten, told_if_unwritten
from discreet.errors import ParameterError, QuestionError

if TYPE_CHECKING:
    from discreet.answers.answer import Answer

__all__ = ["ask", "quote"]

_KEPT = "the answer is kept: ask the same again, which is free"
_FREE = "a rehearsal is free: ask again"
_SAVED = (".csv", ".json", ".png", ".svg", ".txt")


def quote(
    file: FileOrAddress,
    sql: Sql = None,
    sql_file: SqlFile = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    within: Within = None,
    confidence: Confidence = "0.95",
    assuming: Assuming = None,
    weight: Weight = None,
    max_rows: MaxRows = None,
    max_groups: MaxGroups = None,
    max_rows_per_group: MaxRowsPerGroup = None,
    value_intervals: ValueIntervals = False,
    bounds_share: BoundsShare = None,
    analyst: As = None,
    token_file: TokenFile = None,
    as_json: Json = False,
) -> None:
    """Say what a question would cost and how good its answer would be. Free; no row is read."""
    price = Offer(epsilon, delta, rho, within, confidence, assuming, weight).keywords()
    reading = reading_words(max_rows, max_groups, max_rows_per_group, value_intervals)
    price |= {} if bounds_share is None else {"bounds_share": bounds_share}
    question = question_text(sql, sql_file)
    with pointing(question), table_to_ask(file, token_file) as table:
        found = table.quote(question, **price, **reading, analyst=analyst)
    if as_json:
        print_json(found.to_dict())
        return
    from discreet.cli.page import Page
    from discreet.cli.views import show_quote

    show_quote(Page(), found)


def ask(
    file: FileOrAddress,
    sql: Sql = None,
    sql_file: SqlFile = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    within: Within = None,
    confidence: Confidence = "0.95",
    assuming: Assuming = None,
    weight: Weight = None,
    max_rows: MaxRows = None,
    max_groups: MaxGroups = None,
    max_rows_per_group: MaxRowsPerGroup = None,
    value_intervals: ValueIntervals = False,
    bounds_share: BoundsShare = None,
    analyst: As = None,
    rehearse: Annotated[bool, typer.Option("--rehearse", help="Answer on made-up rows, free: to try a question out.")] = False,
    key: Annotated[str | None, typer.Option("--key", help="A name for this request: repeated, it is charged once.")] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Buy another answer, at its full price, though one is stored.")] = False,
    simultaneous: Annotated[bool, typer.Option("--simultaneous", help="Intervals that hold all at once, so wider.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: each number with its low and high end.")] = False,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the answer in letters, too.")] = False,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="PATH", help="Write the answer to a .csv, .json, .svg, .png or .txt file.")
    ] = None,
    receipt: Annotated[Path | None, typer.Option("--receipt", metavar="PATH", help="Write the signed receipt, JSON.")] = None,
    token_file: TokenFile = None,
    as_json: Json = False,
) -> None:
    """Answer a question with noise worth its price. Charged first; asked again at that price it is free."""
    price = Offer(epsilon, delta, rho, within, confidence, assuming, weight).keywords()
    reading = reading_words(max_rows, max_groups, max_rows_per_group, value_intervals)
    price |= {} if bounds_share is None else {"bounds_share": bounds_share}
    question = question_text(sql, sql_file)
    if as_csv and as_json:
        raise ParameterError("an answer is printed as CSV or as JSON, not both", hint="write --csv or --json")
    _check_files(save, receipt, rehearse=rehearse)
    asker = {"analyst": analyst, "key": key, "simultaneous": simultaneous, "anew": anew, "rehearse": rehearse}
    found = _asked(file, token_file, question, price | reading | asker)
    kept = _written(found, save, receipt)
    with told_if_unwritten(_FREE if rehearse else _KEPT):
        if as_json:
            print_json(found.to_dict())
        elif as_csv:
            say(found.to_csv(), end=False) if sys.stdout.isatty() else typer.echo(found.to_csv(), nl=False)
            _say_beside(found)
        else:
            _show(found, kept, plot=plot)


def _asked(file: str, token_file: Path | None, question: str, words: dict[str, Any]) -> "Answer":
    from discreet.cli.interrupted import told_if_interrupted
    from discreet.cli.waiting import waiting
    from discreet.engines.progress import telling

    what = f"asking {short_name(file)}"
    interrupted = told_if_cut_off(file) if is_far(file) else told_if_interrupted(local(Path(file)))
    with (
        pointing(question), interrupted, waiting(what) as said, table_to_ask(file, token_file, said) as table,
        telling(lambda share: said(f"{what}, {share:.0f} % done")),
    ):  # fmt: skip
        return table.ask(question, **words)


def _say_beside(answer: "Answer") -> None:
    """What numbers in a file cannot say of themselves: on stderr."""
    from discreet.answers.words import left_out_in_words

    for line in (*answer.warnings, *left_out_in_words(answer.left_out)):
        say(line, err=True)


def _show(answer: "Answer", kept: list[Path], *, plot: bool) -> None:
    from discreet.cli.page import Page
    from discreet.cli.views import show_answer

    page = Page()
    show_answer(page, answer)
    if plot:
        from discreet.plots.text_chart import text_chart

        page.gap()
        typer.echo(text_chart(answer).draw(width=page.width, ascii_only=page.console.options.ascii_only))
    for path in kept:
        page.line(("written ", "dim"), str(path))


# ---- files


def _check_files(save: Path | None, receipt: Path | None, *, rehearse: bool) -> None:
    """Refuses what could not be written afterwards: a charge is not taken back."""
    if receipt is not None:
        out_file(receipt)
        if rehearse:
            raise ParameterError("a rehearsal has no receipt", hint="leave --receipt out, or --rehearse")
    if save is None:
        return
    out_file(save)
    if save.suffix.casefold() not in _SAVED:
        raise ParameterError(f"an answer cannot be saved as {save.suffix or 'a file without an ending'}",
                             hint=f"end the name in {', '.join(_SAVED[:-1])} or {_SAVED[-1]}")  # fmt: skip
    if save.suffix.casefold() in (".svg", ".png"):
        from importlib.util import find_spec

        if find_spec("vl_convert") is None:
            raise ParameterError("saving a picture needs the plots extra", hint="pip install 'discreet[plots]', or save as .txt")


def _written(answer: "Answer", save: Path | None, receipt: Path | None) -> list[Path]:
    try:
        if save is not None:
            _save(answer, save)
        if receipt is not None:
            receipt.write_text(json.dumps(dict(answer.receipt or {}), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise file_unwritten(error, "the answer was computed and charged, but a file could not be written",
                             "ask the same again, which is free, with a path that can be written") from None  # fmt: skip
    return [path for path in (save, receipt) if path is not None]


def _save(answer: "Answer", path: Path) -> None:
    match path.suffix.casefold():
        case ".csv":
            path.write_text(answer.to_csv(), encoding="utf-8", newline="")
        case ".json":
            path.write_text(json.dumps(answer.to_dict(), ensure_ascii=False, indent=2, default=str) + "\n", encoding="utf-8")
        case _:
            from discreet.plots.charts import save_chart

            save_chart(answer, path)


# ---- errors


class pointing:  # noqa: N801 - used as a word: with pointing(question)
    """Inside, a QuestionError learns the text that it is about, so that its place can be pointed at."""

    def __init__(self, question: str) -> None:
        self._question = question

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, QuestionError) and error.line is not None and error.column is not None:
            lines = self._question.splitlines()
            if error.line <= len(lines):
                error.add_note(pointed(lines[error.line - 1], error.column))


def pointed(line: str, column: int, width: int = 76) -> str:
    """The line with a mark below its ``column``, cut to what fits around it."""
    plain = line.replace("\t", " ")
    start = max(0, column - 1 - width * 2 // 3) if len(plain) > width else 0
    cut = plain[start : start + width]
    before = "…" if start else ""
    after = "…" if start + width < len(plain) else ""
    mark = "^" if 0 <= column - 1 - start <= len(cut) else ""
    return f"  {before}{cut}{after}\n  {' ' * (len(before) + column - 1 - start)}{mark}"
