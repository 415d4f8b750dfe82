"""A checker that finds nothing would say nothing: mistakes on which PostgreSQL or Spark fails, and mistakes in a dialect."""

import pytest
from sqlglot import exp
from tests import postgres_server as pg
from tests.engines import total
from tests.engines.rules_postgres import POSTGRES as PG_RULES
from tests.engines.rules_spark import SPARK as SPARK_RULES
from tests.engines.spark_tables import connected
from tests.engines.statements import Record, Written
from tests.engines.test_total_sql import work_off
from tests.laws import units_at_random as by_unit

from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.spark.dialect import SPARK
from discreet.engines.sql.dialect import Dialect
from discreet.questions.algebra import Caps

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
MAX = 2**63 - 1


def real(digits):
    return f"CAST('{digits}' AS DOUBLE PRECISION)"


IN_POSTGRES = {"x": "int8", "i": "int4", "h": "numeric", "r": "float8", "v": "text", "d": "date", "m": "timestamp", "b": "bool"}
KINDS = dict(zip(IN_POSTGRES, ("BIGINT", "INTEGER", "NUMERIC", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "BOOLEAN"), strict=True))
POSTGRES_FAILS = [  # an expression, and a row on which PostgreSQL fails
    (f"r * {real('10')}", {"r": "1e308"}),
    ("r * r", {"r": "1e-200"}),
    (f"r / {real('10')}", {"r": "5e-324"}),
    (f"{real('1')} / r", {"r": "0"}),
    ("r + r", {"r": "1.7e308"}),
    ("r - (-r)", {"r": "1.7e308"}),
    (f"CASE WHEN x > 0 THEN {real('1e308')} * {real('10')} END", {"x": "-1"}),
    ("CASE WHEN x > 0 THEN 1 / 0 ELSE 0 END", {"x": "-1"}),
    ("CASE WHEN PG_INPUT_IS_VALID(LEFT('abc', 2), 'double precision') THEN CAST(LEFT('abc', 2) AS DOUBLE PRECISION) END", {}),
    (f"CASE WHEN {real('1e19')} < r THEN CAST({real('1e19')} AS BIGINT) END", {"r": "0"}),
    (f"CASE WHEN b THEN {real('1e400')} END", {"b": "f"}),
    ("CAST(r AS BIGINT)", {"r": "1e19"}),
    ("CAST(r AS BIGINT)", {"r": "NaN"}),
    ("CASE WHEN r > 0 THEN CAST(r AS BIGINT) END", {"r": "Infinity"}),
    ("CAST(h AS BIGINT)", {"h": "9223372036854775808"}),
    ("CAST(h AS DOUBLE PRECISION)", {"h": "1e400"}),
    ("CAST(h AS DOUBLE PRECISION)", {"h": "1e-400"}),
    ("h = r", {"h": "1e400", "r": "1"}),
    ("CAST(v AS BIGINT)", {"v": "a"}),
    ("CASE WHEN v ~ '^[0-9]+$' THEN CAST(v AS DOUBLE PRECISION) END", {"v": "9" * 400}),
    ("CASE WHEN PG_INPUT_IS_VALID(v, 'double precision') THEN CAST(v AS BIGINT) END", {"v": "1.5"}),
    ("CAST(v AS DATE)", {"v": "a"}),
    ("CAST(d AS TIMESTAMP)", {"d": "300000-01-01"}),
    ("CAST(EXTRACT(EPOCH FROM m) * 1000000 AS BIGINT)", {"m": "infinity"}),
    ("DATE_TRUNC('millennium', m)", {"m": "4713-01-01 BC"}),
    ("TIMESTAMP '1970-01-01' + x * INTERVAL '1 day'", {"x": str(2**40)}),
    ("x * x", {"x": "4294967296"}),
    ("x + 1", {"x": str(MAX)}),
    ("i + 1", {"i": str(2**31 - 1)}),
    ("-x", {"x": str(-MAX - 1)}),
    ("ABS(x)", {"x": str(-MAX - 1)}),
    ("x / (x - x)", {"x": "1"}),
    ("MOD(x, x - x)", {"x": "1"}),
    ("SQRT(r)", {"r": "-1"}),
    ("LN(r)", {"r": "0"}),
    ("EXP(r)", {"r": "1000"}),
    ("EXP(r)", {"r": "-1000"}),
    (f"POWER(r, {real('1.5')})", {"r": "1e300"}),
    (f"POWER(r, {real('1.5')})", {"r": "1e-300"}),
    (f"POWER(CASE WHEN r < {real('0')} THEN {real('0')} ELSE r END, {real('0.5')})", {"r": "NaN"}),
    ("v LIKE 'a\\'", {"v": "ab"}),
    ("CAST(('x' || v) AS BIT(60))", {"v": "z"}),
    ("FLOAT8_AVG(ARRAY[r, r, r])", {}),
    ("FLOAT8_REGR_INTERCEPT(ARRAY[r, r, r])", {"r": "1"}),
    ("SUBSTRING(v, 1, i)", {"v": "a", "i": "-1"}),
    ("CAST(b AS BIGINT)", {"b": "t"}),
    ("TRY_CAST(v AS BIGINT)", {"v": "1"}),
    ("REPEAT(v, i)", {"v": "a", "i": str(2**31 - 1)}),
    ("REGEXP_SUBSTR(v, v)", {"v": "("}),
]
NO_FAILURE = {f"POWER(CASE WHEN r < {real('0')} THEN {real('0')} ELSE r END, {real('0.5')})"}
ONE = real("1")
POSTGRES_FINE = {
    f"CASE WHEN r BETWEEN {real('-5')} AND {real('9e18')} THEN CAST(r AS BIGINT) END": "int8",
    "CASE WHEN PG_INPUT_IS_VALID(v, 'double precision') THEN CAST(v AS DOUBLE PRECISION) END": "float8",
    "CASE WHEN PG_INPUT_IS_VALID(v, 'date') THEN CAST(v AS DATE) END": "date",
    f"FLOAT8_AVG(ARRAY[{real('3')}, COALESCE(r, {real('NaN')}), {real('0')}])": "float8",
    f"FLOAT8_REGR_INTERCEPT(ARRAY[{ONE}, -COALESCE(r, {real('NaN')}), {ONE}, {real('0')}, {ONE}, {real('1e308')}])": "float8",
    "CASE WHEN ABS(h) BETWEEN CAST('2.5e-324' AS NUMERIC) AND CAST('1e308' AS NUMERIC) THEN CAST(h AS DOUBLE PRECISION) END":
        "float8",
    f"CASE WHEN r BETWEEN {real('1e-100')} AND {real('1e100')} THEN r * r + POWER(r, {real('1.5')}) END": "float8",
    f"CASE WHEN r < {real('-700')} THEN {real('0')} WHEN r <= {real('700')} THEN EXP(r) END": "float8",
    "CAST(DIV(SUM(x) + 1, 4611686018427387904) AS TEXT)": "text",
    "CAST(CAST(('x' || SUBSTR(MD5(CONVERT_TO(v, 'UTF8')), 1, 15)) AS BIT(60)) AS BIGINT)": "int8",
    "(v LIKE 'a\\' ESCAPE '')": "bool",
    "CAST(CAST(b AS INT) AS BIGINT)": "int8",
    "(x % 2147483647 + 2147483647) % 2147483647": "int8",
    "CAST(x AS DOUBLE PRECISION) = r": "bool",
    "COALESCE(REGEXP_SUBSTR(v, '^(a)(b)', 1, 1, '', 2), '')": "text",
}  # fmt: skip
ODD = [
    {"x": str(-MAX - 1), "i": str(-(2**31)), "h": "NaN", "r": "-Infinity", "v": "", "d": "-infinity", "m": "-infinity", "b": "t"},
    {"x": str(MAX), "i": str(2**31 - 1), "h": "1e400", "r": "NaN", "v": "9e999", "d": "5874897-12-31", "m": "infinity", "b": "f"},
    {"x": "0", "h": "-1e-400", "r": "5e-324", "v": "☃", "d": "4713-01-01 BC", "m": "294276-12-31"},
    {"x": "1", "r": "1.7976931348623157e308", "h": "Infinity", "v": "ab", "i": "-1"},
    {},
]


