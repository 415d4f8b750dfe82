"""What PostgreSQL may be asked about: servers, roles, tables and types that are refused, and what becomes of faults."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests import postgres_server as pg
from tests.engines.test_units import agree, made
from tests.engines.test_units import declared as units_declared

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.inspection import inspected
from discreet.engines.postgres.connecting import begin, connected
from discreet.engines.postgres.engine import Postgres
from discreet.engines.reference import Reference
from discreet.engines.wanted import ByValue, Grid, Measure, Wanted
from discreet.errors import EngineFault, FactsError, SourceFault
from discreet.facts.model import ByColumn, Category, Date, Integer, Number, Source, Text, Timestamp
from discreet.questions.algebra import Apply, Column, Literal

ROWS = Wanted(None, (), (Measure(0),))
X = Number("x", Fraction(0), Fraction(100))


def refused(facts, name, match):
    with pytest.raises(FactsError, match=match):
        pg.opened(facts, name)


# ---- tables and roles


def test_views_and_tables_under_row_security_are_refused(facts):
    name = pg.stored({"x": "float8"}, [(1.0,)])
    with pg.connected() as owner:
        owner.execute(f"CREATE VIEW {name}v AS SELECT * FROM {name}")
        owner.execute(f"CREATE MATERIALIZED VIEW {name}m AS SELECT * FROM {name}")
        owner.execute(f"GRANT SELECT ON {name}v, {name}m TO reader")
    refused(facts(X), f"{name}v", "is a view")
    refused(facts(X), f"{name}m", "is a view")
    with pg.connected() as owner:
        owner.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
    refused(facts(X), name, "under row security")


def test_a_role_that_may_write_own_or_do_everything_is_refused(facts):
    name = pg.stored({"x": "float8"}, [(1.0,)])
    place = Source("postgresql", pg.server(), name)
    with pytest.raises(FactsError, match="may do everything"):
        Postgres(replace(facts(X), located=place), place)
    for right in ("INSERT", "UPDATE (x)", "DELETE", "TRUNCATE"):
        with pg.connected() as owner:
            owner.execute(f"GRANT {right} ON {name} TO reader")
        refused(facts(X), name, "may write")
        with pg.connected() as owner:
            owner.execute(f"REVOKE {right} ON {name} FROM reader")
    assert pg.opened(facts(X), name).run(ROWS).take().low.tolist() == [[1]]


def test_a_table_that_is_not_there_or_may_not_be_read_is_refused_alike(facts):
    hidden = pg.stored({"x": "float8"}, [], grant=False)
    refused(facts(X), hidden, "there is no table")
    refused(facts(X), f"{pg.schema()}.nothing", "there is no table")
    with pg.connected() as owner:
        owner.execute(f"ALTER TABLE {hidden} ADD COLUMN y int4")
        owner.execute(f"GRANT SELECT (x) ON {hidden} TO reader")
    assert pg.opened(facts(X), hidden).run(ROWS).take().low.tolist() == [[0]]
    refused(facts(X, Integer("y", 0, 9)), hidden, "may not read the column 'y'")
    refused(facts(X, Integer("z", 0, 9)), hidden, "no column 'z'")


def test_partitioned_tables_are_read_whole_and_foreign_parts_are_refused(facts):
    name = f"{pg.schema()}.parted"
    with pg.connected() as owner:
        owner.execute(f"CREATE TABLE {name} (x float8, g int4) PARTITION BY LIST (g)")
        for part in (1, 2):
            owner.execute(f"CREATE TABLE {name}{part} PARTITION OF {name} FOR VALUES IN ({part})")
        owner.execute(f"INSERT INTO {name} VALUES (1, 1), (2, 2), (3, 2)")
        owner.execute(f"GRANT SELECT ON {name} TO reader")
    assert pg.opened(facts(X), name).run(ROWS).take().low.tolist() == [[3]]


@pytest.mark.parametrize("kind", ["float8[]", "money", "int4range", "interval", "jsonb", "bytea", "point"])
def test_types_without_values_to_ask_about_are_refused(facts, kind):
    refused(facts(X), pg.stored({"x": kind}, []), "has no values to ask about")


def test_columns_that_are_worked_out_while_they_are_read_are_refused(facts):
    name = pg.stored({"a": "float8", "x": "float8 GENERATED ALWAYS AS (1 / a) VIRTUAL"}, [])
    refused(facts(X), name, "worked out while it is read")


@pytest.mark.parametrize("kind", ["float4", "float8"])
def test_units_with_a_point_that_floats_are_refused(facts, kind):
    refused(facts(X, unit=ByColumn("who")), pg.stored({"x": "float8", "who": kind}, []), "cannot be told apart")


# ---- values


STORED = {
    "numeric(12,2)": (["0.29", "-5", "99999999.99", "NaN", None, "100"], X),
    "numeric(1000)": (["1" + "0" * 900, "7", "NaN", None, "99.5"], X),  # it has no digits after the point: 99.5 is stored as 100
    "numeric": (["Infinity", "-Infinity", "NaN", "1e-400", "0.3333333333333333333333333333", "1e400"], X),
}


@pytest.mark.parametrize("kind", ["numeric(12,2)", "numeric", "numeric(1000)"])
def test_numerics_are_read_as_their_digits_say(facts, same, kind):
    values, column = STORED[kind]
    grid = Grid(Fraction(1, 2**20), 0, 100 << 20)
    wanted = Wanted(None, (), (Measure(0, Column("x")), Measure(1, Column("x"), grid)))
    written = {"NaN": None, "1" + "0" * 900: "1e900", "99.5": "100"} if kind == "numeric(1000)" else {"NaN": None}
    rows = [{"x": written.get(value, value)} for value in values]
    engine = pg.opened(facts(column), pg.stored({"x": kind}, [(value,) for value in values]))
    same(engine, Reference(facts(column), rows), wanted)


def test_char_enums_domains_and_collations_are_read_as_texts_by_their_letters(facts, same):
    with pg.connected() as owner:
        owner.execute(f"CREATE TYPE {pg.schema()}.mood AS ENUM ('sad', 'ok')")
        owner.execute(f"CREATE DOMAIN {pg.schema()}.town AS varchar(20) CHECK (length(VALUE) > 1)")
        owner.execute(f"CREATE DOMAIN {pg.schema()}.home AS {pg.schema()}.town")
    rows = [("ab", "sad", "Ulm", "a"), ("ab ", "ok", "ulm", "B"), (None, None, None, "ä")]
    name = pg.stored({"c": "char(5)", "m": f"{pg.schema()}.mood", "t": f"{pg.schema()}.home", "s": "text"}, rows)
    columns = Text("c", 9), Category("m", ("sad", "ok")), Text("t", 9), Text("s", 9)
    told = [{"c": "ab", "m": "sad", "t": "Ulm", "s": "a"}, {"c": "ab", "m": "ok", "t": "ulm", "s": "B"}, {"s": "ä"}]
    less = Apply("less", (Column("s"), Literal("a")))
    key = ByValue(Column("m"), ("sad", "ok"), other=True)
    distinct = [Measure(0, Column(each), distinct=True) for each in "ct"]
    measures = (Measure(0), *distinct, Measure(0, None, None, less))
    same(pg.opened(facts(*columns), name), Reference(facts(*columns), told), Wanted(None, (key,), measures))


def test_far_and_infinite_dates_and_moments_are_the_nearest_bound(facts, same):
    rows = [("infinity", "-infinity", "infinity"), ("5874897-12-31", "4713-01-01 00:00 BC", "294276-12-31 00:00+00"),
            ("4713-01-01 BC", "294276-12-31", "4713-01-01 00:00+00 BC"),
            ("2010-05-06", "2010-05-06 07:08", "2010-05-06 07:08+05")]  # fmt: skip
    name = pg.stored({"d": "date", "m": "timestamp", "z": "timestamptz"}, rows)
    columns = Date("d", date(2000, 1, 1), date(2020, 1, 1)), Timestamp("m"), Timestamp("z", zone="Europe/Berlin")
    found = pg.opened(facts(*columns), name)
    reference = Reference(facts(*columns), [
        {"d": "9999-12-31", "m": "0001-01-01 00:00", "z": "9999-12-31 23:59:59.999999"},
        {"d": "9999-12-31", "m": "0001-01-01 00:00", "z": "9999-12-31 23:59:59.999999"},
        {"d": "0001-01-01", "m": "9999-12-31 23:59:59.999999", "z": "0001-01-01 00:00"},
        {"d": "2010-05-06", "m": "2010-05-06 07:08", "z": "2010-05-06 04:08"}])  # fmt: skip
    after = [Apply("greater", (Column(name), Literal(date(2010, 5, 6)))) for name in ("d", "m", "z")]
    before = [Apply("less", (Column(name), Literal(date(2010, 5, 7)))) for name in ("d", "m", "z")]
    same(found, reference, Wanted(None, (), tuple(Measure(0, None, None, test) for test in (*after, *before))))


def test_a_numeric_unit_is_its_value_however_many_zeros_it_is_written_with(facts):
    name = pg.stored({"x": "float8", "who": "numeric"}, [(1.0, "12"), (2.0, "12.00"), (3.0, "12.5"), (4.0, "NaN"), (5.0, None)])
    declared = facts(X, unit=ByColumn("who"))
    from discreet.engines.wanted import Bound

    units = Wanted(None, (), (Measure(0, within=(0, 1)),), Bound(0))
    assert pg.opened(declared, name).run(units).take().low.tolist() == [[2]]


@pytest.mark.parametrize(("kind", "units"), [
    (pa.decimal128(9, 2), ["12.50", "12.00", "-0.50", "0.00", "-7.00", "1000000.10"]),
    (pa.decimal128(38, 10), ["12.5000000000", "3.0000000000", "-0.0000000001", "0.1"]),
    (pa.decimal128(20, 0), ["12", "99999999999999999999", "-5"]), (pa.decimal128(4, 4), ["0.5000", "0.0500", "0.0000"]),
], ids=str)  # fmt: skip
def test_decimal_units_have_the_text_that_other_engines_give_them(facts, kind, units):
    """Which rows of a unit stay follows from its text."""
    rows = [row | {"who": Decimal(row["who"])} for row in made(units)]
    frame = pa.Table.from_pylist(rows, pa.schema({"who": kind, "x": pa.int64(), "c": pa.int64(), "w": pa.string()}))
    name = pg.stored({"who": f"numeric({kind.precision},{kind.scale})", "x": "int8", "c": "int8", "w": "text"},
                     [tuple(row[each] for each in ("who", "x", "c", "w")) for row in rows])  # fmt: skip
    of_units = units_declared(facts)
    agree(pg.opened(of_units, name), open_engine(of_units, frame))


# ---- faults


def test_all_looks_of_a_question_see_one_moment(facts):
    name = pg.stored({"x": "float8"}, [(1.0,)])
    with pg.opened(facts(X), name).at_once() as engine:
        before = engine.run(ROWS).take().low.tolist()
        with pg.connected() as owner:
            owner.execute(f"INSERT INTO {name} VALUES (2), (3)")
        assert engine.run(ROWS).take().low.tolist() == before == [[1]]
    assert pg.opened(facts(X), name).run(ROWS).take().low.tolist() == [[3]]


def test_nothing_can_be_written_by_a_transaction(facts):
    name = pg.stored({"x": "float8"}, [])
    connection = connected(Source("postgresql", pg.reader(), name))
    import psycopg

    for sql in ("CREATE TEMP TABLE mine (x int)", "SELECT lo_creat(-1)", f"SELECT * FROM {name} FOR UPDATE"):
        begin(connection)
        with pytest.raises(psycopg.Error):
            connection.execute(sql)
        connection.execute("ROLLBACK")
    connection.close()


@pytest.mark.parametrize("act", ["DROP TABLE {}", "ALTER TABLE {} ALTER COLUMN x TYPE text", "ALTER TABLE {} DROP COLUMN x",
                                 "REVOKE SELECT ON {} FROM reader", "GRANT INSERT ON {} TO reader"])  # fmt: skip
def test_a_table_that_changes_under_us_is_a_fault_that_freezes_nobody(facts, act):
    name = pg.stored({"x": "float8"}, [(1.0,)])
    engine = pg.opened(facts(X), name)
    with pg.connected() as owner:
        owner.execute(act.format(name))
    for look in (engine.check, lambda: engine.run(ROWS)):
        with pytest.raises((SourceFault, FactsError)) as caught:
            look()
        assert not getattr(caught.value, "freezes", False)


def test_a_connection_that_is_cut_in_the_middle_is_a_fault_that_freezes_nobody(facts):
    engine = pg.opened(facts(X), pg.stored({"x": "float8"}, [(1.0,)]))
    with engine.at_once() as looking:
        assert looking.run(ROWS).take().low.tolist() == [[1]]
        with pg.connected() as owner:
            owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader' AND query LIKE %s",
                          (f"%{pg.schema()}%",))  # fmt: skip
        with pytest.raises(SourceFault) as caught:
            looking.run(ROWS)
    assert not caught.value.freezes
    assert engine.run(ROWS).take().low.tolist() == [[1]]


def test_a_limit_of_time_is_an_alarm(facts, monkeypatch):
    from discreet.engines import faults
    from discreet.engines.sql import asking

    engine = pg.opened(facts(X), pg.stored({"x": "float8"}, [(1.0,)]))
    monkeypatch.setattr(faults, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(asking, "to_sql", lambda *_: "SELECT pg_sleep(30) AS l0")
    with pytest.raises(EngineFault, match="PostgreSQL could not answer") as caught:
        engine.run(ROWS)
    assert caught.value.freezes


def test_an_error_of_the_database_never_tells_its_words(facts, monkeypatch, caplog):
    from discreet.engines.sql import asking

    engine = pg.opened(facts(X), pg.stored({"x": "text"}, [("canary-4711",)]))
    monkeypatch.setattr(asking, "to_sql", lambda *_: "SELECT CAST(c0 AS bigint) AS l0 FROM " + engine._layout.relation + " AS s")
    with pytest.raises(EngineFault) as caught:
        engine.run(ROWS)
    assert "canary" not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r} {caplog.text}"


# ---- the whole flow


def test_questions_are_asked_and_charged_and_rows_are_inspected(facts):
    rows = [(float(n % 50), n % 3) for n in range(600)]
    name = pg.stored({"x": "float8", "g": "int4"}, rows)
    declared = facts(X, Category("g", (0, 1, 2)))
    place = Source("postgresql", pg.reader(), name)
    live = curator_in_memory(replace(declared, located=place), open_engine(replace(declared, located=place)))
    assert live.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1").receipt["source"] == "not pinned"
    curator = curator_in_memory(declared, open_engine(replace(declared, located=place)))
    answer = curator.ask("SELECT g, COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY g", epsilon="0.9")
    assert len(answer.rows) == 3
    assert "source" not in answer.receipt, "a table in memory stays what it is"
    assert abs(answer.rows[0]["n"] - 200) < 60
    found = inspected(replace(declared, located=place))
    assert (found.rows, [each.read for each in found.columns]) == (600, [600, 600])


def test_a_live_table_that_is_given_by_its_address_is_not_pinned_and_has_no_cells():
    name = pg.stored({"x": "float8", "c": "text"}, [(1.0, "a")])
    said = {"columns": {"x": dc.number(0, 9), "c": dc.category("a", "b")}, "unit": "row", "neighbours": "add_remove"}
    address = f"{pg.reader()}#{name}"
    with pytest.raises(FactsError, match="partition needs a source that can be pinned"):
        dc.table(address, **said, budget={"epsilon": 1, "partition": "c"})
    table = dc.table(address, **said, budget={"epsilon": 1})
    assert table.ask("SELECT COUNT(*) AS n FROM t WHERE c = 'a'", epsilon="0.1").receipt["source"] == "not pinned"
    assert "the budget lives in this process" in repr(table)


def test_the_remainder_of_any_two_numbers_is_exact(facts, same):
    generator = np.random.default_rng(1)
    values = [float(a) for a in (0.1, 5e-324, 1e308, -7.5, 3.0, 2.0**-1040, 2.0**1023, 1e22, 0.3)]
    values += [float(x) for x in generator.standard_normal(20) * 10.0 ** generator.integers(-300, 300, 20)]
    rows = [(x, y) for x in values for y in values[:12]]
    name = pg.stored({"x": "float8", "y": "float8"}, rows)
    columns = Number("x"), Number("y")
    found = Apply("remainder", (Column("x"), Column("y")))
    tests = [Apply("greater", (found, Literal(Fraction(edge)))) for edge in (0, 1e-310, 1e-5, 1, 1e300)]
    grid = Grid(Fraction(1, 2**30), -(2**31), 2**31)
    measures = (Measure(1, found, grid), *(Measure(0, None, None, test) for test in tests))
    reference = Reference(facts(*columns), [dict(zip("xy", row, strict=True)) for row in rows])
    same(pg.opened(facts(*columns), name), reference, Wanted(None, (), measures))


# ---- time to plan


def nested(depth):
    """An expression whose stages name each other several times; its text names x once."""
    found = Column("x")
    for _ in range(depth):
        found = Apply("round", (Apply("divide", (found, Literal(Fraction(3, 7)))),))
    return found


def planned(facts, sql):
    """How many letters the plan has, with all expressions written out."""
    with pg.connected() as owner:
        return sum(len(line) for (line,) in owner.execute(f"EXPLAIN (VERBOSE) {sql}".encode()).fetchall())


def sent(facts, engine, wanted, dialect):
    from discreet.engines.sql.writer import to_sql

    return to_sql(wanted, facts, engine._layout, dialect)


def test_what_postgresql_plans_grows_with_the_question_and_not_as_a_power_of_its_depth(facts):
    from discreet.engines.postgres.dialect import POSTGRES

    declared = facts(X)
    engine = pg.opened(declared, pg.stored({"x": "float8"}, [(1.0,)]))
    sizes = {}
    for depth in (6, 20, 40):
        wanted = Wanted(None, (), (Measure(1, nested(depth), Grid(Fraction(1, 2**10), 0, 2**20)),))
        sizes[depth] = planned(declared, sent(declared, engine, wanted, POSTGRES))
    assert sizes[40] < 3 * sizes[20]
    assert sizes[40] < 20_000_000

    class Unfenced(type(POSTGRES)):
        most_nodes = None

    wanted = Wanted(None, (), (Measure(1, nested(6), Grid(Fraction(1, 2**10), 0, 2**20)),))
    assert planned(declared, sent(declared, engine, wanted, Unfenced())) > 3 * sizes[6], "without fences it is a power"


def test_blank_padded_texts_without_a_length_are_refused(facts):
    """To take the blanks at its end away takes PostgreSQL eight bytes a letter, and it has a gigabyte for that: a value of 135
    million letters would make every statement fail that reads its column."""
    name = pg.stored({"x": "float8", "a": "bpchar", "b": "char(9)"}, [(1.0, "q  ", "q")])
    with pg.connected() as owner:
        owner.execute(f"CREATE DOMAIN {pg.schema()}.padded AS bpchar")
        owner.execute(f"ALTER TABLE {name} ADD COLUMN c {pg.schema()}.padded")
    for column in "ac":
        refused(facts(X, Text(column)), name, "bpchar without a length")
        refused(facts(X, unit=ByColumn(column)), name, "bpchar without a length")
    assert pg.opened(facts(X, Text("b"), unit=ByColumn("b")), name)
