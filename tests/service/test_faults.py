"""What goes wrong around the service: a worker that dies, a ledger that is held or gone, a full disk, a clock that goes back."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event, Thread, Timer

import pytest
from tests import postgres_server as pg
from tests.service.conftest import FACTS, Caller, made_home
from tests.service.inside import Inside
from tests.service.outside import Outside

from discreet.curator import accounts, desk, office
from discreet.curator.folder import Folder
from discreet.engines.faults import GONE
from discreet.errors import SourceFault
from discreet.ledger import accounts as ledger_accounts
from discreet.ledger import admission, journal, logins
from discreet.ledger.entries import chain
from discreet.ledger.sqlite import database
from discreet.ledger.sqlite.turns import taking_turns
from discreet.service.bodies import AskBody
from discreet.service.jobs import answered, at_price, placed, read_again
from discreet.service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def count_above(age: int, epsilon: str = "0.5") -> dict[str, str]:
    return {"sql": f"SELECT COUNT(*) AS n FROM people WHERE age > {age}", "epsilon": epsilon}


def charges(folder: Path) -> list:
    return [entry for entry in office.entries(folder) if entry.kind == "charge"]


@pytest.fixture
def home(tmp_path):
    return made_home(tmp_path)


@pytest.mark.slow
def test_a_wish_whose_worker_dies_is_gone_on_with_at_the_price_it_was_turned_into(tmp_path):
    home = made_home(tmp_path, rows=400)                                       # and about 200 by the facts
    wish = {"sql": "SELECT AVG(age) AS m FROM people", "within": {"m": "5"}}
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        before = alice.post("/api/tables/people/quote", wish).json()["cost"]
        words = [sys.executable, "-m", "tests.service.dying", str(home.folder), home.alice, "wish", json.dumps(wish)]
        died = subprocess.run(words, cwd=ROOT, env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}, check=False)
        assert died.returncode == -signal.SIGKILL
        assert len(charges(home.folder)) == 1
        bob = Caller(client, home.bob)
        count = {"sql": "SELECT COUNT(age) AS n FROM people", "epsilon": "2"}
        assert bob.post("/api/tables/people/ask", count).status_code == 200
        after = alice.post("/api/tables/people/quote", wish | {"anew": True}).json()["cost"]
        assert after != before                                                 # by the count that bob has bought
        told = alice.post("/api/tables/people/ask", wish, headers={"Idempotency-Key": "wish"})
        for _ in range(1000):                                                  # or a worker has found it by itself
            if told.status_code != 202:
                break
            Event().wait(0.05)
            told = alice.post("/api/tables/people/ask", wish, headers={"Idempotency-Key": "wish"})
        assert told.status_code == 200, told.text
        assert told.json()["cost"] == before
    assert len(charges(home.folder)) == 2                                      # one of alice, one of bob
    assert office.verify(home.folder).ok


def test_a_wish_that_another_worker_goes_on_with_is_one_still(tmp_path):
    """It is missed, says so, and asked again it is free: its price was worked out for 200 rows, and there are 60."""
    home = made_home(tmp_path, rows=60)
    wish = AskBody(sql="SELECT AVG(age) AS m FROM people", within="5")
    with closing(Folder(home.folder)) as folder:
        alice = folder.account(home.alice)
        curator = folder.curator("people", alice)
        kept = json.loads(json.dumps(at_price(wish, placed(curator, wish, alice))))
        with pytest.raises(ValueError, match="wished"):
            AskBody(**kept)                                                    # nobody can send it
        body, wished = read_again(kept)
        answer = answered(placed(curator, body, alice, wished))
        assert any("± 5 was asked for" in each for each in answer.warnings), answer.warnings
        assert placed(curator, wish, alice).seconds == 0
    assert len(charges(home.folder)) == 1


def test_a_ledger_that_somebody_holds_is_read_still_and_nothing_is_charged_meanwhile(home, monkeypatch):
    monkeypatch.setattr(database, "_PATIENCE", 0.2)
    with Inside(Settings(home.folder)) as client:
        alice, named = Caller(client, home.alice), {"Idempotency-Key": "held"}
        with taking_turns(home.folder / ".discreet" / "ledger.lock", 5):
            for headers in ({}, named):
                told = alice.post("/api/tables/people/ask", count_above(1), headers=headers)
                assert (told.status_code, told.json()["error"]) == (503, "fault")
                assert told.json().keys() == {"error", "message", "hint", "reference"}
            for path in ("/api/me", "/api/tables", "/api/tables/people/budget", "/api/answers"):
                assert alice.get(path).status_code == 200
            assert alice.post("/api/tables/people/quote", count_above(1)).status_code == 200
        assert charges(home.folder) == []
        told = [alice.post("/api/tables/people/ask", count_above(1), headers=named) for _ in range(2)]
        assert {each.status_code for each in told} == {200}
        assert len({each.json()["id"] for each in told}) == 1
    assert len(charges(home.folder)) == 1
    assert office.verify(home.folder).ok


def test_an_answer_waits_for_whoever_holds_the_ledger_when_it_is_drawn(home, monkeypatch):
    monkeypatch.setattr(database, "_PATIENCE", 0.2)
    before, held, let_go = desk.released_parts, Event(), Event()

    def hold() -> None:
        with taking_turns(home.folder / ".discreet" / "ledger.lock", 5):
            held.set()
            let_go.wait(30)

    def read(*args):
        Thread(target=hold, daemon=True).start()
        held.wait(30)
        Timer(0.7, let_go.set).start()                                         # several times as long as anybody waits
        return before(*args)

    with Inside(Settings(home.folder)) as client:
        monkeypatch.setattr(desk, "released_parts", read)
        told = Caller(client, home.alice).post("/api/tables/people/ask", count_above(1))
        assert told.status_code == 200, told.text
    assert [entry.kind for entry in office.entries(home.folder)][-2:] == ["charge", "settle"]


def test_a_ledger_that_was_removed_is_never_made_anew(home):
    kept = home.folder.parent / "kept"
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        assert alice.post("/api/tables/people/ask", count_above(1)).status_code == 200
        shutil.copytree(home.folder / ".discreet", kept)
        shutil.rmtree(home.folder / ".discreet")
        for path in ("/api/me", "/api/tables", "/api/tables/people/budget", "/api/answers"):
            told = alice.get(path)
            assert (told.status_code, told.json()["error"]) == (503, "fault")
        for verb in ("quote", "ask"):
            assert alice.post(f"/api/tables/people/{verb}", count_above(2)).status_code == 503
        assert not (home.folder / ".discreet" / "ledger.db").exists()
    shutil.rmtree(home.folder / ".discreet", ignore_errors=True)               # where faults were written down
    kept.rename(home.folder / ".discreet")
    with Inside(Settings(home.folder)) as client:
        again = Caller(client, home.alice).post("/api/tables/people/ask", count_above(1))
        assert again.json()["replayed"]


@pytest.mark.parametrize("spoilt", ["garbage", "put back"])
def test_a_ledger_that_is_spoilt_or_put_back_under_a_service_answers_nothing_new(home, spoilt):
    place, names = home.folder / ".discreet", ("ledger.db", "ledger.db-wal", "ledger.db-shm")
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        before = {name: (place / name).read_bytes() for name in names}
        assert alice.post("/api/tables/people/ask", count_above(1)).status_code == 200
        if spoilt == "garbage":
            with (place / "ledger.db").open("r+b") as file:
                file.seek(4096)
                file.write(b"\xa5" * (len(before["ledger.db"]) - 4096))
        else:                                                                  # in place, so that it is the same file
            for name, content in before.items():
                with (place / name).open("r+b") as file:
                    file.truncate(0)
                    file.write(content)
        for headers in ({}, {"Idempotency-Key": "k"}):
            for age in (1, 2):
                told = alice.post("/api/tables/people/ask", count_above(age), headers=headers)
                assert (told.status_code, told.json()["error"]) == (503, "fault")
                assert told.json()["hint"] == ""                               # what to do is for the data holder


def test_one_key_sent_at_once_and_one_question_of_several_are_one_charge(home):
    with Inside(Settings(home.folder)) as client, ThreadPoolExecutor(16) as threads:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)

        def asked(place: int):
            named = {"Idempotency-Key": "one"} if place % 2 else {}
            return (alice, bob)[place % 4 // 2].post("/api/tables/people/ask", count_above(50), headers=named)

        told = list(threads.map(asked, range(16)))
        while any(each.status_code == 202 for each in told):
            Event().wait(0.05)
            told = list(threads.map(asked, range(16)))
        assert {each.status_code for each in told} == {200}
        assert len({str(each.json()["rows"]) for each in told}) == 1
    assert len(charges(home.folder)) == 1


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "monday"}])
def test_a_fault_after_a_charge_says_what_is_kept_and_says_it_again_under_the_same_key(home, monkeypatch, key):
    def gone(*_):
        raise SourceFault(GONE)

    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        with monkeypatch.context() as patch:
            patch.setattr(desk, "released_parts", gone)
            told = alice.post("/api/tables/people/ask", count_above(1), headers=key)
        body = told.json()
        assert (told.status_code, body["message"]) == (503, GONE)
        assert body["hint"] == "what was charged for it, ε 0.5, is kept; asking again is another charge"
        (fault,) = Caller(client, home.holder).get("/api/faults").json()["faults"]
        assert fault["reference"] == body["reference"]
        if key:
            assert alice.post("/api/tables/people/ask", count_above(1), headers=key).json() == body
            assert len(charges(home.folder)) == 1
        else:
            assert alice.post("/api/tables/people/ask", count_above(1), headers=key).status_code == 200
            assert len(charges(home.folder)) == 2


def test_a_table_in_a_database_that_is_not_as_it_was_registered_is_a_fault_for_whoever_asks(home):
    name = pg.stored({"age": "int4", "town": "text"}, [(40, "north")] * 50)
    text = FACTS.format(name="visits", epsilon=100).replace("visits.csv", f"{pg.reader()}#{name}")
    (home.folder / "visits.toml").write_text(text)
    office.register(home.folder / "visits.toml")
    accounts.grant(home.folder, "alice", ["visits"])
    with Inside(Settings(home.folder)) as client:
        alice, holder = Caller(client, home.alice), Caller(client, home.holder)

        def told(age: int):
            asked = {"sql": f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}", "epsilon": "1"}
            return alice.post("/api/tables/visits/ask", asked)

        assert told(1).status_code == 200
        renamed = "REVOKE UPDATE ON {} FROM reader; ALTER TABLE {} RENAME town TO city"
        for turn, act in enumerate(("GRANT UPDATE ON {} TO reader", renamed)):
            with pg.connected() as owner:
                for each in act.split("; "):
                    owner.execute(each.format(name))
            found = told(2 + turn)
            assert (found.status_code, found.json()["error"], found.json()["message"]) == (503, "fault", GONE)
            assert found.json()["hint"] == ""
            line = holder.get("/api/faults").json()["uncharged"][0]
            assert line["reference"] == found.json()["reference"]
            assert line["cause"] == (f"the role may write to {name}", "the source has no column 'town'")[turn]
        with pg.connected() as owner:
            owner.execute(f"ALTER TABLE {name} RENAME city TO town")
        assert told(9).status_code == 200, "nobody is frozen, and it is opened again"
    assert len(charges(home.folder)) == 2


def asked_with_key(caller: Caller, age: int):
    return caller.post("/api/tables/people/ask", count_above(age, "0.01"), headers={"Idempotency-Key": f"key-{age}"})


def brought(holder: Caller, name: str):
    content = b"age\n" + b"34\n" * 1_500_000
    return holder.client.request("POST", "/api/uploads", params={"name": name}, content=content, headers=holder.headers)


def check_each_is_charged_once(folder: Path) -> None:
    verified = office.verify(folder)
    assert verified.ok, verified.problems
    questions = [entry.body["question"] for entry in charges(folder)]
    assert len(questions) == len(set(questions))


def leave_room(server: Outside, size: int) -> None:
    """No file of a service grows beyond so many bytes: the system refuses what is written behind them, as on a full disk."""
    for process in (server.process.pid, *server.workers):
        most = resource.prlimit(process, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, most))


@pytest.mark.slow
def test_where_there_is_no_room_that_is_told_and_every_key_is_charged_once(home):
    with Outside(home.folder) as server:
        alice, holder = Caller(server, home.alice), Caller(server, home.holder)
        assert asked_with_key(alice, 0).status_code == 200
        ages, told = count(1), {}
        for room in (0, 4_000, 10_000, 16_000, 25_000, 40_000, 250_000):     # so that it ends in each of the transactions
            log, file = (home.folder / ".discreet" / name for name in ("ledger.db-wal", "ledger.db"))
            leave_room(server, max(log.stat().st_size, file.stat().st_size) + room)
            while (found := asked_with_key(alice, age := next(ages))).status_code == 200:
                told[age] = found
            told[age] = found
            assert (found.status_code, found.json()["error"]) == (503, "fault")
            assert found.json().keys() == {"error", "message", "hint", "reference"}
            for path in ("/api/me", "/api/tables", "/api/answers", "/api/ready"):
                assert alice.get(path).status_code == 200
            no_room = brought(holder, "more.csv")
            assert (no_room.status_code, no_room.json()["error"]) == (503, "busy")
            assert not list(home.folder.glob("*more*")) + list(home.folder.glob(".upload-*"))
            leave_room(server, resource.RLIM_INFINITY)
            assert asked_with_key(alice, next(ages)).status_code == 200
        assert brought(holder, "more.csv").status_code == 200
        assert "Traceback" not in server.log
    with Outside(home.folder) as server:                                     # which goes on with what could not even be noted
        alice = Caller(server, home.alice)
        for age, before in told.items():
            after = asked_with_key(alice, age)
            after = alice.later(after) if after.status_code == 202 else after
            assert after.status_code in (200, 503)                           # a charge whose answer was not kept is a fault
            assert before.status_code == 503 or after.json()["rows"] == before.json()["rows"]
    assert {each.status_code for each in told.values()} == {200, 503}
    check_each_is_charged_once(home.folder)


def test_a_full_disk_is_told_and_every_key_is_charged_once_when_there_is_room(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(small)], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("optional data: a file system of a few pages (mounting is not allowed here; the test before needs none)")
    try:
        home = made_home(small)
        with Inside(Settings(small)) as client:
            alice, holder = Caller(client, home.alice), Caller(client, home.holder)
            assert asked_with_key(alice, 0).status_code == 200
            with pytest.raises(OSError, match="space"):
                (small / "filler").write_bytes(b"x" * 40_000_000)
            told = [asked_with_key(alice, age) for age in range(1, 30)]
            assert {each.status_code for each in told} <= {200, 503}, [each.text for each in told]
            assert told[-1].status_code == 503
            assert alice.get("/api/me").status_code == 200
            assert brought(holder, "more.csv").status_code == 503
            assert not list(small.glob("*more*")) + list(small.glob(".upload-*"))
            (small / "filler").unlink()
            assert brought(holder, "more.csv").status_code == 200
            after = [asked_with_key(alice, age) for age in range(30)]
            assert {each.status_code for each in after} <= {200, 503}          # a charge whose answer was not kept is a fault
            answered = {age for age, each in enumerate(told, 1) if each.status_code == 200}
            assert answered <= {age for age, each in enumerate(after) if each.status_code == 200}
            assert alice.post("/api/tables/people/ask", count_above(77, "0.01")).status_code == 200
        check_each_is_charged_once(small)
    finally:
        subprocess.run(["umount", str(small)], capture_output=True, check=True)


def test_a_clock_that_goes_back_opens_neither_a_token_nor_a_table_again(tmp_path, monkeypatch):
    home = made_home(tmp_path)
    facts = FACTS.format(name="brief", epsilon=9).replace("epsilon = 9", "epsilon = 9\nexpires = 2030-06-01")
    (tmp_path / "brief.csv").write_text("age,town\n" + "40,north\n" * 50)
    (tmp_path / "brief.toml").write_text(facts)
    office.register(tmp_path / "brief.toml")
    accounts.grant(tmp_path, "alice", ["brief"])
    token = accounts.add(tmp_path, "dora", expires=datetime(2030, 6, 1, tzinfo=UTC).date())
    question = {"sql": "SELECT COUNT(*) AS n FROM brief", "epsilon": "0.1"}
    with Inside(Settings(tmp_path)) as client:
        alice, dora = Caller(client, home.alice), Caller(client, token)
        assert alice.post("/api/tables/brief/ask", question).status_code == 200
        assert dora.get("/api/me").status_code == 200
        late = (datetime(2030, 6, 1, tzinfo=UTC) + timedelta(days=2)).isoformat(timespec="microseconds")
        rooms = (admission, journal, logins, ledger_accounts)
        for room in rooms:
            monkeypatch.setattr(room, "now", lambda: late)
        assert dora.get("/api/me").status_code == 401
        ended = alice.post("/api/tables/brief/ask", question | {"anew": True})
        assert (ended.status_code, ended.json()["error"]) == (403, "access")
        for room in rooms:
            monkeypatch.setattr(room, "now", chain.now)
        assert dora.get("/api/me").status_code == 401
        assert alice.post("/api/tables/brief/ask", question | {"anew": True}).status_code == 403
        assert alice.post("/api/tables/people/ask", count_above(1)).status_code == 200     # whatever else there is goes on
    assert office.verify(tmp_path).ok


def test_a_body_that_is_not_said_to_be_json_is_told_what_to_write(home):
    with Inside(Settings(home.folder)) as client:
        headers = Caller(client, home.alice).headers
        for kind in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}):
            for body in (json.dumps(count_above(1)).encode(), b"sql=SELECT"):
                told = client.request("POST", "/api/tables/people/quote", content=body, headers=headers | kind)
                assert (told.status_code, told.json()["error"]) == (422, "body")
                assert "Content-Type: application/json" in told.json()["hint"]
        for body in (b"[]", b"1", b'"x"'):
            said = headers | {"Content-Type": "application/json"}
            told = client.request("POST", "/api/tables/people/quote", content=body, headers=said)
            assert told.json()["message"] == "body: is no JSON object"


def test_script_in_labels_and_descriptions_stays_text(tmp_path):
    home, mark = made_home(tmp_path), "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    facts = FACTS.format(name="odd", epsilon=9).replace("made-up people", mark)
    facts = facts.replace('values = ["north", "south"]', f'values = ["north", "south"]\nlabels = ["{mark}", "{mark} too"]')
    (tmp_path / "odd.csv").write_text("age,town\n" + "40,north\n" * 50)
    (tmp_path / "odd.toml").write_text(facts)
    office.register(tmp_path / "odd.toml")
    accounts.grant(tmp_path, "alice", ["odd"])
    with Inside(Settings(tmp_path)) as client:
        alice = Caller(client, home.alice)
        told = alice.post("/api/tables/odd/ask", {"sql": "SELECT town, COUNT(*) AS n FROM odd GROUP BY town", "epsilon": "1"})
        assert told.status_code == 200, told.text
        for each in (told, alice.get("/api/tables/odd")):
            assert each.headers["content-type"] == "application/json"
            assert each.headers["x-content-type-options"] == "nosniff"
            assert mark in json.dumps(each.json(), ensure_ascii=False)
        drawn = alice.get(f"/api/answers/{told.json()['id']}/chart.svg").text
        assert "onerror" in drawn                                              # it is there, as text
        assert "<img" not in drawn
        assert "<script" not in drawn
