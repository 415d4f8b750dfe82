"""Clients that keep a connection and say nothing, or half of something, or take nothing: real sockets at a small application."""

import asyncio
import logging
import socket
import ssl
import time
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event, Thread

import pytest
import uvicorn
from tests.service.certificates import certificate

from discreet.service import patience
from discreet.service.guard import Guard
from discreet.service.patience import Patient
from discreet.service.settings import Limits

pytestmark = pytest.mark.slow
LONG = 60.0


class Serving:
    """An application behind guard and patience. ``/SIZE`` is a response of that size, ``/wait`` one that waits to be let go."""

    def __init__(self, tls=None, **limits):
        self.limits = Limits(**{"idle_seconds": LONG, "send_seconds": LONG, "body_seconds": LONG} | limits)
        self.begun, self.let_go, self.ended = Event(), Event(), []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # so that the system takes little on its own
        self.address = self._socket.getsockname()
        config = uvicorn.Config(Guard(self._app, self.limits, secure=False), interface="asgi3", lifespan="off", ws="none",
                                http=partial(Patient, limits=self.limits), log_config=None, access_log=False,
                                timeout_keep_alive=600, timeout_graceful_shutdown=1, ssl_certfile=tls)
        self.server = uvicorn.Server(config)
        self._thread = Thread(target=lambda: asyncio.run(self.server.serve(sockets=[self._socket])))

    async def _app(self, scope, receive, send):
        await receive()
        if scope["path"] == "/wait":
            self.begun.set()
            while not self.let_go.is_set():
                await asyncio.sleep(0.01)
        size = int(scope["path"].strip("/")) if scope["path"] != "/wait" else 2
        head = [(b"content-length", str(size).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": b"x" * size})
        self.ended.append(scope["path"])

    def __enter__(self):
        self._thread.start()
        assert until(lambda: self.server.started)
        return self

    def __exit__(self, *_):
        self.let_go.set()
        self.server.should_exit = True
        self._thread.join(30)

    @contextmanager
    def said(self, *words, buffer=4096):
        """A connection on which something was said already."""
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            client.settimeout(30)
            client.connect(self.address)
            for each in words:
                client.sendall(each)
            yield client

    @property
    def connections(self):
        return len(self.server.server_state.connections)


def until(what) -> bool:
    end = time.monotonic() + 30
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return what()


def get(path, *, close=False, method="GET", more=""):
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{'Connection: close' + chr(13) + chr(10) if close else ''}{more}\r\n".encode()


def read_all(client) -> bytes:
    return b"".join(iter(lambda: client.recv(100_000), b""))


def status(client) -> int:
    """That of one response, whose body is read too."""
    told = b""
    while b"\r\n\r\n" not in told:
        told += client.recv(1000) or pytest.fail("it hung up")
    head, _, body = told.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    while len(body) < length:
        body += client.recv(1000) or pytest.fail("it hung up")
    return int(head.split()[1])


@pytest.mark.parametrize("close", [False, True], ids=["kept", "to be closed"])
@pytest.mark.parametrize("size", [50_000, 3_000_000])
@pytest.mark.parametrize("times", [1, 2])
def test_whoever_takes_nothing_of_a_response_is_hung_up_on(caplog, size, close, times):
    """Also where all of it was handed over, and where more was asked for on the same connection."""
    caplog.set_level(logging.WARNING)
    with Serving(send_seconds=0.2, idle_seconds=0.2) as serving, serving.said(get(f"/{size}", close=close) * times) as client:
        assert until(lambda: serving.ended)  # what the application sent after all came to an end
        assert until(lambda: serving.connections == 0)
        with suppress(ConnectionResetError):  # or it gets what the system kept for it, and no more
            assert len(read_all(client)) < size
    assert caplog.records == []  # no traceback: nothing went wrong here


def test_whoever_takes_nothing_is_hung_up_on_behind_tls_too(caplog, tmp_path):
    caplog.set_level(logging.WARNING)
    file, trusted = tmp_path / "both.pem", ssl.create_default_context()
    file.write_text("".join(each.read_text() for each in certificate(tmp_path)))
    trusted.check_hostname, trusted.verify_mode = False, ssl.CERT_NONE
    with Serving(tls=file, send_seconds=0.2) as serving, serving.said() as plain, trusted.wrap_socket(plain) as client:
        client.sendall(get("/3000000"))
        assert until(lambda: serving.ended)
        assert until(lambda: serving.connections == 0)
    assert caplog.records == []


@pytest.mark.parametrize("size", [1, 65_536, 65_537, 3_000_000])
def test_whoever_takes_their_time_gets_all_of_it(size):
    with Serving(idle_seconds=2.0) as serving, serving.said(get(f"/{size}", close=True)) as client:
        told = b""
        while part := client.recv(max(1, size // 50)):
            told += part
            time.sleep(0.06 if size > 1_000_000 else 0.0)  # three seconds in all, and the last parts in few moments
        assert len(told.partition(b"\r\n\r\n")[2]) == size


def test_whoever_takes_nothing_keeps_nobody_out_and_only_a_part_waits_for_them():
    """So that the seconds to take it are for each part as well."""
    with Serving(requests_at_once=1) as serving, serving.said(get("/3000000")) as slow:
        assert slow.recv(1) == b"H"
        transport = next(iter(serving.server.server_state.connections)).transport
        assert until(lambda: transport.get_write_buffer_size() > 65_536)
        assert transport.get_write_buffer_size() < 3 * 65_536
        with serving.said(get("/5")) as other:
            assert status(other) == 200


@pytest.mark.parametrize("said", [b"", b"GET /5 HT", b"GET /5 HTTP/1.1\r\nHost: x\r\n"])
@pytest.mark.parametrize("before", [0, 1])
def test_whoever_says_nothing_or_half_of_a_head_is_hung_up_on(said, before):
    with Serving(idle_seconds=0.3) as serving, serving.said(*[get("/5")] * before, said) as client:
        assert read_all(client).count(b"200 OK") == before
        assert until(lambda: serving.connections == 0)


def test_a_head_that_comes_letter_by_letter_is_not_waited_for_either():
    with Serving(idle_seconds=0.3) as serving, serving.said() as client:
        assert until(lambda: serving.connections == 1)
        with suppress(ConnectionError):
            while serving.connections:
                client.sendall(b"G")
                time.sleep(0.02)
        assert until(lambda: serving.connections == 0)


def test_a_connection_that_is_used_stays():
    with Serving(idle_seconds=2.0) as serving, serving.said() as client:
        for _ in range(5):
            client.sendall(get("/5"))
            assert status(client) == 200
            time.sleep(0.5)


@pytest.mark.parametrize("said", [
    "GET /5 HTTP/1.1\r\nHost: x\r\n" + "a:\r\n" * 100 + "\r\n",
    "GET /5 HTTP/1.1\r\nHost: x\r\na: " + "x" * 200_000 + "\r\n\r\n",
    "GET /5 HTTP/1.1\r\nHost: x\r\n" + "".join(f"a{number}: {'x' * 300}\r\n" for number in range(90)) + "\r\n",
    "GET /5?" + "a&" * 3000 + " HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /5 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + "1\r\nx\r\n" * 40_000,
    "POST /5 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
], ids=["many headers", "a long one", "long ones", "a long address", "pieces", "two lengths"])  # fmt: skip
def test_what_takes_long_to_be_looked_at_is_not_looked_at(said):
    with Serving() as serving, serving.said() as client:
        with suppress(ConnectionError):  # it does not wait for all of it
            client.sendall(said.encode())
        with suppress(ConnectionResetError):  # what it was told is lost where it goes on sending
            assert client.recv(12) in (b"HTTP/1.1 400", b"")
        assert until(lambda: serving.connections == 0)
        assert serving.ended == []


def test_a_head_of_ordinary_size_is_read_whole_or_in_parts():
    head = get("/5", more="".join(f"a{number}: {'x' * 100}\r\n" for number in range(80)))
    with Serving() as serving, serving.said() as client:
        for cut in (len(head), 1000, 8000):
            client.sendall(head[:cut])
            time.sleep(0.05)
            client.sendall(head[cut:])
            assert status(client) == 200


def test_several_requests_that_come_at_once_are_all_answered():
    with Serving() as serving, serving.said(get("/5") * 600) as client:
        told = b""
        while told.count(b"xxxxx") < 600:
            told += client.recv(10_000) or pytest.fail("it hung up")
    assert told.count(b"HTTP/1.1 200") == 600


def test_a_request_that_takes_long_is_waited_for():
    with Serving(idle_seconds=0.1) as serving, serving.said(get("/wait")) as client:
        assert serving.begun.wait(30)
        time.sleep(0.5)
        serving.let_go.set()
        assert status(client) == 200


def test_those_waited_for_longest_make_room():
    with Serving(connections=4) as serving, serving.said(get("/wait")) as working:
        assert serving.begun.wait(30)
        with serving.said() as silent, serving.said(b"GET /5 HT") as half, serving.said(get("/5")) as kept:
            assert status(kept) == 200
            with serving.said(get("/5")) as newer:
                assert status(newer) == 200
                assert read_all(silent) == b""
                with serving.said(get("/5")) as newest:
                    assert status(newest) == 200
                    assert read_all(half) == b""
                    for each in (kept, newer):  # which have done nothing wrong, and are not in the way
                        each.sendall(get("/5"))
                        assert status(each) == 200
        serving.let_go.set()
        assert status(working) == 200


def test_where_all_are_worked_on_whoever_comes_next_is_turned_away(monkeypatch):
    monkeypatch.setattr(patience, "_files", lambda: 4)  # of which half are for tables
    with Serving() as serving, serving.said(get("/wait")) as one, serving.said(get("/wait")) as two:
        assert until(lambda: serving.connections == 2)
        assert serving.begun.wait(30)
        with serving.said() as third:
            assert third.recv(1) == b""
        serving.let_go.set()
        assert [status(one), status(two)] == [200, 200]


def test_half_bodies_keep_nobody_out_and_are_few_from_one_address():
    half = get("/5", method="POST", more="Content-Length: 10\r\n") + b"{"
    with Serving(requests_at_once=1, bodies_of_one_address=2) as serving, serving.said(half) as one:
        assert until(lambda: serving.connections == 1)
        with serving.said(half) as two, serving.said(half) as three:
            told = read_all(one)  # the one that was waited for longest
            assert told.startswith(b"HTTP/1.1 408")
            assert b"connection: close" in told.lower()
            for each in (two, three):
                each.sendall(b"x" * 9)
                assert status(each) == 200
            with serving.said(half + b"x" * 9) as other:
                assert status(other) == 200


def test_a_half_body_makes_room_before_a_request_that_is_whole():
    half = get("/5", method="POST", more="Content-Length: 10\r\n") + b"{"
    with Serving(connections=2) as serving, serving.said(get("/wait")) as whole:
        assert serving.begun.wait(30)
        with serving.said(half) as slow:
            assert until(lambda: serving.connections == 2)
            with serving.said(get("/5")) as newer:
                assert status(newer) == 200
                assert slow.recv(1) == b""
        serving.let_go.set()
        assert status(whole) == 200
