"""What joins do to plans: multiplicities, private sizes, keys without a list, cells of a partition, quotes."""

from fractions import Fraction

import pytest

from discreet.errors import QuestionError
from discreet.facts import parse_facts
from discreet.planning.batches import make_plans
from discreet.planning.build import make_plan
from discreet.planning.partition import cells_touched
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1
delta = 0.001
partition = "c"
[columns.c]
type = "category"
values = [1, 2, 3]
[columns.x]
type = "integer"
lower = 0
upper = 10
null = 0
[columns.k]
type = "integer"
[join.one]
source = "one.csv"
key = "k"
[join.one.columns.r]
type = "category"
values = [1, 2]
[join.one.columns.town]
type = "text"
[join.two]
source = "two.csv"
key = "k"
max_matches = 2
[join.two.columns.v]
type = "integer"
lower = 0
upper = 5
[join.five]
source = "five.csv"
key = {{ x = "code" }}
max_matches = 5
"""
ONE, TWO, FIVE = "JOIN one USING (k)", "JOIN two USING (k)", "JOIN five ON x = code"


def facts_for(neighbours="add_remove", unit='"row"', size=""):
    return parse_facts(FACTS.format(neighbours=neighbours, unit=unit, size=size), "t.toml")


def planned(sql, facts, **price):
    return make_plan(read_sql(sql, facts), facts, read_price(**(price or {"epsilon": 1})))


def sensitivity(sql, facts):
    return planned(sql, facts).vectors[0].mechanism.sensitivity


@pytest.mark.parametrize(("joins", "times"), [
    ("", 1), (ONE, 1), (TWO, 2), (FIVE, 5), (f"LEFT {TWO}", 2), (f"{TWO} {FIVE}", 10), (f"{FIVE} {ONE} LEFT {TWO}", 10),
])  # fmt: skip
def test_a_row_counts_as_often_as_joins_may_repeat_it(joins, times):
    facts = facts_for()
    assert sensitivity(f"SELECT COUNT(*) AS n FROM t {joins}", facts) == times
    assert sensitivity(f"SELECT c, COUNT(*) AS n FROM t {joins} GROUP BY c", facts) == times
    assert sensitivity(f"SELECT SUM(t.x) AS n FROM t {joins}", facts) == 10 * times
    assert sensitivity(f"SELECT COUNT(DISTINCT t.x) AS n FROM t {joins}", facts) == times
    ranks = planned(f"SELECT MEDIAN(t.x) AS n FROM t {joins}", facts).vectors[0]
    assert ranks.mechanism.mechanisms[0].sensitivity == Fraction(times, 2)
    gaussian = planned(f"SELECT c, COUNT(*) AS n FROM t {joins} GROUP BY c", facts, rho="0.1").vectors[0].mechanism
    assert gaussian.sensitivity_squared == times**2


def test_replacing_a_row_counts_twice_over_groups():
    facts = facts_for("change_one", size="rows = 100")
    assert sensitivity(f"SELECT COUNT(*) AS n FROM t {TWO}", facts) == 2
    assert sensitivity(f"SELECT c, COUNT(*) AS n FROM t {TWO} GROUP BY c", facts) == 4


UNIT = '{ column = "id", max_rows = 3, max_groups = 2 }'


def test_caps_are_of_the_table_and_joined_rows_have_them_times_the_multiplicity():
    facts = facts_for(unit=UNIT)
    sql = f"SELECT c, AVG(x) AS m FROM t {TWO} {FIVE} GROUP BY c"
    plan = planned(sql, facts)
    assert (plan.wanted.unit.rows, plan.wanted.unit.groups) == (30, None)  # c has three values: twenty groups are no limit
    assert plan.vectors[0].mechanism.sensitivity == 30 * plan.vectors[0].statistic.x.grid.width
    binned = planned(f"SELECT BIN(x, 1) AS b, COUNT(DISTINCT id) AS n FROM t {TWO} GROUP BY b", facts)
    assert (binned.wanted.unit.groups, binned.vectors[0].mechanism.sensitivity) == (4, 4)
    assert planned(f"{sql} PER UNIT 1 ROWS", facts).wanted.unit.rows == 10
    assert planned(f"SELECT COUNT(DISTINCT id) AS n FROM t {TWO}", facts).vectors[0].mechanism.sensitivity == 1


@pytest.mark.parametrize("joins", [ONE, f"LEFT {ONE}", TWO])
def test_no_size_is_public_behind_a_join(joins):
    facts = facts_for("change_one", size="rows = 100")
    assert planned("SELECT COUNT(*) AS n, AVG(x) AS m FROM t", facts).vectors[0].statistic.word == "sum"
    plan = planned(f"SELECT COUNT(*) AS n, AVG(x) AS m, VAR_POP(x) AS v FROM t {joins}", facts)
    assert [vector.statistic.word for vector in plan.vectors] == ["bernstein"]
    by_id = facts_for("change_one", unit=UNIT, size="units = 7")
    assert not planned("SELECT COUNT(DISTINCT id) AS n FROM t", by_id).vectors
    assert planned(f"SELECT COUNT(DISTINCT id) AS n FROM t {joins}", by_id).vectors


def test_keys_without_a_list_are_told_only_where_a_row_stays_one_row():
    price = {"epsilon": 1, "delta": "1e-6"}
    facts = facts_for()
    assert planned(f"SELECT town, COUNT(*) AS n FROM t {ONE} GROUP BY town", facts, **price).vectors[0].groups is None
    with pytest.raises(QuestionError, match="one row may become several"):
        planned(f"SELECT town, COUNT(*) AS n FROM t {ONE} {TWO} GROUP BY town", facts, **price)
    by_id = facts_for(unit=UNIT)
    sql = f"SELECT town, COUNT(DISTINCT id) AS n FROM t {ONE} {TWO} GROUP BY town"
    assert planned(sql, by_id, **price).vectors[0].groups == 4


def test_cells_of_a_partition_are_read_from_the_column_of_the_table():
    facts = facts_for()
    assert cells_touched(read_sql(f"SELECT COUNT(*) AS n FROM t {TWO} WHERE c = 1 AND v > 2", facts), facts) == ("1",)
    assert cells_touched(read_sql(f"SELECT COUNT(*) AS n FROM t {ONE} WHERE r = 1", facts), facts) is None


def test_a_row_that_may_become_too_many_is_refused():
    text = FACTS.replace("max_matches = 2", "max_matches = 2147483647").format(neighbours="add_remove", unit='"row"', size="")
    with pytest.raises(QuestionError, match="one row may become 10,737,418,235 rows"):
        planned(f"SELECT COUNT(*) AS n FROM t {TWO} {FIVE}", parse_facts(text, "t.toml"))
    by_id = parse_facts(text.replace('unit = "row"', f"unit = {UNIT}"), "t.toml")
    with pytest.raises(QuestionError, match="may have 6,442,450,941 joined rows"):
        planned(f"SELECT COUNT(*) AS n FROM t {TWO}", by_id)


def test_several_questions_with_and_without_joins_have_one_price():
    facts = facts_for()
    asked = [read_sql(sql, facts) for sql in ("SELECT COUNT(*) AS n FROM t", f"SELECT AVG(v) AS n FROM t {TWO}")]
    plans = make_plans(asked, facts, read_price(epsilon=1))
    (count,), (mean,) = (plan.vectors for plan in plans)
    assert [count.mechanism.sensitivity, mean.mechanism.sensitivity / mean.statistic.x.grid.width] == [1, 2]
