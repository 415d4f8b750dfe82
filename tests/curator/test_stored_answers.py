"""Stored answers outlive the planner that made them, and what crashed waits for a version that can follow it."""

import json
import shutil
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.ledger.made import count_above, edit, spent, sql, write_table
from tests.ledger.test_old_ledgers import TABLES, curators, folder, told  # noqa: F401 - fixtures

import discreet as dc
from discreet.curator import asking, office, open_table, replays, stock
from discreet.curator.orders import Order, crossed
from discreet.curator.results import document_of
from discreet.planning.build import make_plan
from discreet.privacy.events import Sequence
from discreet.questions.sql import read_sql

BY_PLACE = "SELECT place, COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY place ORDER BY n DESC"


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, budget="epsilon = 10")
    office.register(found)
    return found


@pytest.fixture
def t(file):
    curator = open_table(file)
    yield curator
    curator.close()


@pytest.fixture
def upgraded(monkeypatch):
    """From the call on, every question is planned as another version would: the same price, another event."""

    def happens():
        for room in (asking, stock):
            monkeypatch.setattr(room, "make_plan", planned_otherwise)

    return happens


def planned_otherwise(question, facts, price, weights=None, **words):
    plan = make_plan(question, facts, price, weights, **words)
    return replace(plan, event=Sequence((plan.event,)))


def killed(curator, question, **how):
    """Charged by a process that died."""
    plan = make_plan(read_sql(question, curator.facts), curator.facts, dc.Pure(epsilon="0.5"))
    order = Order(curator.desk, plan, Fraction(19, 20), analyst=how.get("analyst"))
    (granted,) = curator.desk.ledger.reserve([crossed(order, waits=False).request])
    with curator.desk.ledger.store.database.writing() as connection:
        connection.execute("UPDATE charges SET lease = 0 WHERE number = ?", (granted.charge,))
    return granted.charge


def states(file):
    return sql(file.parent, "SELECT state, attempt FROM charges"), sql(file.parent, "SELECT * FROM analysts")


# ---- stored answers


def test_a_stored_answer_is_replayed_although_its_question_is_planned_differently_now(t, upgraded):
    first = t.ask(BY_PLACE, epsilon=1, simultaneous=True)
    upgraded()
    again = t.ask(BY_PLACE, epsilon=1, simultaneous=True)
    assert again.replayed
    assert (again.id, again.rows, again.intervals, again.columns) == (first.id, first.rows, first.intervals, first.columns)
    assert (again.paid, again.split, again.receipt) == (first.cost, first.split, json.loads(json.dumps(first.receipt)))
    assert (again.confidence, again.simultaneous) == (Fraction(95, 100), True)
    assert any("as it was stored" in each for each in again.warnings)
    assert spent(t) == 1


def test_as_it_was_stored_means_its_own_confidence_and_the_names_of_who_asks(t, upgraded):
    first = t.ask("SELECT COUNT(*) AS n FROM t WHERE x > 5", epsilon=1, confidence="0.9")
    upgraded()
    again = t.ask("SELECT COUNT(*) AS many FROM t WHERE x > 5", epsilon=1, confidence="0.99")
    assert (again.rows, again.intervals) == (({"many": first.value},), ({"many": first.interval},))
    assert again.confidence == Fraction(9, 10)
    assert any("90 %" in each for each in again.warnings)


def test_where_the_plan_can_be_followed_any_confidence_is_worked_out(t):
    t.ask(count_above(5), epsilon=1, confidence="0.9")
    again = t.ask(count_above(5), epsilon=1, confidence="0.99")
    assert again.confidence == Fraction(99, 100)
    assert again.warnings == ()


def test_a_receipt_that_was_edited_in_the_ledger_is_not_handed_out(t):
    t.ask(count_above(5), epsilon=1)
    with t.desk.ledger.store.database.writing() as connection:
        connection.execute("UPDATE answers SET receipt = replace(receipt, 'SELECT', 'select')")
    with pytest.raises(dc.LedgerFault, match="receipt is not what was signed"):
        t.ask(count_above(5), epsilon=1)


