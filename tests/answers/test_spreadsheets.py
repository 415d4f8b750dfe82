"""CSV of answers and releases holds nothing that a spreadsheet runs."""

import csv
import io

import pandas as pd
import pytest

import discreet as dc
from discreet.publishing.sheets import text_of_csv

HOSTILE = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]


def cells(text):
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


@pytest.mark.slow
@pytest.mark.parametrize("label", HOSTILE)
def test_a_key_that_begins_like_a_formula_is_told_to_be_a_text(label):
    frame = pd.DataFrame({"k": [label.strip(), "b"] * 20, "x": [-5.0] * 40})
    columns = {"k": dc.category(label.strip(), "b"), "x": dc.number(-10, 0, null=0)}
    t = dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=9)
    answer = t.ask('SELECT k AS "=k", COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY k', epsilon=5)
    found = cells(answer.to_csv())
    assert f"'{label.strip()}" in found
    assert "'=k" in found
    assert label.strip() in answer.to_columns()["=k"]                      # programs get what it is
    assert any(cell.startswith("-") for cell in found)                     # and numbers below 0 are numbers


@pytest.mark.parametrize("label", HOSTILE)
def test_the_tables_of_a_release_do_the_same(label):
    found = cells(text_of_csv([label, "n"], [[label, -3], ["fine", 2.5]]))
    told = "'" + label.replace("\r", "\n")
    assert found == [told, "n", told, "-3", "fine", "2.5"]
