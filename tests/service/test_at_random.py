"""Requests at random to every address, by a data holder, an analyst and nobody: names that are there, and bodies almost right."""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import pytest
from hypothesis import strategies
from tests.service.conftest import CANARY, Caller, made_home
from tests.service.inside import Inside
from tests.service.shapes import Document

from discreet.curator import accounts, office
from discreet.service.app import document_of
from discreet.service.failures import CODES
from discreet.service.settings import Limits, Settings

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "service.md"
FREE = Limits(requests_per_minute=10**6, wrong_tokens_per_minute=10**6)
ACTS = ("freeze", "unfreeze", "raise", "ledger", "report", "version", "facts")  # of the holder, on a table that nobody else asks
ONCE = {("POST", f"/api/{end}") for end in ("register", "tables/{name}/version", "tables/{name}/raise")}  # see test_examples
NO_TOKEN = {("GET", "/api/health"), ("GET", "/api/ready")}


@dataclass(frozen=True)
class Somebody:
    """One of those who send requests."""

    name: str
    caller: Caller
    answer: str

    def real(self, path: str) -> dict[str, str]:
        """What stands in an address, so that there is something."""
        is_act = self.name == "holder" and path.rpartition("/")[2] in ACTS
        table = "others" if is_act else "people"
        name = "carol" if path.startswith("/api/analysts") else table
        return {"name": name, "id": self.answer, "file": "left.csv"}


@pytest.fixture
def home(tmp_path):
    found = made_home(tmp_path, epsilon=10**6)
    accounts.add(tmp_path, "carol")                                      # who may be revoked
    return found


def everybody(client: Inside, home) -> list[Somebody]:
    """The holder, an analyst and nobody; the first two have an answer each, and nobody tries to see the analyst's."""
    found, asked = [], {"sql": "SELECT town, COUNT(*) AS n FROM people GROUP BY town", "epsilon": "1"}
    for name, token in (("holder", home.holder), ("alice", home.alice)):
        caller = Caller(client, token)
        answer = caller.post("/api/tables/people/ask", asked | {"anew": True})
        assert answer.status_code == 200, answer.text
        found.append(Somebody(name, caller, answer.json()["id"]))
    left = client.request("POST", "/api/uploads?name=left.csv", content=b"age\n1\n", headers=found[0].caller.headers)
    assert left.status_code == 200
    return [*found, Somebody("nobody", Caller(client, None), found[1].answer)]


def holders_own() -> set[tuple[str, str]]:
    """The addresses that are for data holders, as the page says."""
    table = PAGE.read_text(encoding="utf-8").partition("For data holders:")[2].partition("\n\n| ")[2].partition("\n\n")[0]
    lines = [line.split("`")[1].split(" ") for line in ("| " + table).splitlines() if "`" in line]
    return {(verb, path) for verb, path in lines} | {("GET", "/metrics")}


def test_requests_at_random_meet_no_fault_and_what_the_document_says(home):
    schemathesis = pytest.importorskip("schemathesis", reason="missing part: schemathesis")
    with Inside(Settings(home.folder, limits=FREE)) as client:
        document, told = Document(document_of(client.app)), defaultdict(set)
        every = everybody(client, home)
        for operation in (each.ok() for each in schemathesis.openapi.from_dict(document.found).get_all_operations()):
            for mode in schemathesis.GenerationMode:
                cases = operation.as_strategy(generation_mode=mode)
                for who in every:
                    trial = Trial(client, document, who, operation.method.upper(), operation.path)
                    for is_real in (True, False):
                        trial.run(cases, is_real=is_real)
                    told[who.name, trial.verb, trial.path] |= trial.told
    holders = holders_own()
    assert len(holders) > 15
    assert {key[1:] for key in told} == set(document.operations) > holders
    for (who, *place), statuses in told.items():
        assert statuses - {404}, (who, place)                            # it has met what is there
        match who, tuple(place):
            case _, address if address in NO_TOKEN:
                assert 200 in statuses, (who, place, statuses)
            case "nobody", _:
                assert 401 in statuses <= {401, 422}, (place, statuses)
            case "alice", address if address in holders:
                assert 403 in statuses <= {403, 422}, (place, statuses)
            case _, address if address not in ONCE:
                assert 200 in statuses, (who, place, statuses)
    assert office.verify(home.folder).ok


class Trial:
    """One address and one who tries it. ``told`` are the statuses that they met where there is something."""

    def __init__(self, client: Inside, document: Document, who: Somebody, verb: str, path: str) -> None:
        self.client, self.document, self.who, self.verb, self.path = client, document, who, verb, path
        self.real = path.format(**who.real(path))
        self.told: set[int] = set()
        self._examples = [each for each in document.examples(verb, path) if isinstance(each, dict)]

    def run(self, cases: Any, *, is_real: bool) -> None:
        """Some requests, with names that are there or as they were drawn."""
        for each in self._examples if is_real else ():
            self._check(self.client.request(self.verb, self.real, json=each, headers=self.who.caller.headers), is_real=True)
        some = hypothesis.settings(max_examples=6 if is_real else 2, deadline=None, database=None,
                                   suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.generate])

        @some
        @hypothesis.given(cases, strategies.data())
        def try_out(case, data):
            path, body = self.real if is_real else case.formatted_path, self._body(case, data)
            query = {name: value for name, value in (case.query or {}).items() if value is not None}
            if is_real and self.path == "/api/uploads":
                query["name"] = "drawn.csv"
            if (told := self._sent(case, path, query, body)) is not None:
                self._check(told, is_real=is_real)

        with suppress(hypothesis.errors.Unsatisfiable):                  # what takes nothing cannot be asked wrongly
            try_out()

    def _body(self, case: Any, data: Any) -> dict[str, Any]:
        """As it was drawn; or as in an example, but for a word or two of what was drawn."""
        if isinstance(case.body, bytes):
            return {"content": case.body}
        if not case.media_type:
            return {}
        if not self._examples or data.draw(strategies.integers(0, 3)) == 0:
            return {"json": case.body}
        drawn = sorted(case.body.items()) if isinstance(case.body, dict) else []
        other = data.draw(strategies.lists(strategies.sampled_from(drawn), max_size=2)) if drawn else []
        return {"json": data.draw(strategies.sampled_from(self._examples)) | dict(other)}

    def _sent(self, case: Any, path: str, query: dict[str, Any], body: dict[str, Any]) -> httpx.Response | None:
        """What the service says; None if it is nothing that a client can send."""
        headers = {str(name): str(value).encode("utf-8", "replace") for name, value in (case.headers or {}).items()
                   if str(name).casefold() != "authorization" or self.who.name == "nobody"}
        try:
            return self.client.request(self.verb, path, params=query, headers=headers | self.who.caller.headers, **body)
        except (ValueError, TypeError, UnicodeError, httpx.HTTPError):
            return None

    def _check(self, told: httpx.Response, *, is_real: bool) -> None:
        seen = (self.who.name, self.verb, told.request.url, told.request.content, told.status_code, told.text)
        assert told.status_code < 500, seen
        if is_real or told.status_code not in (404, 405):                # else another address may have been drawn
            assert self.document.problems(self.verb, self.path, told) == [], seen
        if told.status_code >= 400:
            assert told.json().keys() >= {"error", "message", "hint"}, seen
            assert told.json()["error"] in CODES, seen
        assert CANARY not in told.text, seen
        if is_real:
            self.told.add(told.status_code)
