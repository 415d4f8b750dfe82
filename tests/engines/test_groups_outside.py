"""Groups that are stored and not declared are in none of the declared ones, however whole numbers are stored."""

import itertools
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pytest

import discreet as dc
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import ByStep, ByValue, Grid, Measure, Wanted
from discreet.facts.model import Category, Integer
from discreet.questions.algebra import Column

STORED = [-(2**62), -5, -1, 0, 0, 3, 9, 9, 9, 10, 2**40, None]


@pytest.mark.parametrize(("declared", "expected"), [
    (range(10), [2, 0, 0, 1, 0, 0, 0, 0, 0, 3]),
    (range(-1, 9), [1, 2, 0, 0, 1, 0, 0, 0, 0, 0]),
    (range(3, 13), [1, 0, 0, 0, 0, 0, 3, 1, 0, 0]),
])  # fmt: skip
@pytest.mark.parametrize("unit", ["row", {"column": "u", "max_groups": 1, "max_rows_per_group": 1}])
def test_undeclared_groups_are_in_none_of_the_declared_ones(declared, expected, unit):
    frame = pd.DataFrame({"g": pd.array(STORED, "Int64"), "u": range(len(STORED))})
    table = dc.table(frame, columns={"g": dc.category(*declared)}, unit=unit, neighbours="add_remove", budget=10**9)
    found = table.ask("SELECT g, COUNT(*) AS n FROM t WHERE g IS NOT NULL GROUP BY g", epsilon=10**6).to_columns()
    assert dict(zip(found["g"], found["n"], strict=True)) == dict(zip(declared, expected, strict=True))


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("unit", ["row", {"column": "u", "max_groups": 2, "max_rows_per_group": 1}])
def test_ends_of_every_whole_type_are_in_no_group_from_0(kind, unit):
    bits = int(kind.lstrip("uint"))
    least, most = (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    stored = [least, most, most // 2, 0, 49, 49, 50, None]
    rows = pa.table({"g": pa.array(stored, kind), "u": pa.array(range(len(stored)))})
    table = dc.table(rows, columns={"g": dc.category(*range(50))}, unit=unit, neighbours="add_remove", budget=10**9)
    found = table.ask("SELECT g, COUNT(*) AS n FROM t GROUP BY g", epsilon=10**6).to_columns()
    counts = dict(zip(found["g"], found["n"], strict=True))
    outside = sum(each is None or not 0 <= each < 50 for each in stored)     # what is none of the values is as good as none
    expected = {0: stored.count(0), 49: 2, None: outside}
    assert {key: count for key, count in counts.items() if count} == expected


SMALL, LARGE = [-3, -1, 0, 1, 2, 2, 3, None, 2**62], [9, 10, 12, 13, 13, 14, 15, -(2**63), None]
KEYS = (
    ByValue(Column("g"), tuple(map(Fraction, range(3)))), ByValue(Column("g"), tuple(map(Fraction, range(3))), other=True),
    ByValue(Column("g"), (Fraction(0), Fraction(2))),                         # with a gap
    ByStep(Column("h"), Fraction(1), Fraction(0), 10, 4), ByStep(Column("near"), Fraction(1), Fraction(0), 10, 5, null=True),
    ByStep(Column("h"), Fraction(2), Fraction(0), 5, 2),
)  # fmt: skip


@pytest.mark.parametrize("keys", [*((key,) for key in KEYS), *itertools.permutations(KEYS, 2)])
def test_what_is_beside_the_keys_is_in_the_cell_for_all_else_or_in_none(keys, same, facts, opened):
    rows = [{"g": small, "h": large, "near": large} for small in SMALL for large in LARGE]
    table = pa.table({name: pa.array([row[name] for row in rows], pa.int64()) for name in rows[0]})
    declared = facts(Category("g", (0, 1, 2), other=True), Integer("h", -(2**60), 2**60), Integer("near", 10, 13))
    wanted = Wanted(None, keys, (Measure(0), Measure(1, Column("h"), Grid(Fraction(1), 0, 1000))))
    with opened(declared, table) as engine:
        same(engine, Reference(declared, rows), wanted)
