"""How many rows and groups units have: each unit counts once, on both engines, and a cap can be bought."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import UnitsWanted
from discreet.facts import parse_facts
from discreet.facts.model import MOST_OF_UNIT
from discreet.mechanisms.quantile import Quantile
from discreet.planning.build import make_plan
from discreet.planning.cells import cells_of
from discreet.planning.price import read_price
from discreet.privacy.prices import concentrated, pure
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text
from discreet.statistics.unit_sizes import SIZES
from discreet.testing import recorded, seeded

FACTS = """
[table]
name = "visits"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 100000
[columns.x]
type = "number"
null = "drop"
lower = 0
upper = 10
[columns.day]
type = "integer"
null = "drop"
lower = 1
upper = 7
[columns.place]
type = "category"
values = ["a", "b"]
other = true
[columns.note]
type = "text"
"""
ROWS = "SELECT ROWS_PER_UNIT(0.95) AS most FROM visits"


def facts(neighbours="add_remove", unit='{ column = "who" }', size=""):
    return parse_facts(FACTS.format(neighbours=neighbours, unit=unit, size=size), "t.toml")


def planned(sql, about=None, **price):
    about = about or facts()
    return make_plan(read_sql(sql, about), about, read_price(**(price or {"epsilon": 1})))


def rows_of(*sizes, start=0):
    return [{"who": f"p{start + unit}", "x": float(i % 11), "day": 1 + i % 7, "place": "abc"[i % 3], "note": "n"}
            for unit, size in enumerate(sizes) for i in range(size)]  # fmt: skip


def test_sizes_are_ranked_among_all_small_numbers_and_then_at_most_three_per_cent_apart():
    assert SIZES[:64] == tuple(range(1, 65))
    assert SIZES[-1] == MOST_OF_UNIT
    assert all(one < other <= one * 1.0313 + 1 for one, other in pairwise(SIZES))
    assert len(SIZES) < 700


@pytest.mark.slow
@pytest.mark.parametrize("where", ["", "WHERE x > 3", "WHERE place = 'a' OR day = 2"])
@pytest.mark.parametrize("key", ["", "day", "place", "BIN(x, 3)"])
def test_both_engines_count_every_unit_once_with_all_its_rows_or_groups_that_meet_where(where, key):
    about = facts()
    rows = rows_of(1, 1, 5, 9, 30, 2)
    rows += [{"x": 5.0, "day": 1, "place": "a", "note": "n", "who": who} for who in (None, "", "p1")]
    rows += [{"who": "odd", "x": None, "day": None, "place": None, "note": "n"}] * 3
    sql = f"SELECT {f'GROUPS_PER_UNIT(0.5, {key})' if key else 'ROWS_PER_UNIT(0.5)'} AS s FROM visits {where}"
    question = read_sql(sql, about)
    of = question.outputs[0].value.of
    wanted = UnitsWanted(question.where, () if of is None else cells_of((of,), about)[0])
    duckdb = open_engine(about, pd.DataFrame(rows))
    one, other = duckdb.counts(wanted).take(), Reference(about, rows).counts(wanted).take()
    duckdb.close()
    found = [(each.cell.tolist(), each.bin.tolist(), each.rows.tolist()) for each in (one, other)]
    assert found[0] == found[1]
    assert found[0][1] == sorted(set(found[0][1]))
    met = {"": lambda row: True, "WHERE x > 3": lambda row: (row["x"] or 0) > 3}.get(
        where, lambda row: row["place"] == "a" or row["day"] == 2)  # fmt: skip
    values = {
        "": lambda row: object(), "day": lambda row: row["day"],
        "BIN(x, 3)": lambda row: None if row["x"] is None else row["x"] // 3,
        "place": lambda row: row["place"] if row["place"] in ("a", "b") else "other",
    }[key]  # fmt: skip
    per_unit = defaultdict(set)
    for row in rows:
        if row["who"] and met(row) and values(row) is not None:
            per_unit[row["who"]].add(values(row))
    assert dict(zip(found[0][1], found[0][2], strict=True)) == Counter(map(len, per_unit.values()))


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
@pytest.mark.parametrize("q", ["0.5", "0.95", "1/10"])
def test_all_rows_of_one_unit_move_the_exact_law_by_epsilon_at_most_and_a_distance_by_its_sensitivity(relation, q):
    about = facts(relation, size="" if relation == "add_remove" else "units = 4")
    plan = planned(f"SELECT ROWS_PER_UNIT({q}) AS s FROM visits", about, epsilon=2)
    (one,) = plan.vectors[0].mechanism.mechanisms
    share = Fraction(q)
    assert one.sensitivity == (max(share, 1 - share) if relation == "add_remove" else 1)
    assert one.epsilon == 2
    worst, one = 0.0, Quantile(epsilon=one.epsilon, sensitivity=one.sensitivity, q=one.q)  # the same, on four sizes alone
    for table in (table for n in range(5) for table in product(range(3), repeat=n)):  # for each unit, the place of its size
        if not table:
            continue
        others = [table[1:]] if relation == "add_remove" else [(new, *table[1:]) for new in range(3)]
        for other in others:
            laws = [np.log(one.pmf([each.count(place) for place in range(4)])) for each in (table, other)]
            worst = max(worst, np.abs(laws[0] - laws[1]).max())
    assert worst <= 2 * (1 + 1e-9)
    if q == "0.5":
        assert worst > 0.55 * 2


UNIT = st.lists(st.tuples(st.integers(0, 10), st.integers(1, 7)), min_size=1, max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
def test_neighbouring_tables_differ_in_one_unit_however_many_rows_it_has_and_in_nothing_that_is_public(relation):
    moves = []

    @settings(max_examples=50, suppress_health_check=list(HealthCheck), deadline=None)
    @given(units=st.lists(UNIT, min_size=1, max_size=6), new=UNIT, many=st.integers(1, 50),
           what=st.sampled_from(["ROWS_PER_UNIT(0.9)", "GROUPS_PER_UNIT(0.5, day)", "GROUPS_PER_UNIT(1/3, BIN(x, 4))"]),
           where=st.sampled_from(["", "WHERE x > 4"]))  # fmt: skip
    def hold(units, new, many, what, where):
        table = [[{"who": f"p{place}", "x": float(x), "day": day} for x, day in unit] for place, unit in enumerate(units)]
        table[0] = table[0] * many
        changed = [] if relation == "add_remove" else [[{"who": "new", "x": float(x), "day": day} for x, day in new]]
        about = facts(relation, size="" if relation == "add_remove" else f"units = {len(units)}")
        seen = []
        for rows in (table, [*changed, *table[1:]]):
            curator = curator_in_memory(about, Reference(about, [row for unit in rows for row in unit]))
            with recorded() as calls:
                answer = curator.ask(f"SELECT {what} AS s FROM visits {where}", epsilon=1)
            seen.append((calls, (answer.columns, answer.split, answer.warnings, answer.rank_intervals, curator.budget.spent)))
        assert seen[0][1] == seen[1][1]
        (one,), (other,) = seen[0][0], seen[1][0]
        assert one.mechanism == other.mechanism
        moved = max(abs(one.exact.behind(place) - other.exact.behind(place)) for place in range(len(SIZES)))
        allowed = one.mechanism.sensitivity * one.mechanism.unit
        moves.append(moved / allowed)
        assert moved <= allowed

    hold()
    assert max(moves) == 1  # and so much it may be


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_the_answer_is_the_size_that_most_units_do_not_exceed(engine):
    about, rows = facts(), rows_of(*[3] * 200, *[8] * 700, *[20] * 100)
    held = open_engine(about, pd.DataFrame(rows)) if engine == "duckdb" else Reference(about, rows)
    curator = curator_in_memory(about, held)
    sql = ("SELECT ROWS_PER_UNIT(0.1) AS low, ROWS_PER_UNIT(0.5) AS middle, ROWS_PER_UNIT(0.95) AS most,"
           " GROUPS_PER_UNIT(0.5, day) AS groups, COUNT(DISTINCT who) AS n FROM visits")  # fmt: skip
    answer = curator.ask(sql, epsilon=50)
    assert {name: answer.rows[0][name] for name in ("low", "middle", "most", "groups")} == {
        "low": 3, "middle": 8, "most": 20, "groups": 7,
    }  # fmt: skip
    assert set(answer.rank_intervals[0]) == {"low", "middle", "most", "groups"}
    assert [column.kind for column in answer.columns] == ["quantile"] * 4 + ["count"]
    assert curator.budget.spent == dc.Pure(epsilon=50)
    assert curator.ask(sql, epsilon=50).replayed
    capped = curator.ask("SELECT AVG(x) AS m FROM visits", epsilon=50, max_rows=answer.rows[0]["most"])
    assert 0 < capped.rows[0]["m"] < 10
    curator.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [[], [1], [5] * 400, [1] * 300 + [200_000]], ids=["no rows", "one row", "all equal", "one unit with very many"]
)
def test_every_table_has_an_answer_and_one_unit_is_one_unit(sizes):
    about = facts()
    frame = pd.DataFrame({"who": np.repeat([f"p{i}" for i in range(len(sizes))], sizes).astype(object), "x": 1.0, "day": 1,
                          "place": "a", "note": "n"})  # fmt: skip
    curator = curator_in_memory(about, open_engine(about, frame))
    with seeded(2):
        answer = curator.ask(ROWS, epsilon=2)
    assert answer.rows[0]["most"] in SIZES
    if len(sizes) > 100:
        assert answer.rows[0]["most"] == sizes[0]
    assert curator.budget.spent == dc.Pure(epsilon=2)
    curator.close()


def test_the_price_is_that_of_one_choice_for_each_and_in_rho_its_eighth():
    sql = "SELECT ROWS_PER_UNIT(0.95) AS a, GROUPS_PER_UNIT(0.95, day) AS b, COUNT(DISTINCT who) AS n FROM visits"
    plan = planned(sql, epsilon=3)
    assert pure(plan.event) == dc.Pure(epsilon=3)
    assert [part.epsilon for part in plan.event.parts[1:]] == [1, 1]
    in_rho = planned(sql, rho=3)
    assert concentrated(in_rho.event).rho <= 3
    assert [part.epsilon**2 / 8 for part in in_rho.event.parts[1:]] == pytest.approx([1, 1], rel=1e-9)


def test_python_and_sql_ask_the_same_and_its_text_is_read_back():
    about = facts()
    curator = curator_in_memory(about, Reference(about, rows_of(*[4] * 50)))
    sql = "SELECT ROWS_PER_UNIT(0.95) AS a, GROUPS_PER_UNIT(0.9, day) AS b, GROUPS_PER_UNIT(1/3, BIN(x, 2)) AS c FROM visits"
    built = curator.select(a=dc.rows_per_unit("0.95"), b=dc.groups_per_unit(0.9, "day"), c=dc.groups_per_unit("1/3", "BIN(x, 2)"))
    assert built.question == read_sql(sql, about)
    assert to_text(built.question) == sql
    assert to_text(read_sql("SELECT ROWS_PER_UNIT(0.5) FROM visits", about)).endswith("AS rows_per_unit FROM visits")


@pytest.mark.parametrize(
    ("sql", "says", "hint"),
    [
        ("SELECT ROWS_PER_UNIT(1) AS s FROM visits", "the most that any unit has", "0.99"),
        ("SELECT ROWS_PER_UNIT(0) AS s FROM visits", "the least", "0.99"),
        ("SELECT ROWS_PER_UNIT(2) AS s FROM visits", "not between 0 and 1", "from 0 to 1"),
        ("SELECT ROWS_PER_UNIT(x) AS s FROM visits", "not a constant", "from 0 to 1"),
        ("SELECT day, ROWS_PER_UNIT(0.5) AS s FROM visits GROUP BY day", "for all of them together", "GROUP BY"),
        ("SELECT ROWS_PER_UNIT(0.5) FILTER (WHERE x > 1) AS s FROM visits", "meet WHERE", "move the condition"),
        ("SELECT GROUPS_PER_UNIT(0.5) AS s FROM visits", "lacks the key", "GROUPS_PER_UNIT(0.95, key)"),
        ("SELECT GROUPS_PER_UNIT(0.5, x) AS s FROM visits", "not public", "BIN(x, width)"),
        ("SELECT GROUPS_PER_UNIT(0.5, BIN(x, 0.000001)) AS s FROM visits", "the bins of this key", "wider bins"),
        ("SELECT GROUPS_PER_UNIT(0.5, note) AS s FROM visits", "not public", "declare"),
        ("SELECT AVG(x) AS s FROM visits", "nothing limits how many rows", "ROWS_PER_UNIT(0.95)"),
    ],
)
def test_what_has_no_answer_is_refused_with_what_to_write_instead(sql, says, hint):
    with pytest.raises(dc.QuestionError, match=says) as refused:
        planned(sql)
    assert hint in refused.value.hint


def test_where_every_row_is_a_unit_there_is_no_size_to_ask_for():
    with pytest.raises(dc.QuestionError, match="each row is a unit of its own") as refused:
        planned(ROWS, facts(unit='"row"'))
    assert "caps" in refused.value.hint
