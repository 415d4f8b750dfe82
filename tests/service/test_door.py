"""Who is let in, and what whoever is not may learn."""

import pytest
from tests.service.conftest import Caller, made_home
from tests.service.inside import Inside

from discreet.curator import accounts
from discreet.service.settings import Limits, Settings

COUNT = {"sql": "SELECT COUNT(*) AS n FROM others", "epsilon": "0.5"}


@pytest.mark.parametrize("token", [None, "", "dsc_", "dsc_" + "a" * 43, "x" * 10_000, "dsc_\u00e9"])
def test_without_a_good_token_nobody_learns_anything(client, token):
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    for path in ("/api/me", "/api/tables", "/api/tables/people", "/api/tables/nowhere", "/api/analysts", "/api/answers/1"):
        told = client.request("GET", path, headers=headers)
        assert told.status_code in (401, 429)
        assert told.json()["error"] in ("token", "rate")


def test_what_is_not_granted_is_told_like_what_is_not_there(alice):
    for verb, path in (("GET", ""), ("GET", "/budget"), ("POST", "/quote"), ("POST", "/ask"), ("POST", "/rehearse"),
                       ("GET", "/ledger"), ("GET", "/report")):
        told = [alice.client.request(verb, f"/api/tables/{name}{path}", headers=alice.headers,
                                     **({"json": COUNT} if verb == "POST" else {}))
                for name in ("others", "nowhere", "a%00b", "..")]
        assert {each.status_code for each in told} == {404}
        assert len({each.text for each in told}) == 1


def test_the_routes_of_data_holders_are_not_for_analysts(alice):
    for path in ("tables/people/ledger", "tables/people/report", "analysts", "faults", "ledger/verification"):
        told = alice.get(f"/api/{path}")
        assert (told.status_code, told.json()["error"]) == (403, "access")
    for path, body in (("freeze", {"reason": "x"}), ("raise", {"epsilon": 9, "reason": "x"}), ("version", {"facts": ""})):
        assert alice.post(f"/api/tables/people/{path}", body).status_code == 403
    for name in ("bob", "nobody"):
        assert alice.post(f"/api/analysts/{name}/revoke").status_code == 403
    assert alice.client.request("POST", "/api/uploads?name=x.csv", content=b"a\n1\n", headers=alice.headers).status_code == 403


def test_tokens_end_at_once(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder)) as client:
        alice, holder = Caller(client, home.alice), Caller(client, home.holder)
        assert alice.get("/api/me").status_code == 200
        token = holder.post("/api/analysts/alice/rotate", {}).json()["token"]
        assert alice.get("/api/me").status_code == 401
        alice = Caller(client, token)
        assert alice.get("/api/me").status_code == 200
        accounts.ungrant(home.folder, "alice", ["people"])          # as another process would
        assert alice.get("/api/tables/people").status_code == 404
        assert holder.post("/api/analysts/alice/revoke").json()["state"] == "revoked"
        assert alice.get("/api/me").status_code == 401


def test_whoever_guesses_is_soon_not_listened_to_and_others_are(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder, limits=Limits(wrong_tokens_per_minute=5))) as client:
        alice = Caller(client, home.alice)
        assert alice.get("/api/me").status_code == 200
        told = [Caller(client, f"dsc_{place:043d}").get("/api/me") for place in range(8)]
        assert [each.status_code for each in told] == [401] * 5 + [429] * 3
        assert int(told[-1].headers["retry-after"]) >= 1
        assert alice.get("/api/me").status_code == 200
        assert Caller(client, home.bob).get("/api/me").status_code == 429   # who has not come from there before


def test_too_many_requests_are_told_when_to_come_again(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder, limits=Limits(requests_per_minute=3))) as client:
        told = [Caller(client, home.alice).get("/api/me") for _ in range(5)]
        assert [each.status_code for each in told] == [200] * 3 + [429] * 2
        assert told[-1].json()["error"] == "rate"
