"""Moments at the far ends of what can be stored: no row makes a question fail, and no two units become one."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.wanted import UnitsWanted
from discreet.facts.file import read_facts

FACTS = """
[table]
name = "t"
source = "t.parquet"
unit = {unit}
neighbours = "add_remove"
[budget]
epsilon = 1000
[columns.x]
type = "integer"
lower = 0
upper = 10
[columns.at]
type = "timestamp"
"""
ENDS = [0, -(2**63) + 2, -(2**63) + 1, 2**63 - 2, 2**63 - 1, 253402300800000000, -62135596800000001, None]


def opened(folder, moments, kind, unit='{ column = "at", max_rows = 2 }'):
    kind, _, zone = kind.partition(" ")
    at = pa.array(moments, pa.int64()).cast(pa.timestamp(kind, tz=zone or None), safe=False)
    table = pa.table({"x": [1] * len(moments), "at": at})
    pq.write_table(table, folder / "t.parquet")
    (folder / "t.toml").write_text(FACTS.format(unit=unit), encoding="utf-8")
    facts = read_facts(folder / "t.toml")
    return facts, open_engine(facts)


@pytest.mark.parametrize("unit", ['"row"', '{ column = "at", max_rows = 2 }'])
@pytest.mark.parametrize("kind", ["us", "ns", "us UTC", "us Asia/Tokyo"])
def test_no_moment_makes_a_question_fail(tmp_path, kind, unit):
    facts, engine = opened(tmp_path, ENDS, kind, unit)
    curator = curator_in_memory(facts, engine)
    for sql in ("SELECT COUNT(*) AS n FROM t", "SELECT SUM(x) AS s FROM t WHERE at > TIMESTAMP '2020-01-01 00:00:00'"):
        assert len(curator.ask(sql, epsilon=1).rows) == 1


@pytest.mark.parametrize("kind", ["us", "us UTC"])
def test_units_of_far_moments_stay_apart(tmp_path, kind):
    engine = opened(tmp_path, [*ENDS, *ENDS[:3]], kind)[1]
    sizes = engine.counts(UnitsWanted(None)).take()
    assert dict(zip(sizes.bin.tolist(), sizes.rows.tolist(), strict=True)) == {1: 4, 2: 3}


def test_milliseconds_are_refused_by_the_header_whatever_the_rows(tmp_path):
    for moments in ([0], [10**16]):
        with pytest.raises(dc.FactsError, match="milliseconds"):
            opened(tmp_path, moments, "ms")