@pytest.fixture
def reckoned(monkeypatch):
    """From the call on the numbers of a plan are worked out by another formula; ``factor`` is how far off they are."""

    def happens(factor=1, in_order=lambda found: found, far=0):
        def otherwise(purchase, released, confidence, simultaneous):
            made = document_of(purchase, released, confidence, simultaneous)
            columns = tuple(
                replace(each, values=in_order([value if each.kind == "key" else value * factor for value in each.values]),
                        intervals=each.intervals and in_order([(a + far, b + far) for a, b in each.intervals]))
                for each in made.table.columns
            )  # fmt: skip
            return replace(made, table=replace(made.table, columns=columns))

        monkeypatch.setattr(replays, "document_of", otherwise)

    return happens


def test_at_another_confidence_the_values_are_those_that_the_receipt_signs(t, reckoned):
    first = t.ask(BY_PLACE, epsilon=5)
    wider = t.ask(BY_PLACE, epsilon=5, confidence="0.99").intervals
    reckoned(1.0001)
    again = t.ask(BY_PLACE, epsilon=5, confidence="0.99")
    assert (again.rows, again.intervals, again.confidence) == (first.rows, wider, Fraction(99, 100))
    assert office.match_answer(again.receipt, json.loads(json.dumps(again.to_dict(), default=str))).problems == ()


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"far": 10**6, "factor": 2}, {"in_order": lambda found: found[::-1]}])
def test_where_intervals_do_not_belong_to_the_signed_values_all_is_shown_as_it_was_stored(t, reckoned, how):
    first = t.ask(BY_PLACE, epsilon=5)
    reckoned(**how)
    again = t.ask(BY_PLACE, epsilon=5, confidence="0.99")
    assert (again.rows, again.intervals, again.confidence) == (first.rows, first.intervals, Fraction(95, 100))
    assert any("95 %" in each for each in again.warnings)


@pytest.mark.slow
def test_every_kind_of_answer_is_replayed_from_what_was_stored(folder, told, upgraded):  # noqa: F811
    shutil.rmtree(folder / ".discreet")
    for name in TABLES:
        facts = folder / f"{name}.toml"
        edit(facts, "epsilon = ", "epsilon = 1")   # room for all
        facts.write_text(facts.read_text(encoding="utf-8").replace("per_analyst = ", "# per_analyst = "), encoding="utf-8")
        office.register(folder / f"{name}.toml")
    tables = {name: open_table(folder / f"{name}.toml") for name in TABLES}
    firsts = [tables[each["table"]].ask(each["question"], **each["how"]) for each in told["asked"]]
    upgraded()
    for each, first in zip(told["asked"], firsts, strict=True):
        again = tables[each["table"]].ask(each["question"], **each["how"])
        assert again.replayed
        assert (again.rows, again.intervals, again.rank_intervals) == (first.rows, first.intervals, first.rank_intervals)
        assert (again.columns, again.confidence, again.split) == (first.columns, first.confidence, first.split)
        assert set(first.warnings) <= set(again.warnings)
    for curator in tables.values():
        curator.close()


@pytest.mark.slow
def test_an_answer_without_a_document_is_refused_and_may_be_bought_anew(curators, told, upgraded):  # noqa: F811
    upgraded()
    people, question = curators["people"], "SELECT MEDIAN(income) AS m FROM people"
    before = people.budget.spent.epsilon
    with pytest.raises(dc.LedgerFault, match=r"planned differently.*anew"):
        people.ask(question, epsilon="1")
    assert people.budget.spent.epsilon == before
    bought = people.ask(question, epsilon="1", anew=True)
    assert people.budget.spent.epsilon == before + 1
    again = people.ask(question, epsilon="1")
    assert (again.replayed, again.id, again.rows) == (True, bought.id, bought.rows)
    assert people.ask("SELECT COUNT(*) AS n FROM people WHERE age > 90", epsilon="1").replayed is False


