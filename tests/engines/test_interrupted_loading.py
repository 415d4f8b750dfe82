"""Ctrl-C while rows are loaded is an interruption, and the next question finds an engine as good as new (rule 17)."""

import os
import signal
import threading

import duckdb
import pytest
from tests.ledger.made import count_above, write_table

from discreet.curator import office, open_table
from discreet.engines import faults, open_engine
from discreet.engines.duckdb import loading
from discreet.engines.wanted import Measure, Wanted
from discreet.errors import EngineFault
from discreet.facts.model import Integer, Source

COUNT = Wanted(None, (), (Measure(0),))
ROWS = "x,place,name\n" + "3,2,someone\n" * 9


class Interrupted:
    """A connection on which Ctrl-C is pressed during the first statement that begins like this, ``times`` times."""

    def __init__(self, real, begins, error, times=1):
        self.real, self.begins, self.error, self.times = real, begins, error, times

    def execute(self, sql, parameters=None):
        if self.times and sql.startswith(self.begins):
            self.times -= 1
            self.real.execute("SELECT 1")
            try:
                self.real.execute("SELECT error('a statement that fails, as an interrupted one does')").fetchall()
            except duckdb.Error:
                raise self.error from None
        return self.real.execute(sql, parameters)

    def __getattr__(self, name):
        return getattr(self.real, name)


CTRL_C = RuntimeError("INTERRUPT Error: Interrupted!")


@pytest.fixture
def interrupting(monkeypatch):
    """``interrupting(begins, error, times)``: the next engine to be opened has such a connection."""

    def set_up(begins, error=CTRL_C, times=1):
        real = duckdb.connect
        left = [times]

        def connect(*words, **more):
            made = Interrupted(real(*words, **more), begins, error, left[0])
            left[0] = 0
            return made

        monkeypatch.setattr(duckdb, "connect", connect)

    return set_up


@pytest.mark.parametrize(
    "begins",
    ["CREATE TEMP TABLE raw", "BEGIN", "INSERT", "COMMIT", "CREATE TABLE data", "DROP TABLE raw", "SET allowed_paths",
     "SET enable_external_access", "SET lock_configuration"],
)  # fmt: skip
def test_ctrl_c_in_any_statement_of_loading_is_an_interruption_and_the_next_question_is_answered(
    begins, interrupting, tmp_path, facts
):
    file = tmp_path / "rows.csv"
    file.write_text("x,y\n" + "1,2\n" * 7, encoding="utf-8")
    interrupting(begins)
    engine = open_engine(facts(Integer("x", 0, 9), Integer("y", 0, 9)), Source("csv", str(file)))
    with pytest.raises(KeyboardInterrupt):
        engine.run(COUNT)
    assert engine.run(COUNT).take().whole().tolist() == [[7]]
    engine.close()


def test_ctrl_c_between_two_statements_leaves_no_transaction_open(monkeypatch, tmp_path, facts):
    file = tmp_path / "rows.csv"
    file.write_text("x,y\n" + "1,2\n" * 7, encoding="utf-8")
    engine = open_engine(facts(Integer("x", 0, 9), Integer("y", 0, 9)), Source("csv", str(file)))

    def pressed(_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(loading, "count_lines", pressed)
    with pytest.raises(KeyboardInterrupt):
        engine.run(COUNT)
    assert engine.run(COUNT).take().whole().tolist() == [[7]]
    engine.close()


def test_the_limit_of_time_ends_a_load_and_does_not_start_it_again_line_by_line(interrupting, monkeypatch, tmp_path, facts):
    file = tmp_path / "rows.csv"
    file.write_text("x,y\n" + "1,2\n" * 7, encoding="utf-8")
    interrupting("INSERT", duckdb.InterruptException("INTERRUPT Error: Interrupted!"))
    engine = open_engine(facts(Integer("x", 0, 9), Integer("y", 0, 9)), Source("csv", str(file)))
    with pytest.raises(EngineFault) as caught:
        engine.run(COUNT)
    assert caught.value.cause == "InterruptException"
    engine.close()


def test_loading_has_the_limit_of_time_too(monkeypatch, tmp_path, facts):
    file = tmp_path / "rows.csv"
    file.write_text("x,y\n" + "1,2\n" * 7, encoding="utf-8")
    engine = open_engine(facts(Integer("x", 0, 9), Integer("y", 0, 9)), Source("csv", str(file)))
    monkeypatch.setattr(faults, "MOST_SECONDS", 0.05)
    slow = "(SELECT SUM(range % 7) AS x FROM range(3000000000)) AS slow"
    monkeypatch.setattr(loading, "to_read", lambda *_: f"SELECT slow.x AS c0 FROM {slow}")
    with pytest.raises(EngineFault) as caught:
        engine.run(COUNT)
    assert caught.value.cause in ("InterruptException", "TimeoutError")
    engine.close()


def test_ctrl_c_while_rows_are_loaded_after_the_charge_freezes_nobody_however_often(interrupting, tmp_path):
    file = write_table(tmp_path, rows=ROWS, budget="epsilon = 100")
    office.register(file)
    for number in range(3):
        interrupting("INSERT")
        t = open_table(file)
        with pytest.raises(KeyboardInterrupt):
            t.ask(count_above(number), epsilon="0.1", analyst="alice")
        assert not t.ask(count_above(number), epsilon="0.1", analyst="alice").replayed
        t.close()
    assert office.alarms(file) == []


def test_a_signal_while_duckdb_loads_a_large_file_is_an_interruption(monkeypatch, tmp_path, facts):
    file = tmp_path / "rows.csv"
    file.write_text("x,y\n" + "1,2\n" * 400_000, encoding="utf-8")
    engine = open_engine(facts(Integer("x", 0, 9), Integer("y", 0, 9)), Source("csv", str(file)))
    real, pressing = loading.run, threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))

    def run(connection, sql, parameters=None):
        if sql.startswith("INSERT") and pressing.ident is None:
            pressing.start()
        return real(connection, sql, parameters)

    monkeypatch.setattr(loading, "run", run)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)              # it may be ignored where tests run
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.run(COUNT)
        pressing.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert engine.run(COUNT).take().whole().tolist() == [[400_000]]
    engine.close()
