"""The examples of the document, sent in the order of a table's life: each is answered, and as the document says."""

import pytest
from tests.service.conftest import Caller
from tests.service.inside import Inside
from tests.service.shapes import Document

from discreet.curator import accounts, office
from discreet.errors import Fault
from discreet.ledger.folder import log_fault
from discreet.service.app import document_of
from discreet.service.settings import Settings

FACTS = """\
[table]
name = "other"
source = "other.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 1
[columns.age]
type = "integer"
lower = 0
upper = 100
"""
LIFE = """\
nobody GET /api/health
nobody GET /api/ready
holder POST /api/uploads?name=people.csv
holder GET /api/uploads/{file}/draft
holder POST /api/check
holder POST /api/register
holder POST /api/analysts
holder POST /api/analysts/{name}/grant
holder POST /api/analysts/{name}/limit
alice GET /api/me
alice GET /api/tables
alice GET /api/tables/{name}
alice GET /api/tables/{name}/budget
alice POST /api/tables/{name}/quote
alice POST /api/tables/{name}/rehearse
alice POST /api/tables/{name}/ask
alice POST /api/tables/{name}/ask_all
alice GET /api/answers
alice GET /api/answers/{id}
alice GET /api/answers/{id}/receipt
alice GET /api/answers/{id}/chart.svg
holder GET /api/me
holder GET /api/tables
holder GET /api/tables/{name}
holder GET /api/tables/{name}/budget
holder GET /api/tables/{name}/ledger
holder GET /api/tables/{name}/report
holder GET /api/ledger/verification
holder GET /api/analysts
holder GET /metrics
holder POST /api/tables/{name}/raise
holder POST /api/tables/{name}/freeze
alice GET /api/tables/{name}
holder GET /api/faults
holder POST /api/tables/{name}/unfreeze
holder POST /api/uploads?name=people-2.csv
holder POST /api/tables/{name}/version
holder GET /api/tables/{name}/facts
holder POST /api/analysts/{name}/ungrant
holder POST /api/analysts/{name}/rotate
holder POST /api/analysts/{name}/revoke
"""
ACTS = [tuple(line.split(" ")) for line in LIFE.splitlines()]


@pytest.fixture
def client(tmp_path):
    (tmp_path / "other.csv").write_text("age\n1\n2\n3\n")
    (tmp_path / "other.toml").write_text(FACTS)
    office.register(tmp_path / "other.toml")                             # without any table there is no ledger
    with Inside(Settings(tmp_path)) as client:
        yield client


def test_every_example_is_answered_as_the_document_says(client):
    document, answer = Document(document_of(client.app)), ""
    callers = {"nobody": Caller(client, None), "holder": Caller(client, accounts.add(client.settings.folder, "holder", "holder"))}
    for who, verb, place in ACTS:
        pattern, caller = place.partition("?")[0], callers[who]
        name = "alice" if pattern.startswith("/api/analysts") else "people"
        path = place.format(name=name, id=answer, file="people.csv")
        for body in document.examples(verb, pattern) or [None]:
            sent = {"content": body} if isinstance(body, str) else {"json": body} if body is not None else {}
            told = client.request(verb, path, headers=caller.headers, **sent)
            assert told.status_code == 200, (verb, path, body, told.text)
            assert document.problems(verb, pattern, told) == [], (verb, path, told.text)
            if pattern == "/api/analysts" and verb == "POST" and body["name"] == "alice":
                callers["alice"] = Caller(client, told.json()["token"])
            if pattern.endswith("/ask"):
                answer = told.json()["id"]
    assert {(verb, place.partition("?")[0]) for _, verb, place in ACTS} == set(document.operations)
    assert office.verify(client.settings.folder).ok


def test_every_body_and_every_response_has_an_example_that_its_schema_allows(client):
    document = Document(document_of(client.app))
    for verb, path in document.operations:
        operation = document.operation(verb, path)
        taken = [operation["requestBody"]] if "requestBody" in operation else []
        for shape in [*taken, *operation["responses"].values()]:
            for media, content in shape["content"].items():
                examples = document.examples_of(content["schema"])
                assert examples, (verb, path, media, shape.get("description"))
                for each in examples:
                    assert document.wrong(content["schema"], each) == [], (verb, path, each)


def test_what_failed_and_what_is_wrong_is_told_as_the_document_says(client, monkeypatch):
    document, folder = Document(document_of(client.app)), client.settings.folder
    holder, alice = Caller(client, accounts.add(folder, "holder", "holder")), Caller(client, accounts.add(folder, "alice"))
    accounts.grant(folder, "alice", ["other"])
    monkeypatch.setattr("discreet.curator.desk.released_parts", lambda *_: 1 / 0)
    count = {"sql": "SELECT COUNT(*) AS n FROM other", "epsilon": "0.1"}
    failed = alice.post("/api/tables/other/ask", count)
    log_fault(folder / ".discreet", Fault(), table="other")  # as one that came before its charge
    told = {("POST", "/api/tables/{name}/ask"): failed,
            ("GET", "/api/faults"): holder.get("/api/faults"),
            ("GET", "/api/tables/{name}/budget"): alice.get("/api/tables/other/budget"),
            ("GET", "/api/tables/{name}/report"): holder.get("/api/tables/other/report"),
            ("POST", "/api/tables/{name}/unfreeze"): holder.post("/api/tables/other/unfreeze", {"reason": "looked at"}),
            ("POST", "/api/check"): holder.post("/api/check", {"facts": FACTS.replace("unit", "unti")})}
    for (verb, path), each in told.items():
        assert document.problems(verb, path, each) == [], (path, each.text)
    assert [each.status_code for each in told.values()] == [500, 200, 200, 200, 200, 200]
    assert all(told["GET", "/api/faults"].json().values())
    assert all(told["POST", "/api/tables/{name}/unfreeze"].json().values())
    assert told["POST", "/api/check"].json()["problems"]