def test_a_count_that_cannot_be_read_any_more_does_not_stop_a_quote(curators, upgraded):  # noqa: F811
    upgraded()
    quote = curators["people"].quote("SELECT AVG(income) AS m FROM people WHERE age >= 40", epsilon="1", assuming=100)
    assert quote.columns[0].plus_minus > 0


@pytest.mark.slow
def test_a_question_bought_anew_has_noise_of_its_own(t):
    first = t.ask(count_above(3), epsilon="0.1")
    found = [t.ask(count_above(3), epsilon="0.1", anew=True) for _ in range(20)]
    assert spent(t) == Fraction(21, 10)
    assert len({each.value for each in found}) > 1
    assert len({first.id, *(each.id for each in found)}) == 21


# ---- crashed charges


def test_a_crashed_charge_that_cannot_be_followed_is_not_written_off(file, t):
    question = count_above(7)
    killed(t, question, analyst="alice")
    before = states(file)
    with pytest.MonkeyPatch.context() as change:
        for room in (asking, stock):
            change.setattr(room, "make_plan", planned_otherwise)
        for act in (lambda: t.ask(question, epsilon="0.5", analyst="alice"), t.recover):
            with pytest.raises(dc.LedgerFault, match="the version of discreet that charged it"):
                act()
        assert states(file) == before == ([("running", 1)], [])
    answer = t.ask(question, epsilon="0.5", analyst="alice")      # the version that can follow it
    assert (answer.replayed, spent(t)) == (False, Fraction(1, 2))
    assert states(file)[0] == [("settled", 2)]


def test_what_crashed_elsewhere_may_be_bought_anew_and_is_still_finished_later(file, t, upgraded, monkeypatch):
    question = count_above(7)
    killed(t, question)
    upgraded()
    bought = t.ask(question, epsilon="0.5", anew=True)
    assert spent(t) == 1
    assert t.ask(question, epsilon="0.5").id == bought.id
    monkeypatch.undo()
    (finished,) = t.recover()
    assert finished.id != bought.id
    assert spent(t) == 1
    assert office.verify(file).ok


def test_recovery_finishes_what_it_can_and_tells_what_it_cannot(file, t, monkeypatch):
    for number in (1, 2):
        killed(t, count_above(number))

    def differs(question, *words, **more):
        return (planned_otherwise if "Fraction(2, 1)" in repr(question.where) else make_plan)(question, *words, **more)

    monkeypatch.setattr(stock, "make_plan", differs)
    with pytest.raises(dc.LedgerFault, match="1 charge"):
        t.recover()
    assert sorted(states(file)[0]) == [("running", 1), ("settled", 2)]


# ---- what was touched


def test_a_stored_answer_that_was_touched_is_not_delivered(file, t):
    first = t.ask(count_above(1), epsilon="0.1")
    sql(file.parent, "UPDATE releases SET packed = zeroblob(length(packed) + 1)")
    with pytest.raises(dc.LedgerFault, match="ledger verify"):
        t.ask(count_above(1), epsilon="0.1")
    assert not office.verify(file).ok
    assert spent(t) == Fraction(1, 10)
    assert office.receipt(file, first.id)["answer"] == first.id


def test_a_document_that_was_touched_is_found_and_not_delivered(file, t, upgraded):
    t.ask(count_above(1), epsilon="0.1")
    t.ask(count_above(2), epsilon="0.1", confidence="0.9")   # so that the documents differ, though both counts may be the same
    sql(file.parent, "UPDATE documents SET document = (SELECT document FROM documents ORDER BY charge LIMIT 1)")
    assert any("charge 4" in each for each in office.verify(file).problems)
    upgraded()
    with pytest.raises(dc.LedgerFault, match="ledger verify"):
        t.ask(count_above(2), epsilon="0.1")
    assert t.ask(count_above(1), epsilon="0.1").replayed
