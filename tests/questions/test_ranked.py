"""Quantiles, MIN and MAX in SQL and in Python: one question for all ways of writing it, and its text reads back."""

from dataclasses import replace
from fractions import Fraction

import pytest

import discreet as dc
from discreet.errors import QuestionError
from discreet.questions.algebra import Aggregate, Column, Output, Question
from discreet.questions.builder import Rows
from discreet.questions.check import checked
from discreet.questions.normal import fingerprint
from discreet.questions.ranked import with_intervals
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text

SAME = [
    ("MEDIAN(Age)", "QUANTILE(Age, 0.5)", "quantile_cont(Age, 1/2)", "PERCENTILE_CONT(0.50) WITHIN GROUP (ORDER BY Age)"),
    ("QUANTILE(Age, 0.9)", "APPROX_QUANTILE(Age, .9)", "PERCENTILE_DISC(0.1) WITHIN GROUP (ORDER BY Age DESC)"),
    ("QUANTILE(Age, 1/3, INTERVAL)", "PERCENTILE_CONT(1/3, INTERVAL) WITHIN GROUP (ORDER BY Age ASC)"),
    ("MAX(Age) FILTER (WHERE Married)", "max(Age) FILTER (WHERE Married = TRUE)"),
]


def one(people, aggregate):
    return read_sql(f"SELECT {aggregate} AS v FROM people", people)


@pytest.mark.parametrize("ways", SAME)
def test_all_ways_of_writing_a_quantile_are_one_question_whose_text_reads_back(people, ways):
    prints = {fingerprint(one(people, way)) for way in ways}
    assert len(prints) == 1
    assert fingerprint(read_sql(to_text(one(people, ways[0])), people)) in prints


def test_shares_intervals_and_kinds_tell_questions_apart(people):
    texts = ["MEDIAN(Age)", "QUANTILE(Age, 0.51)", "MEDIAN(Age, INTERVAL)", "MIN(Age)", "MAX(Age)", "QUANTILE(Age, 0)"]
    assert len({fingerprint(one(people, text)) for text in texts}) == len(texts)


def test_python_asks_the_same_as_sql(people):
    rows = Rows(people)
    assert rows.median("Age").question == read_sql("SELECT MEDIAN(Age) FROM people", people)
    asked = rows.where("Married").group_by("Race").select(
        a=dc.quantile("Income", "0.9", interval=True), b=dc.min("Age"), c=dc.max("Age", where="Age > 3")
    )
    sql = """SELECT Race, QUANTILE(Income, 0.9, INTERVAL) AS a, MIN(Age) AS b, MAX(Age) FILTER (WHERE Age > 3) AS c
             FROM people WHERE Married GROUP BY Race"""
    assert asked.question == read_sql(sql, people)
    names = [each.question.outputs[0].name for each in (rows.quantile("Age", "1/3"), rows.max("Age"))]
    assert names == ["quantile_Age", "max_Age"]


def test_an_interval_can_be_asked_for_all_at_once(people):
    plain = "SELECT Race, MEDIAN(Age) - AVG(Age) AS d FROM people GROUP BY Race HAVING MAX(Age) > 3 ORDER BY MIN(Age)"
    bought = plain.replace("N(Age) -", "N(Age, INTERVAL) -").replace("MAX(Age)", "MAX(Age, INTERVAL)")
    bought = bought.replace("MIN(Age)", "MIN(Age, INTERVAL)")
    assert checked(with_intervals(read_sql(plain, people)), people) == read_sql(bought, people)


@pytest.mark.parametrize(
    ("kind", "q", "interval"),
    [("quantile", None, False), ("quantile", Fraction(3, 2), False), ("sum", Fraction(1, 2), False), ("mean", None, True)],
)
def test_a_question_made_by_hand_is_held_to_the_same_rules(people, kind, q, interval):
    aggregate = replace(Aggregate(kind, Column("Age")), q=q, interval=interval)
    with pytest.raises(QuestionError):
        checked(Question("people", (Output("v", aggregate),)), people)


def test_a_share_outside_0_to_1_is_refused_in_python_too(people):
    with pytest.raises(QuestionError, match="not between 0 and 1"):
        Rows(people).quantile("Age", 2)
