"""Bad input and faults: never a trace, never an engine's words, never a lost or doubled charge."""

import io
import json
import logging
import socket

import pytest
from tests.service.conftest import CANARY, Caller, made_home
from tests.service.inside import Inside
from tests.service.listening import Listening

from discreet.curator import office
from discreet.errors import EngineFault
from discreet.service import app
from discreet.service.settings import Limits, Settings

COUNT = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "0.5"}
HOSTILE = [
    "", ";", "SELECT", "DROP TABLE people", "SELECT * FROM people", f"SELECT '{CANARY}' AS x FROM people",
    "SELECT COUNT(*) FROM others", "\x00", "SELECT \ufffd",
    "SELECT COUNT(*) AS n FROM people; DELETE FROM people", "SELECT AVG(age) AS m FROM read_csv('/etc/passwd')", "(" * 5000,
    "SELECT COUNT(*) AS n FROM people WHERE " + " AND ".join(["age > 1"] * 3000), "SELECT MEDIAN(agé) FROM people",
    "ATTACH 'x'", "PRAGMA table_info(people)", "SELECT COUNT(*) AS n FROM people WHERE age = 'x' || (SELECT 1)", "x" * 65_000,
]

TRICKS = [
    "/api", "/api/", "//api/me", "/api//me", "/api/me/", "/api/./me", "/api/x/../me", "/API/me", "/api/me;x", "/api/me%00",
    "/api/tables/../me", "/api/tables/../../../../etc/passwd", "/api/tables/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/api/tables/%2e%2e",
    "/api/tables/people/", "/api/tables/people/../others", "/api/tables/people%00", "/api/tables/PEOPLE",
    "/api/tables/people.toml", "/api/tables/people.csv", "/.discreet/ledger.db", "/people.csv", "/..%2f.discreet%2fkey.pem",
    "/static", "/static/",
    "/static/../../app.py", "/static/..%2f..%2fapp.py", "/static/%2e%2e/mounted.py", "/static/....//mounted.py",
    "/static/..\\mounted.py", "/api/answers/../tables", "/api/answers/%2e%2e%2ftables", "/api/answers/" + "x" * 3000,
    "/api/answers/%ff%fe", "/docs", "/redoc", "/openapi.json",
]


@pytest.fixture
def home(tmp_path):
    return made_home(tmp_path)


@pytest.fixture
def log():
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    handler.addFilter(lambda record: not record.name.startswith("http"))  # what the client writes is not ours
    root = logging.getLogger()
    root.addHandler(handler)
    before, root.level = root.level, logging.DEBUG
    for name in ("discreet.service", "discreet.service.access", "discreet.curator"):
        logging.getLogger(name).setLevel(logging.INFO)
    yield heard
    root.removeHandler(handler)
    root.level = before


def everything(told) -> str:
    return f"{told.status_code} {dict(told.headers)} {told.text}"


