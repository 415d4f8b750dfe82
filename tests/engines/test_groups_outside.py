"""Groups that are stored and not declared: a row is tested for the upper end of its key, its group for the lower one."""

import pandas as pd
import pytest

import discreet as dc

STORED = [-(2**62), -5, -1, 0, 0, 3, 9, 9, 9, 10, 2**40, None]


@pytest.mark.parametrize(("declared", "expected"), [
    (range(10), [2, 0, 0, 1, 0, 0, 0, 0, 0, 3]),       # tested in two places
    (range(-1, 9), [1, 2, 0, 0, 1, 0, 0, 0, 0, 0]),    # below 0: in one
    (range(3, 13), [1, 0, 0, 0, 0, 0, 3, 1, 0, 0]),
])  # fmt: skip
@pytest.mark.parametrize("unit", ["row", {"column": "u", "max_groups": 1, "max_rows_per_group": 1}])
def test_undeclared_groups_are_in_none_of_the_declared_ones(declared, expected, unit):
    frame = pd.DataFrame({"g": pd.array(STORED, "Int64"), "u": range(len(STORED))})
    table = dc.table(frame, columns={"g": dc.category(*declared)}, unit=unit, neighbours="add_remove", budget=10**9)
    found = table.ask("SELECT g, COUNT(*) AS n FROM t WHERE g IS NOT NULL GROUP BY g", epsilon=10**6).to_columns()
    assert dict(zip(found["g"], found["n"], strict=True)) == dict(zip(declared, expected, strict=True))
