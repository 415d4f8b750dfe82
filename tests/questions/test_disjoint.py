"""Conditions that exclude each other, as far as their text proves it."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.questions.disjoint import are_disjoint, pinned_values
from discreet.questions.sql import read_condition

DISJOINT = [
    ("Race = 1", "Race = 2", "Race IN (3, 4)"),
    ("Race = 1 AND Age > 3", "Age < 9 AND Race = 2"),
    ("Age < 18", "Age >= 18 AND Age < 65", "Age >= 65"),
    ("Age BETWEEN 0 AND 9", "Age BETWEEN 10 AND 19", "Age > 19"),
    ("Age <= 17", "18 <= Age"),
    ("Married", "NOT Married"),
    ("Married = TRUE", "Married = FALSE", "Married IS NULL"),
    ("Age IS NULL", "Age > 3"),
    ("Age IS NULL", "Age IS NOT NULL"),
    ("Name = 'a'", "Name = 'b'"),
    ("Name LIKE 'a%'", "NOT Name LIKE 'a%'"),
    ("Race = 1 OR Race = 2", "Race = 3 OR Race = 4"),
    ("Race IN (1, 2)", "Race NOT IN (1, 2)"),
    ("UrbanRural <> 1", "UrbanRural <> 2"),
    ("Born < '2000-01-01'", "Born >= DATE '2000-01-01'"),
    ("Seen < '2020-06-01'", "Seen >= '2020-06-01 00:00'"),
    ("BIN(Age, 10) = 10", "FLOOR(Age / 10) * 10 = 20"),
    ("Race = 1", "Race = 2 AND Sex = 'male'", "Race = 2 AND Sex = 'female'"),
    ("Age IN (1, 9)", "Age >= 3 AND Age <= 7"),
    ("Age = 1 AND Age = 2", "Age = 1"),
]
NOT_PROVEN = [
    ("Race = 1", "Race IN (1, 2)"),
    ("Race = 1", "Sex = 'male'"),
    ("Age <= 18", "Age >= 18"),
    ("Age < 0.1", "Age > 0.09999"),
    ("Race = 1", "Race = 2", "Age > 3"),
    ("Race = 1 OR Age > 3", "Race = 2 AND Age < 3"),
    ("Race <> 1", "Race <> 2"),
    ("Age > 1", "Age > 2"),
    ("Age IS NULL", "Age IS NULL"),
    ("Rate < 0.1000000000000000000001", "Rate >= 0.1", "Rate = 0.1"),
    ("Rate = 0.1", "Rate = 0.1000000000000000000001"),
]


@pytest.mark.parametrize("conditions", DISJOINT, ids=" | ".join)
def test_these_exclude_each_other(people, conditions):
    assert are_disjoint([read_condition(one, people) for one in conditions], people)


@pytest.mark.parametrize("conditions", NOT_PROVEN, ids=" | ".join)
def test_these_may_share_rows(people, conditions):
    assert not are_disjoint([read_condition(one, people) for one in conditions], people)


def test_no_condition_at_all_excludes_nothing(people):
    assert not are_disjoint([None, read_condition("Race = 1", people)], people)
    assert are_disjoint([None], people)
    assert are_disjoint([], people)


@pytest.mark.parametrize(
    ("where", "column", "values"),
    [
        ("Race = 1", "Race", {1}),
        ("Race IN (1, 2) AND Age > 3", "Race", {1, 2}),
        ("Race IN (1, 2) AND Race IN (2, 3)", "Race", {2}),
        ("Race = 1 AND Race = 2", "Race", set()),
        ("Race = 1 OR Race = 2", "Race", {1, 2}),
        ("Race = 1 OR Age > 3", "Race", None),
        ("NOT Race = 1", "Race", None),
        ("NOT (Race <> 1 OR Age > 3)", "Race", {1}),
        ("Race <= 1", "Race", None),
        ("Age > 3", "Race", None),
        ("Married", "Married", {True}),
        ("NOT Married AND Age > 3", "Married", {False}),
        ("Sex = 'male'", "Sex", {"male"}),
        ("Rate = 0.1", "Rate", {Fraction(0.1)}),
    ],
)
def test_pinned_values_are_read_from_equalities_that_must_hold(people, where, column, values):
    assert pinned_values(read_condition(where, people), column) == values


def test_without_a_where_nothing_is_pinned():
    assert pinned_values(None, "Race") is None


# ---- every row of a small world

WORLD = [{"Race": race, "Age": age} for race, age in product([None, 1, 2, 3, 4, 5, 6], [None, 0, 1, 2, 3, 119, 120])]
ATOMS = st.one_of(
    st.builds("Age {} {}".format, st.sampled_from(["<", "<=", ">", ">=", "=", "<>"]), st.integers(0, 3)),
    st.builds("Race {} {}".format, st.sampled_from(["=", "<>", "<", ">="]), st.integers(1, 6)),
    st.builds("Race {} ({}, {})".format, st.sampled_from(["IN", "NOT IN"]), st.integers(1, 6), st.integers(1, 6)),
    st.builds("{} IS {}NULL".format, st.sampled_from(["Age", "Race"]), st.sampled_from(["", "NOT "])),
    st.builds("Age BETWEEN {} AND {}".format, st.integers(0, 3), st.integers(0, 3)),
)
CONDITIONS = st.lists(ATOMS, min_size=1, max_size=3).map(" AND ".join)


def meets(condition, row):
    """Whether the row meets the condition, by Python's own reading of its text."""
    return all(one_meets(one, row) for one in condition.replace("BETWEEN", "between").replace(" AND ", "&").split("&"))


def one_meets(atom, row):
    name, rest = atom.split(" ", 1)
    value = row[name]
    if rest in ("IS NULL", "IS NOT NULL"):
        return (value is None) == (rest == "IS NULL")
    if value is None:
        return False
    word, _, operand = rest.rpartition(" (") if "(" in rest else rest.partition(" ")
    if "(" in rest:
        return (value in map(int, operand.strip(")").split(", "))) == (word == "IN")
    number = int(operand)
    return {"<": value < number, "<=": value <= number, ">": value > number, ">=": value >= number,
            "=": value == number, "<>": value != number}[word]


def without_between(condition):
    parts = condition.split(" AND ")
    found = []
    while parts:
        one = parts.pop(0)
        if "BETWEEN" in one:
            found += [one.replace("BETWEEN", ">="), f"Age <= {parts.pop(0)}"]
        else:
            found.append(one)
    return " AND ".join(found)


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(first=CONDITIONS, second=CONDITIONS)
def test_a_proof_holds_on_every_row_of_a_small_world(people, first, second):
    both = [row for row in WORLD if meets(without_between(first), row) and meets(without_between(second), row)]
    proven = are_disjoint([read_condition(first, people), read_condition(second, people)], people)
    assert not (proven and both)
    if "Age" not in first + second:
        assert proven == (not both)  # categories are public in full, so nothing is missed
