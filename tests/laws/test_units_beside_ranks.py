"""Units that are counted beside values with ranks: rows are capped then, and a unit counts where its rows stay."""

import pandas as pd
import pytest

import discreet as dc
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Bound, ByValue, Measure, Wanted
from discreet.facts.model import Budget, ByColumn, Category, Facts, Integer
from discreet.questions.algebra import Column
from discreet.testing import recorded

GROUPS = tuple("abcdefgh")
ROWS = [{"who": f"p{place % 3}", "g": GROUPS[place % 8], "x": place % 5} for place in range(48)]
ALONE = [{"who": "alone", "g": group, "x": 4} for group in GROUPS]  # a unit with a row in every group


def asked(rows, relation, outputs, **caps):
    table = dc.table(pd.DataFrame(rows), unit={"column": "who", **caps}, neighbours=relation, budget=100,
                     columns={"g": dc.category(*GROUPS), "x": dc.integer(0, 10)})  # fmt: skip
    with recorded() as calls:
        table.ask(f"SELECT g, {outputs} FROM t GROUP BY g", epsilon=1)
    return [call for call in calls if isinstance(call.mechanism, dc.Laplace)]


@pytest.mark.parametrize("beside", ["MEDIAN(x) AS m", "MAX(x) AS m", "AVG(x) AS m"])
@pytest.mark.parametrize("caps", [{"max_rows": 1}, {"max_rows": 3}, {"max_groups": 2, "max_rows_per_group": 1}])
def test_one_unit_moves_the_counts_of_units_no_further_than_declared(beside, caps):
    outputs = f"COUNT(DISTINCT who) AS n, {beside}"
    one, other = asked(ROWS, "add_remove", outputs, **caps), asked([*ROWS, *ALONE], "add_remove", outputs, **caps)
    assert one
    tight = False
    for before, after in zip(one, other, strict=True):
        moved = abs(after.exact.astype(object) - before.exact.astype(object)).sum()
        assert moved <= before.mechanism.sensitivity
        tight |= moved == before.mechanism.sensitivity
    assert tight


CAPS = [{"rows": 1}, {"rows": 3}, {"rows_per_group": 1}, {"groups": 2, "rows_per_group": 1}, {"groups": 2}, {}]


@pytest.mark.parametrize("caps", CAPS)
def test_both_engines_count_the_same_units(caps):
    columns = (Category("g", GROUPS), Integer("x", 0, 10))
    facts = Facts("t", "", ByColumn("who"), "add_remove", columns, Budget(dc.Pure(epsilon=1)))
    wanted = Wanted(None, (ByValue(Column("g"), GROUPS),), (Measure(0, within=(0, 1)),), Bound(7, **caps))
    rows = [*ROWS, *ALONE]
    one, other = open_engine(facts, pd.DataFrame(rows)).run(wanted).take(), Reference(facts, rows).run(wanted).take()
    assert one.whole().tolist() == other.whole().tolist()
