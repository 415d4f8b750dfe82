"""Names of what is bought: those of units whose groups are chosen say how, since that has changed."""

import pytest

from discreet.facts import parse_facts
from discreet.planning import identity
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql

FACTS = parse_facts(
    """
[table]
name = "t"
source = "t.csv"
neighbours = "add_remove"
unit = { column = "who", max_rows = 9 }
[budget]
epsilon = 1
[columns.day]
type = "integer"
lower = 1
upper = 31
null = "drop"
[columns.x]
type = "integer"
lower = 0
upper = 9
null = "drop"
""",
    "t.toml",
)
INNER = "SELECT day, AVG(CLAMP(s, 0, 9)) AS m FROM (SELECT who, day, SUM(x) AS s FROM t GROUP BY who, day) GROUP BY day"


def names(sql):
    return identity.names_of(make_plan(read_sql(sql, FACTS), FACTS, read_price(epsilon=1)))


@pytest.mark.parametrize(
    ("sql", "is_chosen"),
    [
        ("SELECT day, COUNT(*) AS n FROM t GROUP BY day PER UNIT 2 GROUPS, 1 ROW PER GROUP", True),
        ("SELECT day, MEDIAN(x) AS m FROM t GROUP BY day PER UNIT 2 GROUPS, 1 ROW PER GROUP", True),
        (f"{INNER} PER UNIT 2 GROUPS", True),
        (INNER, False),  # units keep all groups
        ("SELECT day, COUNT(*) AS n FROM t GROUP BY day PER UNIT 2 ROWS", False),
        ("SELECT day, x, COUNT(*) AS n FROM t GROUP BY day, x PER UNIT 2 GROUPS, 1 ROW PER GROUP", False),  # 310 cells, in order
    ],
)
def test_where_few_groups_are_chosen_a_name_is_not_that_of_before(monkeypatch, sql, is_chosen):
    now = names(sql)
    monkeypatch.setattr(identity, "FEW", 0)  # as if all of them had an order
    assert (names(sql) != now) == is_chosen
