"""What the service says of itself: every address on the page, and on a page that needs nothing from elsewhere."""

import re
from pathlib import Path

from discreet.service.app import document_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "service.md"


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
