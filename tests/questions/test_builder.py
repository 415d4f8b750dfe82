"""The Python builder gives the same questions as SQL."""

import re
from dataclasses import FrozenInstanceError

import pytest

from discreet.errors import QuestionError
from discreet.questions import builder as dc
from discreet.questions.builder import Rows
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql

PAIRS = [
    (lambda rows: rows.count(), "SELECT COUNT(*) AS count FROM people"),
    (lambda rows: rows.count("Name"), "SELECT COUNT(Name) AS count_Name FROM people"),
    (lambda rows: rows.sum("Income"), "SELECT SUM(Income) AS sum_Income FROM people"),
    (lambda rows: rows.mean("Age"), "SELECT AVG(Age) AS mean_Age FROM people"),
    (lambda rows: rows.variance("Age"), "SELECT VARIANCE(Age) AS variance_Age FROM people"),
    (lambda rows: rows.variance("Age", sample=False), "SELECT VAR_POP(Age) AS variance_Age FROM people"),
    (lambda rows: rows.stddev("Age"), "SELECT STDDEV(Age) AS stddev_Age FROM people"),
    (lambda rows: rows.stddev("Age", sample=False), "SELECT STDDEV_POP(Age) AS stddev_Age FROM people"),
    (lambda rows: rows.count("Home Town"), 'SELECT COUNT("Home Town") AS "count_Home Town" FROM people'),
    (lambda rows: rows.where("Age >= 40").mean("Age"), "SELECT AVG(Age) AS mean_Age FROM people WHERE Age >= 40"),
    (
        lambda rows: rows.where("Age >= 40 OR Race = 1").where("Sex = 'male'").count(),
        "SELECT COUNT(*) AS count FROM people WHERE (Age >= 40 OR Race = 1) AND Sex = 'male'",
    ),
    (
        lambda rows: rows.where("Age >= 40").group_by("Race", dc.bin("Age", 10)).select(n=dc.count(), m=dc.mean("Age")),
        "SELECT Race, BIN(Age, 10) AS bin_Age, COUNT(*) AS n, AVG(Age) AS m FROM people WHERE Age >= 40 GROUP BY 1, 2",
    ),
    (
        lambda rows: rows.group_by("race").group_by("FLOOR(Age / 10) * 10", "MONTH(Born)", "Race").count(),
        "SELECT Race, BIN(Age, 10) AS bin_Age, MONTH(Born) AS month_Born, COUNT(*) AS count FROM people GROUP BY 1, 2, 3",
    ),
    (lambda rows: rows.group_by(dc.bin("Rate", "0.25", 0.1)).count(),
     "SELECT BIN(Rate, 0.25, 0.1) AS bin_Rate, COUNT(*) AS count FROM people GROUP BY 1"),
    (
        lambda rows: rows.select(s=dc.sum("GREATEST(LEAST(Debt, 10), 0)", where="Married"), n=dc.count(where="Age > 3")),
        "SELECT SUM(GREATEST(LEAST(Debt, 10), 0)) FILTER (WHERE Married) AS s, COUNT(*) FILTER (WHERE Age > 3) AS n FROM people",
    ),
    (lambda rows: rows.group_by("Race", dc.bin("Age", 5)).select(bin_Age=dc.count()),
     "SELECT Race, BIN(Age, 5) AS bin_Age_2, COUNT(*) AS bin_Age FROM people GROUP BY 1, 2"),
]


