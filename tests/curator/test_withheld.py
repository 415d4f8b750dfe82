"""What is kept and not delivered is known to nobody until the data holder has looked: it would tell what did not fail."""

from contextlib import nullcontext

import pytest
from tests.curator.test_alarms import Broken
from tests.ledger.made import count_above, sql, write_table

import discreet as dc
from discreet.curator import office, open_table
from discreet.engines.wanted import Engine

pytestmark = pytest.mark.slow  # tables are registered, and their faults looked at

SUMMED = "SELECT SUM(x) AS s FROM t"
COUNTED = "SELECT COUNT(*) AS n FROM t"


class Told(Engine):
    """Fails where it is told to, as often as it is asked."""

    def __init__(self, real, *failing):
        self.real, self.failing, self.runs = real, failing, 0

    def at_once(self):
        return nullcontext(self)

    def check(self):
        self.real.check()

    def run(self, wanted):
        self.runs += 1
        if self.runs in self.failing:
            raise ValueError
        return self.real.run(wanted)

    def close(self):
        self.real.close()


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, budget="epsilon = 100")
    office.register(found)
    return found


@pytest.fixture
def t(file):
    """Three questions of eve were in flight: the first failed, the second as well while she was frozen, the third is withheld."""
    curator = open_table(file)
    curator.desk.engine = Told(curator.desk.ready(), 1, 2)
    with pytest.raises(dc.Fault):
        curator.ask_all([count_above(10), count_above(20), COUNTED], epsilon=3, analyst="eve")
    curator.desk.engine = curator.desk.engine.real
    assert sql(file.parent, "SELECT state FROM charges ORDER BY number") == [("faulted",), ("faulted",), ("settled",)]
    with curator.desk.ledger.store.database.writing() as connection:                      # only eve is frozen: others may look
        connection.execute("UPDATE alarms SET froze_tables = 0")
    yield curator
    curator.close()


@pytest.mark.parametrize("asker", ["eve", "bob", None])
def test_a_quote_does_not_tell_which_question_in_flight_failed(t, file, asker):
    told = [t.quote(each, epsilon=1, analyst=asker).replay for each in (count_above(10), count_above(20), COUNTED)]
    assert told == [False, False, False]
    office.unfreeze(file, reason="looked")
    assert t.quote(COUNTED, epsilon=1, analyst=asker).replay


@pytest.mark.parametrize("asker", ["eve", "bob", None])
def test_a_wish_is_not_met_by_what_is_withheld(t, file, asker):
    assert not t.quote(COUNTED, within=10, analyst=asker).replay
    office.unfreeze(file, reason="looked")
    assert t.quote(COUNTED, within=10, analyst=asker).replay


@pytest.mark.parametrize("asker", ["eve", "bob"])
def test_a_count_that_is_withheld_is_behind_no_quote(t, file, asker):
    def rows():
        return t.quote("SELECT AVG(x) AS m FROM t", epsilon=1, analyst=asker).columns[0].rows

    before = rows()
    office.unfreeze(file, reason="looked")
    assert rows() != before                                                      # from here on it is a stored count


def test_asking_again_while_frozen_does_the_same_whatever_became_of_the_question(t, monkeypatch):
    tried = []
    monkeypatch.setattr(type(t.desk.trials), "try_out", lambda *words: tried.append("tried"))
    monkeypatch.setattr(t.desk, "ready", lambda: tried.append("opened"))
    for question in (count_above(10), count_above(20), COUNTED):
        with pytest.raises(dc.AccessError, match="eve is frozen"):
            t.ask(question, epsilon=1, analyst="eve")
    assert tried == []


def test_somebody_else_buys_what_is_withheld_and_gets_it_free_after_the_data_holder_has_looked(t, file):
    assert not t.ask(COUNTED, epsilon=1, analyst="bob").replayed
    assert t.ask(COUNTED, epsilon=1, analyst="carol").replayed                    # bob was shown it
    assert t.quote(COUNTED, epsilon=1, analyst="carol").replay
    assert not t.quote(COUNTED, epsilon=1, analyst="eve").replay                  # and eve was not
    office.unfreeze(file, reason="looked")
    assert t.ask(COUNTED, epsilon=1, analyst="eve").replayed


def test_ones_own_history_is_quoted_as_free_while_one_is_frozen(file):
    t = open_table(file)
    t.ask(COUNTED, epsilon=1, analyst="eve")
    t.ask(SUMMED, epsilon=1, analyst="bob")
    real, t.desk.engine = t.desk.engine, Broken()
    with pytest.raises(dc.Fault):
        t.ask(count_above(1), epsilon=1, analyst="eve")
    t.desk.engine = real
    assert t.quote(COUNTED, epsilon=1, analyst="eve").replay
    assert t.ask(COUNTED, epsilon=1, analyst="eve").replayed
    assert not t.quote(SUMMED, epsilon=1, analyst="eve").replay
    assert t.quote(SUMMED, epsilon=1, analyst="bob").replay
    t.close()
