"""Subqueries that give one row for each unit: one question for all ways of writing them, and what is refused, with what works."""

from dataclasses import replace

import pytest

from discreet.errors import QuestionError
from discreet.facts.model import ByColumn
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text


@pytest.fixture(scope="module")
def households(people):
    """People as rows of households, which have one UrbanRural each."""
    columns = tuple(replace(each, per_unit=True) if each.name in ("UrbanRural", "Sex") else each for each in people.columns)
    return replace(people, columns=columns, unit=ByColumn("House", max_rows=3))


OLD = "SELECT House, Sex, COUNT(*) AS c FROM people WHERE Age > 17 GROUP BY House, Sex"
RENAMED = "SELECT House AS h, Sex AS u, COUNT(*) AS n FROM people WHERE 17 < Age GROUP BY h, u"
RATIO = "SELECT House, CLAMP(SUM(Age), 0, 99) AS a, CLAMP(COUNT(*), 1, 9) AS c FROM people GROUP BY House"
PARTS = "SELECT SUM(Age) AS a, COUNT(1) AS c FROM people GROUP BY House"
SAME = [
    ("SELECT AVG(CLAMP(s, 0, 9)) AS m FROM (SELECT House, SUM(Age) AS s FROM people GROUP BY House)",
     "select mean(clamp(w.total, 0, 9.0)) m from (select house, sum(people.Age) total from people group by 1) as w",
     "WITH w AS (SELECT SUM(Age) AS s, MAX(Rate) AS unused FROM people GROUP BY House) SELECT AVG(CLAMP(s, 0, 9)) FROM w AS x",
     "SELECT AVG(s) FROM (SELECT House, UrbanRural, CLAMP(SUM(Age), 0, 9) AS s FROM people GROUP BY House, UrbanRural)"),
    (f"SELECT Sex, COUNT(*) AS n FROM ({OLD}) WHERE c > 2 GROUP BY Sex HAVING n > 5 ORDER BY n DESC LIMIT 1",
     f"WITH a AS ({RENAMED}) SELECT u, COUNT(*) AS n FROM a WHERE n > 2 GROUP BY u HAVING n > 5 ORDER BY 2 DESC LIMIT 1"),
    (f"SELECT MEDIAN(CLAMP(a / c, 0, 9)) FROM ({RATIO})",
     f"SELECT MEDIAN(CLAMP(CLAMP(a, 0, 99) / CLAMP(c, 1, 9), 0, 9)) FROM ({PARTS})"),
]  # fmt: skip


@pytest.mark.parametrize("ways", SAME)
def test_all_ways_of_writing_a_value_of_units_are_one_question_whose_text_reads_back(households, ways):
    prints = {fingerprint(read_sql(way, households)) for way in ways}
    assert len(prints) == 1
    read = read_sql(ways[0], households)
    assert read_sql(to_text(read), households) == read


def test_conditions_inside_and_outside_values_and_the_table_itself_tell_questions_apart(households):
    inner = "SELECT House, {} AS s FROM people{} GROUP BY House"
    asked = [f"SELECT COUNT(s) AS n FROM ({inner.format(value, where)}){outer}" for value, where, outer in (
        ("SUM(Age)", "", ""), ("SUM(Age)", " WHERE Age > 3", ""), ("SUM(Age)", "", " WHERE s > 3"), ("MAX(Age)", "", ""),
        ("SUM(Age) FILTER (WHERE Age > 3)", "", ""), ("COUNT(*)", "", ""), ("COUNT(Age)", "", ""))]  # fmt: skip
    prints = {fingerprint(read_sql(sql, households)) for sql in [*asked, "SELECT COUNT(Age) AS n FROM people"]}
    assert len(prints) == len(asked) + 1


