"""What no engine does: fail on a row, quote one, or read anything but its table."""

import gc
import logging
import os
import stat
import tempfile
import traceback
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Grid, Measure, Wanted
from discreet.errors import EngineFault, FactsError
from discreet.facts.model import Category, Integer, Number, Text
from discreet.questions.algebra import Apply, Case, Column, Literal

CANARY = "canary-7f3a"
COUNT = Wanted(None, (), (Measure(0),))
WRONG = Wanted(None, (), (Measure(1, Column("name"), Grid(Fraction(1), 0, 9)),))  # a text is no number


@pytest.fixture
def parquet(tmp_path):
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"name": [CANARY, "b"], "x": [1.0, 2.0], "hidden": [1, 2]}), file)
    return file


@pytest.fixture
def engine(parquet, facts, opened):
    with opened(facts(Text("name"), Number("x")), parquet) as engine:
        yield engine


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{other}')",
        "SELECT * FROM read_text('{other}')",
        "SELECT * FROM read_parquet('{other}')",
        "SELECT * FROM '{other}'",
        "SELECT * FROM glob('{folder}/*')",
        "ATTACH '{folder}/new.duckdb'",
        "COPY data TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_paths = ['{other}']",
        "SET lock_configuration = false",
        "SET threads = 1",
        "RESET enable_external_access",
        "PRAGMA enable_external_access",
        "CREATE SECRET s (TYPE s3)",
    ],
)
def test_an_open_engine_reads_its_table_and_nothing_else(sql, engine, tmp_path):
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"secret": [1]}), other)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(duckdb.Error):
        engine._connection.execute(sql.format(other=other, folder=tmp_path)).fetchall()
    assert sorted(tmp_path.iterdir()) == before
    assert engine.run(COUNT).take().low.tolist() == [[2]]


def test_undeclared_columns_do_not_exist(engine):
    with pytest.raises(duckdb.Error):
        engine._connection.execute("SELECT hidden FROM data").fetchall()


def test_variables_of_the_program_are_not_tables(engine):
    secret = pa.table({"a": [1]})
    with pytest.raises(duckdb.Error):
        engine._connection.execute("SELECT * FROM secret").fetchall()
    assert secret.num_rows == 1


def chain(error):
    """All that an exception shows, and all that it carries."""
    shown, seen = "".join(traceback.format_exception(error)), set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        shown += f"{error!s}{error!r}{error.args!r}{getattr(error, '__notes__', '')}"
        error = error.__cause__ or error.__context__
    return shown, len(seen)


def test_a_fault_carries_a_reference_and_nothing_of_the_engine(engine, monkeypatch, caplog):
    monkeypatch.setattr("discreet.engines.sql.asking.to_sql", lambda *_: "SELECT CAST(c0 AS INTEGER) FROM data")
    with caplog.at_level(logging.DEBUG), pytest.raises(EngineFault) as caught:
        engine.run(COUNT)
    shown, links = chain(caught.value)
    assert CANARY not in shown
    assert "INTEGER" not in str(caught.value)
    assert links == 1
    assert caught.value.reference in str(caught.value)
    assert caught.value.reference in caplog.text
    assert "ConversionException" in caplog.text
    assert CANARY not in caplog.text


def test_two_faults_have_different_references(engine):
    references = set()
    for _ in range(2):
        with pytest.raises(EngineFault) as caught:
            engine.run(WRONG)
        references.add(caught.value.reference)
    assert len(references) == 2


def test_values_of_the_wrong_kind_are_a_fault_on_every_engine(engine, facts):
    for one in (engine, Reference(facts(Text("name")), [{"name": CANARY}])):
        with pytest.raises(EngineFault) as caught:
            one.run(WRONG)
        assert CANARY not in chain(caught.value)[0]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"x" * 50 + b"PAR1"])
def test_a_broken_file_is_a_fault(content, tmp_path, facts):
    file = tmp_path / "rows.parquet"
    file.write_bytes(content)
    with pytest.raises(EngineFault) as caught:
        open_engine(facts(Text("name")), file)
    assert chain(caught.value)[1] == 1


