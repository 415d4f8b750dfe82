"""Quotes and questions over HTTP, as analysts meet them."""

from tests.service.conftest import Caller, made_home
from tests.service.inside import Inside

from discreet.service.settings import Limits, Settings

COUNT = {"sql": "SELECT COUNT(*) AS n FROM people", "epsilon": "0.5"}
BY_TOWN = {"sql": "SELECT town, COUNT(*) AS n, AVG(age) AS m FROM people GROUP BY town", "epsilon": "1"}


def test_a_quote_an_answer_and_a_free_replay(alice):
    quoted = alice.post("/api/tables/people/quote", COUNT)
    assert quoted.status_code == 200, quoted.text
    assert quoted.json()["cost"] == {"epsilon": "0.5"}
    assert quoted.json()["affordable"]
    first = alice.post("/api/tables/people/ask", COUNT)
    assert first.status_code == 200, first.text
    assert not first.json()["replayed"]
    assert abs(first.json()["rows"][0]["n"] - 200) < 100
    again = alice.post("/api/tables/people/ask", COUNT).json()
    assert again["replayed"]
    assert again["rows"] == first.json()["rows"]
    assert again["budget"]["spent"] == first.json()["budget"]["spent"]
    assert alice.post("/api/tables/people/quote", COUNT).json()["replay"]


def test_a_wish_is_priced_by_the_service(alice):
    wish = {"sql": COUNT["sql"], "within": {"n": "5"}}
    quoted = alice.post("/api/tables/people/quote", wish).json()
    assert quoted["columns"][0]["plus_minus"] <= 5
    assert alice.post("/api/tables/people/rehearse", wish).json()["rehearsed"]


def test_a_wish_that_was_bought_is_free_again_with_a_key_and_without_though_it_was_missed(alice):
    wish = {"sql": "SELECT town, AVG(age) AS m FROM people GROUP BY town", "within": "0.5", "assuming": 5000}
    ways = ({}, {"Idempotency-Key": "wish-1"}, {}, {"Idempotency-Key": "wish-2"}, {"Idempotency-Key": "wish-1"})
    found = [alice.post("/api/tables/people/ask", wish, headers=named).json() for named in ways]
    assert [each["replayed"] for each in found[:-1]] == [False, True, True, True]  # the last one is told as it was told
    assert len({each["budget"]["spent"]["epsilon"] for each in found}) == 1
    assert all(each["rows"] == found[0]["rows"] for each in found)
    told = "± 0.5 was asked for; 5 000 rows in each group were assumed"
    assert all(told in each["warnings"] for each in (*found, alice.get(f"/api/answers/{found[0]['id']}").json()))
    assert alice.post("/api/tables/people/quote", wish).json()["replay"]


def test_the_half_width_of_each_number_is_told_so_that_no_client_works_it_out(alice):
    body = {"sql": "SELECT town, COUNT(*) AS n, AVG(age) AS m, MEDIAN(age) AS middle FROM people GROUP BY town", "epsilon": "2"}
    found = alice.post("/api/tables/people/ask", body).json()
    told = 0
    for row, ends, halves in zip(found["rows"], found["intervals"], found["half_widths"], strict=True):
        assert set(halves) == set(ends)
        for name, (low, high) in ends.items():
            reach = None if None in (row[name], low, high) else max(high - row[name], row[name] - low)
            assert halves[name] is None or abs(halves[name] - reach) < 1e-9
            told += halves[name] is not None
    assert told >= 2 * len(found["rows"]) - 2


def test_one_key_is_one_request_and_another_body_is_refused(alice):
    named = {"Idempotency-Key": "first-of-may"}
    body = {"sql": "SELECT COUNT(*) AS n FROM people WHERE age > 30", "epsilon": "0.25"}
    first = alice.post("/api/tables/people/ask", body, headers=named)
    again = alice.post("/api/tables/people/ask", body, headers=named)
    assert first.status_code == again.status_code == 200
    assert (first.json()["id"], first.json()["rows"]) == (again.json()["id"], again.json()["rows"])
    assert not again.json()["replayed"]
    other = alice.post("/api/tables/people/ask", body | {"confidence": "0.9"}, headers=named)
    assert (other.status_code, other.json()["error"]) == (422, "body")


def test_a_key_whose_request_was_free_is_told_that_again(alice):
    """Whoever lost the first response would count a charge twice."""
    body = {"sql": "SELECT COUNT(*) AS n FROM people WHERE age > 31", "epsilon": "0.25"}
    bought = alice.post("/api/tables/people/ask", body, headers={"Idempotency-Key": "dear"}).json()
    first, again = (alice.post("/api/tables/people/ask", body | {"epsilon": "0.2"}, headers={"Idempotency-Key": "free"}).json()
                    for _ in range(2))  # fmt: skip
    assert (bought["cost"], bought["replayed"]) == ({"epsilon": "0.25"}, False)
    for told in (first, again):
        assert (told["cost"], told["replayed"], told["rows"]) == ({"epsilon": "0"}, True, bought["rows"])
    assert first.get("paid") == again.get("paid") == {"epsilon": "0.25"}
    assert alice.get(f"/api/answers/{bought['id']}").json()["cost"] == {"epsilon": "0.25"}


