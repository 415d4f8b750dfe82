"""The Python builder gives the same questions as SQL."""

import re
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import QuestionError
from discreet.planning.build import make_plan
from discreet.privacy.losses import Pure
from discreet.questions import measures as dc
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
    # what is computed from released values
    (lambda rows: rows.sum("Income") / rows.count(), "SELECT SUM(Income) / COUNT(*) FROM people"),
    (lambda rows: 1000 * rows.mean("Rate") - 1, "SELECT 1000 * AVG(Rate) - 1 FROM people"),
    (lambda rows: abs(-rows.where("Married").median("Age")) % 10, "SELECT ABS(-MEDIAN(Age)) % 10 FROM people WHERE Married"),
    (lambda rows: rows.group_by("Race").sum("Income") / Fraction(1, 3) + 0.1,
     "SELECT Race, SUM(Income) / (1 / 3) + 0.1 AS value FROM people GROUP BY Race"),
    (lambda rows: 1 / (2 - 10 % rows.count()), "SELECT 1 / (2 - 10 % COUNT(*)) FROM people"),
    (lambda rows: rows.select(share=100 * dc.count(where="Married") / dc.count(), n=dc.count()),
     "SELECT 100 * COUNT(*) FILTER (WHERE Married) / COUNT(*) AS share, COUNT(*) AS n FROM people"),
    (lambda rows: rows.select(d=abs(dc.mean("Age", where="Married") - dc.mean("Age", where="NOT Married"))),
     "SELECT ABS(AVG(Age) FILTER (WHERE Married) - AVG(Age) FILTER (WHERE NOT Married)) AS d FROM people"),
    # what becomes of the rows of the answer
    (lambda rows: rows.group_by("Race").count().order_by("count DESC").limit(3),
     "SELECT Race, COUNT(*) AS count FROM people GROUP BY Race ORDER BY 2 DESC LIMIT 3"),
    (lambda rows: rows.group_by("Race").select(n=dc.count(), m=dc.mean("Age")).order_by("m", "2 DESC", "Race").having("n > 100"),
     "SELECT Race, COUNT(*) AS n, AVG(Age) AS m FROM people GROUP BY Race HAVING n > 100 ORDER BY m, n DESC, Race"),
    (lambda rows: rows.group_by("Race").select(m=dc.mean("Age")).having("COUNT(*) > 9").having("m < 50").order_by("COUNT(*)"),
     "SELECT Race, AVG(Age) AS m FROM people GROUP BY Race HAVING m < 50 AND COUNT(*) > 9 ORDER BY COUNT(*)"),
    (lambda rows: rows.group_by(dc.bin("Age", 10)).select(**{"a b": dc.count()}).limit(9).order_by("a b").limit(2),
     'SELECT BIN(Age, 10), COUNT(*) AS "a b" FROM people GROUP BY 1 ORDER BY COUNT(*) LIMIT 2'),
    (lambda rows: (rows.group_by("Race").sum("Age") / rows.group_by("Race").count()).having("value > 3"),
     "SELECT Race, SUM(Age) / COUNT(*) AS value FROM people GROUP BY Race HAVING SUM(Age) / COUNT(*) > 3"),
]


@pytest.mark.parametrize(("build", "text"), PAIRS, ids=[text for _, text in PAIRS])
def test_python_and_sql_give_the_same_question(people, build, text):
    built = build(Rows(people))
    assert built.question == read_sql(text, people)
    assert fingerprint(built.question) == fingerprint(read_sql(text, people))
    assert read_sql(str(built), people) == built.question
    assert make_plan(built.question, people, Pure(epsilon=1)) == make_plan(read_sql(text, people), people, Pure(epsilon=1))


def test_the_unit_is_counted_by_its_name(members):
    built = Rows(members).select(n=dc.distinct("name", where="Married"))
    assert built.question == read_sql("SELECT COUNT(DISTINCT Name) FILTER (WHERE Married) AS n FROM people", members)


