"""What a release would cost, and what was published, as data."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.quote import QuotedColumn
from discreet.curator.together import Foreseen, Worth
from discreet.privacy.losses import Loss
from discreet.publishing.terminal import published_in_words, quote_in_words

__all__ = ["Published", "QuotedQuestion", "ReleaseQuote"]


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
    left_out: tuple[str, ...] = ()  # what its intervals will not cover, in sentences
    is_shared: bool = False  # all of it follows from what other questions of the release buy


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
                    "shared": each.is_shared,
                    "confidence": each.confidence, "cells": each.cells, "left_out": list(each.left_out),
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
    charged: tuple[Loss, ...]  # off each budget, by this run
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
                {"tables": list(each.tables), "cap": as_strings(each.cap), "spent": as_strings(each.before),
                 "charged": as_strings(now)}
                for each, now in zip(self.budgets, self.charged, strict=True)
            ],
            "replayed": self.is_free,
            "written": self.is_new,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return published_in_words(self)
