"""Whatever ends a question after its charge and may depend on rows is an alarm; what cannot freezes nobody (rule 17)."""

import json
import os
import re
import signal
import threading
from contextlib import nullcontext
from fractions import Fraction

import pandas as pd
import pytest
from tests.ledger.made import count_above, edit, spent, sql, write_table

import discreet as dc
from discreet.curator import curator_in_memory, office, open_table
from discreet.engines import open_engine
from discreet.engines.wanted import Engine
from discreet.errors import EngineFault
from discreet.facts import parse_facts

pytestmark = pytest.mark.slow  # tables are registered, some questions are interrupted

CANARY = "zyxwv-9871"
PEOPLE = 'people = "patients"'
ROWS = "x,place,name\n" + "3,2,someone\n" * 9


class Failing(Engine):
    """Behaves like another engine until it has read the rows; then it fails, if it is told an error."""

    def __init__(self, real, error=None, before=lambda: None):
        self.real, self.error, self.before = real, error, before

    def at_once(self):
        return nullcontext(self)

    def check(self):
        self.real.check()

    def run(self, wanted):
        self.before()
        found = self.real.run(wanted)
        if self.error is not None:
            raise self.error
        return found

    def close(self):
        self.real.close()


class Broken(Engine):
    """Fails always, after what it was told to do before."""

    def __init__(self, *errors, before=lambda: None):
        self.errors, self.before, self.runs = list(errors) or [ValueError(CANARY)], before, 0

    def at_once(self):
        return nullcontext(self)

    def check(self):
        pass

    def run(self, wanted):
        self.runs += 1
        self.before()
        raise self.errors[min(self.runs, len(self.errors)) - 1]

    def close(self):
        pass


@pytest.fixture
def files(tmp_path):
    """Two tables about the same people, and one about others."""
    found = [write_table(tmp_path, rows=ROWS, name=name, budget="epsilon = 100", more=more)
             for name, more in (("t", PEOPLE), ("visits", PEOPLE), ("elsewhere", ""))]  # fmt: skip
    edit(found[1], "visits.csv", "visits2.csv")
    (tmp_path / "visits.csv").rename(tmp_path / "visits2.csv")
    (tmp_path / "visits2.csv").write_text(ROWS + "4,1,another\n", encoding="utf-8")
    (tmp_path / "elsewhere.csv").write_text(ROWS + "5,1,another\n", encoding="utf-8")
    for each in found:
        office.register(each)
    return found


def with_engine(file, engine):
    curator = open_table(file)
    curator.desk.engine = engine
    return curator


def counted(table, number):
    return count_above(number).replace("FROM t", f"FROM {table}")


def in_memory(names=("someone",) * 9, wrap=lambda engine: engine):
    facts = parse_facts("""
        [table]
        name = "t"
        source = "t.csv"
        version = "1"
        unit = "row"
        neighbours = "add_remove"
        [budget]
        epsilon = 100
        [columns.x]
        type = "number"
        lower = 0
        upper = 100
        [columns.name]
        type = "text"
        max_length = 20
    """, "t.toml")
    frame = pd.DataFrame({"x": [3.0] * len(names), "name": list(names)})
    return curator_in_memory(facts, wrap(open_engine(facts, frame)))


# ---- who is frozen


@pytest.mark.parametrize("asker", ["alice", None])
def test_on_one_of_two_neighbouring_tables_the_first_fault_is_the_last_question(asker):
    """The attack: one table answers and its neighbour fails, at next to no price, for as many filters as one likes."""
    told, said = [], []
    for names in (("someone",) * 9, (*("someone",) * 9, CANARY)):
        real = []
        t = in_memory(names, lambda engine, real=real: real.append(engine) or Broken(EngineFault("DuckDB could not answer")))
        if CANARY not in names:
            t.desk.engine = real[0]
        for number in range(50):
            try:
                t.ask(count_above(number), epsilon="0.000000000001", analyst=asker)
                told.append((CANARY in names, "answer"))
            except dc.DiscreetError as error:
                told.append((CANARY in names, type(error).__name__.replace("Frozen", "AccessError")))
                said.append(str(error) + repr(error.__dict__))
        t.close()
    assert told.count((True, "EngineFault")) == 1                                  # one bit, and no second one
    assert told.count((True, "AccessError")) == 49
    assert told.count((False, "answer")) == 50
    assert not any(CANARY in text for text in said)


