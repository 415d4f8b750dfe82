"""Random tables, neighbours and questions for the laws that must hold for all of them."""

from datetime import date
from functools import cache

from hypothesis import strategies as st

from discreet.facts import parse_facts

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1000
[columns.x]
type = "number"
lower = -5
upper = 10.5
null = 0
[columns.y]
type = "number"
lower = 0
upper = 100
[columns.k]
type = "integer"
lower = 0
upper = 6
null = 0
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
"""


@cache
def facts_for(neighbours, rows):
    """Facts of the table t under one relation; its size is public under change_one."""
    size = f"rows = {rows}" if neighbours == "change_one" else "rows_about = 1000"
    return parse_facts(FACTS.format(neighbours=neighbours, size=size), "t.toml")


NUMBERS = st.one_of(
    st.none(),
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-12, 120).map(float),
    st.sampled_from([2.0**53, 2.0**53 + 2, -0.0, 1e308, 5e-324, 0.1, 10.5, -5.0, float("nan"), float("inf")]),
    st.sampled_from(["1e400", "-inf", "", "?", "7", "x"]),
)
ROWS = st.fixed_dictionaries(
    {
        "x": NUMBERS,
        "y": NUMBERS,
        "k": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-2, 9), st.sampled_from(["3", "4.0", "4.5", ""])),
        "c": st.one_of(st.none(), st.integers(0, 4), st.sampled_from(["1", "2", "9", "?"])),
        "s": st.sampled_from([None, "a", "b'", "c d", "zzz", "", "?"]),
        "b": st.sampled_from([None, True, False, "1", "no", "x"]),
        "name": st.sampled_from([None, "Alice", "Bob", "", "%", "Al_ce", "x" * 50]),
        "d": st.sampled_from([None, "2020-02-29", "2019-01-01", "2030-01-01", "x", date(2021, 3, 4)]),
    }
)
TABLES = st.lists(ROWS, min_size=1, max_size=7)


def joined(*parts):
    """One text out of texts and strategies of texts."""
    return st.tuples(*(part if isinstance(part, st.SearchStrategy) else st.just(part) for part in parts)).map("".join)


LITERALS = st.sampled_from(["0", "1", "2.5", "-3", "100", "1e3", "0.1"])


def _numbers(inner):
    pair = joined("(", inner, st.sampled_from([" + ", " - ", " * "]), st.one_of(inner, LITERALS), ")")
    bounded_ratio = joined("GREATEST(LEAST(", inner, st.sampled_from([" / ", " % "]), inner, ", 50), -50)")
    case = joined("CASE WHEN ", CONDITIONS_SIMPLE, " THEN ", st.one_of(inner, LITERALS), " ELSE ", inner, " END")
    function = joined(st.sampled_from(["ABS", "FLOOR", "CEIL", "ROUND", "SQRT"]), "(", inner, ")")
    curve = st.one_of(
        joined("LN(GREATEST(", inner, ", 0.5))"),
        joined("EXP(LEAST(", inner, ", 3))"),
        joined("POWER(", inner, st.sampled_from([", 2)", ", 3)", ", 0.5)"])),
        joined("CAST(", inner, st.sampled_from([" AS INTEGER)", " AS DOUBLE)"])),
    )
    coalesced, negated = joined("COALESCE(", inner, ", ", LITERALS, ")"), joined("-(", inner, ")")
    return st.one_of(pair, bounded_ratio, case, function, curve, coalesced, negated)


CONDITIONS_SIMPLE = st.sampled_from(
    [
        "x > 0", "y BETWEEN 10 AND 50", "k IN (1, 2, 3)", "c = 2", "s <> 'a'", "b", "NOT b", "name = 'Alice'", "name LIKE 'Al%'",
        "d >= DATE '2020-01-01'", "y IS NULL", "x / y > 0.1", "k % 2 = 0", "EXTRACT(YEAR FROM d) = 2020", "s IN ('a', 'b''')",
        "x <= y", "LOWER(name) = 'alice'", "name ILIKE 'aL%'", "LENGTH(name) > 3", "SUBSTR(name, 2, 2) = 'li'",
        "STARTS_WITH(name, '%')", "UPPER(s) IN ('A', 'C D')", "DATE_TRUNC('month', d) = DATE '2020-02-01'",
        "DATE_TRUNC('week', d) < DATE '2020-03-01'", "CAST(name AS DOUBLE) > 3", "CAST(k AS TEXT) = '3'",
        "CAST(name AS DATE) IS NULL", "CAST(d AS TIMESTAMP) > TIMESTAMP '2020-01-01 12:00:00'", "EXTRACT(WEEK FROM d) < 9",
    ]
)  # fmt: skip
LEAVES = st.sampled_from(["x", "y", "k", "EXTRACT(MONTH FROM d)", "LENGTH(name)", "DOW(d)"])
EXPRESSIONS = st.recursive(LEAVES, _numbers, max_leaves=4)
CONDITIONS = st.recursive(
    CONDITIONS_SIMPLE,
    lambda inner: st.one_of(joined("(", inner, st.sampled_from([" AND ", " OR "]), inner, ")"), joined("NOT (", inner, ")")),
    max_leaves=3,
)
BREAKERS = st.sampled_from(
    [
        "SUM(CASE WHEN name = 'Alice' THEN 1 / 0 ELSE 0 END)",
        "SUM(GREATEST(LEAST(x % 0, 1), 0))",
        "AVG(COALESCE(y / 0, 1))",
        "SUM(x / 3)",
        "SUM(y) / COUNT(*)",
    ]
)
PAIRED = st.sampled_from(["COVAR_POP", "COVAR_SAMP", "CORR", "REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2"])
STATISTICS = st.one_of(
    st.just("COUNT(*)"),
    joined("COUNT(", st.sampled_from(["x", "y", "c", "name", "d"]), ")"),
    joined(st.sampled_from(["SUM", "AVG", "VAR_POP", "VAR_SAMP", "STDDEV"]), "(", EXPRESSIONS, ")"),
    joined(PAIRED, "(", EXPRESSIONS, ", ", EXPRESSIONS, ")"),
    st.sampled_from(["AT_BOUNDS(x)", "AT_LOWER(y)", "AT_UPPER(k)"]),
    joined("COUNT(DISTINCT ", st.one_of(st.sampled_from(["c", "s", "b", "k", "name", "d", "BIN(y, 10)"]), EXPRESSIONS), ")"),
    joined(st.sampled_from(["MEDIAN", "MIN", "MAX"]), "(", EXPRESSIONS, st.sampled_from(["", ", INTERVAL"]), ")"),
    joined("QUANTILE(", EXPRESSIONS, ", ", st.sampled_from(["0", "0.25", "1/3", "1", "0.9, INTERVAL"]), ")"),
    st.sampled_from(["MODE(c)", "MODE(s)", "MODE(b)"]),
    BREAKERS,
)
FILTERED = st.one_of(STATISTICS, joined(STATISTICS, " FILTER (WHERE ", CONDITIONS, ")"))
ORDERED = ("k", "BIN(x, 5)", "FLOOR(y / 25) * 25", "EXTRACT(YEAR FROM d)")
COMPUTED = (
    "CASE WHEN x > 0 THEN 'p' WHEN y > 50 THEN 'q' END", "CASE WHEN b THEN 0.5 ELSE 7 END", "COALESCE(s, 'none')", "x > 3",
    "IF(x > 0, TRUE, b)", "DATE_TRUNC('month', d)", "DATE_TRUNC('week', d)", "WIDTH_BUCKET(y, 0, 100, 4)", "LENGTH(name)",
    "k % 3", "LOWER(s)",
)  # fmt: skip
KEY = st.sampled_from(["c", "s", "b", *ORDERED, *COMPUTED])
KEYS = st.lists(KEY, max_size=2, unique=True)
ABOUT = {  # what WHERE may say of a key alone: then it excludes some of its groups
    "c": "c IN (1, 3)", "s": "s <> 'a'", "b": "NOT b", "k": "k <= 2", "BIN(x, 5)": "x < 2.5",
    "FLOOR(y / 25) * 25": "(y > 25 AND y <= 75)", "EXTRACT(YEAR FROM d)": "EXTRACT(YEAR FROM d) <> 2020", "x > 3": "x > 3",
    "COALESCE(s, 'none')": "COALESCE(s, 'none') <> 'none'", "LENGTH(name)": "LENGTH(name) < 5", "k % 3": "k % 3 = 1",
    "WIDTH_BUCKET(y, 0, 100, 4)": "WIDTH_BUCKET(y, 0, 100, 4) > 2",
    **{key: f"({key}) IS NOT NULL" for key in COMPUTED if key.startswith(("CASE", "IF", "LOWER", "DATE_TRUNC"))},
}  # fmt: skip


@st.composite
def questions(draw):
    """SQL over the table t."""
    keys = draw(KEYS)
    statistics = draw(st.lists(FILTERED, min_size=1, max_size=3))
    if keys and keys[-1] in ORDERED and draw(st.booleans()):
        statistics[0] = draw(st.sampled_from(["RUNNING_COUNT(*)", "RUNNING_COUNT(*) FILTER (WHERE x > 0)"]))
    where = f" WHERE {draw(CONDITIONS)}" if draw(st.booleans()) else ""
    if where and keys and draw(st.booleans()):
        where += f" AND {ABOUT[keys[0]]}"
    named = [f"{key} AS g{i}" for i, key in enumerate(keys)] + [f"{each} AS v{i}" for i, each in enumerate(statistics)]
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    is_number = not statistics[0].startswith("MODE")
    tails = ["", "", " ORDER BY v0 DESC", f" HAVING {statistics[0]} > 1 LIMIT 2"] if keys and is_number else [""]
    tail = draw(st.sampled_from(tails))
    return f"SELECT {', '.join(named)} FROM t{where}{group}{tail}"


@st.composite
def neighbours(draw, relation):
    """Two neighbouring tables: one row more or less, or one row replaced."""
    table = draw(TABLES)
    place = draw(st.integers(0, len(table) - 1))
    replacement = [] if relation == "add_remove" else [draw(ROWS)]
    return table, [*table[:place], *replacement, *table[place + 1 :]]
