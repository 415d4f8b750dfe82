"""AT_CAPS(): the share of units that a cap cuts, one yes or no for each. Rule 40."""

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.choice import kept
from discreet.engines.wanted import Bound, ByStep, CutWanted
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Column
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from
from discreet.testing import seeded
from discreet.views.rows import answer_table

FACTS = """
[table]
name = "sales"
source = "sales.csv"
unit = {unit}
neighbours = "add_remove"
[budget]
epsilon = 1000000
delta = 0.001
[columns.week]
type = "integer"
null = "drop"
lower = 1
upper = 4
[columns.home]
type = "category"
null = "drop"
values = ["own", "rent"]
per_unit = true
[columns.shop]
type = "text"
"""
CAPPED = '{ column = "who", max_rows = 3, max_groups = 2 }'


def facts(unit=CAPPED):
    text = FACTS.replace("{unit}", unit)
    return parse_facts(text if "column" in unit else text.replace("per_unit = true\n", ""), "sales.toml")


def sales(weeks, unit=CAPPED):
    """A row for each week of each household; every second household rents."""
    rows = [{"who": f"h{who}", "week": week, "home": ["own", "rent"][who % 2], "shop": "s"}
            for who, each in enumerate(weeks) for week in each]  # fmt: skip
    about = facts(unit)
    return about, rows


def asked(sql, weeks, unit=CAPPED):
    about, rows = sales(weeks, unit)
    return curator_in_memory(about, Reference(about, rows)).ask(sql, epsilon=10**5)


WEEKS = [(1,), (1, 1, 1), (1, 1, 1, 1), (1, 2), (1, 2, 3), (4, 4, 4, None), (None,) * 9, (1, 2, 9)]


@pytest.mark.parametrize(
    ("sql", "share"),
    [
        ("SELECT AT_CAPS() AS s FROM sales", 3 / 8),                                  # 1111, 444?, ?????????
        ("SELECT AT_CAPS() AS s FROM sales PER UNIT 1 ROW", 7 / 8),
        ("SELECT AT_CAPS(week) AS s FROM sales", 3 / 7),                              # 1111, 123 and 129; nine rows in no week
        ("SELECT AT_CAPS(week) AS s FROM sales PER UNIT 9 ROWS, 4 GROUPS, 1 ROWS PER GROUP", 3 / 7),
        ("SELECT AT_CAPS() AS s FROM sales WHERE week < 4", 1 / 6),
        ("SELECT AT_CAPS() AS s, COUNT(*) AS n FROM sales", 3 / 8),                   # whatever else is read
    ],
)
def test_a_unit_says_yes_if_some_cap_cuts_it_before_any_does(sql, share):
    assert asked(sql, WEEKS).rows[0]["s"] == pytest.approx(share, abs=1e-3)


def test_groups_are_of_what_is_constant_per_unit():
    found = asked("SELECT home, AT_CAPS() AS s FROM sales GROUP BY home", WEEKS)
    assert [row["s"] for row in found.rows] == pytest.approx([2 / 4, 1 / 4], abs=1e-3)


@pytest.mark.slow
def test_a_unit_is_cut_if_and_only_if_what_stays_of_it_is_less_than_all_of_it():
    """All units of up to four rows in three weeks under all small caps, on both engines."""
    weeks = [each for size in range(1, 5) for each in product((1, 2, 3), repeat=size)]
    about, rows = sales(weeks)
    key, engines = ByStep(Column("week"), 1, 0, 1, 4), [Reference(about, rows), open_engine(about, pd.DataFrame(rows))]
    for caps in product((None, 1, 2), (None, 1, 2), (None, 1, 3)):
        bound = Bound(7, *caps)
        if bound == Bound(7):
            continue
        placed = [(row["who"], row["week"], {"week": float(row["week"])}) for row in rows]
        stay = Counter(unit for unit, _, _ in kept(placed, bound, ["week"], 4))
        cut = sum(stay[f"h{who}"] < len(each) for who, each in enumerate(weeks))
        for engine in engines:
            found = engine.counts(CutWanted(None, (), key, bound)).take()
            assert dict(zip(found.bin.tolist(), found.rows.tolist(), strict=True)) == {
                bit: many for bit, many in ((0, len(weeks) - cut), (1, cut)) if many
            }, (caps, engine)
    for engine in engines:
        engine.close()


@pytest.mark.slow
def test_the_interval_holds_as_often_as_it_says_and_no_wider_one_is_needed():
    about, rows = sales([(1,) * (5 if who < 30 else 1) for who in range(100)])
    plan = make_plan(read_sql("SELECT AT_CAPS() AS s FROM sales", about), about, read_price(epsilon="0.5"))
    engine = Reference(about, rows)
    with seeded(4):
        ends = [answer_table(plan, released_from(plan, engine), 0.9).columns[0].intervals[0] for _ in range(600)]
    inside = np.mean([low <= 0.3 <= high for low, high in ends])
    assert 0.87 < inside < 0.96
    width = np.median([high - low for low, high in ends])
    assert 0.075 < width < 0.086  # Laplace noise of scale 2 on 30 and 70