INNER = "SELECT House, SUM(Age) AS s FROM people GROUP BY House"
PER = "SELECT COUNT(*) FROM (SELECT House, {} FROM people GROUP BY House{})"
REFUSED = [
    (f"SELECT ¦AVG(s) FROM ({INNER})", "without public bounds", "CLAMP(s, 0, 1000)"),
    (f"SELECT AVG(¦s / 2) FROM ({INNER})", "computed with", "CLAMP(s, 0, 1000)"),
    ("SELECT COUNT(*) FROM (SELECT ¦Age FROM people)", "one row for each unit", "GROUP BY House"),
    ("SELECT COUNT(*) FROM (SELECT Sex, SUM(Age) AS s FROM people GROUP BY ¦Sex)", "one row for each unit", "GROUP BY House"),
    (PER.format("Debt, SUM(Age) AS s", ", ¦Debt"), "may differ", "declare its values"),
    ("SELECT COUNT(DISTINCT ¦House) FROM (SELECT House, Race, SUM(Age) AS s FROM people GROUP BY House, Race)", "several rows",
     "the table itself"),
    (PER.format("SUM(Age) AS s", ", ¦BIN(Age, 10)"), "columns of the table", "by itself"),
    (PER.format("SUM(Age) AS s, ¦Sex", ""), "not a key of the subquery", "GROUP BY behind the unit"),
    (PER.format("SUM(Age) AS s", " HAVING SUM(Age) ¦> 3"), "HAVING stands inside", "WHERE outside"),
    ("SELECT COUNT(*) FROM (SELECT ¦House, SUM(Age) AS s FROM people GROUP BY House LIMIT 3)", "LIMIT stand inside", "behind it"),
    ("SELECT COUNT(*) FROM (SELECT ¦House, SUM(Age) AS s FROM people GROUP BY House PER UNIT 2 ROWS)", "PER UNIT", "leave out"),
    (PER.format("¦SUM(Age)", ""), "has no name", "AS s"),
    (PER.format("¦VAR_POP(Age) AS s", ""), "no value of a unit", "COUNT, SUM, AVG, MIN and MAX"),
    (PER.format("¦MEDIAN(Age) AS s", ""), "no value of a unit", "COUNT, SUM, AVG, MIN and MAX"),
    (PER.format("¦SUM(Debt) AS s", ""), "Debt cannot be summed without public bounds", "GREATEST(LEAST("),
    (f"SELECT COUNT(DISTINCT ¦House) FROM ({INNER})", "is the unit", "COUNT(*)"),
    (f"SELECT AVG(¦Age) FROM ({INNER})", "has no column Age", "house, s"),
    ("SELECT COUNT(*) FROM (SELECT House FROM ¦(SELECT 1))", "inside another", "the table itself"),
    ("WITH a AS (SELECT House FROM people GROUP BY House)¦, b AS (SELECT 1) SELECT COUNT(*) FROM a", "second subquery", "one"),
    ("WITH a AS (SELECT House FROM people GROUP BY House) SELECT COUNT(*) FROM ¦people", "behind WITH", "FROM a"),
    (f"SELECT COUNT(*) FROM ({INNER}) AS a JOIN ¦zips ON a.z = zips.z", "joined with nothing", "inside"),
    (f"SELECT COUNT(¦b.s) FROM ({INNER}) AS a", "no table b", "write a"),
    ("SELECT AVG(CLAMP(Age, ¦9, 0)) FROM people", "above the upper one", "CLAMP(x, 0, 100)"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "message", "hint"), REFUSED)
def test_what_is_no_row_for_each_unit_is_refused_at_its_place_with_what_works(households, asked, message, hint):
    with pytest.raises(QuestionError) as refused:
        read_sql(asked.replace("¦", ""), households)
    assert message in refused.value.message
    assert hint in refused.value.hint
    assert refused.value.position == asked.index("¦")


def test_a_subquery_is_refused_where_every_row_is_a_unit_of_its_own_and_caps_where_it_has_no_rows_to_cut(people, households):
    with pytest.raises(QuestionError, match="unit of its own here") as refused:
        read_sql(f"SELECT COUNT(*) FROM ({INNER})", people)
    assert "FROM people itself" in refused.value.hint
    with pytest.raises(QuestionError, match="nothing to cap"):
        read_sql(f"SELECT COUNT(*) FROM ({INNER}) PER UNIT 3 ROWS", households)
