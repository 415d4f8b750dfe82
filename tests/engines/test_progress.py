"""How far a look at a table is: told to whoever waits at a terminal, and to nobody else."""

from threading import Event

import pandas as pd

import discreet as dc
from discreet.engines import progress
from discreet.engines.progress import followed, is_told, telling

QUESTION = "SELECT g, COUNT(*) AS n FROM t GROUP BY g"


def test_what_is_asked_for_is_told_until_the_end(monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.001)
    told, heard = [], Event()

    def tell(share):
        told.append(share)
        heard.set()

    with telling(tell), followed(lambda: 130.0):
        assert heard.wait(60)
    count = len(told)
    assert set(told) == {100.0}
    assert not is_told()
    assert len(told) == count


def test_a_share_that_is_not_known_is_not_told_and_one_that_fails_disturbs_nothing(monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.001)
    told, asked = [], Event()

    def unknown():
        asked.set()
        return -1.0

    def failing():
        asked.set()
        raise RuntimeError("it ended")

    for share in (unknown, failing):
        asked.clear()
        with telling(told.append), followed(share):
            assert asked.wait(60)
    assert told == []


def test_nobody_is_asked_where_nobody_wants_to_know():
    def never():
        raise AssertionError("nobody wants to know")

    with followed(never):
        pass


def test_a_question_that_is_followed_has_the_same_integers(monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.0001)
    frame = pd.DataFrame({"g": [i % 3 for i in range(30_000)]})
    table = dc.table(frame, columns={"g": dc.category(0, 1, 2)}, unit="row", neighbours="add_remove", budget=10**9)
    told = []
    with telling(told.append):
        found = table.ask(QUESTION, epsilon=10**6)
    again = table.ask(QUESTION, epsilon=10**6 + 1)
    assert found.to_columns()["n"] == again.to_columns()["n"] == [10_000, 10_000, 10_000, 0]  # and no row without a value
    assert all(0 <= share <= 100 for share in told)
