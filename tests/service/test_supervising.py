"""Who stands over the workers: when it says that they listen, whom it replaces, and how they end."""

import os
import signal
import socket
import time
from itertools import pairwise
from threading import Event, Thread

import pytest
from uvicorn import Config

from discreet.errors import Fault
from discreet.service import supervising
from discreet.service.supervising import Supervisor, Worker


def until(is_so):
    """Whether it is within half a minute."""
    for _ in range(600):
        if is_so():
            return True
        time.sleep(0.05)
    return False


class Stand:
    """What a process would be."""

    is_there = True

    def is_alive(self):
        return self.is_there


class Fake:
    """A worker that does as it is told, and tells what was done to it."""

    exitcode = -9

    def __init__(self, place, *, listens=True):
        self.pid, self.has_listened, self.process = place, listens, Stand()
        self.is_hung, self.began, self.done = False, time.monotonic(), []

    def moves(self):
        return self.process.is_there and not self.is_hung

    def is_late(self):
        return False

    def terminate(self):
        self.done.append("told to end")
        self.process.is_there = False

    def end_by(self, _):
        self.done.append("ended")
        self.process.is_there = False


class Scene:
    """A supervisor over fakes, in the main thread, until ``acts`` are through: each is called when the one before is true."""

    def __init__(self, workers, **more):
        self.made, self.said, self.heard, self.more = [], [], [], more
        self.supervisor = Supervisor(self._begun, workers, 0.0, lambda: None)

    def _begun(self):
        self.made.append(Fake(len(self.made), **self.more))
        return self.made[-1]

    def play(self, *acts):
        over, wrong = Event(), []

        def through():
            until = time.monotonic() + 30
            try:
                for act in acts:
                    while not over.is_set() and not act():
                        assert time.monotonic() < until, "an act was never true"
                        time.sleep(0.01)
            except Exception as error:  # noqa: BLE001 - it is raised where the test is
                wrong.append(error)
            finally:
                if not over.is_set():
                    os.kill(os.getpid(), signal.SIGTERM)

        before = signal.signal(signal.SIGTERM, lambda number, _: self.heard.append(number))
        player = Thread(target=through)
        player.start()
        try:
            self.supervisor.run(lambda: self.said.append([each.has_listened for each in self.made]))
        finally:
            over.set()
            player.join()
            signal.signal(signal.SIGTERM, before)
        if wrong:
            raise wrong[0]
        return self


def done(what):
    """An act that is done once."""
    left = [what]

    def act():
        if left:
            left.pop()()
        return True

    return act


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(supervising, "_TICK", 0.005)


def test_it_is_said_where_once_all_listen_and_the_signal_that_ends_it_is_raised_again():
    scene = Scene(2, listens=False)

    def listen():
        for each in scene.made:
            each.has_listened = True
        return True

    scene.play(lambda: len(scene.made) == 2, done(lambda: time.sleep(0.05)), listen, lambda: scene.said)
    assert scene.said == [[True, True]]
    assert scene.heard == [signal.SIGTERM]
    assert [each.done for each in scene.made] == [["told to end", "ended"]] * 2


def test_a_service_whose_first_workers_cannot_begin_ends_with_a_fault():
    scene = Scene(2, listens=False)

    def fail():
        scene.made[1].process.is_there = False
        return True

    with pytest.raises(Fault, match="cannot begin"):
        scene.play(lambda: len(scene.made) == 2, fail, lambda: False)
    assert scene.said == []
    assert not any(each.process.is_there for each in scene.made)


def test_a_service_for_whose_first_workers_the_system_has_no_room_ends_with_a_fault_and_leaves_none_of_them():
    scene = Scene(2)
    before = scene.supervisor._begun

    def begun():
        if scene.made:
            raise OSError("no room")
        return before()

    scene.supervisor._begun = begun
    with pytest.raises(Fault, match="cannot begin"):
        scene.play(lambda: False)
    assert [each.done for each in scene.made] == [["told to end", "ended"]]


