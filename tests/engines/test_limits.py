"""What an engine may use of the machine is public, and the same whatever the rows are."""

import pandas as pd
import pytest

from discreet.engines import open_engine
from discreet.engines.duckdb.limits import limits
from discreet.errors import ParameterError
from discreet.facts.model import Number

MIB = 1 << 20


def in_force(engine):
    names = ("memory_limit", "max_temp_directory_size", "threads")
    return dict(engine._connection.execute(
        f"SELECT name, value FROM duckdb_settings() WHERE name IN {names}").fetchall())  # fmt: skip


def size(text):
    number, unit = text.split()
    return float(number) * {"MiB": 1, "GiB": 1024, "TiB": 1 << 20}[unit]


@pytest.mark.parametrize("rows", [0, 1, 1000])
def test_memory_disk_and_threads_have_limits_that_do_not_depend_on_rows(facts, opened, monkeypatch, rows):
    monkeypatch.setenv("DISCREET_MEMORY", "777")
    monkeypatch.setenv("DISCREET_DISK", "2222")
    monkeypatch.setenv("DISCREET_THREADS", "1")
    with opened(facts(Number("x")), pd.DataFrame({"x": [1.0] * rows})) as engine:
        found = in_force(engine)
    assert (size(found["memory_limit"]), size(found["max_temp_directory_size"]), found["threads"]) == (
        pytest.approx(777, abs=1), pytest.approx(2222, rel=0.05), "1"
    )  # fmt: skip


def test_without_a_word_it_is_half_of_the_memory_and_a_fixed_part_of_the_disk(facts, opened, monkeypatch):
    for name in ("DISCREET_MEMORY", "DISCREET_DISK", "DISCREET_THREADS"):
        monkeypatch.delenv(name, raising=False)
    with opened(facts(Number("x")), pd.DataFrame({"x": [1.0]})) as engine:
        found = in_force(engine)
    assert size(found["max_temp_directory_size"]) == 32 * 1024
    assert size(found["memory_limit"]) == pytest.approx(int(limits()["memory_limit"].removesuffix("MiB")), rel=0.02)
    assert int(found["threads"]) <= 16


def test_workers_share_the_memory(monkeypatch):
    for name in ("DISCREET_MEMORY", "DISCREET_WORKERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("discreet.engines.duckdb.limits._memory", lambda: 16_384)
    found = {1: limits()["memory_limit"]}
    for workers in (2, 5, 64):
        monkeypatch.setenv("DISCREET_WORKERS", str(workers))
        found[workers] = limits()["memory_limit"]
    assert found == {1: "8192MiB", 2: "4096MiB", 5: "1638MiB", 64: "256MiB"}


@pytest.mark.parametrize("written", ["0", "-1", "half", "80%", "٣", "9" * 30])
def test_a_limit_that_is_no_number_is_refused(facts, monkeypatch, written):
    monkeypatch.setenv("DISCREET_MEMORY", written)
    with pytest.raises(ParameterError, match="DISCREET_MEMORY"):
        open_engine(facts(Number("x")), pd.DataFrame({"x": [1.0]}))