def told(expression, rules):
    """What the checker says of an expression over a table t."""
    kinds = KINDS if rules is PG_RULES else {**KINDS, "h": "DECIMAL"}
    tables = {"t": {name: rules.every(kind) for name, kind in kinds.items()}}
    return total.check(f"SELECT {expression} AS found FROM t", tables, rules)["found"]


def in_postgres(*rows):
    return pg.stored(IN_POSTGRES, [tuple(row.get(name) for name in IN_POSTGRES) for row in rows])


@pytest.mark.parametrize(("expression", "row"), POSTGRES_FAILS)
def test_what_fails_on_postgres_on_some_row_is_found(expression, row):
    import psycopg

    with pytest.raises(total.NotTotal):
        told(expression, PG_RULES)
    if expression in NO_FAILURE:  # it gives NaN, which is for no engine to have
        return
    with pg.connected() as connection, pytest.raises(psycopg.Error):
        connection.execute(f"SELECT {expression} FROM {in_postgres(row)}".encode()).fetchall()


@pytest.mark.parametrize("expression", POSTGRES_FINE)
def test_what_never_fails_on_postgres_is_accepted_with_the_type_that_it_has_there(expression):
    with pg.connected() as connection:
        table = in_postgres(*ODD)
        connection.execute(f"SELECT {expression} FROM {table}".encode()).fetchall()
        ((kind,),) = connection.execute(f"SELECT DISTINCT pg_typeof({expression})::oid::regtype FROM {table}".encode()).fetchall()
        names = {"int8": "bigint", "float8": "double precision", "bool": "boolean"}
    assert kind == names.get(POSTGRES_FINE[expression], POSTGRES_FINE[expression])
    ours = {"int8": "BIGINT", "float8": "DOUBLE", "bool": "BOOLEAN", "text": "VARCHAR", "date": "DATE"}
    assert told(expression, PG_RULES).kind == ours[POSTGRES_FINE[expression]]


