"""Random tables of units with many rows, neighbours by unit, and caps, for the laws that must hold for all of them."""

import importlib.util
from pathlib import Path

from hypothesis import strategies as st

from discreet.facts import parse_facts

_spec = importlib.util.spec_from_file_location("questions_at_random", Path(__file__).with_name("questions_at_random.py"))
at_random = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(at_random)

UNITS = st.sampled_from([None, "", "?", "anna", "Anna", "ANNA ", 7, "7", "007", -3, 2.5, float("nan"), "Zoé", "x" * 300])
NEW = "someone else"  # not among them
ROWS = st.builds(lambda row, who: {**row, "who": who}, at_random.ROWS, UNITS)
TABLES = st.lists(ROWS, min_size=1, max_size=9).map(lambda rows: [{**rows[0], "who": "anna"}, *rows[1:]])  # at least one unit
_GROUPS, _ROWS, _PER_GROUP = st.integers(1, 3), st.integers(1, 5), st.integers(1, 3)
CAPS = st.one_of(
    st.fixed_dictionaries({"max_rows": _ROWS}, optional={"max_groups": _GROUPS, "max_rows_per_group": _PER_GROUP}),
    st.fixed_dictionaries({"max_rows_per_group": _PER_GROUP}, optional={"max_groups": _GROUPS}),
    st.fixed_dictionaries({"max_rows_per_group": _PER_GROUP, "max_groups": _GROUPS}),
)


def unit_of(row):
    """What tells units apart, as people would say it."""
    who = row["who"]
    if who is None or who in ("", "?") or who != who:
        return None
    return str(who)


def facts_for(neighbours, units=None):
    """The facts of the table t with a unit of many rows, and no cap."""
    text = at_random.FACTS.format(neighbours=neighbours, size=f"units = {units}" if units else "")
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


@st.composite
def questions(draw):
    """SQL over the table t; sometimes units are counted too."""
    sql = draw(at_random.questions())
    return sql.replace(" FROM t", ", COUNT(DISTINCT who) AS units FROM t", 1) if draw(st.booleans()) else sql
