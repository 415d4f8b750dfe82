"""Statistics that several want at once: what somebody works on is waited for, and finished if they are dead. Rule 16."""

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from tests.ledger.made import spent, sql, write_table

import discreet as dc
from discreet.curator import office, open_table, orders
from discreet.curator.orders import Order, crossed
from discreet.ledger import admission
from discreet.ledger.verify import verify
from discreet.planning.build import make_plan
from discreet.questions.sql import read_sql

pytestmark = pytest.mark.slow  # tables are registered, and asked by several at once

A, B, C = "COUNT(*) FILTER (WHERE x > 10) AS a", "AVG(x) AS b", "COUNT(*) FILTER (WHERE place = 1) AS c"


def asking(*parts):
    return f"SELECT {', '.join(parts)} FROM t"


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, budget="epsilon = 10")
    office.register(found)
    return found


def left_by_a_crash(curator, question, epsilon):
    """Charged by a process that died before it read a row."""
    plan = make_plan(read_sql(question, curator.facts), curator.facts, dc.Pure(epsilon=epsilon))
    (granted,) = curator.desk.ledger.reserve([crossed(Order(curator.desk, plan, Fraction(19, 20)), waits=False).request])
    with curator.desk.ledger.store.database.writing() as connection:
        connection.execute("UPDATE charges SET lease = 0 WHERE number = ?", (granted.charge,))
    return granted


def test_what_a_crash_left_is_finished_by_whoever_wants_a_part_of_it(file):
    t = open_table(file)
    left = left_by_a_crash(t, asking(A, B), "0.4")
    answer = t.ask(asking(B, C), epsilon="0.2")
    assert (answer.free, answer.cost) == (("AVG(x)",), dc.Pure(epsilon="0.1"))
    assert spent(t) == Fraction(1, 2)                              # 0.4 for A and B, and C's half of 0.2
    assert sql(file.parent, f"SELECT state, attempt FROM charges WHERE number = {left.charge}") == [("settled", 2)]
    whole = t.ask(asking(A, B), epsilon="0.4")
    assert (whole.replayed, whole.rows[0]["b"]) == (True, answer.rows[0]["b"])
    assert t.recover() == []
    assert verify(t.desk.ledger).ok
    t.close()


def test_a_crash_of_what_is_not_as_good_is_left_alone(file):
    t = open_table(file)
    left_by_a_crash(t, asking(A, B), "0.02")
    assert t.ask(asking(B, C), epsilon="0.2").free == ()
    assert spent(t) == Fraction(22, 100)
    t.close()


def test_two_who_want_a_statistic_at_once_pay_for_it_once(file):
    """Whoever comes second waits for the first, whichever that is."""
    names = ["ab", "bc"]
    questions = {"ab": asking(A, B), "bc": asking(B, C)}

    def ask(name):
        curator = open_table(file)
        try:
            return curator.ask(questions[name], epsilon="0.2", analyst=name)
        finally:
            curator.close()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, names)
    t = open_table(file)
    assert spent(t) == Fraction(3, 10)
    assert first.rows[0]["b"] == second.rows[0]["b"]
    assert sorted([first.free, second.free]) == [(), ("AVG(x)",)]
    assert verify(t.desk.ledger).ok
    t.close()


def test_what_is_bought_between_the_look_and_the_charge_is_seen(file, monkeypatch):
    """Somebody settles the same after the plan was crossed out: it is crossed out again, and nothing is paid twice."""
    t, other = open_table(file), open_table(file)
    real, turns = orders._try_out, []

    def first_somebody_else(each):
        real(each)
        if not turns:
            turns.append(1)
            other.ask(asking(B), epsilon="0.2")

    monkeypatch.setattr(orders, "_try_out", first_somebody_else)
    answer = t.ask(asking(B, C), epsilon="0.4")
    assert answer.free == ("AVG(x)",)
    assert spent(t) == Fraction(4, 10)
    t.close()
    other.close()


def test_what_fails_elsewhere_is_bought(file, monkeypatch):
    t = open_table(file)
    granted = left_by_a_crash(t, asking(A, B), "0.4")
    t.desk.ledger.fail(granted, dc.Fault("interrupted", freezes=False))
    assert t.ask(asking(B, C), epsilon="0.2").free == ()
    assert spent(t) == Fraction(6, 10)
    t.close()


