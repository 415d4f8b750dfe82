"""What fails after the charge is final and says nothing; a canary in the rows shows nowhere."""

import json
import logging
import subprocess
import sys
import traceback
from contextlib import nullcontext
from fractions import Fraction

import pytest
from tests.ledger.made import count_above, spent, sql, write_table

import discreet as dc
from discreet.curator import office, open_table, orders
from discreet.engines.wanted import Engine
from discreet.ledger import owners

CANARY, NUMBER = "zyxwv-9871", "86.417529"
ROWS = f"x,place,name\n{NUMBER},1,{CANARY}\n" + "3,2,someone\n" * 9


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, rows=ROWS, budget="epsilon = 100")
    office.register(found)
    return found


class Leaky(Engine):
    """Fails with a text that quotes a row."""

    def __init__(self, error=ValueError):
        self.error, self.runs = error, 0

    def at_once(self):
        return nullcontext(self)

    def check(self):
        pass

    def run(self, wanted):
        self.runs += 1
        raise self.error(f"could not convert {CANARY!r} and {NUMBER}")

    def close(self):
        pass


def with_engine(file, engine):
    curator = open_table(file)
    curator.desk.engine = engine
    return curator


def everything_written(folder, caplog):
    """All that a ledger, its log and logging have kept, as one text."""
    place = folder / ".discreet"
    kept = [each.read_bytes().decode(errors="replace") for each in place.iterdir()]
    dumped = [str(row) for (table,) in sql(folder, "SELECT name FROM sqlite_schema WHERE type = 'table'")
              for row in sql(folder, f"SELECT * FROM {table}")]  # fmt: skip
    logged = [record.getMessage() + str(record.__dict__) for record in caplog.records]
    return "\n".join([*kept, *dumped, *logged, json.dumps(list(office.export(folder)))])


def as_printed(error):
    """An error with all that hangs on it, as a careless program would print it."""
    return "".join(traceback.format_exception(error)) + repr(error.__dict__)


QUESTIONS = [
    "SELECT COUNT(*) AS n, AVG(x) AS m, STDDEV(x) AS s FROM t",
    "SELECT place, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY place",
    "SELECT COUNT(*) AS n FROM t WHERE name LIKE 'z%'",
    "SELECT SUM(1 / (x - x)) AS n FROM t",
    "SELECT AVG(name) AS n FROM t",
    "SELECT nothing FROM t",
    "SELECT COUNT(*) AS n FROM t WHERE place = 7",
]


def test_a_canary_in_the_rows_shows_in_no_answer_error_log_receipt_or_entry(file, caplog):
    caplog.set_level(logging.DEBUG, logger="discreet")
    t, seen = open_table(file), []
    for question in QUESTIONS:
        for price in ("0.5", "1000"):
            try:
                seen += [repr(t.quote(question, epsilon=price)), str(t.ask(question, epsilon=price).receipt)]
            except dc.DiscreetError as error:
                seen.append(as_printed(error))
    seen += [repr(t), repr(t.budget), str(office.verify(file)), str(office.witness(file))]
    written = everything_written(file.parent, caplog)
    assert "SELECT COUNT(*)" in written                                    # the search would find what is there
    for canary in (CANARY, NUMBER):
        assert canary not in written
        assert not any(canary in each for each in seen)
    t.close()


@pytest.mark.parametrize("error", [ValueError, dc.EngineFault, MemoryError, RecursionError])
def test_an_engine_that_fails_tells_nothing_keeps_the_charge_and_is_never_resumed(file, caplog, error, monkeypatch):
    class Quiet(error):
        """Like the real one; discreet's own errors say only what is public."""

        def __init__(self, text):
            super().__init__("failed" if issubclass(error, dc.DiscreetError) else text)

    engine = Leaky(Quiet)
    t = with_engine(file, engine)
    with pytest.raises(dc.Fault) as caught:
        t.ask(count_above(1), epsilon="0.1", analyst="alice")
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    for text in (as_printed(caught.value).replace(__file__, ""), everything_written(file.parent, caplog)):
        assert f"convert '{CANARY}'" not in text
        assert NUMBER not in text
    log = json.loads((file.parent / ".discreet" / "faults.log").read_text())
    assert (log["reference"], log["analyst"]) == (caught.value.reference, "alice")
    assert spent(t) == Fraction(1, 10)
    monkeypatch.setattr(owners, "is_dead", lambda *words: True)
    assert t.recover() == []
    assert engine.runs == 1
    assert sql(file.parent, "SELECT state, reference FROM charges") == [("faulted", caught.value.reference)]
    assert office.verify(file).ok
    t.close()