SPARK_FAILS = [
    ("FLOOR(r)", {"r": "1e300D"}),
    ("r / r", {"r": "0e0"}),
    ("r % r", {"r": "0e0"}),
    ("CAST(r AS BIGINT)", {"r": "1e19D"}),
    ("CASE WHEN r > 0e0 THEN CAST(r AS BIGINT) END", {"r": "1e19D"}),
    ("CAST(v AS DOUBLE)", {"v": "'a'"}),
    ("CAST(v AS BIGINT)", {"v": "'a'"}),
    ("CAST(v AS DATE)", {"v": "'a'"}),
    ("x + 1", {"x": f"{MAX}L"}),
    ("x * x", {"x": "4294967296L"}),
    ("i + 1", {"i": str(2**31 - 1)}),
    ("-x", {"x": f"{-MAX}L - 1L"}),
    ("ABS(x)", {"x": f"{-MAX}L - 1L"}),
    ("SUM(x)", {"x": f"{MAX}L"}),
    ("x DIV (x - x)", {"x": "1L"}),
    ("h * h", {"h": "1" + "0" * 30}),
    ("h DIV 1", {"h": "1" + "0" * 30}),
    ("CAST(h AS BIGINT)", {"h": "1" + "0" * 30}),
    ("h / CAST(1 AS DECIMAL(38, 0))", {"h": "9" * 37}),
    ("CONV(v, 16, 10)", {"v": "'ffffffffffffffffffff'"}),
    ("v LIKE 'a\\\\x'", {"v": "'ab'"}),
    ("x = v", {"x": "1L", "v": "'a'"}),
    ("CASE WHEN b THEN x ELSE v END", {"x": "1L", "v": "'a'", "b": "FALSE"}),
]
SILENT = {"h DIV 1"}  # the last 64 bits of it, in ANSI mode too
SPARK_FINE = {
    "CASE WHEN (r BETWEEN (-9007199254740992e0) AND 9007199254740992e0) THEN CAST(FLOOR(r) AS DOUBLE) ELSE r END": "double",
    "CASE WHEN r BETWEEN -5e0 AND 9e18 THEN CAST(r AS BIGINT) END": "bigint",
    "TRY_CAST(v AS DOUBLE)": "double",
    "TRY_DIVIDE(r, r)": "double",
    "TRY_MOD(r, r)": "double",
    "r * 1e308 + r": "double",
    "COALESCE(SUM(x & 1073741823), 0)": "bigint",
    "CAST(COALESCE(SUM(SHIFTRIGHT(x, 60)), 0) AS DECIMAL(38, 0)) * 1152921504606846976": "decimal(38,0)",
    "TRY_CAST(CONV(SUBSTRING(MD5(v), 1, 15), 16, 10) AS BIGINT)": "bigint",
    "v LIKE 'a\\\\\\\\x\\\\%'": "boolean",
    "CAST(LEAST(GREATEST(h, -4), 100) AS BIGINT) * 9": "bigint",
    "REGEXP_EXTRACT(v, '(a)(b)', 2)": "string",
}


