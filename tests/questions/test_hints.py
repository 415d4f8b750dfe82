"""What is refused says what to write, and what it says is accepted."""

import pytest

from discreet.errors import QuestionError
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql

FOLLOWED = [  # what is asked, what the hint says, and the question that follows it
    ("SELECT MAD(Age) FROM people", "MEDIAN(ABS(x - 20))", "SELECT MEDIAN(ABS(Age - 20)) FROM people"),
    ("SELECT COUNT(*) FROM people UNION SELECT COUNT(*) FROM people", "FILTER (WHERE …)",
     "SELECT COUNT(*) FILTER (WHERE Age < 30) AS a, COUNT(*) FILTER (WHERE Age >= 30) AS b FROM people"),
    ("SELECT Race, COUNT(*) FROM people GROUP BY ROLLUP (Race)", "SUM(COUNT(*)) OVER ()",
     "SELECT Race, COUNT(*), SUM(COUNT(*)) OVER () AS total FROM people GROUP BY Race"),
    ("SELECT Race, COUNT(*) FROM people GROUP BY GROUPING SETS ((Race), ())", "SUM(COUNT(*)) OVER ()",
     "SELECT Race, COUNT(*), SUM(COUNT(*)) OVER () AS total FROM people GROUP BY Race"),
    ("SELECT Race, COUNT(*) FROM people GROUP BY CUBE (Race, Married)", "GROUP BY a, b",
     "SELECT Race, Married, COUNT(*) FROM people GROUP BY Race, Married"),
    ("SELECT AVG(LEAST(GREATEST(Age / Gain * 60, 0), 700)) FROM people", "GREATEST(LEAST(Gain, 100), 0)",
     "SELECT AVG(LEAST(GREATEST(Age / GREATEST(LEAST(Gain, 100), 1) * 60, 0), 700)) FROM people"),
    ("SELECT AVG(LEAST(Age / (Rate - 0.5) * 60, 700)) FROM people", "GREATEST(LEAST(Age / (Rate - 0.5), 100), 0)",
     "SELECT AVG(LEAST(GREATEST(LEAST(Age / (Rate - 0.5), 100), 0) * 60, 700)) FROM people"),
    ("SELECT COALESCE(Sex, 'unknown'), COUNT(*) FROM people GROUP BY Sex", "GROUP BY COALESCE(Sex, 'unknown')",
     "SELECT COALESCE(Sex, 'unknown'), COUNT(*) FROM people GROUP BY COALESCE(Sex, 'unknown')"),
    ("SELECT IFF(Age > 17, 1, 0) AS adult, COUNT(*) FROM people GROUP BY adult", "IF(condition, x, y)",
     "SELECT IF(Age > 17, 1, 0) AS adult, COUNT(*) FROM people GROUP BY adult"),
    ("SELECT SUBSTR(Name, 1, 1) AS letter, COUNT(*) FROM people GROUP BY letter", "CASE",
     "SELECT CASE WHEN Name LIKE 'A%' THEN 'a' ELSE 'other' END AS letter, COUNT(*) FROM people GROUP BY letter"),
    ("SELECT AVG(LN(Income)) FROM people", "LN(GREATEST(Income, 1))", "SELECT AVG(LN(GREATEST(Income, 1))) FROM people"),
    ("SELECT AVG(EXP(Income)) FROM people", "EXP(LEAST(Income, 10))", "SELECT AVG(EXP(LEAST(Income, 10))) FROM people"),
    ("SELECT AVG(LOG(Rate)) FROM people", "LN(x) / LN(10)", "SELECT AVG(LN(Rate) / LN(10)) FROM people"),
    ("SELECT SQRT(AVG(Age)) FROM people", "AVG(SQRT(x))", "SELECT AVG(SQRT(Age)) FROM people"),
    ("SELECT SUM(Race) FROM people", "CAST(x AS INTEGER)", "SELECT SUM(CAST(Race AS INTEGER)) FROM people"),
    ("SELECT COUNT(*) FROM people WHERE Name SIMILAR TO 'a%'", "ILIKE", "SELECT COUNT(*) FROM people WHERE Name ILIKE 'a%'"),
    ("SELECT ARRAY_AGG(Name) FROM people", "COUNT(DISTINCT x)", "SELECT COUNT(DISTINCT Name) FROM people"),
    ("SELECT BOOL_OR(Married) FROM people", "COUNT_IF(condition)", "SELECT COUNT_IF(Married) FROM people"),
    ("SELECT COUNT(*) FROM people WHERE TRIM(Name) = 'Ann'", "LIKE '%abc%'",
     "SELECT COUNT(*) FROM people WHERE Name LIKE '%Ann%'"),
    ("SELECT COUNT(*) FROM people WHERE Born > CURRENT_DATE()", "DATE '2020-01-31'",
     "SELECT COUNT(*) FROM people WHERE Born > DATE '2020-01-31'"),
    ("SELECT AVG(DATE_DIFF('year', Born, Seen)) FROM people", "EXTRACT(year FROM x)",
     "SELECT AVG(EXTRACT(year FROM Seen) - EXTRACT(year FROM Born)) FROM people"),
    ("SELECT RANK() OVER (ORDER BY Age) FROM people", "ORDER BY",
     "SELECT Race, COUNT(*) AS n FROM people GROUP BY Race ORDER BY n DESC"),
    ("SELECT STDDEV(Age > 17) FROM people", "AVG(condition)", "SELECT AVG(Age > 17) FROM people"),
    ("WITH p AS (SELECT * FROM people) SELECT COUNT(*) FROM p", "ask for statistics", "SELECT COUNT(*) FROM people"),
]  # fmt: skip


def test_a_hint_that_is_followed_works(people):
    for asked, said, follows in FOLLOWED:
        with pytest.raises(QuestionError) as refused:
            read_sql(asked, people)
        assert said in refused.value.hint, (asked, refused.value.hint)
        assert make_plan(read_sql(follows, people), people, read_price(epsilon=1)).vectors
