"""The log of a service: faults are found by their references, no error is quoted, and no request fails for it."""

import io
import logging
import os
import sys

import pytest
from tests.service.conftest import Caller, made_home
from tests.service.outside import Outside

from discreet.service.logs import LogFile, log_to

SECRET = "Xanthippe-7919"
NAMES = ("discreet", "asyncio", "uvicorn.error")


@pytest.fixture
def log(tmp_path):
    before = {name: (list(log.handlers), log.level, log.propagate) for name in NAMES for log in [logging.getLogger(name)]}
    file = tmp_path / "service.log"
    log_to(file)
    log_to(file)                                                             # once is enough
    yield file
    for name, (handlers, level, propagate) in before.items():
        log = logging.getLogger(name)
        for each in set(log.handlers) - set(handlers):
            each.close()
        log.handlers, log.level, log.propagate = handlers, level, propagate


@pytest.mark.parametrize("name", ["discreet", "discreet.curator", "discreet.service.access"])
def test_every_room_has_its_lines_in_the_log(log, name):
    logging.getLogger(name).info("reference %s", 17)
    assert [line.partition(" INFO ")[2] for line in log.read_text().splitlines()] == [f"{name} reference 17"]


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_told_by_kind_and_place_and_never_quoted(log, name, capsys):
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger(name).exception("an error about %s", SECRET, stack_info=True)
    logging.getLogger(name).error("trouble\nfuture: <Task exception=%r>", SECRET)
    first, second = log.read_text().splitlines()
    assert "ValueError at test_logs.py:" in first
    assert second.endswith(f"{name} trouble")
    assert SECRET not in log.read_text() + capsys.readouterr().err


def record(words: str) -> logging.LogRecord:
    return logging.LogRecord("discreet", logging.INFO, "", 0, words, (), None)


def test_a_log_that_cannot_be_opened_again_goes_to_stderr_until_it_can(tmp_path, capsys):
    place, away = tmp_path / "logs", tmp_path / "away"
    place.mkdir()
    handler = LogFile(place / "service.log")
    handler.emit(record("one"))
    place.rename(away)
    for words in ("two", "three"):
        handler.emit(record(words))
    assert capsys.readouterr().err == "two\nthree\n"
    place.mkdir()
    for words in ("four", "five"):
        handler.emit(record(words))
    handler.close()
    assert (away / "service.log").read_text() == "one\n"
    assert (place / "service.log").read_text() == "four\nfive\n"
    assert capsys.readouterr().err == ""


class Full(io.StringIO):
    """A file on a disk that is full."""

    def write(self, _):
        raise OSError(28, "No space left on device")


def test_a_line_that_a_full_disk_does_not_take_goes_to_stderr(tmp_path, capsys, monkeypatch):
    handler = LogFile(tmp_path / "service.log")
    handler.setStream(Full()).close()
    handler.emit(record("one"))
    assert capsys.readouterr().err == "one\n"
    monkeypatch.setattr(sys, "stderr", Full())                                # and where that is full, too, it is lost
    handler.emit(record("two"))
    handler.close()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_reference_that_a_client_is_told_is_in_the_log_file(tmp_path, workers):
    home, log = made_home(tmp_path), tmp_path / "service.log"
    with Outside(home.folder, "--log-file", str(log), workers=workers) as server:
        (home.folder / ".discreet").rename(tmp_path / "away")
        told = [Caller(server, home.alice).get(path) for path in ("/api/me", "/api/answers")]
        (tmp_path / "away").rename(home.folder / ".discreet")
    assert {each.status_code for each in told} == {503}
    for each in told:
        assert each.json()["reference"] in log.read_text()
    assert server.log == ""


@pytest.mark.slow
def test_a_folder_of_logs_that_goes_away_stops_no_request(tmp_path):
    home, place = made_home(tmp_path), tmp_path / "logs"
    place.mkdir()
    with Outside(home.folder, "--log-file", str(place / "service.log")) as server:
        place.rename(tmp_path / "away")
        assert [Caller(server, home.alice).get("/api/me").status_code for _ in range(3)] == [200] * 3
        server.wait_for(lambda: server.log.count('"route": "/api/me"') == 3)
        os.kill(server.workers[0], 9)                                        # whoever comes next cannot open it, either
        server.wait_for(lambda: "another one takes its place" in server.log)
        assert Caller(server, home.alice).get("/api/me").status_code == 200
        assert "Traceback" not in server.log