@pytest.mark.slow
def test_a_worker_whose_loop_of_events_stands_still_does_not_move(monkeypatch):
    """A real one, asked as long as it listens and then no more."""
    monkeypatch.setattr(supervising, "_TICK", 0.05)
    monkeypatch.setattr(supervising, "_SILENT", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        worker = Worker(Config("tests.service.standing:app", lifespan="on", ws="none", log_config=None), [listening], None)
        try:
            assert until(lambda: worker.moves() and worker.has_listened)
            with socket.create_connection(listening.getsockname(), timeout=30) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
                assert until(lambda: not worker.moves())
            assert worker.process.is_alive()
        finally:
            worker.end_by(0.0)
    assert not worker.moves()


@pytest.mark.slow
def test_a_worker_that_begins_or_ends_slowly_moves_and_is_late_after_a_while(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        worker = Worker(Config("tests.service.standing:slow", lifespan="on", ws="none", log_config=None), [listening], None)
        try:
            assert not worker.is_late()
            for _ in range(20):
                assert worker.moves()
                time.sleep(0.05)
            assert not worker.has_listened
            monkeypatch.setattr(supervising, "_LATE", 0.5)
            assert worker.is_late()
        finally:
            worker.end_by(0.0)


@pytest.mark.parametrize("trouble", ["dead", "hung"])
def test_whoever_dies_or_hangs_is_replaced_and_that_is_logged(trouble, caplog):
    scene = Scene(1)

    def spoil():
        if trouble == "dead":
            scene.made[0].process.is_there = False
        else:
            scene.made[0].is_hung = True

    scene.play(lambda: scene.said, done(spoil), lambda: len(scene.made) == 2)
    assert len(scene.made) == 2
    assert scene.made[0].done[0] == "ended"
    (line,) = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert ("does not move" if trouble == "hung" else "(-9)") in line


def test_a_replacement_that_cannot_begin_is_tried_again_after_a_while_and_ends_nobody(monkeypatch):
    monkeypatch.setattr(supervising, "_AGAIN", 0.2)
    scene = Scene(2)

    def spoil():
        scene.more["listens"] = False
        scene.made[0].process.is_there = False

    def fail():
        for each in scene.made[2:]:
            each.process.is_there = False
        return len(scene.made) > 5

    scene.play(lambda: scene.said, done(spoil), fail)
    begun = [each.began for each in scene.made[2:]]
    assert min(later - first for first, later in pairwise(begun)) >= 0.2
    assert scene.made[1].done == ["told to end", "ended"]                      # not before the end


def hang_up():
    os.kill(os.getpid(), signal.SIGHUP)


def test_sighup_replaces_one_after_the_other_when_the_new_one_listens():
    scene = Scene(2)
    scene.more["listens"] = True

    def slower():
        scene.more["listens"] = False
        hang_up()

    def come(place):
        def act():
            if len(scene.made) <= place:
                return False
            assert [each.done for each in scene.made[place - 2:place]] == [[], []]   # nobody left before
            scene.made[place].has_listened = True
            return True

        return act

    scene.play(lambda: scene.said, done(slower), come(2), lambda: scene.made[0].done, come(3), lambda: scene.made[1].done)
    assert len(scene.made) == 4
    assert [len(each.done) for each in scene.made] == [2] * 4


def test_a_new_worker_that_cannot_begin_leaves_the_old_ones_where_they_are():
    scene = Scene(2)

    def slower():
        scene.more["listens"] = False
        hang_up()

    def fail():
        if len(scene.made) > 2:
            scene.made[2].process.is_there = False
        return len(scene.made) > 2

    scene.play(lambda: scene.said, done(slower), fail, done(lambda: time.sleep(0.1)),
               done(lambda: scene.heard.append([len(each.done) for each in scene.made])))
    assert scene.heard[0] == [0, 0, 1]


def test_one_that_ends_itself_while_its_follower_begins_is_replaced_and_the_follower_leaves():
    scene = Scene(1)

    def slower():
        scene.more["listens"] = False
        hang_up()

    def die():
        if len(scene.made) == 2:
            scene.more["listens"] = True
            scene.made[0].process.is_there = False
        return len(scene.made) == 3

    def late():
        scene.made[1].has_listened = True
        return bool(scene.made[1].done)

    scene.play(lambda: scene.said, done(slower), die, late)
    assert scene.made[1].done[0] == "told to end"
    assert len(scene.made) == 3


def test_whoever_has_said_what_a_closed_terminal_means_means_it():
    scene, closed = Scene(1), []
    before = signal.signal(signal.SIGHUP, lambda number, _: closed.append(number))
    try:
        scene.play(lambda: scene.said, done(hang_up), lambda: closed)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert closed == [signal.SIGHUP]
    assert len(scene.made) == 1


def test_a_signal_that_comes_before_all_listen_ends_it():
    scene = Scene(1, listens=False)
    scene.play(lambda: scene.made)
    assert scene.said == []
    assert scene.heard == [signal.SIGTERM]


def test_a_worker_for_which_the_system_has_no_room_is_tried_again_and_the_others_stay(monkeypatch, caplog):
    monkeypatch.setattr(supervising, "_AGAIN", 0.02)
    scene, left = Scene(2), [OSError("no room"), OSError("no room")]
    before = scene.supervisor._begun

    def begun():
        if len(scene.made) >= 2 and left:
            raise left.pop()
        return before()

    scene.supervisor._begun = begun
    with caplog.at_level("ERROR", "discreet.service"):
        scene.play(lambda: scene.said, done(lambda: scene.made[0].process.__setattr__("is_there", False)),
                   lambda: len(scene.made) == 3)  # fmt: skip
    assert not left
    assert "told to end" in scene.made[1].done                                 # with the service, and not before
    assert caplog.text.count("a worker could not be begun: OSError") == 2


def test_a_worker_that_nobody_stands_over_ends_by_the_same_deadline_whatever_it_waits_for(monkeypatch):
    class Parent:
        def join(self):
            acts.append("the parent is gone")

    acts = []
    monkeypatch.setattr(supervising, "parent_process", Parent)
    monkeypatch.setattr(supervising.signal, "raise_signal", acts.append)
    monkeypatch.setattr(supervising, "sleep", acts.append)
    monkeypatch.setattr(supervising, "leave_at_once", lambda _: acts.append("over"))
    supervising._end_with_parent(30.0)
    assert acts == ["the parent is gone", signal.SIGTERM, 35.0, "over"]


def test_who_comes_while_the_service_ends_is_turned_away_before_workers_are_told():
    scene, told = Scene(1), []
    scene.supervisor._closed = lambda: told.append(list(scene.made[0].done))
    scene.play(lambda: scene.said)
    assert told == [[]]
