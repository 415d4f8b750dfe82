"""What whoever connects meets: addresses, tokens, words, errors and long waits."""

import io
import os
import socket
import sys
from dataclasses import fields
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

import discreet as dc
from discreet.client import table as table_module
from discreet.client.addresses import read_address, token_in
from discreet.client.failures import error_from
from discreet.curator.request import Ask
from discreet.remedies import on_command_line, said
from discreet.service.failures import CODES

pytestmark = pytest.mark.slow
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.mark.parametrize(("address", "host", "port", "path", "table"), [
    ("https://data.example/people", "data.example", 443, "", "people"),
    ("https://data.example:8443/below/here/people/", "data.example", 8443, "/below/here", "people"),
    ("http://127.0.0.1:8000/people", "127.0.0.1", 8000, "", "people"),
    ("http://localhost/ce%20book", "localhost", 80, "", "ce book"),
    ("http://[::1]:8000/people", "::1", 8000, "", "people"),
])  # fmt: skip
def test_addresses_name_a_service_and_a_table(address, host, port, path, table):
    place, name = read_address(address)
    assert (place.host, place.port, place.path, name) == (host, port, path, table)


@pytest.mark.parametrize(("address", "said"), [
    ("http://data.example/people", "in the open"), ("http://10.0.0.1/people", "in the open"),
    ("ftp://h/people", "not the address"),
    ("https://data.example/", "no table"), ("https://h:x/people", "not an address"), ("people.toml", "not the address"),
    ("https://me:word@h/people", "not the address"), ("https://h/people?token=dsc_x", "not the address"),
])  # fmt: skip
def test_other_addresses_are_refused_before_anything_is_sent(address, said):
    with pytest.raises(dc.ParameterError, match=said):
        dc.connect(address, token="dsc_x")


def test_a_token_is_given_or_in_the_environment_or_in_a_file(home, service, monkeypatch, tmp_path):
    monkeypatch.delenv("DISCREET_TOKEN", raising=False)
    with pytest.raises(dc.TokenError, match="DISCREET_TOKEN"):
        dc.connect(f"{service.address}/people")
    monkeypatch.setenv("DISCREET_TOKEN", home.alice)
    with dc.connect(f"{service.address}/people") as table:
        assert table.analyst == "alice"
        assert home.alice not in repr(table) + repr(vars(table))
    (tmp_path / "token").write_text(home.bob + "\n")
    assert token_in(tmp_path / "token") == home.bob
    for wrong in ("dsc_nobody", "dsc_\nX-Y: 1", "dsc_ü"):
        with pytest.raises(dc.TokenError):
            dc.connect(f"{service.address}/people", token=wrong)


def test_a_table_that_is_not_there_or_not_granted_is_told_with_those_that_are(home, service):
    for name in ("others", "nothing"):
        with pytest.raises(dc.MissingError, match="people"):
            dc.connect(f"{service.address}/{name}", token=home.alice)


def test_the_words_are_those_of_a_table_that_is_here(people):
    here = {each.name for each in fields(Ask)} - {"question"}
    assert here == table_module.WORDS | {"analyst", "key", "rehearse"}
    with pytest.raises(TypeError, match="epsilom"):
        people.ask(COUNT, epsilom=1)
    with pytest.raises(dc.ParameterError, match="the token says who asks"):
        people.ask(COUNT, epsilon=1, analyst="bob")
    assert people.quote(COUNT, epsilon=1, analyst="alice").cost.epsilon == 1


def test_numbers_arrive_as_they_were_written(people):
    for price in (0.1, "0.1", Fraction(1, 10), "1/10"):
        assert people.quote(COUNT, epsilon=price).cost.epsilon == Fraction(1, 10)
    wished = people.quote(COUNT, within={"n": Fraction(41, 2)})
    assert wished.columns[0].plus_minus <= 20.5
    with pytest.raises(dc.ParameterError, match="epsilon"):
        people.ask(COUNT, epsilon=float("nan"))


def test_hints_are_pythons_here_and_the_terminals_there(people):
    with pytest.raises(dc.ParameterError) as raised:
        people.ask(COUNT)
    assert "epsilon=0.1" in raised.value.hint
    assert "--epsilon 0.1" in said(raised.value.hint, on_command_line)
    with pytest.raises(dc.QuestionError) as wrong:
        people.ask("SELECT AVG(agee) AS m FROM people", epsilon=1)
    assert (wrong.value.line, wrong.value.column) == (1, 12)