@pytest.mark.parametrize("asker", ["alice", None])
@pytest.mark.parametrize(
    "error", [ValueError(CANARY), EngineFault("failed"), MemoryError(CANARY), RecursionError(CANARY), OSError(28, CANARY)]
)
def test_any_error_after_the_charge_freezes_its_asker_on_all_tables_of_the_people(files, asker, error):
    t = with_engine(files[0], Broken(error))
    with pytest.raises(dc.Fault) as caught:
        t.ask(count_above(1), epsilon="0.1", analyst=asker)
    t.close()
    for file in files[:2]:
        t = open_table(file)
        with pytest.raises(dc.AccessError, match="frozen") as refused:
            t.ask(counted(file.stem, 2), epsilon="0.1", analyst=asker)
        assert refused.value.reference == caught.value.reference
        t.ask(counted(file.stem, 2), epsilon="0.1", analyst="bob")
        t.close()
    t = open_table(files[2])
    t.ask(counted("elsewhere", 2), epsilon="0.1", analyst=asker)
    t.close()
    log = json.loads((files[0].parent / ".discreet" / "faults.log").read_text(encoding="utf-8"))
    assert (log["charge"], log["analyst"], log["alarm"]) == (4, asker or "anonymous", True)
    assert CANARY not in json.dumps(log)
    assert office.verify(files[0]).ok


def test_the_second_fault_freezes_the_tables_until_the_data_holder_unfreezes_them_with_a_reason(files):
    for file, who in ((files[0], "alice"), (files[1], None)):
        t = with_engine(file, Broken())
        with pytest.raises(dc.Fault):
            t.ask(counted(file.stem, 1), epsilon="0.1", analyst=who)
        t.close()
    for file in files[:2]:
        t = open_table(file)
        with pytest.raises(dc.AccessError, match=f"{file.stem} is frozen"):
            t.ask(counted(file.stem, 2), epsilon="0.1", analyst="carol")
        t.close()
    told = office.alarms(files[1])
    assert [(each.asker, each.table, each.charge, each.cause) for each in told] == [
        ("alice", "t", 4, "ValueError"), ("anonymous", "visits", 6, "ValueError")
    ]  # fmt: skip
    assert "x > 1" in told[0].question
    with pytest.raises(dc.ParameterError, match="reason"):
        office.unfreeze(files[0], reason=" ")
    assert office.unfreeze(files[0], reason="a bug in the engine, mended") == told
    assert office.alarms(files[0]) == []
    for file, who in ((files[0], "alice"), (files[1], None), (files[0], "carol")):
        t = open_table(file)
        t.ask(counted(file.stem, 3), epsilon="0.1", analyst=who)
        t.close()
    assert office.verify(files[0]).ok


def test_a_table_in_memory_freezes_too_and_can_be_unfrozen():
    t = in_memory()
    real, t.desk.engine = t.desk.engine, Broken()
    with pytest.raises(dc.Fault):
        t.ask(count_above(1), epsilon="0.1")
    t.desk.engine = real
    with pytest.raises(dc.AccessError, match="anonymous is frozen"):
        t.ask(count_above(2), epsilon="0.1")
    with pytest.raises(dc.ParameterError, match="reason"):
        t.unfreeze(reason="")
    (alarm,) = t.unfreeze(reason="looked at it")
    assert (alarm.asker, alarm.charge) == ("anonymous", 2)
    assert not t.ask(count_above(2), epsilon="0.1").replayed
    t.close()


