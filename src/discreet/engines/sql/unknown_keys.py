"""Candidates for keys that no public list names, as SQL: what ``candidates`` finds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.rules.candidates import in_order
from discreet.engines.sql.bounding import unit_term
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.layout import Layout, Stored
from discreet.engines.sql.mixing import added, numbered, ordered
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import Term
from discreet.engines.wanted import Candidates, KeysWanted
from discreet.facts.model import Facts

__all__ = ["gather_candidates", "to_keys_sql"]


def to_keys_sql(wanted: KeysWanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``: a row k, n for every value that at least so many units have."""
    sheet = Sheet(layout, dialect)
    write = Expressions(facts, sheet)
    conditions = write.conditions(wanted.where)
    term = sheet.named(write.term(wanted.of))
    key = sheet.text(term.sql)
    if wanted.groups is None:
        rows = f"(SELECT {key} AS k FROM {sheet.rows(conditions)}) AS r"
        return f"SELECT k, COUNT(*) AS n FROM {rows} WHERE k IS NOT NULL GROUP BY k HAVING COUNT(*) >= {wanted.at_least}"
    assert layout.unit is not None
    unit = sheet.text(unit_term(layout.unit, dialect))
    rows = f"(SELECT {key} AS k, {unit} AS w_u FROM {sheet.rows(conditions)}) AS r"
    pairs = f"(SELECT DISTINCT w_u, k FROM {rows} WHERE w_u IS NOT NULL AND k IS NOT NULL) AS s"  # one row per unit and key
    pairs = added(pairs, f"{numbered('k', _stored(term), sheet)} AS w_cell")
    pairs = ordered(pairs, layout.unit.stored, wanted.key, sheet)
    placed = added(pairs, "ROW_NUMBER() OVER (PARTITION BY w_u ORDER BY w_order, w_cell, k) AS w_place")
    kept = f"{placed} WHERE w_place <= {wanted.groups}"
    return f"SELECT k, COUNT(*) AS n FROM {kept} GROUP BY k HAVING COUNT(*) >= {wanted.at_least}"


def _stored(key: Term) -> Stored:
    return "text" if key.kind == "text" else "whole" if key.whole else "real"


def gather_candidates(found: Mapping[str, NDArray[Any]]) -> Candidates:
    """The rows of that SELECT, in the order of the values."""
    values = [value if isinstance(value, str) else float(value) for value in np.ma.getdata(found["k"]).tolist()]
    return in_order(zip(values, np.ma.getdata(found["n"]).tolist(), strict=True))
