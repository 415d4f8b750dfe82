"""Groups of a unit that stay: at 62 cells, where few become many, DuckDB and PostgreSQL choose as the reference does."""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pandas as pd
import pytest
from tests import postgres_server as pg
from tests.laws.engines_of_laws import Compared

from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.choice import FEW
from discreet.engines.wanted import Bound, ByStep, CountsWanted, Grid, Measure, Wanted
from discreet.facts.model import ByColumn, Integer
from discreet.questions.algebra import Column

K, X = Column("k"), Column("x")
GRID = Grid(Fraction(1), 0, 9)
CLAMPED = (Measure(0, within=(0, 2)), Measure(1, X, GRID, within=(0, 18)))
WIDE = (*CLAMPED, *(Measure(1, X, Grid(Fraction(1, 2**27), 0, 9 << 27), within=(0, (9 << 27) * (2**31 - 1))) for _ in range(2)))
MOST = 2**31 - 1


def made(cells):
    """Units in all cells, in the first, in the last and in some; rows in no cell, on both sides of them."""
    draw, rows = Random(cells), []
    for unit in range(12):
        of_unit = [range(cells), [0], [cells - 1], draw.sample(range(cells), draw.randint(1, cells))][unit % 4]
        rows += [{"who": unit - 3, "k": k, "x": draw.randint(0, 9)} for k in of_unit for _ in range(draw.randint(1, 3))]
    return rows + [{"who": 1, "k": k, "x": 1} for k in (-1, -70, cells, cells + 64, 2**40, -(2**40))]


def wanted(cells, groups):
    keys = (ByStep(K, Fraction(1), Fraction(0), 0, cells),)
    yield Wanted(None, keys, CLAMPED, Bound(7, groups=groups))
    yield Wanted(None, keys, WIDE, Bound(8, groups=groups))
    yield Wanted(None, keys, (Measure(0), Measure(1, X, GRID)), Bound(9, groups=groups, rows_per_group=1))
    yield Wanted(None, keys, (Measure(0), Measure(1, X, GRID)), Bound(10, groups=groups, rows=3))
    yield CountsWanted(None, keys, X, GRID, unit=Bound(11, groups=groups, rows_per_group=2))


def same(engine, cells, caps):
    for asked in (each for groups in caps for each in wanted(cells, groups)):
        engine.counts(asked) if isinstance(asked, CountsWanted) else engine.run(asked)
        assert not engine.differences, (cells, asked)


@pytest.fixture
def known(facts):
    return facts(Integer("k", -(2**41), 2**41), Integer("x", 0, 9), unit=ByColumn("who"))


@pytest.mark.parametrize("cells", [1, 2, FEW - 1, FEW, FEW + 1])
def test_in_duckdb(known, cells):
    rows = made(cells)
    same(Compared(open_engine(known, pd.DataFrame(rows)), Reference(known, rows)), cells, (1, 2, FEW - 1, FEW, MOST))


@pytest.mark.slow
@pytest.mark.parametrize("cells", [1, 2, FEW - 1, FEW, FEW + 1])
def test_in_postgresql(known, cells):
    rows = made(cells)
    table = pg.stored({"who": "int4", "k": "int8", "x": "int4"}, [tuple(row.values()) for row in rows])
    same(Compared(pg.opened(known, table), Reference(known, rows)), cells, (1, 2, FEW - 1, FEW, MOST))


@pytest.mark.parametrize(("cells", "groups"), list(product([1, 2, 5, FEW, FEW + 1], [1, 2, 4, FEW])))
def test_no_unit_is_in_more_groups_than_it_may_and_one_with_fewer_is_in_all_of_its_own(known, cells, groups):
    rows = [row for row in made(cells) if 0 <= row["k"] < cells]
    of_units = pd.DataFrame(rows).groupby("who")["k"].nunique()
    asked = Wanted(None, (ByStep(K, Fraction(1), Fraction(0), 0, cells),), (Measure(0, within=(0, 1)),), Bound(7, groups=groups))
    found = open_engine(known, pd.DataFrame(rows)).run(asked).take().low
    assert np.sum(found) == of_units.clip(upper=groups).sum()