def test_a_registered_table_is_unfrozen_by_its_data_holder_only(files):
    t = open_table(files[0])
    with pytest.raises(dc.AccessError, match="discreet unfreeze"):
        t.unfreeze(reason="let me")
    t.close()


def test_anonymous_is_a_reserved_name(files):
    t = open_table(files[0])
    for name in ("anonymous", "Anonymous", " anonymous"):
        with pytest.raises(dc.ParameterError, match="leave the name out"):
            t.ask(count_above(1), epsilon="0.1", analyst=name)
    office.freeze(files[0], reason="no more without a name", analyst="anonymous")
    with pytest.raises(dc.AccessError, match="anonymous is frozen"):
        t.ask(count_above(1), epsilon="0.1")
    t.ask(count_above(1), epsilon="0.1", analyst="alice")
    t.close()


# ---- in flight


@pytest.mark.parametrize("ends", ["with an answer", "in a fault"])
def test_of_two_questions_in_flight_the_other_tells_nothing_more(files, ends):
    """Both were reserved before the fault; what becomes of the second looks the same, whether it fails or not."""
    reading, go_on = threading.Event(), threading.Event()
    slow, t = open_table(files[1]), with_engine(files[0], Broken())
    slow.desk.opened()
    error = ValueError(CANARY) if ends == "in a fault" else None
    slow.desk.engine = Failing(slow.desk.engine, error, before=lambda: (reading.set(), go_on.wait(30)))
    said = []

    def ask():
        try:
            said.append(slow.ask(counted("visits", 5), epsilon="0.1", analyst="alice"))
        except dc.DiscreetError as error:
            said.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert reading.wait(30)
    with pytest.raises(dc.Fault) as caught:
        t.ask(count_above(1), epsilon="0.1", analyst="alice")
    go_on.set()
    asking.join()
    assert isinstance(said[0], dc.AccessError)
    at = next(entry.at for entry in office.entries(files[0]) if entry.kind == "fault")[:10]
    why = "a question of theirs failed after its charge; the data holder can unfreeze them"
    told = re.sub(r"since [\d-]{10} \d\d:\d\d UTC", f"since {at}", str(said[0]))
    assert told == f"alice is frozen since {at} and may not ask visits now: {why} (reference {caught.value.reference})"
    state = "settled" if ends == "with an answer" else "faulted"
    assert sql(files[0].parent, "SELECT state FROM charges ORDER BY number") == [(state,), ("faulted",)]
    assert office.verify(files[0]).ok
    slow.close()
    t.close()


def test_what_was_paid_for_in_a_batch_is_kept_and_not_delivered_when_a_part_of_it_fails(files):
    t = open_table(files[0])
    real, runs = t.desk.opened(), []

    class SecondFails(Broken):
        def run(self, wanted):
            runs.append(wanted)
            return super().run(wanted) if len(runs) == 2 else real.run(wanted)

    t.desk.engine = SecondFails()
    with pytest.raises(dc.Fault):
        t.ask_all([count_above(1), count_above(2), count_above(3)], epsilon="0.3")
    assert sql(files[0].parent, "SELECT state FROM charges ORDER BY number") == [("settled",), ("faulted",), ("settled",)]
    t.desk.engine = real
    assert t.ask(count_above(1), epsilon="0.1").replayed                          # settled before the fault: history
    with pytest.raises(dc.AccessError, match="frozen"):
        t.ask(count_above(3), epsilon="0.1")
    assert not t.ask(count_above(3), epsilon="0.1", analyst="bob").replayed        # that it is there would tell something
    office.unfreeze(files[0], reason="looked")
    assert t.ask(count_above(3), epsilon="0.1").replayed
    t.close()


# ---- who is not