def test_a_file_that_vanishes_is_a_fault_before_and_while_asking(engine, parquet):
    engine.check()
    parquet.unlink()
    with pytest.raises(EngineFault):
        engine.check()
    with pytest.raises(EngineFault):
        engine.run(COUNT)


def test_a_file_that_changes_is_a_fault_before_asking(engine, parquet):
    os.utime(parquet, (1, 1))
    with pytest.raises(EngineFault):
        engine.check()


def test_after_closing_nothing_is_left(parquet, facts, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others use the real one meanwhile
    engine = open_engine(facts(Text("name")), parquet)
    (private,) = tmp_path.glob("discreet-*")
    if os.name == "posix":
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
    engine.close()
    engine.close()
    assert not private.exists()
    with pytest.raises(EngineFault):
        engine.run(COUNT)


def test_an_engine_that_is_forgotten_or_never_opened_leaves_nothing(parquet, facts, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other tests have temporary folders too
    folder = Path(tempfile.gettempdir())
    before = set(folder.glob("discreet-*"))
    open_engine(facts(Text("name")), parquet)
    with pytest.raises(FactsError):
        open_engine(facts(Text("nobody")), parquet)
    gc.collect()
    assert set(folder.glob("discreet-*")) <= before


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ((Text("nobody"),), "no column called 'nobody'"),
        ((Text("Name"),), "the source spells it 'name'"),
        ((Number("name"), Text("x")), "declared as text, and the source stores it as real numbers"),
        ((Category("x", ("a", "b")),), "declared as category"),
        ((), "no column is declared"),
    ],
)
def test_facts_that_the_source_contradicts_are_refused(columns, says, parquet, facts):
    import dataclasses

    with pytest.raises(FactsError, match=says):
        open_engine(dataclasses.replace(facts(Text("name")), columns=columns), parquet)


def test_columns_without_values_are_refused(facts):
    with pytest.raises(FactsError, match="stored as"):
        open_engine(facts(Text("a")), pa.table({"a": [[1], [2]]}))
    with pytest.raises(FactsError, match="a table can not be read from a set"):
        open_engine(facts(Text("a")), {"a"})


def test_a_place_of_no_kind_is_refused(facts):
    for source in ("rows.xlsx", "https://example.org/rows.csv", "rows.duckdb"):
        with pytest.raises(FactsError):
            open_engine(facts(Text("a")), source)
    with pytest.raises(FactsError, match="no source"):
        open_engine(facts(Text("a")))


def test_no_row_can_make_a_question_fail(facts, same):
    declared = facts(Text("name"), Number("x"), Integer("n"))
    rows = [
        {"name": "Alice", "x": 0.0, "n": 0},
        {"name": "Bob", "x": 1e308, "n": 2**63 - 1},
        {"name": "", "x": None, "n": -(2**63)},
    ]
    x, n, one, zero = Column("x"), Column("n"), Literal(Fraction(1)), Literal(Fraction(0))
    is_alice = Apply("equal", (Column("name"), Literal("Alice")))
    values = [
        Case(((is_alice, Apply("divide", (one, zero))),), zero),
        Apply("remainder", (n, zero)),
        Apply("divide", (one, x)),
        Apply("multiply", (x, x)),
        Apply("subtract", (Apply("multiply", (x, x)), Apply("multiply", (x, x)))),
        Apply("add", (n, n)),
        Apply("abs", (n,)),
        Apply("negate", (n,)),
    ]
    grid = Grid(Fraction(1, 2**30), 0, 2**31)
    engine = open_engine(
        declared,
        pa.table({"name": [row["name"] for row in rows], "x": [row["x"] for row in rows], "n": [row["n"] for row in rows]}),
    )
    same(engine, Reference(declared, rows), *(Wanted(None, (), (Measure(0, value), Measure(2, value, grid))) for value in values))
    engine.close()
