"""Random lookups beside the random tables, and questions that join them, for the laws that must hold for all of them."""

import re
from collections import Counter
from functools import cache

from hypothesis import strategies as st
from tests.laws import questions_at_random as at_random

from discreet.engines.rules.values import read
from discreet.facts import parse_facts
from discreet.facts.joins import key_column

JOINS = """
[join.names]
source = "names.csv"
key = "name"
max_matches = 3
[join.names.columns.w]
type = "number"
lower = -5
upper = 10.5
null = 0
[join.names.columns.r]
type = "category"
values = ["a", "b'", "c d"]
other = true
[join.codes]
source = "codes.csv"
key = { k = "code" }
max_matches = 2
[join.codes.columns.v]
type = "number"
lower = 0
upper = 100
[join.codes.columns.g]
type = "category"
values = [1, 2, 3]
"""
ON = {"names": "JOIN names ON t.name = names.name", "codes": "JOIN codes ON t.k = codes.code"}
COLUMNS = {"names": {"x": "w", "s": "r"}, "codes": {"y": "v", "c": "g"}}  # which of the table's they can stand for

_NAMES = st.sampled_from(["Alice", "Bob", "%", "Al_ce", "alice", "Alice ", "x" * 20, "x" * 50, None, "", "?"])
_CODES = st.sampled_from([0, 0.0, -0.0, "3", "4.0", 4, 6, 7, -1, 2.5, None, "x", 10**30])
_OF_NAMES = st.fixed_dictionaries({"name": _NAMES, "w": at_random.NUMBERS, "r": st.sampled_from([None, "a", "b'", "c d", "zzz"])})
_OF_CODES = st.fixed_dictionaries({"code": _CODES, "v": at_random.NUMBERS, "g": st.sampled_from([None, 1, "2", 3, 9])})


@cache
def facts_for(relation, size="", unit='unit = "row"'):
    """The facts of the table t with both lookups."""
    text = at_random.FACTS.format(neighbours=relation, size=size).replace('unit = "row"', unit)
    return parse_facts(text + JOINS, "t.toml")


def within(rows, join, facts):
    """The rows without those whose key would be there too often."""
    key, seen, kept = key_column(join, facts), Counter(), []
    for row in rows:
        value = read(key, row[key.name])
        seen[value] += 1
        kept += [row] if value is None or seen[value] <= join.max_matches else []
    return kept


@st.composite
def lookups(draw):
    """Rows for both lookups, no key more often than declared."""
    facts = facts_for("add_remove")
    rows = {"names": draw(st.lists(_OF_NAMES, max_size=12)), "codes": draw(st.lists(_OF_CODES, max_size=12))}
    return {join.name: within(rows[join.name], join, facts) for join in facts.joins}


@st.composite
def joined(draw, questions):
    """A question with one join or two, some columns of the table changed for those of a lookup."""
    sql, wanted = draw(questions), draw(st.sampled_from([("names",), ("codes",), ("codes", "names"), ("names", "codes")]))
    for name in wanted:
        for ours, theirs in COLUMNS[name].items():
            if draw(st.booleans()):
                sql = re.sub(rf"(?<!')\b{ours}\b", theirs, sql)
    clauses = [f"{draw(st.sampled_from(['', '', 'LEFT ']))}{ON[name]}" for name in wanted]
    return sql.replace(" FROM t", f" FROM t {' '.join(clauses)}", 1)
