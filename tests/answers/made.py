"""Answers, quotes and facts made by hand."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from discreet.answers import Answer, AnswerColumn, BudgetState, Quote, QuotedColumn
from discreet.facts.model import Boolean, Budget, Category, Date, EachRow, Facts, Integer, Number, Text
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

URBAN = {1: "Urban", 2: "Rural"}
STATE = BudgetState(Pure(epsilon=1), Pure(epsilon="0.1"), Pure(epsilon="0.9"))


def answer(
    columns: Sequence[AnswerColumn],
    rows: Sequence[Mapping[str, Any]],
    intervals: Sequence[Mapping[str, tuple[Any, Any]]],
    *,
    question: str = "SELECT COUNT(*) AS n FROM ce_slides GROUP BY UrbanRural",
    cost: Loss | None = None,
    budget: BudgetState = STATE,
    confidence: Fraction = Fraction(95, 100),
    replayed: bool = False,
    warnings: tuple[str, ...] = (),
) -> Answer:
    return Answer(
        id="a1b2c3", table="ce_slides", question=question, columns=tuple(columns), rows=tuple(rows), intervals=tuple(intervals),
        confidence=confidence, cost=Pure(epsilon=0) if replayed else cost or Pure(epsilon="0.1"), budget=budget,
        replayed=replayed, warnings=warnings, paid=cost or Pure(epsilon="0.1") if replayed else None,
    )


def one(name: str = "Age", kind: str = "mean", value: Any = 38.5, low: Any = 38.4, high: Any = 38.6, **more: Any) -> Answer:
    return answer([AnswerColumn(name, kind)], [{name: value}], [{name: (low, high)}], **more)


def counts(
    values: Sequence[int], half: int = 30, labels: Mapping[object, str] = URBAN, key: str = "UrbanRural", **more: Any
) -> Answer:
    keys = list(labels) or list(range(1, len(values) + 1))
    rows = [{key: at, "n": value} for at, value in zip(keys, values, strict=True)]
    ends = [{"n": (value - half, value + half)} for value in values]
    return answer([AnswerColumn(key, "key", labels), AnswerColumn("n", "count")], rows, ends, **more)


def ages(width: int = 5, bins: int = 18, **more: Any) -> Answer:
    """A count and a mean over bins of a number."""
    rows, ends = [], []
    for place in range(bins):
        n = 260 - 3 * (place - 7) ** 2 + 11 * (place * 7 % 5)
        m = 30_000 + 2_500.0 * place - 140.0 * place**2 + 500 * (place % 3)
        rows.append({"age": place * width, "n": n, "m": m})
        ends.append({"n": (n - 30, n + 30), "m": (m - 900 - 60 * place, m + 900 + 60 * place)})
    columns = [AnswerColumn("age", "key"), AnswerColumn("n", "count"), AnswerColumn("m", "mean")]
    text = "SELECT BIN(Age, 5) AS age, COUNT(*) AS n, AVG(Income) AS m FROM ce_slides GROUP BY BIN(Age, 5)"
    return answer(columns, rows, ends, question=text, **more)


def two_keys(**more: Any) -> Answer:
    """Counts over two categories."""
    races = {1: "White", 2: "Black", 3: "Native", 4: "Asian", 5: "Pacific", 6: "Multi-race"}
    rows, ends = [], []
    for urban in URBAN:
        for race in races:
            n = round((900 if urban == 1 else 120) / race**1.3)
            rows.append({"UrbanRural": urban, "Race": race, "n": n})
            ends.append({"n": (n - 30, n + 30)})
    columns = [AnswerColumn("UrbanRural", "key", URBAN), AnswerColumn("Race", "key", races), AnswerColumn("n", "count")]
    text = "SELECT UrbanRural, Race, COUNT(*) AS n FROM ce_slides GROUP BY UrbanRural, Race"
    return answer(columns, rows, ends, question=text, **more)


def several(**more: Any) -> Answer:
    """Four numbers without a key."""
    row = {"n": 4987, "income": 61_234.5, "v": 2.4e9, "share": 0.42}
    ends = {"n": (4957, 5017), "income": (58_111.0, 64_358.0), "v": (2.1e9, 2.9e9), "share": (0.31, 0.55)}
    kinds = {"n": "count", "income": "mean", "v": "variance", "share": "derived"}
    share = "COUNT(*) FILTER (WHERE Age >= 40) / COUNT(*) AS share"
    text = f"SELECT COUNT(*) AS n, AVG(Income) AS income, VAR_POP(Income) AS v, {share} FROM ce_slides"
    return answer([AnswerColumn(name, kind) for name, kind in kinds.items()], [row], [ends], question=text, **more)


def quote(columns: Sequence[QuotedColumn] = (), **more: Any) -> Quote:
    given = {
        "table": "ce_slides", "question": "SELECT COUNT(*) AS n, AVG(Income) AS m FROM ce_slides GROUP BY UrbanRural",
        "cost": Pure(epsilon="0.1"), "split": (("COUNT(*)", Pure(epsilon="0.05")), ("AVG(Income)", Pure(epsilon="0.05"))),
        "columns": tuple(columns) or (QuotedColumn("n", 60.0, "none", None), QuotedColumn("m", 1234.5, "rows_about", 2500)),
        "confidence": Fraction(95, 100), "cells": 2, "readable_group": 600, "budget": STATE,
        "after": BudgetState(Pure(epsilon=1), Pure(epsilon="0.2"), Pure(epsilon="0.8")),
    }  # fmt: skip
    return Quote(**(given | more))


def facts(**more: Any) -> Facts:
    columns = (
        Category("UrbanRural", (1, 2), ("Urban", "Rural"), description="where the household lives"),
        Number("Income", Fraction(0), Fraction(1_000_000), Fraction(0), "income before taxes in the past 12 months"),
        Integer("Age", 0, 120),
        Category("Race", tuple(range(1, 10))),
        Boolean("Owner"),
        Date("Seen"),
        Text("Name"),
    )
    given: dict[str, Any] = {
        "name": "ce_slides", "source": "ce_slides.csv", "unit": EachRow(), "neighbours": "add_remove", "columns": columns,
        "budget": Budget(Pure(epsilon=1)), "version": "2017Q1", "rows_about": 5000,
    }  # fmt: skip
    return Facts(**(given | more))


def gaussian_state() -> BudgetState:
    return BudgetState(
        Approximate(epsilon=1, delta="1e-6"), Approximate(epsilon="0.25", delta="1e-7"), Approximate(epsilon="0.75", delta="9e-7")
    )


def rho_state() -> BudgetState:
    return BudgetState(Concentrated(rho="0.5"), Concentrated(rho="0.125"), Concentrated(rho="0.375"))
