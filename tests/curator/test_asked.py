"""Asking that outlives a connection and a worker: keys, histories, faults and free views. Through the whole curator."""

import json
import subprocess
import sys
from contextlib import closing

import pytest
from tests.curator import dying
from tests.ledger.made import count_above, edit, entries_by_hand, write_table

import discreet as dc
from discreet.curator import Folder, accounts, office
from discreet.curator.request import Ask
from discreet.engines.reference.engine import Reference
from discreet.ledger import history


@pytest.fixture
def folder(tmp_path):
    """A table with a token for alice, and one for bob."""
    office.register(write_table(tmp_path, more="rows_about = 60"))
    tokens = [accounts.add(tmp_path, name) for name in ("alice", "bob")]
    for name in ("alice", "bob"):
        accounts.grant(tmp_path, name, ["t"])
    with closing(Folder(tmp_path)) as opened:
        yield opened, *map(opened.account, tokens)


@pytest.mark.slow
def test_an_answer_that_was_settled_before_its_worker_died_is_found_though_the_table_has_moved_on(folder, monkeypatch):
    opened, alice, _ = folder
    taken = opened.take_in(alice, "t", {"sql": count_above(1)}, key="k")
    answer = opened.curator("t", alice).ask(count_above(1), epsilon="0.1", analyst=alice, key=taken.id)
    edit(opened.path / "t.toml", 'version = "1"', 'version = "2"')
    office.new_version(opened.path / "t.toml", reason="later rows")
    monkeypatch.setattr("discreet.ledger.asked.is_dead", lambda *_: True)
    assert opened.take(taken.id) is None
    assert opened.take_in(alice, "t", {"sql": count_above(1)}, key="k").outcome == {"answer": answer.id}


def test_what_a_dead_worker_had_charged_is_not_forgotten_by_one_that_cannot_go_on(folder):
    opened, alice, _ = folder
    body = {"sql": count_above(1), "anew": True}
    taken = opened.take_in(alice, "t", body, key="k")
    answer = opened.curator("t", alice).ask(count_above(1), epsilon="0.1", analyst=alice, key=taken.id, anew=True)
    opened.forget(taken.id)
    again = opened.take_in(alice, "t", body, key="k")
    assert (again.id, again.is_new) == (taken.id, False)
    same = opened.curator("t", alice).ask(count_above(1), epsilon="0.1", analyst=alice, key=again.id, anew=True)
    assert same.id == answer.id
    assert len([entry for entry in office.entries(opened.path) if entry.kind == "charge"]) == 1


def test_what_was_looked_up_a_moment_ago_is_decided_when_it_is_charged(folder):
    opened, alice, bob = folder
    curator = opened.curator("t", alice)
    orders = [curator.order(Ask.of(count_above(number), epsilon="0.1", analyst=alice)) for number in (1, 2, 3)]
    first, second, third = map(curator.looked_up, orders)
    assert [curator.seconds(each) > 0 for each in (first, second, third)] == [True] * 3
    bought = curator.ask(count_above(1), epsilon="0.1", analyst=bob)                 # between the look and the charge
    found = curator.answer(first.order, first)
    assert (found.replayed, found.rows) == (True, bought.rows)
    assert not curator.answer(second.order, second.with_key("k")).replayed
    office.freeze(opened.path / "t.toml", reason="to look")
    with pytest.raises(dc.AccessError, match="to look"):
        curator.answer(third.order, third)
    assert len([entry for entry in office.entries(opened.path) if entry.kind == "charge"]) == 2


@pytest.mark.slow
def test_death_between_any_two_steps_leaves_each_key_charged_once(tmp_path):
    office.register(write_table(tmp_path, more="rows_about = 60"))
    token = accounts.add(tmp_path, "alice")
    accounts.grant(tmp_path, "alice", ["t"])
    found = subprocess.run([sys.executable, "-W", "error", dying.__file__, str(tmp_path), token], capture_output=True, text=True,
                           timeout=120, check=True)  # fmt: skip
    told = [json.loads(line) for line in found.stdout.splitlines()]
    assert [each["killed"] for each in told] == [True] * 2 * dying.STEPS
    assert all(first == second for first, second in (each["told"] for each in told))
    charges = [each["told"][0][2] for each in told]
    made = [number for number, kind, _, _ in entries_by_hand(tmp_path) if kind == "charge"]
    assert sorted(charges) == made[1:]                                               # one for each key, and each of them answered
    assert told[-1]["history"] == len(made)
    assert office.verify(tmp_path).ok


