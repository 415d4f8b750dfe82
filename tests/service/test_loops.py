"""A worker that works leaves new connections to others for a moment, and takes them all the same if nobody else does."""

import asyncio
import errno
import socket
import ssl
import threading
import time
from contextlib import ExitStack, contextmanager, nullcontext

import pytest
from tests.service.certificates import certificate

from discreet.service import loops
from discreet.service.guard import Guard
from discreet.service.settings import Limits


class Named(asyncio.Protocol):
    """Says who has answered."""

    def __init__(self, name):
        self.name = name

    def connection_made(self, transport):
        transport.write(self.name)
        transport.close()


class Worker:
    """A loop in a thread of its own, at a socket that others listen on too."""

    def __init__(self, name, sock, kind):
        self.loop, self.sock = kind(), sock
        self.requests = []
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.door = self.do(self.loop.create_server(lambda: Named(name), sock=sock))

    def do(self, what):
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(30)

    def work(self):
        """Begin to work on one more request."""
        self.do(self._begin())

    async def _begin(self):
        begun, over = asyncio.Event(), asyncio.Event()

        async def request():
            with loops.working():
                begun.set()
                await over.wait()

        self.requests.append((asyncio.create_task(request()), over))
        await begun.wait()

    def rest(self):
        """End one of them."""
        self.do(self._end_one())

    async def _end_one(self):
        task, over = self.requests.pop()
        over.set()
        await task

    def end(self):
        async def over():
            while self.requests:
                await self._end_one()
            self.door.close()
            await self.door.wait_closed()

        self.do(over())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


@contextmanager
def listening(*names, kind=loops.Loop):
    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        workers = [Worker(name, first.dup(), kind) for name in names]
        try:
            yield first.getsockname(), *workers
        finally:
            for worker in workers:
                worker.end()


def told(address):
    with socket.create_connection(address, timeout=30) as connection:
        return connection.recv(10)


def test_a_worker_that_works_leaves_connections_to_one_that_does_not(monkeypatch):
    monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 600.0)
    with listening(b"one", b"two") as (address, one, two):
        one.work()
        assert {told(address) for _ in range(20)} == {b"two"}
        one.rest()
        two.work()
        assert {told(address) for _ in range(20)} == {b"one"}


def test_where_all_work_somebody_takes_it_after_a_moment():
    with listening(b"one", b"two") as (address, one, two):
        one.work()
        two.work()
        assert told(address) in (b"one", b"two")


def test_whoever_has_taken_a_connection_waits_for_its_request_before_the_next(monkeypatch):
    monkeypatch.setattr(loops, "_ARRIVING", 600.0)
    with listening(b"one", b"two") as (address, _one, _two):
        assert {told(address), told(address)} == {b"one", b"two"}  # each took one, and is shut now


def test_a_connection_that_says_nothing_is_waited_for_no_longer_than_a_moment():
    with listening(b"one") as (address, _):
        assert {told(address) for _ in range(20)} == {b"one"}


def test_it_works_until_the_last_of_its_requests_has_ended(monkeypatch):
    monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 600.0)
    with listening(b"one", b"two") as (address, one, _):
        one.work()
        one.work()
        one.rest()
        assert {told(address) for _ in range(10)} == {b"two"}


def test_a_request_that_lasts_and_one_that_has_ended_hold_nothing(monkeypatch):
    """A question waits for its public time long after its work is done: that keeps no door shut."""
    monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 0.01)
    with listening(b"one", b"two") as (address, one, two):
        one.work()
        time.sleep(0.05)  # its moment is over, though it goes on
        monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 600.0)
        two.work()
        one.work()
        one.rest()
        assert {told(address) for _ in range(10)} == {b"one"}


@pytest.mark.parametrize("overlaps", [True, False])
def test_requests_that_follow_each_other_without_end_keep_nobody_out(overlaps):
    """As those of a proxy do, on connections that it keeps: one is always there, or one begins in every round of the loop."""
    with listening(b"one") as (address, one):

        async def without_end():
            before = nullcontext()
            while not is_over:
                with loops.working() if not overlaps else nullcontext():
                    held = loops.working() if overlaps else nullcontext()
                    held.__enter__()
                    before.__exit__(None, None, None)
                    before = held
                    await asyncio.sleep(0)
            before.__exit__(None, None, None)

        is_over = []
        running = asyncio.run_coroutine_threadsafe(without_end(), one.loop)
        assert {told(address) for _ in range(10)} == {b"one"}
        is_over.append(True)
        running.result(30)


def looked(worker):
    """How many connections one look takes."""
    taken, take = [], worker.door._take
    worker.door._take = lambda: take() and not taken.append(None)

    async def look():
        worker.loop._open()

    worker.do(look())
    worker.door._take = take
    return len(taken)