@pytest.mark.parametrize(("build", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_python_and_sql_give_the_same_question(people, build, text):
    built = build(Rows(people))
    assert built.question == read_sql(text, people)
    assert fingerprint(built.question) == fingerprint(read_sql(text, people))
    assert read_sql(str(built), people) == built.question


def test_rows_are_never_changed(people):
    rows = Rows(people)
    rows.where("Age > 3").group_by("Race")
    assert rows == Rows(people)
    with pytest.raises(FrozenInstanceError):
        rows.keys = ()


def test_a_question_goes_to_whoever_answers_it(people):
    class Clerk:
        def ask(self, question, **price):
            return "asked", question, price

        def quote(self, question, **price):
            return "quoted", question, price

    asking = Rows(people, asker=Clerk()).where("Age > 3").mean("Age")
    assert asking.ask(epsilon=0.1) == ("asked", asking.question, {"epsilon": 0.1})
    assert asking.quote(within=5) == ("quoted", asking.question, {"within": 5})


@pytest.mark.parametrize(
    ("build", "message", "hint"),
    [
        (lambda rows: rows.count().ask(epsilon=1), "facts alone", "dc.table"),
        (lambda rows: rows.count().quote(epsilon=1), "facts alone", "dc.table"),
        (lambda rows: rows.where("Agee > 3"), "Agee", "Age"),
        (lambda rows: rows.where("Age > 3; DROP TABLE people"), "found ;", "end"),
        (lambda rows: rows.mean("Debt"), "without public bounds", "GREATEST"),
        (lambda rows: rows.mean("Name"), "text", "COUNT"),
        (lambda rows: rows.mean("SUM(Age)"), "an aggregate stands", "SELECT"),
        (lambda rows: rows.mean("COUNT(*)"), "an aggregate stands", "SELECT"),
        (lambda rows: rows.group_by("Income"), "not public", "BIN"),
        (lambda rows: rows.group_by(dc.bin("Debt", 10)).count(), "no public bounds", "GREATEST"),
        (lambda rows: rows.group_by(dc.bin("Age", 0)), "not above 0", "BIN(x, 10)"),
        (lambda rows: rows.group_by(dc.bin("Age", 10**400)), "width of BIN", "a number"),
        (lambda rows: rows.group_by(7), "a key is not a int", "dc.bin"),
        (lambda rows: rows.select(n=7), "a statistic is not a int", "dc.count()"),
        (lambda rows: rows.group_by("Race").select(race=dc.count()), "and so is a key", "another name"),
        (lambda rows: rows.select(), "no statistic", "COUNT(*)"),
        (lambda rows: rows.group_by("Race").select(), "no statistic", "COUNT(*)"),
        (lambda rows: rows.select(**{f"n{age}": dc.count(where=f"Age = {age}") for age in range(101)}), "than 100", "several"),
    ],
)
def test_what_cannot_be_asked_is_refused_while_building(people, build, message, hint):
    with pytest.raises(QuestionError) as refused:
        build(Rows(people))
    assert message in refused.value.message
    assert hint in refused.value.hint


@pytest.mark.parametrize("given", [lambda row: row > 3, 3, ["Age"], b"Age"])
@pytest.mark.parametrize(
    ("verb", "said"),
    [
        (lambda rows, given: rows.where(given), "a condition is text in SQL, not a {}; write 'Age >= 40'"),
        (lambda rows, given: rows.mean(given), "a number is text in SQL, not a {}; write 'Age' or"),
        (lambda rows, given: rows.select(m=dc.correlation("Age", given)), "a number is text in SQL, not a {}; write 'Age' or"),
        (lambda rows, given: rows.select(n=dc.count(where=given)), "a condition is text in SQL, not a {}; write 'Age >= 40'"),
        (lambda rows, given: rows.group_by(given), "a key is not a {}; write 'Race' or"),
        (lambda rows, given: rows.group_by(dc.bin(given, 10)), "a number is text in SQL, not a {}; write 'Age' or"),
        (lambda rows, given: rows.join(given), "there is no lookup a {} in the facts"),
        (lambda rows, given: read_sql(given, rows.facts), "a question is text in SQL, not a {}; write 'SELECT"),
    ],
)
def test_what_is_no_text_is_refused_and_told_what_to_write(people, given, verb, said):
    with pytest.raises(QuestionError, match=re.escape(said.format(type(given).__name__))):
        verb(Rows(people), given)