def test_one_s_history_while_frozen_is_what_follows_from_it(file):
    t = open_table(file)
    mine = t.ask(asking(B), epsilon="0.2", analyst="alice")
    t.ask(asking(C), epsilon="0.2", analyst="bob")
    office.freeze(file, analyst="alice", reason="test")
    assert t.ask(asking("AVG(x) * 2 AS twice"), epsilon="0.2", analyst="alice").rows[0]["twice"] == 2 * mine.rows[0]["b"]
    for question in (asking(C), asking(B, C), asking(B).replace("AVG", "SUM") + " WHERE x > 1"):
        with pytest.raises(dc.AccessError, match="alice is frozen"):
            t.ask(question, epsilon="0.2", analyst="alice")
    assert spent(t) == Fraction(4, 10)
    t.close()


def test_a_source_that_is_gone_takes_no_attempt_away_from_what_a_crash_left(file):
    t = open_table(file)
    left = left_by_a_crash(t, asking(A, B), "0.4")
    source = file.parent / "t.csv"
    kept = source.read_bytes()
    source.unlink()
    for _ in range(5):
        with pytest.raises(dc.Fault, match="gone"):
            t.ask(asking(B, C), epsilon="0.2")
    assert sql(file.parent, f"SELECT state, attempt FROM charges WHERE number = {left.charge}") == [("running", 1)]
    source.write_bytes(kept)
    assert t.ask(asking(B, C), epsilon="0.2").free == ("AVG(x)",)
    t.close()


def test_what_a_crash_left_is_not_read_for_a_question_that_is_refused(tmp_path, monkeypatch):
    """After the last day of a budget no row is read, for nobody's charge."""
    file = write_table(tmp_path, budget="epsilon = 10\nexpires = 2030-01-01")
    office.register(file)
    t = open_table(file)
    left = left_by_a_crash(t, asking(A, B), "0.4")
    monkeypatch.setattr(admission, "now", lambda: "2031-01-01T00:00:00+00:00")
    monkeypatch.setattr(t.desk, "settled", None)
    with pytest.raises(dc.AccessError, match="ended on 2030-01-01"):
        t.ask(asking(B, C), epsilon="0.2")
    assert sql(tmp_path, f"SELECT state, attempt FROM charges WHERE number = {left.charge}") == [("running", 1)]
    assert sql(tmp_path, "SELECT tbl FROM ends") == [("t",)]          # and a clock that is set back opens nothing
    t.close()


@pytest.mark.parametrize("words", [{}, {"anew": True}, {"epsilon": "0.1"}])
def test_no_receipt_names_anybody_else_and_least_of_all_to_who_is_frozen(file, words):
    t = open_table(file)
    t.ask(asking(B), epsilon="0.2", analyst="roberta")
    t.ask(asking(B), epsilon="0.2", analyst="alice")
    office.freeze(file, analyst="alice", reason="test")
    try:
        answer = t.ask(asking(B), analyst="alice", **({"epsilon": "0.2"} | words))
    except dc.AccessError:
        assert words == {"anew": True}
    else:
        assert "roberta" not in json.dumps(answer.receipt)
    t.close()


def test_a_key_brings_back_its_own_draws_whatever_is_better_by_now(file):
    t = open_table(file)
    mine = t.ask(asking(A), epsilon="0.2", key="k", analyst="alice")
    t.ask(asking(A), epsilon=3)
    again = t.ask(asking(A), epsilon="0.2", key="k", analyst="alice", confidence="0.99")
    assert (again.id, again.rows, again.warnings) == (mine.id, mine.rows, ())
    far, further = ([high - low for low, high in (each["a"] for each in answer.intervals)] for answer in (mine, again))
    assert further > far                                           # more confidence in the same noise
    t.close()


@pytest.mark.parametrize("touched", ["place = 7", "place = 1 - place", "slot = -1", "slot = 9"])
def test_a_draw_that_is_not_what_its_entry_says_is_not_used(file, touched):
    t = open_table(file)
    t.ask(asking(A, B), epsilon="0.4")
    t.close()
    sql(file.parent, f"UPDATE draws SET {touched}")
    t = open_table(file)
    with pytest.raises(dc.LedgerFault, match="not what its entry says"):
        t.ask(asking(B), epsilon="0.2")
    assert not verify(t.desk.ledger).ok
    t.close()


def test_a_view_of_one_statistic_of_a_charge_opens_no_other_to_whoever_is_frozen(file):
    t = open_table(file)
    t.ask(asking(B, C), epsilon="0.2", analyst="bob")
    mine = t.ask(asking(B), epsilon="0.1", analyst="alice")
    office.freeze(file, analyst="alice", reason="test")
    assert t.ask(asking(B), epsilon="0.1", analyst="alice").rows == mine.rows
    for question in (asking(C), asking(B, C)):
        with pytest.raises(dc.AccessError, match="alice is frozen"):
            t.ask(question, epsilon="0.1", analyst="alice")
    assert t.ask(asking(B, C), epsilon="0.2", analyst="bob").replayed
    t.close()