def test_numbers_of_numpy_stand_on_either_side(people):
    rows = Rows(people)
    assert np.float64("0.1") * rows.count() == rows.count() * np.float64("0.1") == 0.1 * rows.count()
    assert np.int64(3) - dc.count() == 3 - dc.count()


def test_builders_show_the_sql_they_stand_for_and_how_to_ask_it(people):
    rows = Rows(people).where("Age >= 40")
    assert repr(rows.group_by("Race")).startswith("FROM people WHERE Age >= 40 GROUP BY Race\n· ask about them: .count()")
    assert repr(rows.count()).startswith("SELECT COUNT(*) AS count FROM people WHERE Age >= 40\n· built from facts alone")
    assert ".quote(epsilon=0.1)" in repr(Rows(people, asker=object()).count())
    shown = {
        "COUNT(*)": dc.count(), "COUNT(DISTINCT Race)": dc.distinct("Race"), "MEDIAN(Age)": dc.median("Age"),
        "QUANTILE(Age, 0.9, INTERVAL)": dc.quantile("Age", "0.9", interval=True), "ROWS_PER_UNIT(0.5)": dc.rows_per_unit(0.5),
        "GROUPS_PER_UNIT(0.5, Race)": dc.groups_per_unit(0.5, "Race"), "CORR(Age, Income)": dc.correlation("Age", "Income"),
        "100 * (SUM(Age) FILTER (WHERE Married) / COUNT(*))": 100 * (dc.sum("Age", where="Married") / dc.count()),
        "-ABS(1 - AVG(Age))": -abs(1 - dc.mean("Age")),
    }  # fmt: skip
    for text, statistic in shown.items():
        assert repr(statistic).startswith(f"{text}\n· for a question about a table: table.select(name=…)")
        assert str(statistic) == text
    assert repr(dc.bin("Age", 10)).startswith("BIN(Age, 10)\n")
    assert repr(dc.bin("Age", 10, 5)).startswith("BIN(Age, 10, 5)\n")


@pytest.mark.slow
def test_what_doubles_is_refused_before_it_is_large(people):
    def repeated(one, step, times):
        return one if times == 0 else repeated(step(one), step, times - 1)

    for one in (dc.count(), Rows(people).count()):
        with pytest.raises(QuestionError, match="more than 10000 parts"):
            repeated(one, lambda it: it + it, 60)
        with pytest.raises(QuestionError, match="100 deep"):
            repeated(one, lambda it: 1 - it, 100)


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
        (lambda rows: rows.count() / "2", "a str is not computed with", "dc.count()"),
        (lambda rows: rows.count() * 10**400, "too large or too small", ""),
        (lambda rows: dc.count() * True, "a bool is not computed with", "dc.count()"),
        (lambda rows: rows.count() / dc.count(), "a Statistic is not computed with", "dc.count()"),
        (lambda rows: rows.where("Married").count() / rows.count(), "different rows", "where="),
        (lambda rows: rows.select(a=dc.count(), b=dc.sum("Age")) / 2, "several numbers", "select("),
        (lambda rows: rows.group_by("Race").count().limit(2) / 2, "sorted or cut off", "sort what"),
        (lambda rows: rows.count().having("Age > 3"), "Age is not a key", "aggregate it"),
        (lambda rows: rows.count().having("count"), "not a condition", "COUNT(*) > 100"),
        (lambda rows: rows.count().having("count > 3 LIMIT 2"), "found LIMIT", "LIMIT"),
        (lambda rows: rows.count().order_by("m"), "m is not declared", "there are"),
        (lambda rows: rows.count().order_by("2 DESC"), "no output 2", "from 1 to 1"),
        (lambda rows: rows.count().order_by(2), "an order is text in SQL, not a int", "'n DESC'"),
        (lambda rows: rows.count().order_by("count > 3"), "only arithmetic", "HAVING"),
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
