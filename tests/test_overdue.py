"""Work that takes long is acted upon, and work that does not costs no thread."""

import os
import threading
import time

import pytest

from discreet.overdue import _Watches, if_overdue

SOON, LONG = 0.02, 30.0


def waiting():
    return len(_Watches.now._due)


def test_what_ends_in_time_starts_no_thread_and_leaves_nothing_behind():
    with if_overdue(LONG, lambda done: None):
        before = threading.active_count()
    for _ in range(100):
        with if_overdue(LONG, lambda done: None) as late:
            assert waiting() == 1
        assert late.ident is None
    assert threading.active_count() == before
    assert waiting() == 0


def test_what_does_not_end_is_acted_upon_once_and_told_when_it_ends():
    seen = []

    def act(done):
        seen.append("late")
        assert done.wait(LONG)
        seen.append("done")

    with if_overdue(SOON, act) as late:
        while not seen:
            time.sleep(SOON / 4)
        assert seen == ["late"]
    late.join()
    assert seen == ["late", "done"]


def test_an_error_inside_comes_out_and_ends_the_act():
    ended = threading.Event()

    def act(done):
        done.wait(LONG)
        ended.set()

    with pytest.raises(KeyError), if_overdue(0.0, act) as late:  # noqa: PT012 - it waits first
        while late.ident is None:
            time.sleep(SOON / 4)
        raise KeyError
    assert ended.wait(LONG)
    assert waiting() == 0


def test_what_is_due_sooner_does_not_wait_for_what_was_there_first():
    acted = threading.Event()
    with if_overdue(LONG, lambda done: None), if_overdue(SOON, lambda done: acted.set()):
        assert acted.wait(LONG)


def test_an_act_that_hangs_holds_up_no_other():
    acted = threading.Event()
    with if_overdue(SOON, lambda done: done.wait(LONG)), if_overdue(2 * SOON, lambda done: acted.set()):
        assert acted.wait(LONG)


def test_many_threads_are_watched_at_once():
    late, acted = [], [threading.Event() for _ in range(20)]

    def act(number):
        late.append(number)
        acted[number].set()

    def work(number):
        with if_overdue(SOON, lambda done: act(number)) as thread:
            assert number % 2 == 0 or acted[number].wait(LONG)
        if thread.ident is not None:
            thread.join()

    workers = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert set(range(1, 20, 2)) <= set(late)
    assert waiting() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_fork_watches_for_itself():
    with if_overdue(LONG, lambda done: None):
        child = os.fork()
        if child == 0:
            acted = threading.Event()
            with if_overdue(SOON, lambda done: acted.set()):
                os._exit(0 if acted.wait(LONG) else 1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
