"""Keys of few bits in PostgreSQL, in every kind of question; numbers at the ends of what is stored, and texts that are made."""

from contextlib import suppress

import pandas as pd
import pytest
from tests import postgres_server as pg
from tests.laws.engines_of_laws import Compared
from tests.planning.test_golden_postgres import FILES, file_of

from discreet.engines.reference.engine import Reference
from discreet.errors import QuestionError
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from

HEAD = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "add_remove"
[budget]
epsilon = 1_000
[columns.c]
type = "category"
values = [1, 2, 3]
null = "drop"
[columns.g]
type = "category"
values = [-7, 2, 1000]
other = true
[columns.a]
type = "integer"
lower = -99_999_999_999
upper = 99_999_999_999
[columns.x]
type = "number"
lower = 0
upper = 10
"""
LOOKUP = """
[join.codes]
source = "codes.csv"
key = { c = "code" }
max_matches = 2
[join.codes.columns.v]
type = "number"
lower = 0
upper = 100
[join.codes.columns.w]
type = "text"
max_length = 9
"""
CODES = [{"code": 1, "v": 5, "w": None}, {"code": 1, "v": None, "w": "z"}, {"code": 2, "v": 1, "w": "y"}]
OTHERS = [-7, 2, 1000, 5, None]
ROWS = [(row % 7 or None, row % 5 or None, OTHERS[row % 5], row * 1000 - 20_000, row % 11 / 3) for row in range(60)]
NAMES, TYPES = ("u", "c", "g", "a", "x"), ("int4", "int4", "int2", "int4", "float8")
DEEP = "ROUND(" * 30 + "x" + ")" * 30  # more stages than are taken along as they are
pytestmark = [pytest.mark.slow, pytest.mark.lowest]


def agree(text, questions, lookups=None):
    facts = parse_facts(text, "t.toml")
    table = pg.stored(dict(zip(NAMES, TYPES, strict=True)), ROWS)
    frames = {name: pd.DataFrame(rows, dtype=object) for name, rows in (lookups or {}).items()}
    reference = Reference(facts, [dict(zip(NAMES, row, strict=True)) for row in ROWS], lookups or {})
    both = Compared(pg.opened(facts, table, frames), reference)
    for sql in questions:
        released_from(make_plan(read_sql(sql, facts), facts, read_price(epsilon=1)), both)
        assert not both.differences, sql


def test_by_row():
    agree(HEAD.format(unit='"row"'), [
        "SELECT c, COUNT(*) FROM t GROUP BY c", "SELECT c, g, SUM(x) FROM t GROUP BY c, g",
        "SELECT g, MEDIAN(x) FROM t GROUP BY g", "SELECT BIN(a, 1000000000) AS b, COUNT(*) FROM t GROUP BY b",
        f"SELECT c, COUNT(*) FROM t WHERE {DEEP} > 3 GROUP BY c",
    ])  # fmt: skip


def test_by_unit():
    text = HEAD.format(unit='{ column = "u", max_rows = 3, max_groups = 2 }')
    settled = text.replace("values = [-7, 2, 1000]", "values = [-7, 2, 1000]\nper_unit = true")
    questions = ["SELECT c, COUNT(*) FROM t GROUP BY c", "SELECT g, SUM(x) FROM t GROUP BY g", "SELECT COUNT(DISTINCT u) FROM t",
                 f"SELECT c, COUNT(*) FROM t WHERE {DEEP} > 3 AND g = 2 GROUP BY c"]
    agree(text, questions)
    agree(settled, questions)


def test_beside_a_lookup():
    joined = "FROM t {} codes ON t.c = codes.code"
    for kind in ("JOIN", "LEFT JOIN"):
        from_both = joined.format(kind)
        agree(HEAD.format(unit='"row"') + LOOKUP, [
            f"SELECT t.c, COUNT(*) {from_both} GROUP BY t.c", f"SELECT c, AVG(codes.v) {from_both} GROUP BY c",
            f"SELECT COUNT(*) {from_both} WHERE {DEEP} > 3", f"SELECT c, g, SUM(x) {from_both} WHERE w IS NULL GROUP BY c, g",
        ], {"codes": CODES})  # fmt: skip


EDGES = {
    "int2": (-(2**15), -(2**15) + 1, -1, 0, 1, 2**15 - 2, 2**15 - 1, None),
    "int4": (-(2**31), -(2**31) + 1, -(2**15) - 1, -1, 0, 1, 2**15, 2**31 - 2, 2**31 - 1, None),
}
KEYS = [
    "type = 'category'\nvalues = [32766, 32767, 32768, 32769]", "type = 'category'\nvalues = [-32769, -32768, -32767]",
    "type = 'category'\nvalues = [2147483646, 2147483647, 2147483648]",
    "type = 'category'\nvalues = [1099511627776, -1125899906842624, 0]",
    "type = 'category'\nvalues = [1]", "type = 'integer'\nlower = 0\nupper = 1",
    "type = 'integer'\nlower = 2147483000\nupper = 2147484000", "type = 'integer'\nlower = -2147484000\nupper = -2147483000",
    "type = 'integer'\nlower = 4503599627370490\nupper = 4503599627370496",
]  # fmt: skip


@pytest.mark.parametrize("null", ["", "null = 'drop'"])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("kind", EDGES)
def test_declared_values_beyond_what_a_column_holds(kind, key, null):
    """Every constant is compared as it is, however many bits it has, and rows at the ends of a type are in their cells."""
    text = HEAD.partition("[columns.c]")[0].format(unit='"row"') + f"[columns.k]\n{key}\n{null}\n"
    facts = parse_facts(text, "t.toml")
    rows = [(value,) for value in EDGES[kind] for _ in range(3)]
    engine = Compared(pg.opened(facts, pg.stored({"k": kind}, rows)), Reference(facts, [{"k": value} for (value,) in rows]))
    asked = 0
    for sql in ("SELECT k, COUNT(*) FROM t GROUP BY k", "SELECT k, COUNT(*) FROM t WHERE k > 1e308 OR k < 9e18 GROUP BY k",
                "SELECT BIN(k, 7, 3) AS b, COUNT(*) FROM t GROUP BY b"):  # fmt: skip
        with suppress(QuestionError):  # categories have no bins, and some bounds are too far away
            plan = make_plan(read_sql(sql, facts), facts, read_price(epsilon=1))
            released_from(plan, engine)
            asked += 1
            assert not engine.differences, sql
    assert asked


HALF = f"{5**1075}e-1075"  # 2^-1075, half of the least float64


@pytest.mark.parametrize(
    "written",
    ["5e-324", "2.47e-324", "2.4703282292062328e-324", "-2.49e-324", pytest.param(HALF, id="half"),
     pytest.param(HALF.replace("e-1075", "1e-1076"), id="above half"), "1.7976931348623157e308",
     "1.7976931348623159e308", "-1e-400"],
)  # fmt: skip
def test_numerics_at_the_ends_of_float8_are_the_nearest(written):
    text = HEAD.partition("[columns.c]")[0].format(unit='"row"') + '[columns.a]\ntype = "number"\n'
    facts = parse_facts(text, "t.toml")
    engine = Compared(pg.opened(facts, pg.stored({"a": "numeric"}, [(written,)])), Reference(facts, [{"a": float(written)}]))
    for test in ("a > 0", "a < 0", "a = 0", "a > 1.7976931348623157e308", "a < -1"):
        sql = f"SELECT COUNT(*) FROM t WHERE {test}"
        released_from(make_plan(read_sql(sql, facts), facts, read_price(epsilon=1)), engine)
        assert not engine.differences, sql


@pytest.mark.parametrize("name", FILES)
def test_texts_that_are_made_are_compared_by_code_points(name):
    """The server of these tests has no other order, so it is looked for in what is sent."""
    sent = [line for line in file_of(name).read_text(encoding="utf-8").splitlines() if line.startswith("  ")]
    assert sent
    for line in sent:
        assert line.count("AS TEXT)") == line.count('AS TEXT) COLLATE "C"'), line
