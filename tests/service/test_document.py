"""What the service says of itself: tried at random, one shape of errors, every address on the page."""

import json
import re
from contextlib import suppress
from pathlib import Path

import httpx
import hypothesis
import pytest

from discreet.service.app import document_of
from discreet.service.failures import CODES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "service.md"
SOME = hypothesis.settings(max_examples=6, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck),
                           phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])


def is_error(told) -> bool:
    body = told.json()
    return body["error"] in CODES and isinstance(body["message"], str) and "hint" in body


def test_every_address_is_on_the_page_and_no_other(client):
    routes = {f"{verb.upper()} {path}" for path, verbs in document_of(client.app)["paths"].items() for verb in verbs}
    written = set(re.findall(r"^\| `((?:GET|POST) [^`]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert written == routes


def test_the_page_of_the_document_needs_nothing_from_elsewhere(client):
    page, document = client.request("GET", "/api/docs"), client.request("GET", "/api/openapi.json").json()
    assert page.headers["content-type"].startswith("text/html")
    assert all(path in page.text for path in document["paths"])
    assert not re.search(r"<script|style=|https?://|//[a-z]", page.text)
    assert client.request("GET", "/api/docs.css").headers["content-type"].startswith("text/css")


def test_every_answer_has_the_headers_that_keep_pages_apart(client, alice):
    for told in (alice.get("/api/me"), client.request("GET", "/nowhere"), client.request("GET", "/api/docs")):
        assert told.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
        assert told.headers["x-content-type-options"] == "nosniff"
        assert told.headers["cache-control"] == "no-store"
        assert re.fullmatch("[0-9a-f]{16}", told.headers["x-request-id"])
        assert "server" not in told.headers


@pytest.mark.slow
def test_requests_at_random_meet_no_fault_and_one_shape_of_errors(client, holder):
    schemathesis = pytest.importorskip("schemathesis", reason="missing part: schemathesis")
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document_of(client.app))))
    operations = [found.ok() for found in schema.get_all_operations()]
    modes = list(schemathesis.GenerationMode)
    told = [each for operation in operations for mode in modes for each in tried(client, holder, operation, mode)]
    assert len(operations) > 25
    assert len(told) > 100
    assert {each.status_code for each in told} >= {200, 404, 422}


def tried(client, holder, operation, mode) -> list:
    """What the service says to requests as the document has them, or almost."""
    documented, said = {int(status) for status in operation.definition.raw["responses"]}, []

    @SOME
    @hypothesis.given(operation.as_strategy(generation_mode=mode))
    def try_out(case):
        more = {"content": case.body} if isinstance(case.body, bytes) else {"json": case.body} if case.media_type else {}
        headers = {str(name): str(value).encode("utf-8", "replace") for name, value in (case.headers or {}).items()}
        query = {name: value for name, value in (case.query or {}).items() if value is not None}
        try:
            told = client.request(case.method, case.formatted_path, params=query, headers=headers | holder.headers, **more)
        except (ValueError, TypeError, UnicodeError, httpx.HTTPError):  # nothing that a client can send
            return
        said.append(told)
        assert told.status_code < 500, (case.method, case.formatted_path, told.text)
        assert told.status_code in documented | {404, 405}, (case.method, case.formatted_path, told.status_code)
        assert told.status_code < 300 or is_error(told), told.text

    with suppress(hypothesis.errors.Unsatisfiable):  # what takes nothing cannot be asked wrongly
        try_out()
    return said
