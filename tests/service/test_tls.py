"""TLS: certificates are looked at before anything listens, and whoever does not begin to speak it is not waited for long."""

import asyncio
import os
import signal
import socket
import ssl
import threading

import httpx
import pytest
from tests.service.certificates import certificate
from tests.service.conftest import Caller, made_home
from tests.service.outside import Outside

from discreet.errors import ParameterError
from discreet.service import loops, serving
from discreet.service.settings import Settings


@pytest.mark.parametrize("workers", [1, 2])
def test_what_cannot_be_spoken_with_is_told_before_anything_listens(tmp_path, workers):
    home = made_home(tmp_path)
    cert, key = certificate(tmp_path)
    other, hidden = certificate(tmp_path, "other"), certificate(tmp_path, "hidden", password="secret")
    garbage = tmp_path / "garbage.pem"
    garbage.write_bytes(os.urandom(500))
    said = []
    wrong = "no certificate and its key"
    for files, words in [((tmp_path / "none.pem", key), "none.pem cannot be read: no such file"), (hidden, wrong),
                         ((cert, tmp_path), "cannot be read"), ((cert, other[1]), wrong), ((garbage, key), wrong),
                         ((cert, garbage), wrong)]:
        settings = Settings(home.folder, port=0, workers=workers, tls_cert=files[0], tls_key=files[1])
        with pytest.raises(ParameterError, match=words):
            serving.serve(settings, said.append)
    assert said == []


class Greeting(asyncio.Protocol):
    def connection_made(self, transport):
        transport.write(b"hello")
        transport.close()


@pytest.fixture
def context(tmp_path):
    files = certificate(tmp_path)
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    found.load_cert_chain(*files)
    return found


@pytest.mark.parametrize("kind", [loops.Alone, loops.Loop])
def test_whoever_does_not_begin_to_speak_tls_is_hung_up_on_and_others_are_answered(tmp_path, context, kind):
    loop = kind(1.0)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listening = socket.create_server(("127.0.0.1", 0))
    place = listening.getsockname()
    door = asyncio.run_coroutine_threadsafe(loop.create_server(Greeting, sock=listening, ssl=context), loop).result(30)
    try:
        with socket.create_connection(place, timeout=30) as silent:
            assert silent.recv(1) == b""
        trusted = ssl.create_default_context(cafile=str(tmp_path / "own-cert.pem"))
        with trusted.wrap_socket(socket.create_connection(place, timeout=30), server_hostname="127.0.0.1") as spoken:
            assert spoken.recv(5) == b"hello"
    finally:
        loop.call_soon_threadsafe(door.close)
        loop.call_soon_threadsafe(loop.call_later, 0.05, loop.stop)
        thread.join()
        loop.close()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_tls_is_spoken_and_a_certificate_that_is_renewed_wrongly_ends_nothing(tmp_path, workers):
    home = made_home(tmp_path)
    cert, key = certificate(tmp_path)
    words = ("--tls-cert", str(cert), "--tls-key", str(key))
    with Outside(home.folder, *words, workers=workers) as server:
        assert server.address.startswith("https://")
        with httpx.Client(base_url=server.address, verify=ssl.create_default_context(cafile=str(cert))) as client:
            told = client.get("/api/me", headers={"Authorization": f"Bearer {home.alice}"})
        assert told.status_code == 200
        assert "strict-transport-security" in told.headers
        before, right = set(server.workers), key.read_bytes()
        key.write_text("nothing")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda: "could not begin: those that are there stay" in server.log)
        assert Caller(server, home.alice).get("/api/me").status_code == 200
        assert set(server.workers) == before
        key.write_bytes(right)
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda: len(server.workers) == workers and before.isdisjoint(server.workers))
        assert Caller(server, home.alice).get("/api/me").status_code == 200
        assert "Traceback" not in server.log
