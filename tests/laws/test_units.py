"""Units with many rows: two tables that differ in one unit, the same question, and nothing but noise may tell them apart."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import units_at_random as units
from tests.laws.engines_of_laws import ENGINES, examples
from tests.laws.observing import PRICES, RELATIONS, compare, holds, judged, planned, priced, watching

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.choice import FEW, kept
from discreet.engines.wanted import Bound
from discreet.facts.model import Source
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Caps
from discreet.questions.caps import with_caps
from discreet.questions.check import checked
from discreet.questions.sql import read_sql


def compared(engine, relation, tables, sql, price, caps, per_unit=(), *, whole=True):
    """Distances and what they may be, the number of units being public where it stays the same."""
    number = len({units.unit_of(row) for row in tables[0]} - {None})
    facts = units.facts_for(relation, number if relation == "change_one" else None, per_unit)
    return compare(engine, facts, tables, sql, price, caps, whole=whole)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_statistics_of_tables_that_differ_in_one_unit_differ_by_no_more_than_the_planned_sensitivity(relation, engine):
    def each(tables, sql, price, caps, whole):
        return sql, compared(engine, relation, tables, sql, priced(price, sql), caps, whole=whole)

    of_each = units.neighbours(relation), units.questions(), st.sampled_from(PRICES), units.CAPS
    holds(examples(engine, 250, 60), each, *of_each)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_columns_declared_constant_per_unit_move_nothing_further_than_planned_where_the_rows_say_otherwise(relation, engine):
    def each(tables, sql, price, caps, whole):
        return sql, compared(engine, relation, tables, sql, priced(price, sql), caps, units.PER_UNIT, whole=whole)

    of_each = units.neighbours(relation), units.questions_about_constants(), st.sampled_from(PRICES), units.CAPS
    holds(examples(engine, 200, 40), each, *of_each)


def test_such_questions_are_planned_with_every_form_of_cap_and_with_clamped_units():
    met = Counter()

    @settings(max_examples=150, suppress_health_check=list(HealthCheck))
    @given(sql=units.questions(), caps=units.CAPS)
    def plan(sql, caps):
        facts = units.facts_for("add_remove")
        said = Caps(caps.get("max_rows", 3), caps.get("max_groups"), caps.get("max_rows_per_group"))
        wanted = make_plan(checked(with_caps(read_sql(sql, facts), said), facts), facts, read_price(epsilon=1)).wanted
        met.update(name for name in ("groups", "rows", "rows_per_group") if getattr(wanted.unit, name) is not None)
        met["clamped"] += any(measure.within for measure in wanted.measures)

    plan()
    assert {"groups", "rows", "rows_per_group", "clamped"} <= {name for name, count in met.items() if count}, met


def of(who, *rows):
    return [{"who": who, **row} for row in rows]


A = {"c": 1, "k": 6, "x": 1.0, "y": 100.0}
B = {"c": 2, "k": 6, "x": 2.0, "y": 100.0}
LOW = {"c": 1, "k": 0, "x": -5.0, "y": 0.0}
D = {"c": 3, "k": 6, "x": 10.5, "y": 100.0}
NONE = {"k": 6}  # is in the group without c
SOMEBODY = of("b", LOW)
BY_C = " FROM t GROUP BY c"
KINDS_OF_NOISE = [("both", {"epsilon": 1}), ("reference", {"rho": "0.5"})]  # what is wanted of an engine is the same for both
ATTAINED = [
    # relation, question, caps, the unit that comes (or is replaced by the one after it)
    ("add_remove", "SELECT COUNT(*) AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), []),
    ("add_remove", "SELECT SUM(k) AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), []),
    ("add_remove", "SELECT AVG(y) AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), []),
    ("add_remove", "SELECT VAR_POP(y) AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), []),
    ("add_remove", "SELECT COVAR(x, y) AS v FROM t", {"max_rows": 3}, of("a", *[D] * 9), []),
    ("add_remove", "SELECT COUNT(DISTINCT who) AS v FROM t", {"max_groups": 3}, of("a", A, A), []),
    ("add_remove", "SELECT COUNT(DISTINCT name) AS v FROM t", {"max_rows": 2}, of("a", *({"name": n} for n in "pqr")), []),
    ("add_remove", f"SELECT c, COUNT(*) AS v{BY_C}", {"max_rows": 4}, of("a", *[A] * 9), []),
    ("add_remove", f"SELECT c, COUNT(*) AS v{BY_C}", {"max_groups": 2, "max_rows_per_group": 3}, of("a", *[A, B, D] * 9), []),
    ("add_remove", f"SELECT c, SUM(k) AS v{BY_C}", {"max_groups": 2, "max_rows_per_group": 3}, of("a", *[A, B, D] * 9), []),
    ("add_remove", f"SELECT c, AVG(k) AS v{BY_C}", {"max_groups": 2, "max_rows_per_group": 3}, of("a", *[A, B, D] * 9), []),
    ("add_remove", f"SELECT c, COUNT(DISTINCT who) AS v{BY_C}", {"max_groups": 2}, of("a", A, B, D), []),
    ("change_one", "SELECT COUNT(*) AS v FROM t WHERE c = 1", {"max_rows": 3}, of("a", *[A] * 9), of("n", B)),
    ("change_one", "SELECT SUM(k - 3) AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), of("n", *[LOW] * 9)),
    ("change_one", "SELECT AVG(y) AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), of("n", *[LOW] * 9)),
    ("change_one", f"SELECT c, COUNT(*) AS v{BY_C}", {"max_rows": 4}, of("a", *[A] * 9), of("n", *[B] * 9)),
    ("change_one", f"SELECT c, SUM(k) AS v{BY_C}", {"max_groups": 1, "max_rows_per_group": 2}, of("a", *[A] * 5),
     of("n", *[B] * 5)),
    ("change_one", f"SELECT c, COUNT(DISTINCT who) AS v{BY_C}", {"max_groups": 1}, of("a", A), of("n", B, B)),
    ("change_one", "SELECT COUNT(*) FILTER (WHERE c = 1) AS v, COUNT(*) FILTER (WHERE c = 2) AS w, AVG(k) AS m FROM t",
     {"max_rows": 2}, of("a", *[A] * 5), of("n", *[B] * 5)),
    ("add_remove", "SELECT SUM(k) PER UNIT BETWEEN 0 AND 40 AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), []),
    ("add_remove", "SELECT SUM(y) PER UNIT BETWEEN 0 AND 500.5 AS v FROM t", {}, of("a", *[A] * 9), []),
    ("add_remove", f"SELECT c, SUM(k) PER UNIT BETWEEN 0 AND 9 AS v{BY_C}", {"max_rows": 1}, of("a", *[A, B, D, NONE] * 2), []),
    ("add_remove", f"SELECT c, SUM(k) PER UNIT BETWEEN 0 AND 9 AS v{BY_C}", {"max_groups": 2}, of("a", *[A, B, D] * 2), []),
    ("add_remove", "SELECT SUM(-k) PER UNIT BETWEEN -9 AND 4 AS v FROM t", {}, of("a", *[A] * 9), []),
    ("change_one", "SELECT SUM(k - 3) PER UNIT BETWEEN -9 AND 4 AS v FROM t", {}, of("a", *[A] * 9), of("n", *[LOW] * 9)),
    ("change_one", "SELECT SUM(k) PER UNIT BETWEEN 10 AND 20 AS v FROM t WHERE c = 1", {}, of("a", *[A] * 9), of("n", B)),
    ("change_one", f"SELECT c, SUM(k) PER UNIT BETWEEN 5 AND 9 AS v{BY_C}", {"max_groups": 1}, of("a", A, A), of("n", B, B)),
    ("add_remove", "SELECT AT_CAPS() AS v FROM t", {"max_rows": 3}, of("a", *[A] * 9), []),
    ("add_remove", "SELECT AT_CAPS(c) AS v, AVG(y) AS m FROM t", {"max_rows": 9, "max_groups": 2}, of("a", A, B, D), []),
    ("change_one", "SELECT AT_CAPS() AS v FROM t", {"max_rows": 3}, of("a", *[A] * 4), of("n", *[A] * 3)),
    ("change_one", "SELECT AT_CAPS(c) AS v FROM t", {"max_rows_per_group": 1}, of("a", A, A), of("n", A, B)),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "price"), KINDS_OF_NOISE)
@pytest.mark.parametrize(("relation", "sql", "caps", "one", "other"), ATTAINED)
def test_the_planned_sensitivity_is_attained_in_both_forms_and_for_both_kinds_of_noise(
    relation, sql, caps, one, other, engine, price
):
    found = compared(engine, relation, ([*SOMEBODY, *one], [*SOMEBODY, *other]), sql, price, caps)
    assert any(moved == allowed for moved, allowed in found), found


BOUNDED = "SUM(k) FILTER (WHERE c = {n}) PER UNIT BETWEEN 10 AND 100 AS v{n}"
BY_FILTERS = f"SELECT {', '.join(BOUNDED.format(n=n) for n in (1, 2, 3))} FROM t"
ATTAINED_BY_CONSTANTS = [
    ("add_remove", f"SELECT c, COUNT(*) AS v{BY_C}", {"max_rows_per_group": 3}, of("a", *[A, B, D] * 9), [], 3),
    ("add_remove", f"SELECT c, SUM(k) AS v{BY_C}", {"max_rows": 3}, of("a", *[A, B, D] * 9), [], 18),
    ("add_remove", f"SELECT c, COUNT(DISTINCT who) AS v{BY_C}", {}, of("a", A, B, D), [], 1),
    ("add_remove", "SELECT c, BIN(k, 4) AS g, COUNT(*) AS v FROM t GROUP BY c, BIN(k, 4)", {"max_rows_per_group": 2},
     of("a", *[A, B, D, LOW] * 5), [], 4),
    ("change_one", f"SELECT c, COUNT(*) AS v{BY_C}", {"max_rows_per_group": 3}, of("a", *[A] * 9), of("n", *[B] * 9), 6),
    ("change_one", f"SELECT c, COUNT(DISTINCT who) AS v{BY_C}", {}, of("a", A, D), of("n", B), 2),
    ("add_remove", "SELECT COUNT(*) FILTER (WHERE c = 1) AS v, COUNT(*) FILTER (WHERE c <> 1) AS w FROM t", {"max_rows": 2},
     of("a", *[A, B] * 5), [], 2),
    ("change_one", "SELECT COUNT(*) FILTER (WHERE c = 1) AS v, COUNT(*) FILTER (WHERE c = 2) AS w FROM t", {"max_rows": 2},
     of("a", *[A, B] * 5), of("n", B, B, D), 4),
    ("add_remove", f"SELECT c, SUM(k) PER UNIT BETWEEN 10 AND 100 AS v{BY_C}", {}, of("a", *[A, B, D] * 9), [], 100),
    ("add_remove", BY_FILTERS, {"max_rows": 1}, of("a", *[A, B, D] * 9), [], 100),
    ("change_one", BY_FILTERS, {}, of("a", *[A] * 30), of("n", *[B] * 30), 200),
    ("add_remove", f"SELECT c, AT_CAPS() AS v{BY_C}", {"max_rows": 2}, of("a", A, B, D), [], 1),
    ("change_one", f"SELECT c, AT_CAPS(k) AS v{BY_C}", {"max_groups": 1}, of("a", A, LOW), of("n", B), 2),
    ("change_one", "SELECT COUNT(DISTINCT who) FILTER (WHERE c = 1) AS v, COUNT(DISTINCT who) FILTER (WHERE c = 2) AS w FROM t",
     {}, of("a", A, B), of("n", B, D), 2),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "price"), KINDS_OF_NOISE)
@pytest.mark.parametrize(("relation", "sql", "caps", "one", "other", "moves"), ATTAINED_BY_CONSTANTS)
def test_a_unit_is_in_one_group_of_what_is_constant_and_the_sensitivity_of_that_is_attained(
    relation, sql, caps, one, other, moves, engine, price
):
    ((moved, allowed),) = compared(engine, relation, ([*SOMEBODY, *one], [*SOMEBODY, *other]), sql, price, caps, ("c",))
    assert moved == allowed
    assert "epsilon" not in price or allowed == moves


TRUTHS = (
    "CASE WHEN x > 0 THEN TRUE ELSE FALSE END", "CASE WHEN x > 0 THEN TRUE END", "IF(x > 0, TRUE, TRUE)", "IF(x > 0, TRUE, b)",
)  # fmt: skip


def test_a_key_of_truths_has_its_cells_in_one_order_whatever_the_text_names_first():
    """A truth value was its own place, and the text had TRUE in the first: rows were told under FALSE, or had no cell at all."""
    rows = [*of("a", {"x": 5.0}), *of("b", {"x": -3.0, "b": True}, {"x": -3.0, "b": False}), *of("c", {"x": 1.0})]
    for key, caps in product(TRUTHS, ({"max_rows": 2}, {"max_groups": 1, "max_rows_per_group": 1})):
        sql = f"SELECT {key} AS g, COUNT(*) AS n FROM t GROUP BY g"
        assert compared("both", "add_remove", (rows, rows[1:]), sql, {"epsilon": 1}, caps, whole=False)
        assert planned(units.facts_for("add_remove"), sql, {"epsilon": 1}, caps).axes[0].values[:2] == (False, True)


@settings(max_examples=60)
@given(tables=units.neighbours("add_remove"), caps=units.CAPS, how=st.sampled_from(["COUNT(*)", "SUM(k)", "AVG(y)"]))
def test_a_unit_is_in_one_cell_of_a_partition_whatever_its_rows_say(tables, caps, how):
    moved = Counter()
    for cell in ("1", "2", "3"):
        sql = f"SELECT {how} AS v FROM t WHERE c = {cell}"
        found = compared("reference", "add_remove", tables, sql, {"epsilon": 1}, caps, ("c",), whole=False)
        moved[cell] = sum(far for far, _ in found)
    assert sum(far != 0 for far in moved.values()) <= 1


BREAKERS = [
    ("one unit with very many rows", of("a", *[A] * 30_000)),
    ("many rows in all groups", [{"who": "a", "y": float(place % 101), "c": place % 3 + 1} for place in range(10_000)]),
    ("units that differ in case and space only", of("A", A) + of("a", A) + of("a ", A) + of(" a", A)),
    ("rows without a unit", of(None, A, B) + of("", A) + of("?", A) + of(float("nan"), B)),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("what", "rows"), BREAKERS)
@pytest.mark.parametrize("sql", ["SELECT COUNT(*) AS v FROM t", f"SELECT c, COUNT(*) AS v, AVG(y) AS m{BY_C}"])
def test_bad_units_move_nothing_further_than_planned(what, rows, sql):
    who = rows[0]["who"]
    other = [row for row in rows if row["who"] is not who] if what != "rows without a unit" else []
    tables = SOMEBODY + rows, SOMEBODY + other
    for moved, allowed in compared("reference", "add_remove", tables, sql, {"epsilon": 1}, {"max_rows": 3}):
        assert moved <= allowed if what != "rows without a unit" else moved == 0


LOUD = ["COUNT(*)", "COUNT(y)", "COUNT(DISTINCT who)", "COUNT(DISTINCT name)", "SUM(k)", "SUM(x)", "AVG(y)", "VAR_SAMP(y)",
        "STDDEV(x)", "COVAR(x, y)", "CORR(x, y)", "MEDIAN(y)", "QUANTILE(y, 0.9)", "MIN(x)", "MAX(x)", "AT_BOUNDS(x)",
        "REGR_SLOPE(x, y)", "MEDIAN(y, INTERVAL)",
        "COUNT(*) FILTER (WHERE c = 1)"]  # fmt: skip


@pytest.fixture(scope="module")
def loud(tmp_path_factory):
    """A file with three tables: a few people, the same beside one with 100 000 rows, and beside one with as many others."""
    import duckdb

    path = tmp_path_factory.mktemp("loud") / "t.duckdb"
    rows = "SELECT {who} AS who, {k} AS k, {x} AS x, {y} AS y, i % 3 + 1 AS c, 'n' || i AS name FROM range({size}) AS r(i)"
    few = rows.format(who="'p' || i % 5", k="i % 7", x="i % 12 - 5.0", y="i % 100 + 0.5", size=30)
    one = rows.format(who="'a'", k=6, x=10.5, y="i % 101 + 0.0", size=10**5)
    other = rows.format(who="'n'", k=0, x=-5.0, y="0.0", size=10**5)
    with duckdb.connect(str(path)) as connection:
        for name, parts in (("few", [few]), ("one", [few, one]), ("other", [few, other])):
            together = " UNION ALL ".join(parts)
            empty = "NULL AS s, NULL::BOOLEAN AS b, NULL::DATE AS d"
            connection.execute(f"CREATE TABLE {name} AS SELECT *, {empty} FROM ({together})")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("relation", "gone", "keys"), [("add_remove", "few", "c"), ("change_one", "other", "")])
def test_a_unit_with_very_many_rows_moves_no_statistic_further_than_planned(loud, relation, gone, keys):
    facts = units.facts_for(relation, 6 if relation == "change_one" else None)
    facts = replace(facts, budget=type(facts.budget)(dc.Pure(epsilon=1000)))
    engines = [open_engine(facts, Source("duckdb", str(loud), name)) for name in ("one", gone)]
    moved = Counter()
    for statistic in LOUD:
        sql = f"SELECT {f'{keys}, ' if keys else ''}{statistic} AS v FROM t{f' GROUP BY {keys}' if keys else ''}"
        found, tapes = [], []
        for engine in engines:
            with watching(tapes) as calls:
                answer = curator_in_memory(facts, engine).ask(sql, epsilon=1, max_rows=7, max_groups=2)
            assert len(answer.rows) == (4 if keys else 1)  # three values, and rows without one
            found.append(calls)
        for far, allowed in judged(relation, *found):
            assert far <= allowed, statistic
            moved[statistic] += far > 0
    assert len(+moved) >= 11  # the loud unit counts, except where both of them count the same
    for engine in engines:
        engine.close()


# ---- which rows stay


@settings(max_examples=300)
@given(table=units.TABLES, seed=st.randoms(), caps=st.tuples(*[st.none() | st.integers(1, 3)] * 3), key=st.integers(0, 99),
       cells=st.sampled_from([FEW, FEW + 1]))
def test_what_stays_of_a_unit_depends_on_its_own_rows_alone_and_not_on_their_order(table, seed, caps, key, cells):
    columns, bound = ["c", "s"], Bound(key, *caps)
    facts = units.facts_for("add_remove")
    read = Reference(facts, table)._rows
    placed = [(unit, row["c"] is None, row) for row, raw in zip(read, table, strict=True) if (unit := units.unit_of(raw))]

    def chosen(rows):
        return Counter((unit, cell, row["c"], row["s"]) for unit, cell, row in kept(rows, bound, columns, cells))

    everybody = chosen(placed)
    assert chosen(seed.sample(placed, len(placed))) == everybody
    for unit in {unit for unit, _, _ in placed}:
        alone = chosen([one for one in placed if one[0] == unit])
        assert alone == Counter({at: count for at, count in everybody.items() if at[0] == unit})


@given(rows=st.integers(1, 400), most=st.integers(1, 50), h=st.integers(0, 2**31 - 2))
def test_exactly_as_many_rows_stay_as_may_evenly_spread(rows, most, h):
    from discreet.engines.rules.choice import stays

    chosen = [place for place in range(1, rows + 1) if stays(place, rows, most, h)]
    assert len(chosen) == min(rows, most)
    gaps = np.diff(chosen)
    assert len(gaps) == 0 or rows <= most or set(gaps) <= {rows // most, rows // most + 1}


@pytest.mark.parametrize("cells", [FEW, FEW + 1])
def test_every_group_and_every_row_of_a_unit_is_left_out_about_equally_often(cells):
    groups, rows = Counter(), Counter()
    for unit in range(20_000):
        placed = [(str(unit), cell, {"c": float(cell)}) for cell in range(8)]
        groups.update(cell for _, cell, _ in kept(placed, Bound(5, groups=3), ["c"], cells))
        rows.update(cell for _, cell, _ in kept(placed, Bound(5, rows=3), ["c"], cells))
    for found in (groups, rows):
        spread = np.array([found[cell] for cell in range(8)]) / 20_000
        assert np.all(np.abs(spread - 3 / 8) < 0.02), spread  # six standard deviations


@pytest.mark.parametrize("cells", [FEW, FEW + 1])
@pytest.mark.parametrize("groups", [2, 3, 4, 6])
def test_which_rows_of_a_group_stay_does_not_follow_from_the_group(cells, groups):
    """One group of several, one row of as many: with one offset for both, each group would keep the same place every time."""
    stay, bound = Counter(), Bound(5, groups=1, rows_per_group=1)
    for unit in range(20_000):
        placed = [(str(unit), cell, {"c": float(row)}) for cell in range(groups) for row in range(groups)]
        stay.update((cell, row["c"]) for _, cell, row in kept(placed, bound, ["c"], cells))
    spread = np.array([stay[cell, float(row)] for cell in range(groups) for row in range(groups)]) / 20_000
    wanted = 1 / groups**2
    assert np.all(np.abs(spread - wanted) < 6 * np.sqrt(wanted / 20_000)), spread