def test_no_error_path_tells_anything_of_a_row_or_of_the_engine(home, log, monkeypatch):
    with Inside(Settings(home.folder)) as client:
        alice, bob, holder = (Caller(client, token) for token in (home.alice, home.bob, home.holder))
        told = [alice.post(f"/api/tables/people/{verb}", {"sql": sql, "epsilon": "0.01"}) for sql in HOSTILE
                for verb in ("quote", "ask")]
        told += [alice.post("/api/tables/people/ask", COUNT | more) for more in (
            {"epsilon": "x"}, {"epsilon": -1}, {"epsilon": "1e999999"}, {"epsilon": True}, {"confidence": 95}, {"rho": "1"},
            {"within": {"z": 1}}, {"assuming": 0}, {"delta": "1e-6"}, {"weights": {"n": "0"}}, {"epsilon": "1/0"}, {"sql": 1})]
        for content in (b"", b"{", b"[]", b"null", b'{"sql": "\xff"}', b"[" * 60_000, b'{"sql": "\\ud800", "epsilon": 1}',
                        b"1" * 9000, b'{"epsilon": NaN, "sql": "x"}', b'{"nonsense": 1}'):
            told.append(client.request("POST", "/api/tables/people/ask", content=content,
                                       headers=alice.headers | {"Content-Type": "application/json"}))
        assert {each.status_code for each in told} <= {200, 400, 409, 422}, [each.text for each in told if each.status_code > 422]
        nowhere = [alice.get(path) for path in (f"/api/answers/{CANARY}", "/api/tables/others", "/api/tables/people/")]
        assert {each.status_code for each in nowhere} == {404}
        other = [client.request(verb, "/api/me", headers=alice.headers) for verb in ("POST", "PUT", "DELETE", "PATCH", "BREW")]
        assert {each.status_code for each in other} == {405}
        told += nowhere + other

        def failing(*_):
            raise ValueError(f"Conversion Error: could not convert {CANARY}")

        monkeypatch.setattr("discreet.curator.desk.released_parts", failing)
        fault = alice.post("/api/tables/people/ask", COUNT)
        frozen = alice.post("/api/tables/people/ask", COUNT)
        told += [fault, frozen, alice.get("/api/tables/people"), bob.get("/api/tables/people"), holder.get("/api/faults")]
        told += [bob.post("/api/tables/people/ask", COUNT | {"epsilon": "0.25"}), bob.get("/api/answers")]
        assert (fault.status_code, fault.json()["error"]) == (500, "fault")
        assert fault.json()["reference"] in holder.get("/api/faults").text
        assert frozen.status_code == 403
        monkeypatch.setattr("discreet.curator.asking.make_plan", failing)
        crash = bob.post("/api/tables/people/quote", COUNT)
        assert (crash.status_code, crash.json()["error"]) == (500, "crash")
        told.append(crash)
    written = log.getvalue() + (home.folder / ".discreet" / "faults.log").read_text()
    sent = [each for each in told if CANARY not in str(each.request.url) and CANARY.encode() not in each.request.content]
    assert CANARY not in "".join(map(everything, sent)) + written
    for word in ("Traceback", "duckdb", "Conversion", "sqlite", ".py", str(home.folder)):
        assert word.lower() not in "".join(map(everything, told)).lower(), word
    assert "SELECT" not in log.getvalue()
    assert office.verify(home.folder).ok


