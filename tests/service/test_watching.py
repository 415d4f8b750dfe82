"""For whoever runs the service: it lives, it can answer, numbers for a monitor; logs that are moved away; what is forgotten."""

import json
import re
import time

import httpx
import pytest
from tests.service.conftest import CANARY, Caller, made_home
from tests.service.inside import Inside
from tests.service.listening import Listening
from tests.service.outside import Outside

import discreet as dc
from discreet.curator import accounts, office
from discreet.curator.retention import forget
from discreet.service.serving import serve
from discreet.service.settings import Settings
from discreet.service.watching import written

LINE = re.compile(r'(# (HELP|TYPE) discreet_\w+ .+|discreet_\w+(\{\w+="([^"\\\n]|\\.)*"(,\w+="([^"\\\n]|\\.)*")*\})? [0-9.e+-]+)')
COUNT = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "0.5"}


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    home = made_home(tmp_path_factory.mktemp("watched"))
    token = accounts.add(home.folder, "monitor")
    accounts.grant(home.folder, "monitor", ["people"])
    with Listening(home.folder, metrics=("monitor",)) as service, httpx.Client(base_url=service.address, timeout=60) as client:
        yield home, client, token


def test_it_lives_and_can_answer_and_needs_no_token_to_say_so(watched):
    _, client, _ = watched
    assert client.get("/api/health").json() == {"status": "ok"}
    assert client.get("/api/ready").json() == {"status": "ready"}


def test_without_a_ledger_it_lives_and_cannot_answer(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder)) as client:
        nobody = Caller(client, None)
        assert nobody.get("/api/ready").status_code == 200
        (home.folder / ".discreet").rename(tmp_path / "away")
        time.sleep(1.1)  # what was found is told again for a second
        told = nobody.get("/api/ready")
        assert (told.status_code, told.json()["error"]) == (503, "busy")
        assert nobody.get("/api/health").status_code == 200


def test_numbers_are_for_those_who_are_allowed_and_have_the_form_of_prometheus(watched):
    home, client, token = watched
    alice, monitor, holder = (Caller(client, each) for each in (home.alice, token, home.holder))
    assert alice.post("/api/tables/people/ask", COUNT).status_code == 200
    assert Caller(client, None).get("/metrics").status_code == 401
    assert alice.get("/metrics").status_code == 403
    told = monitor.get("/metrics")
    assert told.status_code == 200
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = told.text.splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert 'discreet_budget{table="people",kind="spent",part="epsilon"} 0.5' in lines
    assert 'discreet_table_open{table="people"} 1' in lines
    assert 'discreet_requests_total{method="POST",route="/api/tables/{name}/ask",status="200"} 1' in lines
    assert "others" not in told.text  # which the monitor has no grant for
    for never in (CANARY, "alice", "SELECT"):
        assert never not in told.text
    assert 'table="others"' in holder.get("/metrics").text
    office.freeze(home.folder / "people.toml", reason="a look")
    assert 'discreet_table_open{table="people"} 0' in monitor.get("/metrics").text
    office.unfreeze(home.folder / "people.toml", reason="looked")


def test_labels_are_escaped():
    assert list(written("m", "gauge", "What.", [({"t": 'a"b\\c\nd'}, 1.0)]))[-1] == 'm{t="a\\"b\\\\c\\nd"} 1'


def test_a_log_that_is_moved_away_is_opened_again(tmp_path):
    home = made_home(tmp_path)
    log = tmp_path / "service.log"
    with Outside(home.folder, "--log-file", str(log)) as service:
        service.request("GET", "/api/health")
        until = time.monotonic() + 60
        while '"route": "/api/health"' not in log.read_text() and time.monotonic() < until:  # written after the reply
            time.sleep(0.05)
        log.rename(tmp_path / "service.log.1")
        service.request("GET", "/api/ready")
    assert '"route": "/api/health"' in (tmp_path / "service.log.1").read_text()
    assert '"route": "/api/ready"' in log.read_text()
    line = json.loads(log.read_text().splitlines()[0].partition(" discreet.service.access ")[2])
    assert line["status"] == 200
    with pytest.raises(dc.ParameterError, match="cannot be written"):
        serve(Settings(home.folder, log_file=tmp_path / "none" / "x.log"), print)


def test_methods_that_somebody_makes_up_are_counted_as_one(watched):
    home, client, _ = watched
    for letter in "ABCDE":
        assert client.request(f"MADE{letter}", "/api/health").status_code == 405
    told = Caller(client, home.holder).get("/metrics").text
    assert 'discreet_requests_total{method="?",route="/api/health",status="405"} 5' in told
    assert "MADE" not in told


def test_a_key_whose_answer_was_forgotten_may_be_used_again(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder)) as client:
        words = {"headers": {"Authorization": f"Bearer {home.alice}", "Idempotency-Key": "monday"}, "json": COUNT}
        first = client.request("POST", "/api/tables/people/ask", **words).json()
        forget(home.folder, days=0)
        again = client.request("POST", "/api/tables/people/ask", **words)  # it may be told anew, or not be written down yet
        assert (again.status_code, again.json()["rows"]) == (200, first["rows"])
    assert len([each for each in office.entries(home.folder) if each.kind == "charge"]) == 1


def test_what_was_shown_long_ago_is_forgotten_and_free_to_ask_again(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        first = alice.post("/api/tables/people/ask", COUNT).json()
        alice.post("/api/tables/people/ask", {"sql": "SELECT COUNT(*) * 2 AS n FROM people", "epsilon": "0.5"})
        assert len(alice.get("/api/answers").json()["answers"]) == 2
        assert forget(home.folder, days=1) == 0
        assert forget(home.folder, days=0) == 2
        assert alice.get("/api/answers").json()["answers"] == []
        assert alice.get(f"/api/answers/{first['id']}").status_code == 404
        again = alice.post("/api/tables/people/ask", COUNT).json()
        assert (again["rows"], again["replayed"]) == (first["rows"], True)
        assert len(alice.get("/api/answers").json()["answers"]) == 1
    assert office.verify(home.folder).ok
