"""How much of a unit a question reads: caps from facts and question, the two forms, and what is refused."""

from fractions import Fraction

import pandas as pd
import pytest

import discreet as dc
from discreet.engines.wanted import Bound
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1000
[columns.x]
type = "integer"
lower = -2
upper = 10
null = 0
[columns.y]
type = "number"
null = "drop"
lower = 0
upper = 1
[columns.c]
type = "category"
null = "drop"
values = [1, 2, 3, 5]
"""
CAPPED = '{ column = "who", max_rows = 10, max_groups = 3 }'


def facts_with(unit=CAPPED, neighbours="add_remove", size=""):
    return parse_facts(FACTS.replace("{unit}", unit).replace("{neighbours}", neighbours).replace("{size}", size), "t.toml")


def planned(sql, facts, **price):
    return make_plan(read_sql(sql, facts), facts, read_price(**(price or {"epsilon": 1})))


def bound_without_key(plan):
    return Bound(0, plan.wanted.unit.groups, plan.wanted.unit.rows_per_group, plan.wanted.unit.rows)


FORMS = [
    ("SELECT COUNT(*) AS n FROM t", Bound(0), 10),
    ("SELECT COUNT(*) AS n FROM t PER UNIT 4 ROWS", Bound(0), 4),
    ("SELECT COUNT(*) AS n FROM t PER UNIT 2 ROWS PER GROUP", Bound(0), 2),
    ("SELECT SUM(x) AS n FROM t", Bound(0), 100),
    ("SELECT AVG(y) AS n FROM t", Bound(0, rows=10), None),
    ("SELECT c, COUNT(*) AS n FROM t GROUP BY c", Bound(0, groups=3, rows=10), 10),
    ("SELECT c, COUNT(*) AS n FROM t GROUP BY c PER UNIT 2 ROWS PER GROUP", Bound(0, groups=3), 6),
    ("SELECT c, COUNT(*) AS n FROM t GROUP BY c PER UNIT 4 ROWS PER GROUP", Bound(0, 3, 4, 10), 10),
    ("SELECT c, COUNT(*) AS n FROM t GROUP BY c PER UNIT 9 GROUPS, 2 ROWS PER GROUP", Bound(0), 8),
    ("SELECT c, COUNT(DISTINCT who) AS n FROM t GROUP BY c", Bound(0, groups=3), 3),
    ("SELECT c, COUNT(DISTINCT who) AS n FROM t GROUP BY c PER UNIT 2 ROWS", Bound(0, groups=2), 2),
    ("SELECT COUNT(*) FILTER (WHERE c = 1) AS n, COUNT(*) FILTER (WHERE c = 2) AS m, AVG(y) AS a FROM t", Bound(0, rows=10), 10),
]


@pytest.mark.parametrize(("sql", "bound", "sensitivity"), FORMS)
def test_caps_of_facts_and_question_decide_what_stays_and_how_much_noise_there_is(sql, bound, sensitivity):
    plan = planned(sql, facts_with())
    assert bound_without_key(plan) == bound
    assert sensitivity is None or plan.vectors[0].mechanism.sensitivity == sensitivity


def test_filters_that_no_row_meets_together_lie_side_by_side_only_where_rows_are_bounded():
    counts = "COUNT(*) FILTER (WHERE c = 1) AS n, COUNT(*) FILTER (WHERE c = 2) AS m"
    assert len(planned(f"SELECT {counts}, AVG(y) AS a FROM t", facts_with()).vectors) == 2
    assert len(planned(f"SELECT {counts} FROM t", facts_with()).vectors) == 2
    assert len(planned(f"SELECT {counts} FROM t", facts_with('"row"')).vectors) == 1


def test_units_are_free_where_their_number_is_public_and_nothing_is_left_out():
    facts = facts_with(neighbours="change_one", size="units = 12")
    assert not planned("SELECT COUNT(DISTINCT who) AS n FROM t", facts).vectors
    assert planned("SELECT COUNT(DISTINCT who) AS n FROM t WHERE x > 0", facts).vectors
    assert planned("SELECT COUNT(DISTINCT who) FILTER (WHERE x > 0) AS n FROM t", facts).vectors
    assert planned("SELECT c, COUNT(DISTINCT who) AS n FROM t GROUP BY c", facts).vectors
    assert planned("SELECT COUNT(*) AS n FROM t", facts).vectors


@pytest.mark.parametrize("units", [1, 2, 3])
def test_a_public_number_of_units_that_is_not_that_of_the_data_is_refused(tmp_path, units):
    (tmp_path / "t.csv").write_text("who,x,y,c\na,1,0,1\na,2,0,1\nA,2,0,1\n,2,0,1\n", encoding="utf-8")
    text = FACTS.replace("{unit}", CAPPED).replace("{neighbours}", "change_one").replace("{size}", f"units = {units}")
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    if units == 2:
        dc.register(tmp_path / "t.toml")
        assert dc.open(tmp_path / "t.toml").ask("SELECT COUNT(DISTINCT who) AS n FROM t", epsilon=1).rows[0]["n"] == 2
        return
    with pytest.raises(dc.FactsError, match="units differs"):
        dc.register(tmp_path / "t.toml")


def test_the_clause_is_read_back_and_caps_that_the_facts_have_anyway_make_no_other_question():
    facts = facts_with()
    clause = "per unit 5 rows, 2 groups, 3 rows per group"
    asked = read_sql(f"select c, count(*) as n from t group by c order by n limit 2 {clause}", facts)
    assert to_text(asked).endswith("LIMIT 2 PER UNIT 5 ROWS, 2 GROUPS, 3 ROWS PER GROUP")
    assert read_sql(to_text(asked), facts) == asked
    plain = read_sql("SELECT COUNT(*) AS n FROM t", facts)
    assert fingerprint(read_sql("SELECT COUNT(*) AS n FROM t PER UNIT 10 ROWS", facts)) == fingerprint(plain)
    assert fingerprint(read_sql("SELECT COUNT(*) AS n FROM t PER UNIT 9 ROWS", facts)) != fingerprint(plain)
    assert read_sql("SELECT COUNT(*) AS n FROM t per PER UNIT 9 ROWS", facts).caps.rows == 9  # an alias called per


REFUSED = [
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 0 ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 99999999999999999999 ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 1.5 ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3", "expected ROWS or GROUPS"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS PER UNIT", "expected GROUP"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS, 4 ROWS", "twice"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS LIMIT 1", "LIMIT comes too late"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT -3 ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 1e3 ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT five ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT '3' ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT ٣ ROWS", "not in the language"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT NULL ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 2147483648 ROWS", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 COLUMNS", "expected ROWS or GROUPS"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS,", "expected a cap from 1"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS 4 GROUPS", "side by side"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS PER UNIT 4 ROWS", "expected GROUP"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS PER GROUP, 2 ROWS PER GROUP", "twice"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS PER GROUP PER GROUP", "expected a comma"),
    (CAPPED, "SELECT COUNT(*) FROM t PER ROW 3 ROWS", "expected a comma"),
    (CAPPED, "SELECT COUNT(*) FROM t PER 3 ROWS", "expected a comma"),
    (CAPPED, "SELECT COUNT(*) FROM t PER UNIT 3 ROWS WHERE x > 1", "WHERE comes too late"),
    (CAPPED, "SELECT AVG(who) FROM t", "who is the unit"),
    ('"row"', "SELECT COUNT(*) FROM t PER UNIT 3 ROWS", "unit of its own"),
    ('"row"', "SELECT COUNT_UNITS(*) FROM t", "unit of its own"),
    ('{ column = "who" }', "SELECT COUNT(*) FROM t", "nothing limits"),
    ('{ column = "who", max_groups = 2 }', "SELECT c, AVG(x) AS m FROM t GROUP BY c", "nothing limits"),
    ('{ column = "who" }', "SELECT MEDIAN(x) FROM t", "nothing limits"),
]


@pytest.mark.parametrize(("unit", "sql", "message"), REFUSED)
def test_caps_that_cannot_be_are_refused_with_something_to_write_instead(unit, sql, message):
    with pytest.raises(dc.QuestionError, match=message) as caught:
        planned(sql, facts_with(unit))
    assert caught.value.hint


@pytest.mark.parametrize("cap", ["max_rows", "max_groups", "max_rows_per_group"])
@pytest.mark.parametrize("most", ["0", "-1", "1.5", '"many"', str(2**31)])
def test_facts_refuse_caps_of_nothing(cap, most):
    with pytest.raises(dc.FactsError, match=cap):
        facts_with(f'{{ column = "who", {cap} = {most} }}')


def people(**facts):
    rows = [{"who": f"u{i % 7}", "x": i % 5, "y": 0.5, "c": i % 3 + 1} for i in range(70)]
    columns = {"x": dc.integer(-2, 10, null=0), "y": dc.number(0, 1), "c": dc.category(1, 2, 3, 5, null="drop")}
    unit = {"column": "who", "max_rows": 4}
    return dc.table(pd.DataFrame(rows), columns=columns, unit=unit, neighbours="add_remove", budget=10**9, **facts)


def test_caps_beside_the_price_are_charged_remembered_and_replayed():
    table = people()
    first = table.ask("SELECT COUNT(*) AS n FROM t", epsilon=1000, max_rows=2)
    again = table.ask("SELECT COUNT(*) AS n FROM t PER UNIT 2 ROWS", epsilon=1000)
    other = table.ask("SELECT COUNT(*) AS n FROM t", epsilon=1000)
    assert abs(first.rows[0]["n"] - 14) <= 1
    assert abs(other.rows[0]["n"] - 28) <= 1
    assert again.replayed
    assert not other.replayed
    assert "PER UNIT 2 ROWS" in first.receipt["question"]
    assert "PER UNIT 2 ROWS" in str(table.quote("SELECT COUNT(*) AS n FROM t", epsilon=1, max_rows=2))
    for wrong in (0, -1, True, 2**31):
        for cap in ("max_rows", "max_groups", "max_rows_per_group"):
            with pytest.raises(dc.QuestionError, match=f"{cap} is {wrong}, not a whole number from 1") as refused:
                table.ask("SELECT COUNT(*) AS n FROM t", epsilon=1, **{cap: wrong})
            assert f"write {cap}=5" in refused.value.hint


def test_answers_about_units_are_those_of_what_stays():
    table = people()
    exact = table.ask(
        "SELECT c, COUNT(*) AS n, COUNT(DISTINCT who) AS u, AVG(y) AS m FROM t GROUP BY c", epsilon=10**6, max_rows=100
    )
    assert [(row["c"], row["n"], row["u"]) for row in exact.rows] == [(1, 24, 7), (2, 23, 7), (3, 23, 7), (5, 0, 0)]
    clamped = table.ask("SELECT SUM(x - 2) AS s FROM t", epsilon=10**6, max_rows=1)
    assert clamped.rows[0]["s"] == sum(max(-4, min(8, sum(i % 5 - 2 for i in range(70) if i % 7 == u))) for u in range(7))


def test_a_rehearsal_has_units_too():
    answer = people().ask("SELECT c, COUNT(*) AS n, COUNT(DISTINCT who) AS u FROM t GROUP BY c", epsilon=10**5, rehearse=True)
    assert sum(row["u"] for row in answer.rows) > 300


# ---- columns that are constant per unit

CONSTANT = """
[columns.r]
type = "category"
null = "drop"
values = [1, 2, 3]
per_unit = true
[columns.age]
type = "integer"
null = "drop"
lower = 0
upper = 99
per_unit = true
[columns.town]
type = "text"
per_unit = true
[columns.word]
type = "text"
"""


def constant_facts(unit=CAPPED, budget="epsilon = 1000\ndelta = 0.1", neighbours="add_remove"):
    text = FACTS.replace("{unit}", unit).replace("{neighbours}", neighbours).replace("{size}", "")
    return parse_facts(text.replace("epsilon = 1000", budget) + CONSTANT, "t.toml")


ONE_GROUP = [
    ("SELECT r, COUNT(*) AS n FROM t GROUP BY r", Bound(0), 10),
    ("SELECT r, BIN(age, 10) AS a, COUNT(*) AS n FROM t GROUP BY r, BIN(age, 10)", Bound(0), 10),
    ("SELECT r, COUNT(*) AS n FROM t GROUP BY r PER UNIT 2 ROWS PER GROUP", Bound(0), 2),
    ("SELECT r, COUNT(DISTINCT who) AS n FROM t GROUP BY r", Bound(0), 1),
    ("SELECT r, c, COUNT(*) AS n FROM t GROUP BY r, c PER UNIT 2 ROWS PER GROUP", Bound(0, groups=3), 6),
    ("SELECT r, c, COUNT(DISTINCT who) AS n FROM t GROUP BY r, c PER UNIT 9 GROUPS", Bound(0), 4),
    ("SELECT r, AVG(y) AS n FROM t GROUP BY r", Bound(0, rows=10), None),
]


@pytest.mark.parametrize(("sql", "bound", "sensitivity"), ONE_GROUP)
def test_keys_that_are_constant_per_unit_put_it_into_one_group(sql, bound, sensitivity):
    plan = planned(sql, constant_facts())
    assert bound_without_key(plan) == bound
    assert sensitivity is None or plan.vectors[0].mechanism.sensitivity == sensitivity


FILTERS = [
    ("r = 1", "r = 2", 1),
    ("age < 30", "age >= 30 AND x > 2", 1),
    ("r = 1 AND x > 2", "r = 2 AND x > 2", 1),
    ("x > 2", "x <= 2", 2),                                            # of rows, which a unit has for both
    ("age + x < 30", "age + x >= 30", 2),
    ("r = 1", "r IN (1, 2)", 2),
]


@pytest.mark.parametrize("counted", ["COUNT(*)", "SUM(x)", "COUNT(DISTINCT who)"])
@pytest.mark.parametrize(("one", "other", "vectors"), FILTERS)
def test_filters_of_which_a_unit_meets_one_at_most_share_a_price(counted, one, other, vectors):
    sql = f"SELECT {counted} FILTER (WHERE {one}) AS n, {counted} FILTER (WHERE {other}) AS m FROM t"
    plan = planned(sql, constant_facts())
    alone = planned(f"SELECT {counted} FILTER (WHERE {one}) AS n FROM t", constant_facts())
    assert len(plan.vectors) == vectors
    assert plan.vectors[0].mechanism.sensitivity == alone.vectors[0].mechanism.sensitivity
    assert [vector.share for vector in plan.vectors] == [Fraction(1, vectors)] * vectors


def test_a_key_without_a_list_that_is_constant_per_unit_is_one_of_each_unit():
    for key, groups in (("town", 1), ("word", 3)):
        plan = planned(f"SELECT {key}, COUNT(*) AS n FROM t GROUP BY {key}", constant_facts(), epsilon=1, delta="1e-6")
        assert plan.vectors[0].mechanism.groups == plan.vectors[0].groups == groups
    free = constant_facts('{ column = "who" }')
    alone = planned("SELECT town, COUNT(DISTINCT who) AS n FROM t GROUP BY town", free, epsilon=1, delta="1e-6")
    assert alone.vectors[0].groups == 1
    both = "SELECT town, c, COUNT(*) AS n FROM t GROUP BY town, c PER UNIT 3 GROUPS"
    assert planned(both, constant_facts(), epsilon=1, delta="1e-6").vectors[0].groups == 1


@pytest.mark.slow
@pytest.mark.parametrize(("neighbours", "spent"), [("add_remove", 3), ("change_one", 5)])
def test_cells_of_a_column_that_is_constant_per_unit_are_charged_side_by_side(neighbours, spent):
    rows = pd.DataFrame([{"who": f"u{i % 7}", "r": i % 3 + 1, "x": 1, "c": 1} for i in range(70)])
    columns = {"r": dc.category(1, 2, 3, per_unit=True), "c": dc.category(1, 2), "x": dc.integer(0, 1)}
    unit = {"column": "who", "max_rows": 4}
    for partition, charged in (("r", spent), ("c", 6)):
        budget = {"epsilon": 10, "partition": partition}
        table = dc.table(rows, columns=columns, unit=unit, neighbours=neighbours, budget=budget)
        for cell, price in ((1, 1), (2, 2), (3, 3)) if partition == "r" else ((1, 4), (2, 2)):
            table.ask(f"SELECT COUNT(*) AS n FROM t WHERE {partition} = {cell}", epsilon=price)
        assert table.budget.spent == dc.Pure(epsilon=charged)
