"""Sources that are stored in odd ways, and questions at the edge of the public limits."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.curator import opening
from discreet.engines.reference import Reference
from discreet.facts.model import Source
from discreet.testing import recorded

BUDGET = {"epsilon": 10**6, "delta": "0.5"}


def exact(table, sql, **words):
    with recorded() as calls:
        table.ask(sql, **words)
    return np.asarray(calls[0].exact).ravel().tolist()


@pytest.mark.parametrize("kind", ["uint8", "uint16", "uint32"])
def test_categories_stored_as_unsigned_numbers_keep_their_rows(kind):
    frame = pd.DataFrame({"g": np.array([1, 2, 3, 3], dtype=kind)})
    columns = {"g": dc.category(1, 2, 3, null="drop")}
    table = dc.table(frame, name="t", unit="row", neighbours="add_remove", budget=BUDGET, columns=columns)
    assert exact(table, "SELECT g, COUNT(*) AS n FROM t GROUP BY g", epsilon=1) == [1, 1, 2]


def test_keys_that_nobody_listed_are_within_the_most_cells():
    """400 keys times a million cells: MemoryError after the charge, the asker frozen; a second asker freezes the table."""
    frame = pd.DataFrame({"s": [f"k{i % 40}" for i in range(4000)], "i": 0})
    columns = {"s": dc.text(), "i": dc.integer(0, 999_999)}
    table = dc.table(frame, name="t", unit="row", neighbours="add_remove", budget=BUDGET, columns=columns)
    with pytest.raises(dc.Refused):
        table.quote("SELECT s, i, COUNT(*) AS n FROM t GROUP BY s, i", epsilon=10, delta="1e-6")


def test_one_row_with_a_line_end_inside_quotes_does_not_turn_the_header_into_a_row(tmp_path):
    def asked(text):
        (tmp_path / "t.csv").write_text(text, newline="")
        columns = {"a": dc.text(), "b": dc.integer(0, 9)}
        table = dc.table(
            str(tmp_path / "t.csv"), name="t", unit="row", neighbours="add_remove", budget=BUDGET, columns=columns
        )
        return exact(table, "SELECT COUNT(*) AS n FROM t WHERE a = 'a'", epsilon=1)

    rows = "\na,b\nx,1\n"  # an empty line before the header
    assert asked(rows) == [0]
    assert asked(rows + '"y\nz",2\n') == [0]  # not 1: the header is no row


def test_one_time_of_day_that_is_none_does_not_fail_every_question(tmp_path):
    def opened(times):
        unit = pa.array(times, pa.int64()).view(pa.time64("us"))
        pq.write_table(pa.table({"u": unit, "x": pa.array(range(len(times)))}), tmp_path / "t.parquet")
        return dc.table(
            str(tmp_path / "t.parquet"), name="t", unit={"column": "u", "max_rows": 2}, neighbours="add_remove",
            budget=BUDGET, columns={"x": dc.integer(0, 10)},
        )  # fmt: skip

    try:
        table = opened([0, 1, 2**62])
    except dc.FactsError:
        return  # such units may be refused
    table.ask("SELECT SUM(x) AS s FROM t", epsilon=1)


def test_labels_of_bins_are_where_their_rows_are():
    frame = pd.DataFrame({"x": [1e17]})
    table = dc.table(
        frame, name="t", unit="row", neighbours="add_remove", budget=BUDGET, columns={"x": dc.number(10**17, 10**17 + 1000)}
    )
    try:
        rows = table.ask("SELECT BIN(x, 1, 100000000000000005) AS b, COUNT(*) AS n FROM t GROUP BY b", epsilon=1000).rows
    except dc.Refused:
        return
    assert [row["b"] <= 1e17 < row["b"] + 1 for row in rows if row["n"]] == [True]


@pytest.mark.parametrize("given", ["spark:clinic.visits", "postgresql:///x#visits", Source("spark", "spark", "clinic.visits")])
def test_rows_that_stay_where_they_are_are_not_pinned_however_they_are_given(given, monkeypatch):
    monkeypatch.setattr(opening, "open_engine", lambda facts, source, lookups: Reference(facts, [{"g": 1}]))
    table = dc.table(given, unit="row", neighbours="add_remove", budget=BUDGET, columns={"g": dc.category(1, 2)})
    assert table.ask("SELECT COUNT(*) AS n FROM t", epsilon=1).receipt["source"] == "not pinned"
    assert table.facts.is_held
