"""A public size that is not that of the rows is refused wherever a table comes from (rule 3)."""

import pandas as pd
import pytest

import discreet as dc

COLUMNS = {"x": dc.number(0, 100, null=0)}


def made(rows, declared, **words):
    frame = pd.DataFrame({"x": [1.0] * rows, "who": list(range(rows))})
    return dc.table(frame, columns=COLUMNS, neighbours="change_one", budget=9, **({"unit": "row", "rows": declared} | words))


@pytest.mark.parametrize("declared", [1, 299, 301])
def test_a_frame_with_another_number_of_rows_than_declared_is_refused(declared):
    with pytest.raises(dc.FactsError, match="rows differs"):
        made(300, declared)


def test_a_frame_with_the_declared_number_of_rows_is_a_table():
    assert made(300, 300).ask("SELECT COUNT(*) AS n FROM t", epsilon=1).value == 300


def test_an_empty_frame_that_is_said_to_have_a_row_is_refused():
    with pytest.raises(dc.FactsError, match="rows differs"):
        made(0, 1)