def test_ctrl_c_four_times_in_a_row_freezes_nobody_and_keeps_every_charge(files):
    t = with_engine(files[0], Broken(KeyboardInterrupt()))
    for number in range(4):
        with pytest.raises(KeyboardInterrupt):
            t.ask(count_above(number), epsilon="0.1", analyst="alice")
    t.desk.engine = None
    assert sql(files[0].parent, "SELECT DISTINCT state FROM charges") == [("faulted",)]
    assert spent(t) == Fraction(4, 10)
    assert not t.ask(count_above(0), epsilon="0.1", analyst="alice").replayed       # paid for again: never resumed
    assert office.alarms(files[0]) == []
    t.close()


SLOW = "SELECT SUM(range % 7) AS s FROM range(1000000000000)"


@pytest.mark.parametrize("act", ["run", "counts", "keys"])
def test_a_signal_while_duckdb_reads_is_an_interruption_and_no_error_of_its_own(files, act, monkeypatch):
    from discreet.engines import faults
    from discreet.engines.sql import asking

    t = open_table(files[0])
    engine = t.desk.opened()
    monkeypatch.setattr(faults, "MOST_SECONDS", 3.0)                              # so that it ends, whatever happens
    for name in ("to_sql", "to_counts", "to_keys_sql"):
        monkeypatch.setattr(asking, name, lambda *words: SLOW)
    monkeypatch.setattr(asking.Asking, "_seen", lambda self, wanted: ())
    wanted = type("Wanted", (), {"unit": None})()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)              # it may be ignored where tests run
    try:
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            getattr(engine, act)(wanted)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    t.close()


def test_a_question_beyond_the_time_limit_is_an_alarm_that_says_nothing_of_time(files, monkeypatch):
    from discreet.engines import faults
    from discreet.engines.sql import asking

    t = open_table(files[0])
    t.desk.opened()
    monkeypatch.setattr(faults, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(asking, "to_sql", lambda *words: SLOW)
    with pytest.raises(EngineFault, match="DuckDB could not answer") as caught:
        t.ask(count_above(1), epsilon="0.1", analyst="alice")
    assert "time" not in str(caught.value)
    assert [each.cause for each in office.alarms(files[0])] == ["TimeoutError"]
    t.close()


def test_a_ledger_that_cannot_be_written_between_charge_and_answer_freezes_nobody(files, monkeypatch):
    t = open_table(files[0])
    for number in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(t.desk.ledger, "_settled", lambda *words: (_ for _ in ()).throw(dc.LedgerFault("the disk is full")))
            with pytest.raises(dc.LedgerFault):
                t.ask(count_above(number), epsilon="0.1", analyst="alice")
        t.ask(count_above(number + 10), epsilon="0.1", analyst="alice")
    assert office.alarms(files[0]) == []
    assert sql(files[0].parent, "SELECT DISTINCT state FROM charges") == [("faulted",), ("settled",)]
    assert office.verify(files[0]).ok
    t.close()


@pytest.mark.parametrize("what", ["gone", "changed"])
def test_a_source_that_is_lost_while_it_is_read_freezes_nobody(files, what):
    source = files[0].parent / "t.csv"

    def lose():
        if what == "gone":
            source.unlink()
        else:
            source.write_text(ROWS + "1,1,new\n", encoding="utf-8")

    t = open_table(files[0])
    t.desk.engine = Failing(t.desk.opened(), OSError(2, "gone"), before=lose)
    with pytest.raises(dc.Fault):
        t.ask(count_above(1), epsilon="0.1", analyst="alice")
    assert office.alarms(files[0]) == []
    assert sql(files[0].parent, "SELECT state FROM charges") == [("faulted",)]
    t.close()


def test_a_version_that_moved_on_while_a_question_ran_freezes_nobody(files):
    t = open_table(files[0])
    real = t.desk.opened()

    class Moving(Broken):
        def run(self, wanted):
            edit(files[0], 'version = "1"', 'version = "2"')
            office.new_version(files[0], reason="meanwhile")
            return real.run(wanted)

    t.desk.engine = Moving()
    with pytest.raises(dc.Fault):
        t.ask(count_above(1), epsilon="0.1", analyst="alice")
    assert office.alarms(files[0]) == []
    t.close()
