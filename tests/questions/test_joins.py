"""Joins in questions: all ways of writing one are the same question, and whatever is not the declared key is refused."""

import pytest

from discreet.errors import QuestionError
from discreet.facts import parse_facts
from discreet.questions.algebra import Column, Join, Question
from discreet.questions.builder import Rows
from discreet.questions.check import checked
from discreet.questions.measures import count, mean
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text

FACTS = parse_facts("""
[table]
name = "people"
source = "people.csv"
unit = { column = "id", max_rows = 3 }
neighbours = "add_remove"
[budget]
epsilon = 1
[columns.zip]
type = "text"
[columns.age]
type = "integer"
lower = 0
upper = 120
[columns.decile]
type = "category"
values = [1, 2, 3]
[join.zips]
source = "zips.csv"
key = { zip = "code" }
max_matches = 2
[join.zips.columns.region]
type = "category"
values = ["north", "south"]
[join.zips.columns.age]
type = "integer"
lower = 0
upper = 9
[join.income]
source = "income.csv"
key = "decile"
[join.income.columns.decile]
type = "integer"
[join.income.columns.mean]
type = "number"
lower = 0
upper = 1000
[join.income.columns.region]
type = "category"
values = ["x"]
""", "people.toml")  # fmt: skip

ON = "FROM people JOIN zips ON people.zip = zips.code"
BOTH = f"{ON} JOIN income USING (decile)"
PLAIN = f"SELECT zips.region AS region, COUNT(*) AS n {ON} GROUP BY zips.region"

SAME = [
    "SELECT region, COUNT(*) AS n FROM people INNER JOIN zips ON zip = code GROUP BY region",
    "SELECT z.region, COUNT(*) AS n FROM people AS p JOIN zips AS z ON z.code = p.zip GROUP BY z.region",
    'select Z.REGION, count(*) as n from PEOPLE P join ZIPS Z on (p."ZIP" = z.Code) group by 1',
    "SELECT region AS region, COUNT(*) AS n FROM people JOIN zips z ON z.code = zip GROUP BY region",
]


@pytest.mark.parametrize("sql", SAME)
def test_all_ways_of_writing_a_join_are_the_same_question(sql):
    asked = read_sql(sql, FACTS)
    assert fingerprint(asked) == fingerprint(read_sql(PLAIN, FACTS))
    assert asked.joins == (Join("zips", "zip", "code"),)
    assert asked.keys == (Column("zips.region", "zips"),)


def test_the_text_of_a_question_is_read_as_that_question():
    for sql in [
        PLAIN,
        (
            f"SELECT people.age, zips.age AS other, COUNT(*) AS n, AVG(income.mean) {BOTH} WHERE people.age > 3 "
            "GROUP BY people.age, zips.age HAVING COUNT(*) > 3 ORDER BY zips.age LIMIT 3 PER UNIT 2 ROWS"
        ),
        "SELECT COUNT(DISTINCT id) AS n FROM people LEFT OUTER JOIN zips ON people.zip = zips.code",
        f"SELECT COUNT(*) AS n {BOTH} WHERE income.decile = 2 AND decile = 1",
    ]:
        asked = read_sql(sql, FACTS)
        assert read_sql(to_text(asked), FACTS) == asked, to_text(asked)


def test_the_order_of_joins_does_not_matter_and_keeping_rows_that_meet_none_does():
    one = f"SELECT COUNT(*) AS n {BOTH}"
    other = "SELECT COUNT(*) AS n FROM people JOIN income ON people.decile = income.decile JOIN zips ON zip = code"
    assert read_sql(one, FACTS) == read_sql(other, FACTS)
    forms = [one, other.replace("JOIN zips", "LEFT JOIN zips"), f"SELECT COUNT(*) AS n {ON}", "SELECT COUNT(*) AS n FROM people"]
    assert len({fingerprint(read_sql(sql, FACTS)) for sql in forms}) == 4


def test_a_key_alone_means_the_column_of_the_table():
    assert read_sql(f"SELECT COUNT(*) AS n {BOTH} WHERE decile = 1", FACTS) == read_sql(
        f"SELECT COUNT(*) AS n {BOTH} WHERE people.decile = 1", FACTS
    )


def test_a_column_of_a_lookup_is_no_unit_whatever_it_is_called():
    assert "COUNT_UNITS" in to_text(read_sql(f"SELECT COUNT(DISTINCT id) AS n {ON}", FACTS))
    with pytest.raises(QuestionError, match="id is not declared"):
        read_sql(f"SELECT COUNT(DISTINCT zips.id) AS n {ON}", FACTS)


