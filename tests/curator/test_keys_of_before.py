"""Keys and groups that an earlier version has chosen by another rule: told again for free, and used by nothing new."""

from contextlib import closing
from fractions import Fraction

import pytest
from tests.ledger.made import edit, spent, sql, write_table

from discreet.curator import office, open_table
from discreet.curator.orders import Order, crossed
from discreet.planning import identity, purchase
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql

PRICE = {"epsilon": 1, "delta": "1e-6"}
COUNTED = "SELECT name, COUNT(DISTINCT who) AS n FROM t GROUP BY name"
MEAN = "SELECT name, AVG(x) AS m FROM t GROUP BY name"
BOTH = "SELECT name, AVG(x) AS m, SUM(x) FILTER (WHERE place = 1) AS s FROM t GROUP BY name"
ROWS = "who,x,place,name\n" + "".join(f"p{i},{j},1,w{j}\n" for i in range(300) for j in range(3))


@pytest.fixture
def t(tmp_path):
    file = write_table(tmp_path, budget="epsilon = 100\ndelta = 0.001", rows=ROWS)
    edit(file, 'unit = "row"', 'unit = { column = "who", max_rows = 3, max_groups = 2 }')
    office.register(file)
    curator = open_table(file)
    yield curator
    curator.close()


@pytest.fixture(params=identity.EARLIER)
def before(request):
    """The names that an earlier version wrote, until ``undo``."""

    def of_then(plan, found_by=identity.HERE, *, age=0):
        return identity.names_of(plan, found_by, age=max(age, request.param))

    with pytest.MonkeyPatch.context() as change:
        change.setattr(purchase, "names_of", of_then)
        yield change


@pytest.mark.slow
def test_keys_chosen_by_an_earlier_version_are_told_again_for_free_and_serve_no_other_question(t, before):
    asked = [COUNTED, MEAN, BOTH]
    firsts = [t.ask(question, **PRICE) for question in asked]
    assert firsts[2].free  # what it shares with the one before, on the keys of that
    paid = spent(t)
    before.undo()
    for question, first in zip(asked, firsts, strict=True):
        again, wider = t.ask(question, **PRICE), t.ask(question, confidence="0.99", **PRICE)
        assert again.replayed
        assert wider.replayed
        assert (again.rows, again.id) == (first.rows, first.id) == (wider.rows, wider.id)
        assert t.quote(question, **PRICE).replay
    assert spent(t) == paid
    view = t.ask(f"{MEAN} ORDER BY m DESC", **PRICE)  # of other rows, and maybe of other keys
    assert not view.replayed
    assert paid < spent(t) <= paid + 1
    assert t.ask(f"{MEAN} ORDER BY m", **PRICE).replayed


@pytest.mark.slow
def test_what_an_earlier_version_was_choosing_keys_for_when_it_died_is_finished_without_a_charge(t, before, tmp_path):
    for question in (COUNTED, BOTH):
        plan = make_plan(read_sql(question, t.facts), t.facts, read_price(**PRICE))
        (granted,) = t.desk.ledger.reserve([crossed(Order(t.desk, plan, Fraction(19, 20)), waits=False).request])
        sql(tmp_path, "UPDATE charges SET lease = 0 WHERE number = ?", granted.charge)
    paid = spent(t)
    before.undo()
    answer = t.ask(COUNTED, **PRICE)
    assert [row["name"] for row in answer.rows] == ["w0", "w1", "w2"]
    assert [row["n"] for row in answer.rows] == pytest.approx([200] * 3, abs=60)
    assert len(t.recover()) == 1
    again = t.ask(COUNTED, **PRICE)
    assert (again.replayed, again.id, spent(t)) == (True, answer.id, paid)
    assert sql(tmp_path, "SELECT state, attempt FROM charges") == [("settled", 2)] * 2
    assert office.verify(tmp_path).ok


LISTED = "SELECT place, COUNT(*) AS n FROM t GROUP BY place"


@pytest.mark.slow
def test_groups_that_an_earlier_version_has_chosen_are_told_again_for_free_and_serve_no_other_question(t, before):
    first = t.ask(LISTED, epsilon=1, max_groups=1)
    paid = spent(t)
    before.undo()
    again, wider = t.ask(LISTED, epsilon=1, max_groups=1), t.ask(LISTED, epsilon=1, max_groups=1, confidence="0.99")
    assert again.replayed
    assert wider.replayed
    assert again.rows == first.rows == wider.rows
    assert spent(t) == paid
    assert not t.ask(f"{LISTED} ORDER BY n DESC", epsilon=1, max_groups=1).replayed
    assert spent(t) == paid + 1


@pytest.mark.slow
@pytest.mark.parametrize("keys", [60, 70])
def test_what_is_bought_with_keys_is_found_again_however_many_they_are(tmp_path, keys):
    rows = "".join(f"p{i},{j},1,w{(2 * i + j) % keys:02}\n" for i in range(60 * keys) for j in range(2))
    file = write_table(tmp_path, budget="epsilon = 100\ndelta = 0.001", rows=f"who,x,place,name\n{rows}")
    edit(file, 'unit = "row"', 'unit = { column = "who", max_rows = 2, max_groups = 1 }')
    office.register(file)
    with closing(open_table(file)) as curator:
        found = curator.ask(MEAN, **PRICE)
        assert len(found.rows) == keys
        assert curator.ask(BOTH, **PRICE).free
