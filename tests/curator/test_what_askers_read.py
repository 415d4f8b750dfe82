"""What those who ask get to read about their answers, from question to text."""

import pandas as pd

import discreet as dc

FRAME = pd.DataFrame({"ward": ["A", "B"] * 200, "nights": [1, 2, 3, 4] * 100, "pay": [10.5, 20.25] * 200})
COLUMNS = {"ward": dc.category("A", "B"), "nights": dc.integer(0, 30), "pay": dc.number(0, 100)}


def stays(budget=1000, **facts):
    given = {"name": "stays", "unit": "row", "neighbours": "add_remove", "columns": COLUMNS} | facts
    return dc.table(FRAME, budget=budget, **given)


BY_WARD = "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"


def test_intervals_that_hold_all_at_once_say_so():
    curator = stays()
    each, whole = curator.ask(BY_WARD, epsilon=1), curator.ask(BY_WARD, epsilon=1, simultaneous=True)
    for said in (repr(each), each._repr_html_()):
        assert "noise only, each by itself" in said
        assert "all at once" not in said
    for said in (repr(whole), whole._repr_html_()):
        assert "noise only, all at once" in said
        assert "each by itself" not in said
    assert whole.to_dict()["simultaneous"] is True
    assert "simultaneous" not in each.to_dict()


def test_a_rehearsal_says_that_it_is_free():
    curator = stays()
    for sql in (BY_WARD, "SELECT COUNT(*) AS n FROM stays", "SELECT COUNT(*) AS n, SUM(pay) AS s FROM stays"):
        made = curator.ask(sql, epsilon=1, rehearse=True)
        for said in (repr(made), made._repr_html_()):
            assert "a rehearsal, free" in said
            assert " left" not in said
            assert "ε 1" not in said
    assert curator.budget.spent == dc.Pure(epsilon=0)
