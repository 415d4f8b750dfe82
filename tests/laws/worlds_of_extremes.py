"""Tables for the law over extreme constants: what is declared about them, and rows that are few, odd, many, or at the bounds."""

import math
from dataclasses import replace
from functools import cache

from tests.laws.engines_of_laws import Compared

from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.facts.model import Companion

RELATIONS, UNITS = ("add_remove", "change_one"), ("row", "column")
CAPPED = {  # units whose caps stand in the facts
    "few rows": "max_rows = 3, max_groups = 2",
    "all rows": "max_rows = 1073741823, max_groups = 1073741823",  # joins double them
    "groups": "max_groups = 1, max_rows_per_group = 1073741823",
    "all three": "max_rows = 1073741823, max_groups = 3, max_rows_per_group = 2",
}
BUDGETS = {"epsilon": 'epsilon = 1e300\ndelta = "0.5"', "rho": "rho = 1e300"}
TABLES = ("empty", "one", "bounds", "odd", "many")
MANY = 10_000

COLUMNS = """
[columns.x]
type = "number"
lower = -5
upper = 10.5
null = 0
[columns.y]
type = "number"
lower = 0
upper = 100
[columns.wide]
type = "number"
lower = -1e300
upper = 1e300
[columns.tiny]
type = "number"
lower = 0
upper = 1e-290
[columns.near]
type = "number"
lower = 1
upper = 1.0000000000000002
[columns.free]
type = "number"
[columns.i]
type = "integer"
lower = 0
upper = 6
null = 0
[columns.long]
type = "integer"
lower = -9223372036854775808
upper = 9223372036854775807
[columns.far]
type = "integer"
lower = 0
upper = 4611686018427387904
[columns.c]
type = "category"
values = [1, 2, 3]
[columns.s]
type = "category"
values = ["a", "b'", "c d"]
other = true
[columns.b]
type = "boolean"
[columns.name]
type = "text"
max_length = 20
[columns.d]
type = "date"
lower = 2019-01-01
upper = 2021-12-31
[columns.m]
type = "timestamp"
lower = 1970-01-01T00:00:00
upper = 2030-01-01T00:00:00
"""
FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{relation}"
people = "p"
{size}
[budget]
{budget}
"""
CODES = """
[join.codes]
source = "codes.csv"
key = { i = "code" }
max_matches = 2
[join.codes.columns.v]
type = "number"
lower = -1e300
upper = 1e300
[join.codes.columns.g]
type = "category"
values = [1, 2, 3]
"""
VISITS = """
[table]
name = "visits"
source = "visits.csv"
unit = {{ column = "whom", max_rows = 2 }}
neighbours = "{relation}"
people = "p"
[budget]
epsilon = 1
[columns.n]
type = "integer"
lower = -2147483648
upper = 2147483647
[columns.r]
type = "category"
values = ["a", "z"]
other = true
"""
NAMES = [line[9:-1] for line in COLUMNS.splitlines() if line.startswith("[columns.")]
BESIDE = {
    "codes": [{"code": n % 7, "v": (-1e300, 1e300, 0.5, None)[n % 4], "g": n % 4} for n in range(14)],
    "visits": [
        {"whom": f"p{n % 5}", "n": (-(2**31), 2**31 - 1, 0, None)[n % 4], "r": ("a", "z", "?")[n % 3]} for n in range(12)
    ],
}
LOW = dict(
    zip(NAMES, (-5, 0, -1e300, 0, 1, -1.7e308, 0, -(2**63), 0, 1, "a", "no", "", "2019-01-01", "1970-01-01 00:00"), strict=True)
)
HIGH = dict(
    zip(
        NAMES,
        (
            10.5,
            100,
            1e300,
            1e-290,
            1.0000000000000002,
            1.7e308,
            6,
            2**63 - 1,
            2**62,
            3,
            "c d",
            "yes",
            "z" * 20,
            "2021-12-31",
            "2030-01-01 00:00",
        ),
        strict=True,
    )
)
ONE = dict(
    zip(NAMES, (1, 2, 3.5, 1e-301, 1, 4, 5, 6, 7, 2, "b'", "yes", "Alice", "2020-02-29", "2020-02-29 12:30"), strict=True)
)
ODD_NUMBERS = (None, math.nan, math.inf, -math.inf, "1e400", "-1e-400", "x", "?")
ODD = [
    {
        **dict.fromkeys(NAMES[:9], number),
        "c": (None, 9)[n % 2],
        "s": (None, "zz")[n % 2],
        "b": (None, "x")[n % 2],
        "name": (None, "?")[n % 2],
        "d": (None, "9999-12-31", "0001-01-01", "x")[n % 4],
        "m": ("0001-01-01", "9999-12-31 23:59:59.999999", None, "x")[n % 4],
    }
    for n, number in enumerate(ODD_NUMBERS)
]


def _many(n):
    return {
        "x": n % 16 - 5.0,
        "y": n % 101 / 1.0,
        "wide": (n % 3 - 1) * 1e300,
        "tiny": n % 2 * 1e-290,
        "near": 1.0,
        "free": n * 1e300,
        "i": n % 7,
        "long": (-(2**63), 2**63 - 1, n)[n % 3],
        "far": (2**62, 0)[n % 2],
        "c": n % 3 + 1,
        "s": ("a", "b'", "zz")[n % 3],
        "b": ("yes", "no")[n % 2],
        "name": ("Alice", "Bob")[n % 2],
        "d": "2020-02-29",
        "m": "2020-02-29 12:30",
    }


@cache
def rows_of(table):
    """The rows of a table, with the unit of each in ``who``."""
    if table == "many":
        return [{**_many(n), "who": f"u{n}"} for n in range(MANY)]
    rows = {"empty": [], "one": [ONE], "bounds": [LOW, HIGH] * 4, "odd": ODD}[table]
    return [{**row, "who": f"p{place // 2}"} for place, row in enumerate(rows)]


@cache
def facts_for(unit, relation, table, budget="epsilon"):
    """The facts; under change_one the size of the table is public, under add_remove they say nothing about its rows."""
    number = len(rows_of(table)) if unit == "row" else len({row["who"] for row in rows_of(table)})
    size = f"{'rows' if unit == 'row' else 'units'} = {number}" if relation == "change_one" else ""
    caps = f", {CAPPED[unit]}" if unit in CAPPED else ""
    written = '"row"' if unit == "row" else f'{{ column = "who"{caps} }}'
    text = FACTS.format(unit=written, relation=relation, size=size, budget=BUDGETS[budget])
    facts = parse_facts(text + COLUMNS + CODES, "t.toml")
    if unit == "row":
        return facts
    theirs = parse_facts(VISITS.format(relation=relation), "visits.toml")
    return replace(facts, joins=(*facts.joins, Companion("visits", "visits.toml", "who", "whom", theirs)))


def tables_for(relation):
    """Tables that facts of this relation can be about: no size is 0."""
    return TABLES if relation == "add_remove" else TABLES[1:]


@cache
def engine_for(unit, relation, table, stored="frame"):
    """DuckDB on such a table, beside the reference engine on the same rows. Opened once, and left to the end of the process."""
    import pandas as pd

    facts, rows = facts_for(unit, relation, table), rows_of(table)
    lookups = {join.name: BESIDE[join.name] for join in facts.joins}
    frames = {name: pd.DataFrame(some, dtype=object) for name, some in lookups.items()}
    frame = pd.DataFrame(rows, columns=[*NAMES, "who"], dtype=None if table == "many" else object)
    return Compared(open_engine(facts, frame, frames), Reference(facts, rows, lookups), table != "many")


def curator_for(unit, relation, table, budget="epsilon"):
    """A curator with all of its budget."""
    return curator_in_memory(facts_for(unit, relation, table, budget), engine_for(unit, relation, table))
