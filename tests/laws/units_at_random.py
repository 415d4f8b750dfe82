"""Random tables of units with many rows, neighbours by unit, and caps, for the laws that must hold for all of them."""

from functools import cache

from hypothesis import strategies as st
from tests.laws import questions_at_random as at_random

from discreet.facts import parse_facts

UNITS = st.sampled_from([None, "", "?", "anna", "Anna", "ANNA ", 7, "7", "007", -3, 2.5, float("nan"), "Zoé", "x" * 300])
NEW = "someone else"  # not among them
ROWS = st.builds(lambda row, who: {**row, "who": who}, at_random.ROWS, UNITS)
_GROUPS, _ROWS, _PER_GROUP = st.integers(1, 3), st.integers(1, 5), st.integers(1, 3)
CAPS = st.one_of(
    st.fixed_dictionaries({"max_rows": _ROWS}, optional={"max_groups": _GROUPS, "max_rows_per_group": _PER_GROUP}),
    st.fixed_dictionaries({"max_rows_per_group": _PER_GROUP}, optional={"max_groups": _GROUPS}),
    st.fixed_dictionaries({"max_rows_per_group": _PER_GROUP, "max_groups": _GROUPS}),
)


@st.composite
def _tables(draw):
    """Rows of few units, so that one has rows in more groups than a cap allows; anna is among them."""
    who = ["anna", *draw(st.lists(UNITS, max_size=3))]
    rows = draw(st.lists(st.tuples(at_random.ROWS, st.sampled_from(who)), min_size=draw(st.sampled_from([1, 6])), max_size=9))
    return [{**row, "who": unit if place else "anna"} for place, (row, unit) in enumerate(rows)]


TABLES = _tables()


def unit_of(row):
    """What tells units apart, as people would say it."""
    who = row["who"]
    if who is None or who in ("", "?") or who != who:
        return None
    return str(who)


@cache
def facts_for(neighbours, units=None, per_unit=()):
    """The facts of the table t with a unit of many rows, and no cap; ``per_unit`` names columns that are declared constant."""
    text = at_random.FACTS.format(neighbours=neighbours, size=f"units = {units}" if units else "")
    for name in per_unit:
        text = text.replace(f"[columns.{name}]\n", f"[columns.{name}]\nper_unit = true\n")
    return parse_facts(text.replace('unit = "row"', 'unit = { column = "who" }'), "t.toml")


@st.composite
def neighbours(draw, relation):
    """Two neighbouring tables: all rows of one unit are gone, or replaced by some of a unit that is not there otherwise."""
    table = draw(TABLES)
    gone = draw(st.sampled_from(sorted({unit for row in table if (unit := unit_of(row)) is not None})))
    kept = [row for row in table if unit_of(row) != gone]
    if relation == "add_remove":
        return table, kept
    others = draw(st.lists(ROWS, min_size=1, max_size=6))
    return table, draw(st.permutations([*kept, *({**row, "who": NEW} for row in others)]))


PER_UNIT = ("c", "s", "b", "k", "d")  # columns that questions about constant ones look at
APART = [("c = 1", "c = 2"), ("s = 'a'", "s <> 'a'"), ("k < 3 AND x > 0", "k >= 3"), ("b", "NOT b"), ("c IS NULL", "c IN (1, 3)")]


BOUNDED = [f"SUM({x}) PER UNIT BETWEEN {ends}" for x, ends in (
    ("k - 3", "-4 AND 9"), ("k", "2 AND 7"), ("-k", "-12 AND -5"), ("x", "-2 AND 30.5"), ("y", "0 AND 60"), ("k - 3", "1 AND 9"),
)]  # fmt: skip


@st.composite
def questions_about_constants(draw):
    """SQL over the table t whose keys and filters look at columns that are declared constant per unit."""
    keys = draw(st.lists(st.sampled_from(["c", "s", "b", "k", "BIN(k, 2)", "EXTRACT(YEAR FROM d)", "BIN(y, 50)"]), max_size=2,
                         unique=True))  # fmt: skip
    counted = draw(st.sampled_from(["COUNT(*)", "COUNT(DISTINCT who)", "SUM(k - 3)", "AVG(y)", "COUNT(x)", "MEDIAN(y)",
                                    "MEDIAN(y, INTERVAL)", "AT_CAPS()", "AT_CAPS(BIN(y, 50))", *BOUNDED]))  # fmt: skip
    filters = draw(st.sampled_from([("",), *APART])) if "AT_CAPS" not in counted else ("", "", "")[: draw(st.integers(1, 2))]
    keys = [key for key in keys if "AT_CAPS" not in counted or key != "BIN(y, 50)"]  # it goes with constants alone
    named = [f"{key} AS g{i}" for i, key in enumerate(keys)]
    named += [f"{counted}{f' FILTER (WHERE {one})' if one else ''} AS v{i}" for i, one in enumerate(filters)]
    where = draw(st.sampled_from(["", " WHERE c = 1", " WHERE s <> 'a' OR x > 1"]))
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(named)} FROM t{where}{group}"


@st.composite
def questions(draw):
    """SQL over the table t; sometimes units are counted too."""
    sql = draw(at_random.questions())
    return sql.replace(" FROM t", ", COUNT(DISTINCT who) AS units FROM t", 1) if draw(st.booleans()) else sql
