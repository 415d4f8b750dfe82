"""What the noise is added to comes from exact sums: on both engines, and on as many threads as there are."""

from contextlib import closing
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.facts.model import Budget, EachRow, Facts, Integer, Number
from discreet.planning.build import make_plan
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.testing import recorded

LARGEST, EPSILON = 1 << 61, 10**7  # where coordinates end; so large a price that grids are fine
FACTS = Facts(
    "t",
    "",
    EachRow(),
    "add_remove",
    (
        Integer("g", 0, 699),
        Number("x", Fraction(-3), Fraction(5)),
        Number("y", Fraction(0), Fraction(9)),
        Integer("i", -(2**50), 2**50),
    ),
    Budget(dc.Pure(epsilon=EPSILON)),
)
CORNERS = [{"g": 0, "x": x, "y": y, "i": i} for x, y, i in ((-3, 0, -(2**50)), (5, 9, 2**50), (5, 0, 0), (1, 4.5, -(2**50)))]


def given_to_noise(engine, outputs):
    """What the noise is added to, all cells of all coordinates, and how far one row may move it."""
    plan = make_plan(read_sql(f"SELECT g, {outputs} FROM t GROUP BY g", FACTS), FACTS, dc.Pure(epsilon=EPSILON))
    with recorded() as calls, closing(engine):
        release(plan, engine.run(plan.wanted))
    (call,) = calls
    return np.asarray(call.exact).astype(object), call.mechanism.sensitivity


def both(rows, outputs):
    """The same from two engines."""
    one, allowed = given_to_noise(open_engine(FACTS, pd.DataFrame(rows)), outputs)
    other, _ = given_to_noise(Reference(FACTS, rows), outputs)
    assert np.array_equal(one, other)
    return one, allowed


@pytest.mark.parametrize("outputs", ["VAR_POP(x)", "COVAR_POP(x, y)", "CORR(x, y)", "SUM(i)"])
@pytest.mark.parametrize("times", [1, 50])
def test_one_row_moves_what_two_engines_give_to_the_noise_no_further_than_declared(outputs, times):
    rows = CORNERS[1:] * times
    before, allowed = both(rows, outputs)
    for more in CORNERS[:2]:
        after, _ = both([*rows, more], outputs)
        assert np.abs(after - before).sum() <= allowed


@pytest.mark.parametrize(("outputs", "times"), [("CORR(x, y)", 64), ("VAR_POP(x)", 200_000), ("SUM(i)", 200_000)])
def test_coordinates_are_exact_sums_brought_down_once_on_any_number_of_threads(outputs, times):
    (one, _), (other, _) = both(CORNERS[:1], outputs), both(CORNERS[1:2], outputs)
    rows = pd.DataFrame(CORNERS[:2] * times)  # of both signs in every block of rows that a thread may get
    found, _ = given_to_noise(open_engine(FACTS, rows), outputs)
    assert np.array_equal(found, np.minimum(times * (one + other), LARGEST))