def test_a_rehearsal_of_more_numbers_than_is_public_is_refused(tmp_path):
    home = made_home(tmp_path)
    with Inside(Settings(home.folder, limits=Limits(numbers_rehearsed=5))) as client:
        caller = Caller(client, home.alice)
        few, many = ({"sql": f"SELECT {key}COUNT(*) AS n FROM people{by}", "epsilon": "1"}
                     for key, by in (("", ""), ("age, ", " GROUP BY age")))  # fmt: skip
        assert caller.post("/api/tables/people/rehearse", few).status_code == 200
        told = caller.post("/api/tables/people/rehearse", many)
        assert (told.status_code, told.json()["error"]) == (400, "question")
        assert "a rehearsal has at most 5 numbers" in told.json()["message"]
        assert caller.post("/api/tables/people/quote", many).status_code == 200


def test_a_key_of_a_question_that_was_refused_may_be_used_again(alice):
    named = {"Idempotency-Key": "refused-first"}
    wrong = alice.post("/api/tables/people/ask", {"sql": "SELECT AVG(agee) AS m FROM people", "epsilon": "0.1"}, headers=named)
    assert wrong.status_code == 400
    assert (wrong.json()["error"], wrong.json()["line"]) == ("question", 1)
    assert alice.post("/api/tables/people/ask", COUNT, headers=named).status_code == 200
    much = alice.post("/api/tables/people/ask", COUNT | {"epsilon": "1000"}, headers={"Idempotency-Key": "much"})
    assert (much.status_code, much.json()["error"]) == (409, "budget")
    assert alice.post("/api/tables/people/ask", COUNT, headers={"Idempotency-Key": "much"}).status_code == 200


def test_an_answer_that_is_looked_for_later_is_the_same(alice):
    body = {"sql": "SELECT COUNT(*) AS n FROM people WHERE age > 50", "epsilon": "0.25"}
    sent = alice.post("/api/tables/people/ask", body, headers={"Prefer": "respond-async", "Idempotency-Key": "later"})
    assert sent.status_code == 202
    assert sent.json()["state"] == "running"
    found = alice.later(sent)
    assert found.status_code == 200, found.text
    assert alice.post("/api/tables/people/ask", body, headers={"Idempotency-Key": "later"}).json()["rows"] == found.json()["rows"]
    refused = alice.post("/api/tables/people/ask", COUNT | {"epsilon": "1000"}, headers={"Prefer": "respond-async"})
    assert refused.status_code == 202
    assert alice.later(refused).status_code == 409


def test_history_receipts_and_charts_are_ones_own(alice, bob, holder):
    answer = alice.post("/api/tables/people/ask", BY_TOWN).json()
    assert {row["town"] for row in answer["rows"]} >= {"north", "south"}
    assert answer["id"] in [line["id"] for line in alice.get("/api/answers").json()["answers"]]
    assert alice.get(f"/api/answers/{answer['id']}").json()["rows"] == answer["rows"]
    assert alice.get(f"/api/answers/{answer['id']}/receipt").json()["answer"] == answer["id"]
    drawn = alice.get(f"/api/answers/{answer['id']}/chart.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert drawn.text.startswith("<svg")
    for other in (bob, holder):
        for end in ("", "/receipt", "/chart.svg"):
            told = other.get(f"/api/answers/{answer['id']}{end}")
            assert (told.status_code, told.json()["error"]) == (404, "missing")
        assert answer["id"] not in [line["id"] for line in other.get("/api/answers").json()["answers"]]


def test_what_was_bought_by_one_is_free_for_all_and_nobody_learns_by_whom(alice, bob):
    body = {"sql": "SELECT COUNT(*) AS n FROM people WHERE age > 44", "epsilon": "0.5"}
    first = alice.post("/api/tables/people/ask", body).json()
    quoted = bob.post("/api/tables/people/quote", body)
    again = bob.post("/api/tables/people/ask", body)
    assert again.json()["replayed"]
    assert again.json()["rows"] == first["rows"]
    for each in (quoted, again, bob.get("/api/tables/people/budget"), bob.get("/api/answers")):
        assert "alice" not in each.text


def test_all_that_a_page_shows_is_told(alice, holder):
    table = alice.get("/api/tables/people").json()
    assert table["odds"].endswith("in 100.")
    assert [each["name"] for each in table["columns"]] == ["age", "town"]
    assert table["words"]["about"][-1] == "protects each row, added or removed"
    assert table["state"] == "open"
    assert "people.csv" not in str(table)
    me = alice.get("/api/me").json()
    assert (me["name"], me["role"], me["tables"]) == ("alice", "analyst", ["people"])
    assert me["limits"]["body_bytes"] == 131072
    assert [each["name"] for each in alice.get("/api/tables").json()["tables"]] == ["people"]
    assert [each["name"] for each in holder.get("/api/tables").json()["tables"]] == ["others", "people"]
    theirs, whole = alice.get("/api/tables/people/budget").json(), holder.get("/api/tables/people/budget").json()
    assert theirs["analyst"]["name"] == "alice"
    assert "analysts" not in theirs
    assert "alice" in whole["analysts"]


def test_a_wish_that_is_looked_for_later_is_bought_at_the_price_that_was_quoted(alice):
    wish = {"sql": "SELECT COUNT(*) AS n FROM people WHERE age > 33", "within": {"n": "20"}}
    cost = alice.post("/api/tables/people/quote", wish).json()["cost"]
    sent = alice.post("/api/tables/people/ask", wish, headers={"Prefer": "respond-async"})
    assert alice.later(sent).json()["cost"] == cost