def test_when_several_questions_of_a_batch_fail_each_is_written_down_as_failed(file):
    t = with_engine(file, Leaky())
    with pytest.raises(dc.Fault):
        t.ask_all([count_above(1), count_above(2), count_above(3)], epsilon="0.3")
    assert sql(file.parent, "SELECT DISTINCT state FROM charges") == [("faulted",)]
    assert spent(t) == Fraction(3, 10)
    t.close()


def test_a_question_that_is_interrupted_is_paid_for_and_never_resumed(file, monkeypatch):
    t = with_engine(file, Leaky(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        t.ask_all([count_above(1), count_above(2)], epsilon="0.2")
    assert sql(file.parent, "SELECT DISTINCT state FROM charges") == [("faulted",)]
    assert spent(t) == Fraction(2, 10)
    monkeypatch.setattr(owners, "is_dead", lambda *words: True)
    t.desk.engine = None
    assert t.recover() == []
    assert not t.ask(count_above(1), epsilon="0.1").replayed
    assert spent(t) == Fraction(3, 10)
    t.close()


def test_what_a_crash_left_is_answered_once_with_its_own_plan_and_price(file, monkeypatch):
    t = open_table(file)
    monkeypatch.setattr(orders, "_worked", lambda *words: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        t.ask(count_above(1), epsilon="0.3", analyst="alice")
    monkeypatch.undo()
    monkeypatch.setattr(owners, "is_dead", lambda *words: True)
    answer = t.ask("SELECT COUNT(*) AS another_name FROM t WHERE x > 1", epsilon="0.1", analyst="bob")
    assert (answer.cost, answer.rows[0].keys(), answer.replayed) == (dc.Pure(epsilon=0), {"another_name"}, True)
    assert answer.receipt["analyst"] == "bob"                     # who paid is nobody else's business
    theirs = t.ask(count_above(1), epsilon="0.3", analyst="alice")
    assert theirs.paid == dc.Pure(epsilon="0.3")
    assert (theirs.value, theirs.receipt["analyst"], theirs.cost) == (answer.value, "alice", dc.Pure(epsilon=0))
    assert spent(t) == Fraction(3, 10)
    assert t.ask(count_above(1), epsilon="0.3").value == answer.value
    assert office.recover(file) == []
    assert office.verify(file).ok
    t.close()


DIES = """
import os, sys
from discreet.curator import open_table
from discreet.releasing import ends
ends.select_all = lambda *_: os._exit(9)
open_table(sys.argv[1]).ask(sys.argv[2], epsilon="0.3")
"""


@pytest.mark.slow
def test_a_process_that_dies_between_a_value_and_its_radius_is_followed_by_one_that_charges_nothing(file):
    question = "SELECT MEDIAN(x, INTERVAL) AS v FROM t"
    assert subprocess.run([sys.executable, "-c", DIES, str(file), question], check=False).returncode == 9
    t = open_table(file)
    answer = t.ask(question, epsilon="0.3")
    assert answer.interval[0] <= answer.value <= answer.interval[1]
    assert sql(file.parent, "SELECT state, attempt FROM charges") == [("settled", 2)]
    assert spent(t) == Fraction(3, 10)
    t.close()


def test_seeded_or_recorded_noise_never_reaches_a_registered_table(file):
    from discreet.testing import recorded, seeded

    t = open_table(file)
    for context in (seeded(1), recorded()):
        with context:
            for act in (lambda: t.ask(count_above(1), epsilon="0.1"), t.recover):
                with pytest.raises(dc.AccessError, match="real noise"):
                    act()
    assert spent(t) == 0
    t.close()


def test_a_receipt_is_signed_says_what_was_spent_and_an_edited_one_is_found(file):
    t = open_table(file)
    answer = t.ask(count_above(1), epsilon="0.1", analyst="alice")
    public = (file.parent / ".discreet" / "public.pem").read_bytes()
    receipt = json.loads(json.dumps(answer.receipt))
    assert office.receipt(file, answer.id) == receipt
    assert office.verify_receipt(receipt, public) == ()
    assert receipt["budget"] == {"cap": {"epsilon": "100"}, "before": {"epsilon": "0"}, "after": {"epsilon": "0.1"}}
    numbers = {each.number: each.hash for each in office.entries(file)}
    assert numbers[receipt["entry"]["number"]] == receipt["entry"]["hash"]
    for key in receipt:
        assert office.verify_receipt(receipt | {key: "other"}, public) != ()
        assert office.verify_receipt({k: v for k, v in receipt.items() if k != key}, public) != ()
    with pytest.raises(dc.ParameterError):
        office.verify_receipt(receipt, b"no key")
    with pytest.raises(dc.ParameterError):
        office.receipt(file, "nothing")
    t.close()