REFUSED = [
    ("SELECT COUNT(*) FROM people¦, zips", "side by side", "write JOIN"),
    ("SELECT COUNT(*) FROM people ¦CROSS JOIN zips", "CROSS joins", "LEFT JOIN"),
    ("SELECT COUNT(*) FROM people ¦NATURAL JOIN zips", "NATURAL joins", "LEFT JOIN"),
    ("SELECT COUNT(*) FROM people ¦RIGHT JOIN zips ON zip = code", "RIGHT joins", "LEFT JOIN"),
    ("SELECT COUNT(*) FROM people ¦FULL OUTER JOIN zips ON zip = code", "FULL joins", "LEFT JOIN"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips", "how zips is joined is missing", "write ON people.zip = zips.code, the key"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips WHERE zip = code", "how zips is joined is missing", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people p LEFT JOIN ¦zips z GROUP BY age", "how zips is joined is missing", "write ON p.zip = z.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦zap", "no lookup zap", "write JOIN zips ON people.zip = zips.code, or"),
    ("SELECT COUNT(*) FROM people JOIN ¦zip ON zip = code", "no lookup zip", "write JOIN zips ON people.zip = zips.code, or"),
    ("SELECT COUNT(*) FROM people JOIN ¦people AS q ON people.zip = q.zip", "with itself", "two units"),
    ("SELECT COUNT(*) FROM people JOIN ¦(SELECT 1) ON zip = code", "subqueries", "declared lookup"),
    ("SELECT COUNT(*) FROM people JOIN ¦main.zips ON zip = code", "plain name", "declared lookup"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON people.age = zips.age", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people p JOIN ¦zips z ON p.age = z.age", "declared key only", "ON p.zip = z.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON TRUE", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON 1 = 1", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON people.zip < zips.code", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON people.zip = people.zip", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON people.zip = zips.code AND age > 3", "declared key only", "ON people.zip"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON people.zip = zips.code OR TRUE", "declared key only", "ON people.zip"),
    ("SELECT COUNT(*) FROM people JOIN ¦zips ON zips.zip = people.code", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people JOIN ¦income ON decile = decile", "declared key only", "people.decile = income.decile"),
    ("SELECT COUNT(*) FROM people JOIN zips USING (¦zip)", "declared key only", "ON people.zip = zips.code"),
    ("SELECT COUNT(*) FROM people JOIN income USING (decile¦, age)", "one pair", "USING"),
    ("SELECT COUNT(*) FROM people JOIN zips ON zip = code JOIN ¦zips ON zip = code", "zips is joined already", "once"),
    ("SELECT COUNT(*) FROM people JOIN zips a ON zip = code JOIN zips ¦b ON zip = code", "b is joined already", "once"),
    ("SELECT COUNT(*) FROM people z JOIN zips ¦z ON zip = code", "z is joined already", "name of its own"),
    (f"SELECT AVG(¦age) {ON}", "age is in several tables", "write people.age or zips.age"),
    (f"SELECT COUNT(*) {BOTH} WHERE ¦region = 'north'", "region is in several tables", "zips.region or income.region"),
    (f"SELECT AVG(zips.¦income) {ON}", "income is not declared", "there are"),
    (f"SELECT AVG(¦z.age) {ON}", "no table z", "people or zips"),
    ("SELECT COUNT(*) FROM people p JOIN zips ON zip = code WHERE ¦people.age = 3", "no table people", "p or zips"),
    (f"SELECT ¦COUNT(*) AS Region {ON} GROUP BY region", "called Region, and so is a key", "another name"),
    (f"SELECT COUNT(*) {ON} WHERE zips.region = ¦'west'", "not a declared value", "there are"),
    ("SELECT COUNT(*) FROM people WHERE ¦region = 'north'", "region is not declared",
     "it is in zips: write FROM people JOIN zips ON people.zip = zips.code"),
    ("SELECT Region, COUNT(*) FROM people GROUP BY ¦Region", "Region is not declared", "write FROM people JOIN zips"),
    (f"SELECT AVG(¦mean) {ON}", "mean is not declared", "it is in income: write FROM people JOIN income ON people.decile"),
    ("SELECT COUNT(*) FROM people WHERE ¦ID = 3", "ID is the unit", "it can only be counted: COUNT(DISTINCT id)"),
    ("SELECT people.id, COUNT(*) FROM people GROUP BY people.¦id", "id is the unit", "counted: COUNT(DISTINCT id)"),
    ("SELECT COUNT(*) FROM people WHERE ¦zips.region = 'north'", "no table zips", "write people"),
]


@pytest.mark.parametrize(("asked", "message", "hint"), REFUSED)
def test_a_refused_join_names_the_place_and_the_nearest_thing_that_works(asked, message, hint):
    position, text = asked.index("¦"), asked.replace("¦", "")
    with pytest.raises(QuestionError) as refused:
        read_sql(text, FACTS)
    assert message in refused.value.message
    assert hint in refused.value.hint
    assert refused.value.position == position


def test_python_builds_the_same_question():
    rows = Rows(FACTS).join("zips")
    asked = rows.where("region = 'north'").group_by("people.age").select(n=count(), m=mean("zips.age", where="region = 'north'"))
    sql = f"SELECT people.age AS age, COUNT(*) AS n, AVG(zips.age) FILTER (WHERE region = 'north') AS m {ON} "
    assert asked.question == read_sql(f"{sql} WHERE zips.region = 'north' GROUP BY people.age", FACTS)
    left = Rows(FACTS).join("ZIPS", outer=True).count().question
    assert left == read_sql(f"SELECT COUNT(*) AS count {ON.replace('JOIN', 'LEFT JOIN')}", FACTS)
    assert Rows(FACTS).join("income").group_by("region").mean("mean").question.outputs[0].name == "region"


@pytest.mark.parametrize("name", ["zip", "people", 3])
def test_python_refuses_to_join_what_is_not_declared(name):
    with pytest.raises(QuestionError, match="there is no lookup"):
        Rows(FACTS).join(name)


def test_python_refuses_the_same_lookup_twice():
    with pytest.raises(QuestionError, match="twice"):
        Rows(FACTS).join("zips").join("zips", outer=True).count()


@pytest.mark.parametrize("join", [Join("zip", "zip", "code"), Join("zips", "age", "age"), Join("ZIPS", "zip", "code")])
def test_a_question_made_by_hand_joins_by_the_declared_key_too(join):
    sound = read_sql(PLAIN, FACTS)
    assert checked(sound, FACTS) == sound
    with pytest.raises(QuestionError, match=r"no lookup|declared key"):
        checked(Question(sound.table, sound.outputs, None, sound.keys, joins=(join,)), FACTS)
