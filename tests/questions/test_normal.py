"""Questions that ask the same share a fingerprint; others do not."""

import itertools

import pytest

from discreet.questions.normal import fingerprint, normal
from discreet.questions.sql import read_sql

SAME = [
    [
        "SELECT COUNT(*) FROM people",
        "select count(*) as n from PEOPLE",
        "SELECT COUNT(1) FROM people AS p;",
        "SELECT COUNT(*) FROM people WHERE 1=1",
        "SELECT COUNT(*) FROM people WHERE TRUE OR Age > 3",
        "SELECT COUNT(*) FILTER (WHERE 2 > 1) FROM people HAVING TRUE",
        "SELECT /* hello */ COUNT(*) -- world\nFROM people",
    ],
    [
        "SELECT COUNT(*) FROM people WHERE Age > 3 AND Race = 1",
        "SELECT COUNT(*) FROM people WHERE Race = 1 AND Age > 3",
        "SELECT COUNT(*) FROM people WHERE 3 < age AND 1 = race AND TRUE",
        "SELECT COUNT(*) FROM people WHERE (Race IN (1)) AND (Age > 3 AND Age > 3.0)",
        "SELECT COUNT(*) FROM people WHERE NOT (Race <> 1 OR Age <= 3)",
        "SELECT COUNT(*) FROM people WHERE NOT NOT (Race = 1 AND Age > 1 + 2)",
    ],
    [
        "SELECT COUNT(*) FROM people WHERE Race IN (1, 2, 3)",
        "SELECT COUNT(*) FROM people WHERE Race IN (3, 2, 1, 1)",
        "SELECT COUNT(*) FROM people WHERE Race = 1 OR Race = 2 OR 3 = Race",
        "SELECT COUNT(*) FROM people WHERE NOT Race NOT IN (1, 2, 3)",
        "SELECT COUNT(*) FROM people WHERE NOT (Race <> 1 AND Race <> 2 AND Race <> 3)",
    ],
    [
        "SELECT COUNT(*) FROM people WHERE Age BETWEEN 3 AND 5",
        "SELECT COUNT(*) FROM people WHERE Age >= 3 AND 5 >= Age",
        "SELECT COUNT(*) FROM people WHERE NOT (Age NOT BETWEEN 3 AND 5)",
    ],
    [
        "SELECT COUNT(*) FROM people WHERE Married",
        "SELECT COUNT(*) FROM people WHERE Married = TRUE",
        "SELECT COUNT(*) FROM people WHERE Married <> FALSE",
        "SELECT COUNT(*) FROM people WHERE NOT Married = FALSE",
    ],
    [
        "SELECT SUM(Age * Income + 1) FROM people",
        "SELECT SUM(1 + Income * Age) FROM people",
        "SELECT SUM(1.0 + -(-Income) * Age) AS s FROM people",
    ],
    [
        "SELECT SUM(LEAST(Age, 10, 20)) FROM people",
        "SELECT SUM(LEAST(10, LEAST(20, Age))) FROM people",
    ],
    [
        "SELECT BIN(Age, 10) AS decade, COUNT(*) FROM people GROUP BY BIN(Age, 10)",
        "SELECT FLOOR(Age / 10) * 10, COUNT(*) FROM people GROUP BY 1",
        "SELECT 10 * FLOOR(Age / 10.0) AS decade, COUNT(*) FROM people GROUP BY decade",
    ],
    [
        "SELECT Race, COUNT(*) AS n FROM people GROUP BY Race HAVING n > 10 ORDER BY n DESC LIMIT 3",
        "SELECT Race r, COUNT(*) FROM people GROUP BY r HAVING 10 < COUNT(*) ORDER BY 2 DESC LIMIT 3",
    ],
    ["SELECT COUNT(*) FROM people WHERE Name = 'Ann'", "SELECT COUNT(*) FROM people WHERE Name LIKE 'Ann'"],
    ["SELECT COUNT(*) FROM people WHERE Born = '2000-01-01'", "SELECT COUNT(*) FROM people WHERE Born = DATE '2000-01-01'"],
    ["SELECT STDDEV(Age) FROM people", "SELECT STDDEV_SAMP(Age) FROM people"],
]
ONLY = [
    "SELECT COUNT(Age) FROM people",
    "SELECT COUNT(*), COUNT(*) FROM people",
    "SELECT COUNT(*) + 0 FROM people",
    "SELECT COUNT(*) FROM people WHERE Age > 3 OR Race = 1",
    "SELECT COUNT(*) FROM people WHERE Age >= 3 AND Race = 1",
    "SELECT COUNT(*) FROM people WHERE Age > 3.5 AND Race = 1",
    "SELECT COUNT(*) FILTER (WHERE Age > 3 AND Race = 1) FROM people",
    "SELECT COUNT(*) FROM people WHERE Race NOT IN (1, 2, 3)",
    "SELECT COUNT(*) FROM people WHERE Race IN (1, 2)",
    "SELECT COUNT(*) FROM people WHERE NOT Married",
    "SELECT COUNT(*) FROM people WHERE Name = 'ann'",
    "SELECT COUNT(*) FROM people WHERE Name LIKE 'Ann%'",
    "SELECT COUNT(*) FROM people WHERE \"Group\" = 'Ann'",
    "SELECT SUM(Age * (Income + 1)) FROM people",
    "SELECT SUM(Income / Age) FROM people",
    "SELECT SUM(Age / Rate) FROM people",
    "SELECT SUM(Age - Income) FROM people",
    "SELECT SUM(Income - Age) FROM people",
    "SELECT SUM(GREATEST(Age, 10)) FROM people",
    "SELECT SUM(COALESCE(Age, Income)) FROM people",
    "SELECT SUM(COALESCE(Income, Age)) FROM people",
    "SELECT BIN(Age, 5), COUNT(*) FROM people GROUP BY 1",
    "SELECT BIN(Age, 10, 5), COUNT(*) FROM people GROUP BY 1",
    "SELECT COUNT(*), BIN(Age, 10) FROM people GROUP BY 2",
    "SELECT Race, COUNT(*) AS n FROM people GROUP BY Race HAVING n > 10 ORDER BY n LIMIT 3",
    "SELECT Race, COUNT(*) AS n FROM people GROUP BY Race HAVING n > 10 ORDER BY n DESC LIMIT 4",
    "SELECT Race, COUNT(*) AS n FROM people GROUP BY Race ORDER BY n DESC LIMIT 3",
    "SELECT Race, Sex, COUNT(*) FROM people GROUP BY Race, Sex",
    "SELECT VAR_POP(Age) FROM people",
    "SELECT VAR_SAMP(Age) FROM people",
    "SELECT STDDEV_POP(Age) FROM people",
    "SELECT AVG(Age) FROM people",
    "SELECT SUM(Age) FROM people",
]


@pytest.mark.parametrize("forms", SAME, ids=lambda forms: forms[0])
def test_ways_of_writing_one_question_share_a_fingerprint(people, forms):
    assert len({fingerprint(read_sql(form, people)) for form in forms}) == 1


def test_different_questions_have_different_fingerprints(people):
    different = [forms[0] for forms in SAME] + ONLY
    prints = {text: fingerprint(read_sql(text, people)) for text in different}
    assert [pair for pair in itertools.combinations(different, 2) if prints[pair[0]] == prints[pair[1]]] == []


def test_what_the_reader_gives_is_in_its_one_form_already(people):
    for text in [form for forms in SAME for form in forms] + ONLY:
        question = read_sql(text, people)
        assert normal(question) == question


def test_fingerprints_are_stored_and_so_never_change(people):
    text = "SELECT Race, AVG(Age) FROM people WHERE Age BETWEEN 20 AND 29 AND Sex = 'male' GROUP BY 1 ORDER BY 2 DESC LIMIT 2"
    assert fingerprint(read_sql(text, people)) == "q1:163cb45b9ce0d5447d386cc1b3dbd0dc603632ad6f19bbe956ca382ebf9c402d"