def test_everybody_has_a_history_of_their_own_newest_first_and_an_id_of_others_is_not_there(folder):
    opened, alice, bob = folder
    curator = opened.curator("t", alice)
    bought = [curator.ask(count_above(n), epsilon="0.1", analyst=alice) for n in (1, 2, 3)]
    view = curator.ask(count_above(2), epsilon="0.1", analyst=bob)                   # free: alice has bought it
    assert [each.id for each in opened.history(alice)] == [each.id for each in reversed(bought)]
    first = opened.history(alice, most=2)
    assert [each.id for each in opened.history(alice, most=2, before=first[-1].id)] == [bought[0].id]
    ((line),) = opened.history(bob)
    assert (line.id, line.question, line.cost) == (view.id, bought[1].question, {"epsilon": "0"})
    again = opened.answer(alice, bought[1].id)
    assert (again.to_dict() | {"budget": 0}, again.receipt) == (bought[1].to_dict() | {"budget": 0}, bought[1].receipt)
    mine = opened.answer(bob, view.id)
    assert (mine.rows, mine.intervals, mine.receipt, mine.replayed) == (view.rows, view.intervals, view.receipt, True)
    assert "alice" not in json.dumps([mine.to_dict(), mine.receipt, line.to_dict()])
    for account, identity in ((bob, bought[1].id), (alice, view.id), (alice, "nothing"), (bob, "x" * 100)):
        with pytest.raises(dc.MissingError):
            opened.answer(account, identity)
        with pytest.raises(dc.MissingError):
            opened.history(account, before=identity)


def test_what_was_answered_stays_readable_whatever_became_of_the_table(folder):
    opened, alice, _ = folder
    was = opened.curator("t", alice).ask("SELECT BIN(x, 10) AS b, COUNT(*) AS n FROM t GROUP BY b", epsilon="0.1", analyst=alice)
    assert opened.answer(alice, was.id).columns == was.columns
    office.freeze(opened.path / "t.toml", reason="a look")
    accounts.ungrant(opened.path, "alice", ["t"])
    edit(opened.path / "t.toml", 'version = "1"', 'version = "2"')
    office.new_version(opened.path / "t.toml", reason="later rows")
    assert opened.answer(alice, was.id).rows == was.rows
    with closing(Folder(opened.path)) as other:                                      # where the table was never opened
        assert other.answer(alice, was.id).intervals == was.intervals


@pytest.mark.slow
def test_free_views_fill_no_more_of_the_disk_than_the_bounds_say(folder, monkeypatch):
    opened, alice, bob = folder
    curator = opened.curator("t", alice)
    bought = curator.ask("SELECT place, COUNT(*) AS n FROM t GROUP BY place", epsilon="0.1", analyst=alice)
    monkeypatch.setattr(history, "MOST_VIEWS", 3)
    asked = [f"SELECT place, COUNT(*) + {n} AS n FROM t GROUP BY place" for n in range(5)]
    views = [curator.ask(each, epsilon="0.1", analyst=bob) for each in asked]
    assert [each.id for each in opened.history(bob)] == [each.id for each in views[:1:-1]]
    monkeypatch.setattr(history, "MOST_BYTES", 100)
    last = curator.ask("SELECT place, COUNT(*) + 9 AS n FROM t GROUP BY place", epsilon="0.1", analyst=bob)
    assert last.replayed                                                             # delivered, and not kept
    assert len(opened.history(bob)) == 3
    assert [each.id for each in opened.history(alice)] == [bought.id]                # what was bought does not make room


def test_faults_are_listed_for_the_data_holder_whether_they_froze_or_not(folder, monkeypatch):
    opened, alice, _ = folder
    curator = opened.curator("t", alice)
    curator.open()

    def fails(*_):
        raise ZeroDivisionError("a canary in the rows")

    monkeypatch.setattr(type(curator.desk.engine), "run", fails)
    monkeypatch.setattr(Reference, "run", fails)
    with pytest.raises(dc.Fault) as told:
        curator.ask(count_above(1), epsilon="0.1", analyst=alice)
    (found,) = office.faults(opened.path)
    assert (found.reference, found.table, found.analyst, found.froze) == (told.value.reference, "t", "alice", ("alice",))
    assert (found.is_open, found.froze_tables, found.cause) == (True, False, "ZeroDivisionError")
    office.unfreeze(opened.path / "t.toml", reason="looked at", analyst="alice")
    (looked_at,) = office.faults(opened.path, "t")
    assert (looked_at.is_open, looked_at.charge) == (False, found.charge)
    assert office.faults(opened.path, "u") == []
    assert "canary" not in json.dumps(looked_at.to_dict())
