"""Groups that are stored and not declared are in none of the declared ones, however whole numbers are stored."""

import pandas as pd
import pyarrow as pa
import pytest

import discreet as dc

STORED = [-(2**62), -5, -1, 0, 0, 3, 9, 9, 9, 10, 2**40, None]


@pytest.mark.parametrize(("declared", "expected"), [
    (range(10), [2, 0, 0, 1, 0, 0, 0, 0, 0, 3]),       # from 0: one comparison
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