def test_what_fails_on_spark_on_some_row_is_found_and_what_never_fails_is_accepted():
    """In one test, on one session: a statement takes tenths of a second there."""
    from pyspark.errors import PySparkException

    from discreet.engines.spark.sessions import own_session

    types = {"x": "BIGINT", "i": "INT", "h": "DECIMAL(38, 0)", "r": "DOUBLE", "v": "STRING", "d": "DATE", "m": "TIMESTAMP_NTZ",
             "b": "BOOLEAN"}  # fmt: skip
    session = own_session(connected())
    rows = [
        {"x": f"{MAX}L", "i": str(2**31 - 1), "h": "9" * 38, "r": "CAST('NaN' AS DOUBLE)", "v": "''", "b": "TRUE"},
        {"x": f"{-MAX}L - 1L", "h": "-" + "9" * 38, "r": "CAST('-Infinity' AS DOUBLE)", "d": "DATE '9999-12-31'"},
        {"x": "0L", "r": "0e0", "v": "'9e999'", "m": "TIMESTAMP_NTZ '0001-01-01 00:00:00'"},
        {},
    ]

    def table(*some):
        cells = [[f"CAST({row.get(name, 'NULL')} AS {kind})" for name, kind in types.items()] for row in some]
        values = ", ".join(f"({', '.join(each)})" for each in cells)
        session.sql(f"SELECT * FROM VALUES {values} AS t({', '.join(types)})").createOrReplaceTempView("t")

    for expression, row in SPARK_FAILS:
        with pytest.raises(total.NotTotal):
            told(expression, SPARK_RULES)
        table(row, row)
        if expression not in SILENT:
            with pytest.raises(PySparkException):
                session.sql(f"SELECT {expression} AS found FROM t").collect()
    table(*rows)
    for expression, kind in SPARK_FINE.items():
        frame = session.sql(f"SELECT {expression} AS found FROM t")
        frame.collect()
        ours = {"double": "DOUBLE", "bigint": "BIGINT", "boolean": "BOOLEAN", "string": "VARCHAR"}.get(kind, "DECIMAL")
        assert (frame.schema["found"].dataType.simpleString(), told(expression, SPARK_RULES).kind) == (kind, ours)
    session.client.close()


HALVED = type(SPARK).halved

# ---- mistakes in a dialect: each hook as somebody might write it who knows DuckDB alone


def plain_cast(self, value, of, to):
    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type[to], nested=False))


def plain_sum(self, value, over=None, *, most=0, of_unit=False):
    return Dialect.summed(self, value, over, most=most, of_unit=of_unit)


def sum_less_too_little(self, value, over, *, most):
    return HALVED(self, value, over, most=min(most, 2**30 - 1))


def plain_like(self, text, pattern):
    return exp.Paren(this=exp.Like(this=text, expression=pattern))


