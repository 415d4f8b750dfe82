"""``publish``: a whole release from one file: one quote, one charge for all questions or none, one folder, whole or not there.

Running it again costs nothing: answers that are settled are replayed, and what a crash left behind is resumed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.losses import loss_in_words
from discreet.answers.quote import QuotedColumn
from discreet.curator.advice import warnings_for
from discreet.curator.certificates import MANIFEST
from discreet.engines.released import ReleasedDatabase
from discreet.errors import BudgetError, QuestionError
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signatures import signed
from discreet.ledger.foresight import Foreseen, Worth, foreseen, worth
from discreet.ledger.registry import is_frozen, known
from discreet.privacy.losses import Loss
from discreet.publishing.batch import Answered, Batch, Progress, opened
from discreet.publishing.release_file import Release, read_release
from discreet.publishing.release_folder import check_place, write_folder
from discreet.publishing.release_page import Page, page_of
from discreet.publishing.sheets import Sheet, dictionary, sheet_of_answer, sheet_of_derived
from discreet.publishing.terminal import published_in_words, quote_in_words

__all__ = ["Published", "QuotedQuestion", "ReleaseQuote", "publish"]


@dataclass(frozen=True, slots=True)
class QuotedQuestion:
    """What one question of a release costs, and the ± to expect. ``is_free`` if it is answered or paid for already."""

    name: str
    table: str
    cost: Loss
    is_free: bool
    columns: tuple[QuotedColumn, ...]
    confidence: float
    cells: int


@dataclass(frozen=True, slots=True)
class ReleaseQuote:
    """What a release would cost: each question, and every budget before and after. Nothing was spent, read or written."""

    title: str
    questions: tuple[QuotedQuestion, ...]
    derived: tuple[str, ...]
    budgets: tuple[Foreseen, ...]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The quote, ready for JSON."""
        return {
            "title": self.title,
            "dry_run": True,
            "questions": [
                {
                    "name": each.name, "table": each.table, "cost": as_strings(each.cost), "replay": each.is_free,
                    "confidence": each.confidence, "cells": each.cells,
                    "columns": [
                        {"name": c.name, "plus_minus": c.plus_minus if isfinite(c.plus_minus) else None, "basis": c.basis}
                        for c in each.columns
                    ],
                }
                for each in self.questions
            ],
            "derived": list(self.derived),
            "budgets": [
                {
                    "tables": list(each.tables), "cap": as_strings(each.cap), "before": as_strings(each.before),
                    "after": as_strings(each.after), "takes": as_strings(each.takes), "enough": each.is_enough,
                }
                for each in self.budgets
            ],
            "warnings": list(self.warnings),
        }  # fmt: skip

    def __str__(self) -> str:
        return quote_in_words(self)


