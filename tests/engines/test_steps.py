"""Numbers on their grid, straight from what is stored: the sums of the reference engine, on the grids that planning makes."""

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.nasty import reals, wholes

from discreet.engines import open_engine
from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.reference.engine import Reference
from discreet.engines.sql.writer import to_sql
from discreet.engines.wanted import Grid, Measure, Wanted
from discreet.facts.model import Budget, EachRow, Facts, Integer, Number
from discreet.privacy import Pure
from discreet.questions.algebra import Apply, Column, Literal
from discreet.statistics.grids import grid_for

BOUNDS = {
    "ages": (Fraction(0), Fraction(120)),
    "tenths": (Fraction(1, 10), Fraction(3, 10)),
    "below": (Fraction(-2001, 2), Fraction(-1, 3)),
    "around": (Fraction(-(10**6)), Fraction(10**6) + Fraction(1, 7)),
    "far": (Fraction(10**50), Fraction(2 * 10**50)),
    "tiny": (Fraction(-1, 10**40), Fraction(1, 10**40)),
    "shifted": (Fraction(2**30) + Fraction(1, 2), Fraction(2**30 + 7)),
    "one": (Fraction(20), Fraction(20)),
}


def grid_of(name, degree=1):
    return grid_for(BOUNDS[name], is_whole=False, degree=degree, noise=None, what=name)


def beside(name):
    """Numbers a part of a step, or some steps, outside of the bounds."""
    (low, high), step = BOUNDS[name], grid_of(name).step
    shares = [Fraction(2, 5), Fraction(1, 2), Fraction(3, 5), Fraction(1), Fraction(8, 5), Fraction(3)]
    return [float(end) for share in shares for end in (low - share * step, high + share * step)]


def facts_of(*columns):
    return Facts("t", "", EachRow(), "add_remove", columns, Budget(Pure(epsilon=1)))


@pytest.fixture(params=["double", "bigint", "float"])
def stored(request, tmp_path):
    """An engine on columns with these bounds, and the reference for the same rows."""
    arrays = {}
    for name, (low, high) in BOUNDS.items():
        between = [float(low + (high - low) * share) for share in (Fraction(1, 3), Fraction(1, 2), Fraction(7, 8))]
        values = [None, *reals(float(low), float(high)), *between, *beside(name)]
        match request.param:
            case "double":
                arrays[name] = pa.array(values, pa.float64(), from_pandas=False)
            case "float":
                arrays[name] = pa.array(values, pa.float64(), from_pandas=False).cast(pa.float32(), safe=False)
            case _:
                some = [None, *wholes(max(float(low), -1e15), min(float(high), 1e15))]
                arrays[name] = pa.array([some[at % len(some)] for at in range(len(values))], pa.int64())
    table, facts = pa.table(arrays), facts_of(*(Number(name, *ends) for name, ends in BOUNDS.items()))
    pq.write_table(table, tmp_path / "rows.parquet")
    engine = open_engine(facts, tmp_path / "rows.parquet")
    yield engine, Reference(facts, table.to_pylist())
    engine.close()


def measures(name, grid):
    """Counts, sums and squares, of all rows and of some."""
    some = Apply("less", (Column("ages"), Literal(Fraction(60))))
    plain = [Measure(power, Column(name), grid) for power in (0, 1, 2)]
    return (*plain, *(replace(each, filter=some) for each in plain))


@pytest.mark.parametrize("name", BOUNDS)
def test_sums_are_the_same_on_the_grids_of_planning(name, stored, same):
    for degree in (1, 2):
        grid = grid_of(name, degree)
        same(*stored, Wanted(None, (), measures(name, grid)))


@pytest.mark.parametrize("name", BOUNDS)
def test_sums_are_the_same_on_grids_whose_ends_are_not_the_bounds(name, stored, same):
    grid = grid_of(name)
    for low, high in ((1, 0), (0, -1), (1, -1), (-1, 1), (-5, 0)):
        moved = Grid(grid.step, grid.low + low, grid.high + high)
        same(*stored, Wanted(None, (), measures(name, moved)))


def test_products_and_integers_with_digits_are_the_same(tmp_path, same):
    rows = {"x": reals(0.0, 120.0), "n": reals(-5.0, 120.0)}
    table = pa.table({name: pa.array(values, pa.float64(), from_pandas=False) for name, values in rows.items()})
    facts = facts_of(Number("x", Fraction(0), Fraction(120)), Integer("n", -5, 120))
    pq.write_table(table, tmp_path / "rows.parquet")
    engine, reference = open_engine(facts, tmp_path / "rows.parquet"), Reference(facts, table.to_pylist())
    fine, coarse = Grid(Fraction(1, 128), 0, 15360), Grid(Fraction(1), -5, 120)
    both = [
        Measure(power, Column("x"), fine, None, and_of=Column("n"), and_grid=coarse, and_power=and_power)
        for power in (0, 1, 2)
        for and_power in (0, 1, 2)
    ]
    alone = tuple(Measure(power, Column("n"), coarse) for power in (0, 1, 2))
    same(engine, reference, Wanted(None, (), tuple(both)), Wanted(None, (), alone))
    engine.close()


def test_the_row_is_put_on_its_grid_before_it_is_brought_into_its_range(stored):
    """Else this file would test a path that is not taken."""
    engine, _ = stored
    layout, facts = engine._read(), engine._facts
    for name, bounds in BOUNDS.items():
        grid = grid_of(name)
        are_whole = layout.fields[name].stored == "whole" and all(each.denominator == 1 and each < 2**53 for each in bounds)
        is_direct = "TRY_CAST" in to_sql(Wanted(None, (), (Measure(1, Column(name), grid),)), facts, layout, DUCKDB)
        assert is_direct == (name != "one" and not are_whole)