@pytest.mark.parametrize(
    ("sql", "unit", "said"),
    [
        ("SELECT AT_CAPS() AS s FROM sales", '"row"', "each row is a unit of its own here, so that nothing is cut"),
        ("SELECT AT_CAPS() AS s FROM sales", '{ column = "who" }', "no cap of this question cuts anything that AT_CAPS()"),
        ("SELECT AT_CAPS() AS s FROM sales", '{ column = "who", max_groups = 2 }', "AT_CAPS(key) tells"),
        ("SELECT AT_CAPS(week) AS s FROM sales", '{ column = "who", max_groups = 4 }', "no cap of this question"),
        ("SELECT week, AT_CAPS() AS s FROM sales GROUP BY week", CAPPED, "leave out GROUP BY and name the key"),
        ("SELECT AT_CAPS() FILTER (WHERE week = 1) AS s FROM sales", CAPPED, "move the condition to WHERE"),
        ("SELECT AT_CAPS(shop) AS s FROM sales", CAPPED, "the values of shop are not public"),
        ("SELECT AT_CAPS(*) AS s FROM sales", CAPPED, ""),
    ],
)
def test_where_nothing_can_be_cut_or_told_once_it_is_refused_with_a_remedy(sql, unit, said):
    about, rows = sales(WEEKS, unit)
    with pytest.raises(dc.QuestionError) as refused:
        curator_in_memory(about, Reference(about, rows)).quote(sql, epsilon=1)
    assert said in str(refused.value)
    assert refused.value.hint


def test_the_note_says_that_rows_are_not_told_and_all_that_is_said_of_capped_counts_leads_to_it():
    about, rows = sales(WEEKS)
    curator = curator_in_memory(about, Reference(about, rows))
    found = curator.ask("SELECT AT_CAPS() AS s FROM sales", epsilon=1)
    assert found.left_out == ("AT_CAPS() is the share of units that are cut; that of rows has no bound, and is not offered",)
    assert curator.budget.spent == dc.Approximate(epsilon=1, delta=0)
    asked = {"COUNT(*) AS n": "", "week, COUNT(*) AS n": " GROUP BY week", "COUNT_UNITS(*) AS n": ""}
    offered = {
        "COUNT(*) AS n": "; AT_CAPS() asks for the share of units that are cut",
        "week, COUNT(*) AS n": "; AT_CAPS(week), in a question without GROUP BY, asks for the share of units that are cut",
        "COUNT_UNITS(*) AS n": None,
    }
    for sql, more in asked.items():
        quote, answer = (ask(f"SELECT {sql} FROM sales{more}", epsilon=1) for ask in (curator.quote, curator.ask))
        for told in (quote.left_out, answer.left_out, answer.receipt["left_out"]):
            assert [each for each in told if "AT_CAPS" in each] == ([] if offered[sql] is None else [told[0]])
            assert offered[sql] is None or told[0].endswith(offered[sql])


def test_it_is_stored_by_its_caps_and_replayed_beside_anything():
    about, rows = sales(WEEKS)
    curator = curator_in_memory(about, Reference(about, rows))
    first = curator.ask("SELECT AT_CAPS() AS s FROM sales", epsilon=1)
    beside = curator.ask("SELECT AVG(week) AS m, AT_CAPS() AS s FROM sales", epsilon=2)
    assert beside.rows[0]["s"] == first.value
    assert beside.cost == dc.Approximate(epsilon=1, delta=0)
    other = curator.quote("SELECT AT_CAPS() AS s FROM sales PER UNIT 2 ROWS", epsilon=1)
    assert not other.replay


def test_its_error_is_worked_out_for_units_and_not_for_rows():
    about, rows = sales(WEEKS, CAPPED)
    curator = curator_in_memory(about, Reference(about, rows))
    assert "for 100 / 1 000 / 10 000 units" in repr(curator.quote("SELECT AT_CAPS() AS s FROM sales", epsilon=1))
    wished = curator.quote("SELECT AT_CAPS() AS s FROM sales", within="0.01", assuming=1000)
    assert "for 1 000 units" in repr(wished)
    with pytest.raises(dc.QuestionError, match="how many units there are"):
        curator.quote("SELECT AT_CAPS() AS s FROM sales", within="0.01")


def test_python_says_the_same():
    about, rows = sales(WEEKS)
    built = curator_in_memory(about, Reference(about, rows)).all_rows
    assert str(dc.at_caps()) == "AT_CAPS()"
    assert "AT_CAPS(week) AS s" in built.select(s=dc.at_caps("week")).quote(epsilon=1).question


def test_a_share_of_nobody_is_not_shown():
    about, rows = sales([(1,), (), (1, 1, 1, 1), ()] * 20)
    curator = curator_in_memory(about, Reference(about, rows))
    answer = curator.ask("SELECT home, AT_CAPS() AS s FROM sales GROUP BY home", epsilon=9)
    assert [row["s"] for row in answer.rows] == [pytest.approx(0.5, abs=0.1), None]
    assert answer.too_few == ((), ("s",))