@dataclass(frozen=True, slots=True)
class Published:
    """A release that is written: its folder, its tables, and what all of it is worth in privacy."""

    title: str
    out: Path
    tables: tuple[tuple[str, int], ...]  # name, rows
    cost: tuple[Worth, ...]
    budgets: tuple[Foreseen, ...]
    is_free: bool
    is_new: bool
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was done, ready for JSON."""
        return {
            "title": self.title,
            "dry_run": False,
            "out": str(self.out),
            "page": str(self.out / "index.html"),
            "tables": [{"name": name, "file": f"{name}.csv", "rows": rows} for name, rows in self.tables],
            "cost": [{"tables": list(each.tables)} | as_strings(each.loss) for each in self.cost],
            "budgets": [
                {"tables": list(each.tables), "cap": as_strings(each.cap), "spent": as_strings(each.before)}
                for each in self.budgets
            ],
            "replayed": self.is_free,
            "written": self.is_new,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return published_in_words(self)


def publish(
    path: str | Path, out: str | Path, *, dry_run: bool = False, progress: Progress | None = None
) -> Published | ReleaseQuote:
    """Ask every question of a release file and write the release to the folder ``out``; ``dry_run`` only quotes.

    All questions are charged together or not at all. Anything wrong in the file, in a derived table or with the folder is
    refused before that. ``progress`` is told what is done now, how much of it is done, and how much there is.
    """
    told = progress or _silent
    release = read_release(Path(path))
    with opened(release) as batch:
        digest = _digest(release, batch)
        if not dry_run:
            check_place(Path(out), digest)
        told("checking derived tables", 0, len(release.derived))
        _content(release, batch, [each.specimen() for each in batch.planned], digest, _silent)  # if this fails, it costs nothing
        quote = _quote(release, batch)
        if dry_run:
            return quote
        try:
            answers = batch.ask(told)
        except BudgetError as error:
            raise _too_dear(quote) or error from None
        return _written(release, batch, answers, Path(out), digest, quote, told)


def _silent(_what: str, _done: int, _all: int) -> None:
    pass


def _digest(release: Release, batch: Batch) -> str:
    """Of the file and of the versions that it asks: two releases are the same if this is."""
    versions = sorted({(each.request.table, each.request.version) for each in batch.planned})
    return sha256(canonical({"release": release.digest, "versions": [list(each) for each in versions]}).encode()).hexdigest()


def _quote(release: Release, batch: Batch) -> ReleaseQuote:
    questions, charged = [], []
    for each in batch.planned:
        is_free, asked = each.is_free, each.question
        charged += [] if is_free else [each.request]
        questions.append(
            QuotedQuestion(asked.name, each.request.table, each.cost, is_free, each.expected(), float(asked.confidence),
                           each.plan.wanted.cells)
        )  # fmt: skip
    budgets = foreseen(batch.ledger, charged, [each.request.table for each in batch.planned])
    warnings = tuple(f"{each.question.name}: {text}" for each in batch.planned for text in warnings_for(each.plan))
    derived = tuple(each.name for each in release.derived)
    frozen = [facts.name for facts in batch.facts if known(batch.ledger, facts.name) and is_frozen(batch.ledger, facts.name)]
    warnings += tuple(f"{name} is frozen: nothing is published until it is unfrozen" for name in frozen)
    return ReleaseQuote(release.title, tuple(questions), derived, tuple(budgets), warnings)


def _too_dear(quote: ReleaseQuote) -> BudgetError | None:
    """What the ledger says about one question, said about the whole release. The ledger decides: others may be asking too."""
    for budget in quote.budgets:
        if not budget.is_enough:
            return BudgetError(
                f"the release takes {loss_in_words(budget.takes)} off the budget of {', '.join(budget.tables)}, of which "
                f"{loss_in_words(budget.before)} of {loss_in_words(budget.cap)} is spent",
                hint="lower the prices in the file, or leave questions out; nothing was charged",
            )
    return None


def _derived(release: Release, sheets: Sequence[Sheet]) -> list[Sheet]:
    """The derived tables, each over the released ones and those derived before it."""
    if not release.derived:
        return []
    database, found = ReleasedDatabase([sheet.to_released() for sheet in sheets]), []
    try:
        for place, derivation in enumerate(release.derived):
            try:
                sheet = sheet_of_derived(derivation, database.derive(derivation.name, derivation.sql))
                _check_derived(sheet, derivation.columns)
            except QuestionError as error:
                raise release.wrong(("derived", place, "sql"), error) from None
            found.append(sheet)
    finally:
        database.close()
    return found


def _check_derived(sheet: Sheet, meanings: Any) -> None:
    if any(column.has_interval for column in sheet.columns) and not sheet.confidence:
        raise QuestionError("it has intervals and does not say how sure they are",
                            hint="write confidence = 0.95, if that is what the SQL works out")  # fmt: skip
    names = list(sheet.to_columns())
    for each in meanings:
        if each not in names:
            raise QuestionError(f"there is no column {each!r}", hint=f"the columns are {', '.join(names)}")


@dataclass(frozen=True, slots=True)
class _Content:
    """What will be in the folder."""

    files: dict[str, bytes]
    sheets: tuple[Sheet, ...]
    cost: tuple[Worth, ...]
    receipts: dict[str, dict[str, Any]]


def _content(release: Release, batch: Batch, answers: Sequence[Answered], digest: str, told: Progress) -> _Content:
    """The whole folder, made of released values only, or of made-up ones before anything is charged."""
    told("writing tables", 0, 1)
    asked = [sheet_of_answer(each.planned, each.answer) for each in answers]
    derived = _derived(release, asked)
    receipts = {each.planned.question.name: each.receipt for each in answers}
    cost = worth(batch.ledger, [each.request for each in answers])
    told("drawing the page", 0, 1)
    page = Page(release.title, release.description, tuple(derived), tuple(asked), tuple(cost), batch.facts, receipts)
    files = {f"{sheet.name}.csv": sheet.to_csv() for sheet in [*asked, *derived]}
    files |= {f"receipts/{name}.json": _json(receipt) for name, receipt in receipts.items()}
    files |= {"data-dictionary.csv": dictionary([*asked, *derived]), "index.html": page_of(page)}
    content = {name: text.encode() for name, text in files.items()} | {"public.pem": batch.ledger.key.public_pem()}
    content[MANIFEST] = _json(signed("release", _manifest(release, receipts, digest, content), batch.ledger.key)).encode()
    return _Content(content, (*asked, *derived), tuple(cost), receipts)


def _written(
    release: Release, batch: Batch, answers: Sequence[Answered], out: Path, digest: str, quote: ReleaseQuote, told: Progress
) -> Published:
    """The release in its folder."""
    made = _content(release, batch, answers, digest, told)
    is_new = write_folder(out, made.files, digest)
    budgets = foreseen(batch.ledger, [], [each.request.table for each in batch.planned])
    return Published(
        release.title, out, tuple((sheet.name, sheet.rows) for sheet in made.sheets), made.cost, tuple(budgets),
        all(each.is_free for each in quote.questions), is_new, (*quote.warnings, *_named(made.receipts)),
    )  # fmt: skip


def _manifest(release: Release, receipts: dict[str, dict[str, Any]], digest: str, content: dict[str, bytes]) -> dict[str, Any]:
    answers = {name: {key: receipt.get(key) for key in ("answer", "table", "version")} for name, receipt in receipts.items()}
    hashes = {name: sha256(data).hexdigest() for name, data in sorted(content.items())}
    return {"title": release.title, "digest": digest, "answers": answers, "files": hashes}


def _named(receipts: dict[str, dict[str, Any]]) -> list[str]:
    """A replay comes with the receipt of whoever asked first."""
    return [f"the receipt of {name} names an analyst who asked it before: {receipt['analyst']}"
            for name, receipt in receipts.items() if receipt.get("analyst")]  # fmt: skip


def _json(told: object) -> str:
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
