"""What an ask has charged, and of what parts its answer is made. DETAILS, "Parts of an answer"."""

import pytest

import discreet as dc

SQL = "SELECT COUNT(*) AS n, AVG(x) AS m FROM t WHERE x > 3"


@pytest.fixture
def t():
    columns = {"x": dc.integer(0, 10), "y": dc.integer(0, 10, null=0)}
    rows = [{"x": n % 10, "y": n % 3} for n in range(200)]
    with dc.table(rows, columns=columns, unit="row", neighbours="add_remove", budget=10) as t:
        yield t


def told(answer):
    return [(part.what, part.price, part.stored) for part in answer.parts]


def test_an_ask_costs_what_it_has_charged_and_a_replay_nothing(t):
    first = t.ask(SQL, epsilon=1)
    assert (first.cost, first.paid, first.replayed) == (dc.Pure(epsilon=1), None, False)
    assert told(first) == [(what, dc.Pure(epsilon="0.5"), False) for what in ("COUNT(*)", "AVG(x)")]
    for analyst in (None, "alice"):
        again = t.ask(SQL, epsilon=1, analyst=analyst)
        assert (again.cost, again.replayed, t.budget.spent) == (dc.Pure(epsilon=0), True, dc.Pure(epsilon=1))
        assert all(part.stored for part in again.parts)
    again = t.ask(SQL, epsilon=1)
    assert again.paid == dc.Pure(epsilon=1)
    assert told(again) == [(what, price, True) for what, price, _ in told(first)]
    shape = again.to_dict()
    assert (shape["cost"], shape["paid"], shape["replayed"]) == ({"epsilon": "0"}, {"epsilon": "1"}, True)
    assert shape["parts"][0] == {"what": "COUNT(*)", "stored": True, "epsilon": "0.5"}
    assert "ε 1, replayed, free" in repr(again)


def test_what_is_charged_is_the_sum_of_the_parts_that_were_not_stored(t):
    t.ask("SELECT COUNT(*) AS n FROM t WHERE x > 3", epsilon=1)
    quote, partly = (ask("SELECT COUNT(*) AS n, AVG(y) AS m FROM t WHERE x > 3 AND TRUE", epsilon="0.8", weights={"n": 1, "m": 1})
                     for ask in (t.quote, t.ask))  # fmt: skip
    for each in (quote, partly):
        bought = [part.price.epsilon for part in each.parts if not part.stored]
        assert sum(bought) == each.cost.epsilon
    view = t.ask("SELECT 2 * COUNT(*) AS n FROM t WHERE x > 3", epsilon="0.1")
    assert (view.cost, view.paid, view.replayed) == (dc.Pure(epsilon=0), None, True)
    assert told(view) == [("COUNT(*)", None, True)]
    assert view.to_dict()["parts"] == [{"what": "COUNT(*)", "stored": True}]
    assert "paid" not in view.to_dict()


def test_two_names_of_one_question_in_a_batch_are_charged_once(t):
    first, second = t.ask_all(["SELECT COUNT(*) AS n FROM t", "SELECT COUNT(*) AS m FROM t"], epsilon=1)
    assert first.cost.epsilon + second.cost.epsilon == t.budget.spent.epsilon == 1