@pytest.mark.parametrize(("late", "expected"), [(600.0, [1] * 8), (-1.0, [1, 1, 2, 4, 8, 16, 32, 32])])
def test_where_somebody_always_waits_more_are_taken_each_time_and_one_again_once_nobody_does(monkeypatch, late, expected):
    monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 600.0)
    monkeypatch.setattr(loops, "_ARRIVING", 600.0)
    monkeypatch.setattr(loops, "_LATE", late)
    with listening(b"one") as (address, one), ExitStack() as waiting:
        one.work()
        for _ in range(100):
            waiting.enter_context(socket.create_connection(address, timeout=30))
        assert [looked(one) for _ in expected] == expected
        while looked(one):
            pass
        one.work()
        for _ in range(3):
            waiting.enter_context(socket.create_connection(address, timeout=30))
        assert looked(one) == 1


def test_connections_that_say_nothing_keep_nobody_out_of_a_worker_that_always_has_requests(monkeypatch):
    """They come on connections that it has already, as those of a proxy do, so that a door is opened for moments only."""
    monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 600.0)
    with listening(b"one") as (address, one), ExitStack() as silent:
        looks, look = [], one.door.look

        def counted():
            looks.append(None)
            look()

        async def without_end():
            while not is_over:
                with loops.working():
                    await asyncio.sleep(0.003)

        one.work()
        for _ in range(90):
            silent.enter_context(socket.create_connection(address, timeout=30))
        monkeypatch.setattr(loops, "_LEFT_TO_OTHERS", 0.005)
        monkeypatch.setattr(loops, "_LATE", 0.01)
        one.door.look, is_over = counted, []
        one.rest()
        running = [asyncio.run_coroutine_threadsafe(without_end(), one.loop) for _ in range(3)]
        assert told(address) == b"one"
        is_over.append(True)
        for each in running:
            each.result(30)
        assert len(looks) < 60  # and not one look for each of them


@pytest.mark.parametrize("kind", [loops.Alone, loops.Loop])
def test_whoever_speaks_no_tls_for_long_makes_room_for_those_who_come_later(monkeypatch, tmp_path, kind):
    monkeypatch.setattr(loops, "_MOST_COMING", 3)
    offered, trusted = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context()
    offered.load_cert_chain(*certificate(tmp_path))
    trusted.check_hostname, trusted.verify_mode = False, ssl.CERT_NONE
    with listening(b"one", kind=kind) as (address, one), ExitStack() as connected:
        one.door._ssl = offered
        silent = [connected.enter_context(socket.create_connection(address, timeout=30)) for _ in range(5)]
        assert [each.recv(1) for each in silent[:2]] == [b"", b""]
        with socket.create_connection(address, timeout=30) as plain, trusted.wrap_socket(plain) as client:
            assert client.recv(10) == b"one"
        assert silent[2].recv(1) == b""
        for each in silent[3:]:
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.recv(1)


def test_whoever_does_not_send_what_was_promised_holds_nothing():
    async def never():
        seen.append(len(loop._holding))
        return {"type": "http.disconnect"}

    async def sent(_message):
        raise AssertionError

    seen, loop = [], loops.Loop()
    scope = {"type": "http", "method": "POST", "path": "/x", "headers": [(b"content-length", b"5")]}
    loop.run_until_complete(Guard(None, Limits(), secure=False)(scope, never, sent))
    assert seen == [0]
    loop.close()


@pytest.mark.parametrize("error", [None, ValueError])
def test_whatever_the_guard_lets_in_holds_the_doors_until_it_is_told(error):
    async def app(_scope, _receive, send):
        seen.append(len(loop._holding))
        if error is not None:
            raise error
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def nothing():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def sent(message):
        told.append(message)

    seen, told, loop = [], [], loops.Loop()
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    loop.run_until_complete(Guard(app, Limits(), secure=False)(scope, nothing, sent))
    assert (seen, len(loop._holding)) == ([1], 0)
    assert told[0]["status"] == (200 if error is None else 500)
    loop.close()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOBUFS])
def test_without_room_for_a_connection_it_waits_and_goes_on(monkeypatch, number):
    monkeypatch.setattr(loops, "_NO_ROOM", 0.01)
    with listening(b"one") as (address, one):
        real, failures = one.door._sock, [number] * 3

        class Full:
            def accept(self):
                if failures:
                    raise OSError(failures.pop(), "no room")
                return real.accept()

            def fileno(self):
                return real.fileno()

            def close(self):
                real.close()

        one.door._sock = Full()
        assert told(address) == b"one"
        assert failures == []


def test_a_door_that_was_closed_stays_so(monkeypatch):
    with listening(b"one", b"two") as (address, one, _):
        one.do(closed(one))
        assert {told(address) for _ in range(10)} == {b"two"}


async def closed(worker):
    worker.door.close()
    with loops.working():
        await asyncio.sleep(0)
