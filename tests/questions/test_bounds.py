"""Public bounds of numbers, by cases known beforehand; the laws are in test_laws.py."""

import math
from fractions import Fraction

import pytest

from discreet.questions.algebra import Apply, Column, Literal
from discreet.questions.bounds import bounds_of, is_whole, may_be_null, unbounded_operand
from discreet.questions.sql import read_condition, read_value
from discreet.questions.types import type_of


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Age", 0, 120),
        ("-Age", -120, 0),
        ("Age + 1", 1, 121),
        ("1 - Age", -119, 1),
        ("(Age - 60) * (Age - 60)", -3600, 3600),
        ("Age / 4", 0, 30),
        ("Income / -1000", -1000, 0),
        ("Income / Age", 0, 1_000_000),
        ("Income / (Age - 60)", -1_000_000, 1_000_000),
        ("Age % 7", 0, 6),
        ("(Age - 60) % 7", -6, 6),
        ("(Age - 3) % 100", -3, 99),
        ("ABS(Age - 60)", 0, 60),
        ("ABS(Age + 5)", 5, 125),
        ("FLOOR(Rate)", 0, 0),
        ("CEIL(Rate)", 1, 1),
        ("ROUND(Rate)", 0, 1),
        ("ROUND(-Age / 16)", -8, 0),
        ("BIN(Age, 10)", 0, 120),
        ("BIN(Age, 50, 10)", -40, 110),
        ("GREATEST(LEAST(Debt, 10), 0)", 0, 10),
        ("LEAST(GREATEST(Debt, 0), 10)", 0, 10),
        ("GREATEST(LEAST(Age / Income, 10), 0)", 0, 10),
        ("LEAST(Gain, 10)", -5, 10),
        ("LEAST(Age, Income)", 0, 1_000_000),  # Age may be NULL, and then it is Income
        ("LEAST(Age, Income, 50)", 0, 50),
        ("COALESCE(Age, 200)", 0, 200),
        ("COALESCE(Age, 200, Debt)", 0, 200),
        ("CASE WHEN Married THEN Age ELSE -1 END", -1, 120),
        ("CASE WHEN Married THEN Age END", 0, 120),
        ("CASE WHEN Name = 'x' THEN 1 / 0 ELSE 3 END", 3, 3),
        ("Age % 0", 0, 0),
        ("NULLIF(Age, 0)", 0, 120),
        ("MONTH(Moved)", 1, 12),
        ("YEAR(Born)", 1900, 2020),
        ("YEAR(LEAST(Born, DATE '2030-01-01'))", 1900, 2030),
        ("YEAR(Seen)", 2020, 2020),
        ("0.1", Fraction(0.1), Fraction(0.1)),
        ("Rate", Fraction(0.1), Fraction(0.9)),
        ("Rate + 0.1", Fraction(0.2), Fraction(math.nextafter(1, 2))),  # 0.9 + 0.1 is a little more than 1 before rounding
    ],
)
def test_bounds_follow_from_the_declared_ones(people, text, low, high):
    assert bounds_of(read_value(text, people), people) == (low, high)


@pytest.mark.parametrize(
    "text",
    ["Debt", "Gain", "LEAST(Debt, 10)", "GREATEST(Gain, 0)", "Age / Income", "Income / (Rate - 0.5)", "COALESCE(Age, Debt)",
     "CASE WHEN Married THEN Age ELSE Debt END", "YEAR(Moved)", "Income * 1e308", "Age / 1e-320", "Name", "Married"],
)
def test_nothing_bounds_these(people, text):
    assert bounds_of(read_value(text, people), people) is None


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        ("Debt + 1", Column("Debt")),
        ("-Debt", Column("Debt")),
        ("FLOOR(Gain)", Column("Gain")),
        ("BIN(Debt, 10)", Column("Debt")),
        ("GREATEST(LEAST(2 * Debt, 1), 0)", Column("Debt")),
        ("2 * (Age / Income)", Apply("divide", (Column("Age"), Column("Income")))),
        ("Age + GREATEST(LEAST(Debt, 1), 0)", None),
        ("COALESCE(Debt, Gain)", None),
    ],
)
def test_computing_with_what_is_not_bounded_is_found(people, text, loose):
    assert unbounded_operand(read_value(text, people), people) == loose


@pytest.mark.parametrize(
    ("text", "null"),
    [("Age", True), ("3", False), ("COALESCE(Age, 3)", False), ("COALESCE(Age, 3) + 1", False), ("LEAST(Age, 3)", False),
     ("LEAST(Age, Income)", True), ("3 / COALESCE(Age, 3)", True), ("3 % COALESCE(Age, 3)", True),
     ("3 / (COALESCE(Age, 3) + 1)", False),
     ("CASE WHEN Married THEN 1 ELSE 2 END", False), ("CASE WHEN Married THEN 1 END", True), ("NULLIF(3, Age)", True)],
)
def test_null_is_seen_coming(people, text, null):
    assert may_be_null(read_value(text, people), people) is null


@pytest.mark.parametrize(
    ("text", "null"),
    [("Married", True), ("Married IS NULL", False), ("Age > 3", True), ("COALESCE(Age, 3) > 3", False), ("Name LIKE 'a'", True)],
)
def test_conditions_can_be_null_too(people, text, null):
    assert may_be_null(read_condition(text, people), people) is null


@pytest.mark.parametrize(
    ("text", "whole"),
    [("Age", True), ("Race", True), ("3", True), ("3.5", False), ("Age + 3", True), ("Age * Age", True), ("Age / 2", False),
     ("Rate", False),
     ("FLOOR(Rate)", True), ("ROUND(Rate, 1)", False), ("Age * 1e15", False), ("Age + 0.5", False), ("BIN(Age, 10)", True),
     ("BIN(Age, 2.5)", False), ("MONTH(Born)", True), ("ABS(-Age)", True), ("LEAST(Age, 3)", True), ("COALESCE(Age, 0.5)", False),
     ("CASE WHEN Married THEN 1 END", True), ("CASE WHEN Married THEN 1 ELSE 0.5 END", False), ("Age % 7", True)],
)
def test_whole_numbers_are_known(people, text, whole):
    assert is_whole(read_value(text, people), people) is whole


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Age", "number"), ("Race", "code"), ("Sex", "text"), ("Married", "truth"), ("Born", "day"), ("Seen", "moment"),
     ("NULL", "null"),
     ("COALESCE(Race, 1)", "code"), ("CASE WHEN Married THEN NULL ELSE Born END", "day"), ("LEAST(Seen, '2020-05-05')", "moment"),
     ("Age = 3", "truth"), ("YEAR(Born)", "number")],
)
def test_every_value_has_its_kind(people, text, kind):
    assert type_of(read_value(text, people), people) == kind


def test_a_number_beyond_float64_is_refused_in_hand_made_expressions_too(people):
    with pytest.raises(Exception, match="too large"):
        type_of(Literal(Fraction(10) ** 400), people)