def test_every_code_of_the_service_is_an_error_of_ours():
    for code in CODES:
        error = error_from(500, {"error": code, "message": "m", "hint": "h", "reference": "r"}, "https://h")
        assert isinstance(error, dc.DiscreetError)
        assert "m" in str(error)
    assert isinstance(error_from(502, None, "https://h"), dc.ServiceFault)
    assert isinstance(error_from(200, ["no"], "https://h"), dc.ServiceFault)


def test_what_takes_long_is_waited_for_and_told(people, home, service, monkeypatch):
    from discreet.client.wire import Wire

    sent, told = Wire.send, io.StringIO()

    def later(self, method, path, body=None, key=None):
        self._headers["Prefer"] = "respond-async"
        return sent(self, method, path, body, key)

    monkeypatch.setattr(Wire, "send", later)
    monkeypatch.setattr(sys, "stderr", told)
    answer = people.ask("SELECT COUNT(*) AS n FROM people WHERE age > 21", epsilon=1)
    assert answer.interval[0] < answer.value < answer.interval[1]
    assert told.getvalue().startswith("people: running, ")
    with pytest.raises(dc.BudgetError):
        people.ask(COUNT, epsilon=1000, anew=True)


def test_history_and_answers_are_there_again(people):
    answer = people.ask("SELECT town, COUNT(*) AS n FROM people GROUP BY town", epsilon=1)
    assert people.history(5)[0]["id"] == answer.id
    again = people.answer(answer.id)
    assert (again.rows, again.intervals, again.receipt) == (answer.rows, answer.intervals, answer.receipt)
    with pytest.raises(dc.MissingError, match=r"there is no answer 'nothing' of yours; your history"):
        people.answer("nothing")
    with pytest.raises(dc.MissingError, match=r"there is no answer 'a&most=1' of yours"):
        people.history(before="a&most=1")


@pytest.mark.parametrize("key", ["", "two words", "京都", "x" * 201])
def test_keys_that_cannot_be_sent_are_refused_here(people, key):
    with pytest.raises(dc.ParameterError, match="key"):
        people.ask(COUNT, epsilon=1, key=key)
    assert people.ask(COUNT, epsilon=1, key=7).value  # what has a text is one


def test_tls_to_what_speaks_none_is_said_in_words(service):
    with pytest.raises(dc.ServiceFault, match="does not speak TLS"):
        dc.connect(f"{service.address.replace('http:', 'https:')}/people", token="dsc_x")


def test_nobody_there_is_a_fault_that_names_the_address():
    with pytest.raises(dc.ServiceFault, match=r"http://127\.0\.0\.1:9 cannot be reached: connection refused"):
        dc.connect("http://127.0.0.1:9/people", token="dsc_x")


def test_plain_http_to_what_hangs_up_on_it_is_told_to_try_tls(monkeypatch):
    monkeypatch.setattr("discreet.client.wire._PAUSES", (0.0,))
    with socket.create_server(("127.0.0.1", 0)) as door:
        def hang_up():
            for _ in range(2):
                line, _ = door.accept()
                line.recv(4096)
                line.close()

        Thread(target=hang_up, daemon=True).start()
        with pytest.raises(dc.ServiceFault, match="or write https if it speaks TLS"):
            dc.connect(f"http://127.0.0.1:{door.getsockname()[1]}/people", token="dsc_x")


def test_a_process_that_was_forked_has_connections_of_its_own(people):
    assert people.budget
    (ours,) = [each.sock.getsockname()[1] for each in people._wire._idle]
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            assert people.budget
            theirs = [each.sock.getsockname()[1] for each in people._wire._idle]
            os.write(writing, str(len(theirs) == 1 and ours not in theirs).encode())
        finally:
            os._exit(0)
    os.waitpid(process, 0)
    assert os.read(reading, 9) == b"True"
    assert people.budget


def test_who_is_sent_elsewhere_is_told_to_look_at_the_address():
    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(301)
            self.send_header("Location", "https://other.example/")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(dc.ServiceFault, match=r"says 301.*look at the address"):
            dc.connect(f"http://127.0.0.1:{server.server_port}/people", token="dsc_x")
        server.shutdown()