def plain_floor(self, x):
    return exp.Floor(this=x)


def none(self, operation, left, right):
    return None


def quick(self, left, right, *, wide=False):
    return exp.IntDiv(this=left, expression=right)


PLANTED = {
    "float8 that overflows": (POSTGRES, "combined", none),
    "casts that raise": (POSTGRES, "tried", plain_cast),
    "powers that overflow": (POSTGRES, "power", Dialect.power),
    "LIKE with a backslash at its end": (POSTGRES, "like", plain_like),
    "constants in branches that are not taken": (POSTGRES, "folds", False),
    "grids before clamps": (POSTGRES, "gridding", "first"),
    "a truth value as BIGINT": (POSTGRES, "truth_as_whole", Dialect.truth_as_whole),
    "divisions by 0": (SPARK, "combined", none),
    "casts that raise in ANSI mode": (SPARK, "tried", plain_cast),
    "FLOOR that is BIGINT": (SPARK, "floor", plain_floor),
    "CEIL that is BIGINT": (SPARK, "ceil", lambda self, x: exp.Anonymous(this="CEIL", expressions=[x])),
    "SUM that overflows": (SPARK, "summed", plain_sum),
    "SUM of numbers that are not less a half": (SPARK, "halved", sum_less_too_little),
    "LIKE with a backslash before nothing special": (SPARK, "like", plain_like),
    "a quotient that is BIGINT": (SPARK, "quotient", quick),
}
ASKED = [
    "SELECT SUM(GREATEST(LEAST(x / y, 50), -50)) AS s, SUM(GREATEST(LEAST(x % y, 50), -50)) AS r FROM t",
    "SELECT AVG(LEAST(POWER(GREATEST(x, 1e-12), 30.5) * 1e300, 5)) AS p FROM t",
    "SELECT SUM(CEIL(GREATEST(LEAST(x * y * 1e300, 5), 1))) AS c, SUM(GREATEST(LEAST(CEIL(x / 1e-300), 5), 1)) AS d FROM t",
    "SELECT COUNT(*) AS n FROM t WHERE name LIKE 'a%\\' OR name LIKE 'a%\\b'",
    "SELECT COUNT(*) FILTER (WHERE CASE WHEN b THEN CAST(SUBSTR('abc', 1, 2) AS DOUBLE) < y ELSE b END) AS n FROM t",
    "SELECT b, SUM(CLAMP(CAST(name AS DOUBLE), 0, 5)) AS v FROM t WHERE CAST(name AS DATE) < d GROUP BY b",
    "SELECT COUNT(*) FILTER (WHERE BIN(x, 1e-300) > 2) AS n FROM t",
    "SELECT VAR_POP(y) AS v, COUNT(DISTINCT FLOOR(CLAMP(x / y, 0, 5))) AS d FROM t",
    "SELECT SUM(CAST(b AS INTEGER)) AS s, COUNT(*) FILTER (WHERE FLOOR(x * 1e300) = 5) AS f FROM t",
    "SELECT AVG(CLAMP(s, 0, 100)) AS v FROM (SELECT who, AVG(y) AS s FROM t GROUP BY who)",
]


def found_in(dialect):
    """What the checker says of the questions in this dialect."""
    record = Record(dialect)
    facts = by_unit.facts_for("add_remove")
    engine = Written(record, facts, [])
    asked = sum(work_off(engine, facts, sql, Caps(2**31 - 1, 2, 3) if "(SELECT" not in sql else None) for sql in ASKED)
    assert asked >= len(ASKED)
    return record


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_without_a_mistake_nothing_is_found(dialect):
    record = found_in(dialect)
    assert not record.problems, record.problems[0]
    assert record.statements >= len(ASKED)


@pytest.mark.parametrize("mistake", PLANTED)
def test_every_planted_mistake_is_found(mistake, monkeypatch):
    dialect, hook, planted = PLANTED[mistake]
    monkeypatch.setattr(type(dialect), hook, planted)
    assert found_in(dialect.name).problems
