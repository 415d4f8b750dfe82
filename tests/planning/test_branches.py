"""CASE and COALESCE over released numbers: intervals hold although noise decides which branch is shown."""

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.testing import seeded

TABLE = pd.DataFrame({"g": ["a"] * 10 + ["b"] * 12 + ["c"] * 300})
GROUPS = 900  # as many draws
FORMS = {  # what is shown, and what it is of the exact count
    "COALESCE(1 / (COUNT(*) - 10), 7)": lambda n: 1 / (n - 10) if n != 10 else 7,
    "COALESCE(NULLIF(COUNT(*), 10), 40)": lambda n: n if n != 10 else 40,
    "COALESCE(1 / NULLIF(COUNT(*) - 12, 0), 3 * COUNT(*))": lambda n: 1 / (n - 12) if n != 12 else 36,
    "COALESCE(COUNT(*) / 2, 7)": lambda n: n / 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("rows", [10, 12, 300])
def test_intervals_of_branches_hold_although_noise_chooses_them(rows):
    many = pd.DataFrame({"g": np.repeat(np.arange(GROUPS), rows)})
    table = dc.table(many, columns={"g": dc.integer(0, GROUPS - 1, null="drop")}, unit="row", neighbours="add_remove", budget=100)
    for form, exact in FORMS.items():
        with seeded(5):
            answer = table.ask(f"SELECT g, {form} AS v FROM t GROUP BY g", epsilon="1/2")
        ends = [each["v"] for each in answer.intervals]
        held = sum((low is None or low <= exact(rows)) and (high is None or exact(rows) <= high) for low, high in ends)
        assert held >= GROUPS * 0.95 - 4 * np.sqrt(GROUPS * 0.95 * 0.05), (form, held / GROUPS)


def test_what_is_certain_keeps_its_own_interval_and_what_is_not_has_all_that_may_be():
    columns = {"g": dc.category("a", "b", "c", null="drop")}
    table = dc.table(TABLE, columns=columns, unit="row", neighbours="add_remove", budget=10)
    with seeded(4):
        answer = table.ask(
            "SELECT g, COUNT(*) AS n, COALESCE(NULLIF(COUNT(*), 10), 60) AS v, COALESCE(2 / (COUNT(*) - 10), 7) AS w, "
            "COALESCE(COUNT(*), 0) AS c FROM t GROUP BY g", epsilon="1/2",
        )  # fmt: skip
    counts, near = [ends["n"] for ends in answer.intervals], [ends["v"] for ends in answer.intervals]
    assert [ends["c"] for ends in answer.intervals] == counts
    assert near[2] == counts[2]
    assert near[:2] == [(low, 60) for low, _ in counts[:2]]
    assert [ends["w"] for ends in answer.intervals][:2] == [(None, None)] * 2
    assert None not in answer.intervals[2]["w"]