def raw(address: str, path: str, token: str) -> tuple[int, dict]:
    """Status and body of what is at a path that no client would send as it stands."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as each:
        each.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode())
        told = b"".join(iter(lambda: each.recv(100_000), b""))
    head, _, body = told.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), json.loads(body)


def test_paths_that_play_tricks_lead_nowhere(home):
    with Listening(home.folder) as server:
        for token in (home.alice, home.holder):
            status, nothing = raw(server.address, "/api/nowhere", token)
            assert (status, nothing["error"]) == (404, "missing")
            for path in TRICKS:
                assert raw(server.address, path, token) == (404, nothing), path
        status, told = raw(server.address, "/api/me", home.alice)
        assert (status, told["name"]) == (200, "alice")                    # so that it was not the way of asking


def test_a_fault_keeps_its_charge_and_freezes_whoever_asked(home, monkeypatch):
    def failing(*_):
        raise EngineFault("the engine failed")

    with Inside(Settings(home.folder)) as client:
        alice, holder = Caller(client, home.alice), Caller(client, home.holder)
        monkeypatch.setattr("discreet.curator.desk.released_parts", failing)
        assert alice.post("/api/tables/people/ask", COUNT, headers={"Idempotency-Key": "k"}).status_code == 500
        again = alice.post("/api/tables/people/ask", COUNT, headers={"Idempotency-Key": "k"})
        assert again.status_code == 500                                    # the same request has one outcome
        assert alice.get("/api/tables/people/budget").json()["spent"] == {"epsilon": "0.5"}
        monkeypatch.undo()
        assert alice.post("/api/tables/people/ask", COUNT).status_code == 403
        assert holder.post("/api/tables/people/unfreeze", {"reason": "looked at"}).json()["alarms"][0]["analyst"] == "alice"
        kept = alice.post("/api/tables/people/ask", COUNT, headers={"Idempotency-Key": "k"})
        assert kept.status_code == 500                                     # what was charged for it is its outcome for good
        assert alice.get("/api/tables/people/budget").json()["spent"] == {"epsilon": "0.5"}
        assert alice.post("/api/tables/people/ask", COUNT).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Prefer": "respond-async"}])
def test_a_key_whose_question_met_a_source_that_was_gone_may_be_used_again(home, headers):
    named = headers | {"Idempotency-Key": "k"}
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        (home.folder / "people.csv").rename(home.folder / "away.csv")
        first = alice.post("/api/tables/people/ask", COUNT, headers=named)
        assert (alice.later(first) if headers else first).status_code == 503
        (home.folder / "away.csv").rename(home.folder / "people.csv")
        again = alice.post("/api/tables/people/ask", COUNT, headers=named)
        assert (alice.later(again) if headers else again).status_code == 200
        assert alice.get("/api/tables/people/budget").json()["spent"] == {"epsilon": "0.5"}


@pytest.mark.parametrize("word", ["weights", "within"])
def test_a_body_with_more_words_than_can_be_meant_is_told_once(home, word):
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        for body in (COUNT | {word: {f"k{number}": [] for number in range(5000)}}, {f"k{number}": 1 for number in range(9000)}):
            told = alice.post("/api/tables/people/ask", body)
            assert (told.status_code, len(told.json()["problems"])) == (422, 1)
            assert "more words than can be meant" in told.json()["message"]


def test_whoever_buys_more_numbers_than_are_kept_in_a_day_is_told_when_to_come_again(home):
    with Inside(Settings(home.folder, limits=Limits(numbers_per_day_of_one=8))) as client:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)
        bought = alice.post("/api/tables/people/ask", COUNT)
        assert bought.status_code == 200
        while (told := alice.post("/api/tables/people/ask", COUNT | {"anew": True, "epsilon": "0.01"})).status_code == 200:
            pass
        assert (told.status_code, told.json()["error"]) == (429, "rate")
        assert int(told.headers["retry-after"]) > 1000
        named = {"Idempotency-Key": "k"}
        assert alice.post("/api/tables/people/ask", COUNT | {"anew": True}, headers=named).status_code == 429
        both = {"questions": [COUNT["sql"], "SELECT AVG(age) AS m FROM people"], "epsilon": "0.02"}
        assert alice.post("/api/tables/people/ask_all", both).status_code == 429
        assert alice.post("/api/tables/people/ask", COUNT).json()["rows"] == bought.json()["rows"]  # what is kept already
        assert bob.post("/api/tables/people/ask", COUNT | {"anew": True, "epsilon": "0.01"}).status_code == 200


def test_the_document_is_written_once(home, monkeypatch):
    written, before = [], app.page_of
    monkeypatch.setattr(app, "page_of", lambda made: written.append(made) or before(made))
    with Inside(Settings(home.folder)) as client:
        for address in ("/api/docs", "/api/openapi.json"):
            first, again = (Caller(client, home.alice).get(address) for _ in range(2))
            assert first.status_code == 200
            assert first.text == again.text
    assert len(written) == 1


def test_a_ledger_or_a_source_that_is_gone_is_told_and_comes_back(home):
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        (home.folder / "people.csv").rename(home.folder / "away.csv")
        assert alice.post("/api/tables/people/ask", COUNT).status_code == 503
        (home.folder / "away.csv").rename(home.folder / "people.csv")
        assert alice.post("/api/tables/people/ask", COUNT).status_code == 200
        (home.folder / ".discreet").rename(home.folder / "moved")
        told = alice.post("/api/tables/people/ask", COUNT | {"epsilon": "0.25"})
        assert (told.status_code, told.json()["error"]) == (503, "fault")
        (home.folder / "moved").rename(home.folder / ".discreet")
        assert alice.post("/api/tables/people/ask", COUNT | {"epsilon": "0.75"}).status_code == 200
    assert office.verify(home.folder).ok


def test_script_in_names_and_labels_stays_text(home):
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        name = "<script>alert(1)</script>"
        question = f'SELECT town, COUNT(*) AS "{name}" FROM people GROUP BY town'
        told = alice.post("/api/tables/people/ask", {"sql": question, "epsilon": "1"})
        assert told.headers["content-type"] == "application/json"
        assert told.json()["columns"][1]["name"] == name
        drawn = alice.get(f"/api/answers/{told.json()['id']}/chart.svg")
        assert "<script" not in drawn.text


def test_more_than_fits_is_turned_away_and_let_in_later(home):
    with Inside(Settings(home.folder, limits=Limits(requests_at_once=0))) as client:
        told = Caller(client, home.alice).get("/api/me")
        assert (told.status_code, told.json()["error"]) == (503, "busy")
