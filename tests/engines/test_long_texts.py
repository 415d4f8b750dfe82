"""Texts that are longer than anything is spelt: no value, on every engine alike, and no reason for one to fail."""

import pandas as pd
import pytest
from tests import postgres_server as pg
from tests.engines.test_total_sql import work_off
from tests.laws.engines_of_laws import Compared

import discreet as dc
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.spellings import MOST_CHARACTERS
from discreet.engines.rules.values import read
from discreet.engines.wanted import Bound, ByValue, Measure, Wanted
from discreet.facts.make import facts_for_table
from discreet.questions.algebra import Column

SPELT = {
    "x": (dc.number(0, 10), "7.5"), "i": (dc.integer(0, 10), "7"), "g": (dc.category(1, 2), "1"), "b": (dc.boolean(), "yes"),
    "d": (dc.date("2000-01-01", "2030-01-01"), "2020-02-29"), "e": (dc.date(format="%d.%m.%Y"), "29.02.2020"),
    "t": (dc.timestamp(), "2020-02-29T12:00:00+02:00"), "c": (dc.category("7", "8"), "7"), "s": (dc.text(), "anna"),
}  # fmt: skip
TESTS = ["x > 1", "i > 1", "g = 1", "b", "d > DATE '2010-01-01'", "e > DATE '2010-01-01'", "t > TIMESTAMP '2010-01-01 00:00:00'",
         "c = '7'", "s LIKE 'a%'", "x IS NULL", "b IS NULL", "d IS NULL", "CAST(s AS DOUBLE) IS NULL"]  # fmt: skip
HUGE = 135_000_000  # characters: PostgreSQL takes eight bytes for each to trim them, and raises beyond 1 GB
LONGER = 270_000_000  # and four to try a pattern on them


def declared(unit="row"):
    columns = {name: column for name, (column, _) in SPELT.items()}
    return facts_for_table(name="t", columns=columns, unit=unit, neighbours="add_remove", budget={"epsilon": 1000})


def rows_of(*lengths):
    """What is spelt with spaces before it, up to such a length."""
    return [{name: written.rjust(length) for name, (_, written) in SPELT.items()} for length in lengths]


def test_what_is_spelt_within_so_many_characters_is_read_and_nothing_longer():
    within, beyond = rows_of(MOST_CHARACTERS, MOST_CHARACTERS + 1)
    spelt = [column for column in declared().columns if column.name not in ("c", "s")]
    assert [read(column, within[column.name]) is None for column in spelt] == [False] * len(spelt)
    assert [read(column, beyond[column.name]) for column in spelt] == [None] * len(spelt)


@pytest.mark.parametrize("stored", ["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def test_engines_agree_where_it_ends(stored):
    facts, rows = declared(), rows_of(1, 30, MOST_CHARACTERS - 1, MOST_CHARACTERS, MOST_CHARACTERS + 1, 2 * MOST_CHARACTERS)
    if stored == "duckdb":
        engine = open_engine(facts, pd.DataFrame(rows))
    else:
        engine = pg.opened(facts, pg.stored(dict.fromkeys(SPELT, "text"), [tuple(row.values()) for row in rows]))
    compared = Compared(engine, Reference(facts, rows))
    for test in TESTS:
        assert work_off(compared, facts, f"SELECT COUNT(*) FROM t WHERE {test}"), test
        assert not compared.differences, test
    compared.close()


@pytest.mark.slow
def test_a_text_of_hundreds_of_megabytes_makes_no_statement_fail():
    """Whether there is such a row would be seen by whether an answer comes."""
    name = pg.stored({**dict.fromkeys(SPELT, "text"), "who": "text"}, [("7",) * len(SPELT) + ("bob",)])
    with pg.connected() as owner:
        owner.execute(f"INSERT INTO {name} (x, d) SELECT s, s FROM repeat(' ', {HUGE}) AS s")
        owner.execute(f"INSERT INTO {name} (x, who) SELECT '7', repeat('7', {LONGER})")
    facts, by_unit = declared(), declared({"column": "who", "max_rows": 2, "max_groups": 1})
    engine = pg.opened(facts, name)
    for test in ("x > 1", "d > DATE '2010-01-01'"):
        assert work_off(engine, facts, f"SELECT COUNT(*) FROM t WHERE {test}")
    units = Wanted(None, (ByValue(Column("c"), ("7", "8"), other=True),), (Measure(0),), Bound(1, 1, 2))
    assert pg.opened(by_unit, name).run(units).take().low.tolist() == [[1, 0, 1]]
