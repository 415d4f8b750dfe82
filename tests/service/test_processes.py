"""The service as processes: connections that misbehave, tokens that end, workers that die, what it takes to listen."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest
from tests.service.conftest import Caller, made_home
from tests.service.outside import SOURCE, Outside

from discreet.curator import accounts, office
from discreet.errors import ParameterError
from discreet.service.serving import serve
from discreet.service.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = made_home(tmp_path_factory.mktemp("served"))
    with Outside(home.folder, workers=2) as server:
        yield home, server


def connected(server) -> socket.socket:
    host, port = server.address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def test_it_listens_elsewhere_only_with_tls_or_behind_a_proxy(tmp_path):
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(ParameterError, match="in the open"):
            Settings(tmp_path, host)
        assert Settings(tmp_path, host, behind_proxy=True)
    assert all(Settings(tmp_path, host) for host in ("127.0.0.1", "::1", "localhost", "127.0.0.9"))
    with pytest.raises(ParameterError, match="go together"):
        Settings(tmp_path, tls_cert=tmp_path / "cert.pem")


def test_an_account_that_is_to_see_the_metrics_has_to_be_there(tmp_path):
    home = made_home(tmp_path)
    accounts.add(home.folder, "gone")
    accounts.revoke(home.folder, "gone")
    for name, why in (("monitr", "is not there"), ("gone", "was revoked")):
        with pytest.raises(ParameterError, match=why) as refused:
            serve(Settings(home.folder, port=0, metrics=("alice", name)), print)
        assert "discreet analyst add" in refused.value.hint


def test_a_worker_does_not_look_through_what_it_has_imported_again_and_again(served):
    home, _ = served
    settings = f"Settings(Path({str(home.folder)!r}))"
    script = ("import gc; from pathlib import Path; from discreet.service.serving import worker; "
              f"from discreet.service.settings import Settings; app = worker({settings}); "
              "print(gc.get_freeze_count() > 10 * len(gc.get_objects()))")
    found = subprocess.run([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": str(SOURCE)}, text=True,
                           capture_output=True, check=True)
    assert found.stdout == "True\n"


def status_on(connection: socket.socket, token: str) -> int:
    """What somebody is told on a connection that is kept."""
    connection.sendall(f"GET /api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    told = b""
    while b"\r\n\r\n" not in told or len(told.partition(b"\r\n\r\n")[2]) < length_in(told):
        more = connection.recv(10_000)
        assert more, told
        told += more
    return int(told.split(b" ", 2)[1])


def length_in(told: bytes) -> int:
    return int(told.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


def worker_behind(server, connection: socket.socket) -> int:
    """The process that has the other end of a connection, as the system tells it."""
    ours, theirs = (f":{end[1]:04X}" for end in (connection.getsockname(), connection.getpeername()))
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    number = next(line[9] for line in lines if line[1].endswith(theirs) and line[2].endswith(ours))
    for worker in server.workers:
        for each in Path(f"/proc/{worker}/fd").iterdir():
            with suppress(OSError):                                          # closed meanwhile
                if str(each.readlink()) == f"socket:[{number}]":
                    return worker
    raise AssertionError(number)


def test_a_token_that_was_revoked_stops_within_one_request_on_every_worker(served):
    home, server = served
    token = accounts.add(home.folder, "eve")
    with ExitStack() as open_ones:
        kept: dict[int, socket.socket] = {}                                  # of each worker one, on which it has answered
        for _ in range(1000):                                                # the second one may only be beginning
            each = open_ones.enter_context(connected(server))
            assert status_on(each, token) == 200
            kept.setdefault(worker_behind(server, each), each)
            if len(kept) == 2:
                break
            time.sleep(0.02)
        assert set(kept) == set(server.workers)
        accounts.revoke(home.folder, "eve")
        assert [status_on(each, token) for each in kept.values()] == [401, 401]


def test_slow_clients_and_a_thousand_connections_do_not_stop_others(served):
    home, server = served
    idle = []
    try:
        for place in range(1000):
            each = connected(server)
            idle.append(each)
            if place % 3 == 1:
                each.sendall(b"POST /api/tables/people/ask HTTP/1.1\r\nHost: x\r\n")
            if place % 3 == 2:
                each.sendall(b"POST /api/tables/people/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert Caller(server, home.alice).get("/api/tables").status_code == 200
        hung_up = select.poll()                                          # select takes no number above 1 023
        for each in idle[-3:-1]:
            hung_up.register(each, select.POLLIN)
        assert hung_up.poll(0) == []                                     # so that was not because others were hung up on
        idle[2].settimeout(60)
        assert b"408" in idle[2].recv(1000).split(b"\r\n")[0]           # half of a body is not waited for
    finally:
        for each in idle:
            each.close()


def test_more_half_bodies_than_requests_are_let_in_at_once_keep_nobody_out(served):
    home, server = served
    most = Settings(home.folder).limits.requests_at_once
    with ExitStack() as halves:
        for _ in range(most + 100):
            each = halves.enter_context(connected(server))
            each.sendall(b"POST /api/tables/people/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        question = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "1"}
        told = [Caller(server, home.alice).post("/api/tables/people/quote", question) for _ in range(10)]
    assert {each.status_code for each in told} == {200}


def test_what_is_no_request_is_told_in_the_one_shape(served):
    _, server = served
    for sent in (b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9):
        with connected(server) as each:
            each.sendall(sent)
            told = b"".join(iter(lambda each=each: each.recv(10_000), b""))
        assert told.startswith(b"HTTP/1.1 400")
        assert json.loads(told.partition(b"\r\n\r\n")[2]).keys() >= {"error", "message"}


def test_a_hundred_megabytes_are_refused_before_they_are_read(served):
    home, server = served

    def much():
        for _ in range(100):
            yield b"x" * 1_000_000

    for path in ("/api/tables/people/ask", "/api/nowhere", "/api/uploads/x/y"):
        told = server.client.post(path, content=b"x" * 200_000, headers=Caller(server, home.alice).headers)
        assert (told.status_code, told.json()["error"]) == (413, "too_large")
        for more, status in (({"Content-Length": "100000000"}, 413), ({"Transfer-Encoding": "chunked"}, 400)):
            with suppress(httpx.TransportError):  # it hung up, which is as good
                told = server.client.post(path, content=much(), headers=Caller(server, home.alice).headers | more)
                assert told.status_code == status


def test_what_waits_when_the_service_ends_is_gone_on_with_when_it_begins_again(tmp_path):
    home = made_home(tmp_path)
    body = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "0.5"}
    with Outside(home.folder) as server:
        sent = Caller(server, home.alice).post("/api/tables/people/ask", body, headers={"Prefer": "respond-async"})
        assert sent.status_code == 202
        server.kill()
    with Outside(home.folder) as server:
        found = Caller(server, home.alice).later(sent)
        assert found.status_code == 200, found.text
        assert server.stop() in (0, -signal.SIGTERM)
        assert "Traceback" not in server.log
    assert len([entry for entry in office.entries(home.folder) if entry.kind == "charge"]) == 1
