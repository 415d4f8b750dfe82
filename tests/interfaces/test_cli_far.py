"""The command line against a table behind a service: the same words, the same pages, the same ends."""

import json

import pytest
from tests.service.conftest import made_home
from tests.service.listening import Listening

from discreet.curator import office

COUNT = "SELECT COUNT(*) AS n FROM people WHERE age >= 40"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return made_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def served(home):
    with Listening(home.folder) as service:
        yield service.address


@pytest.fixture
def far(discreet, home, served, monkeypatch):
    """``far("ask", "people", …)``: as alice, whose token is in the environment."""
    monkeypatch.setenv("DISCREET_TOKEN", home.alice)
    return lambda verb, table, *words: discreet(verb, f"{served}/{table}", *words)


def test_quotes_answers_budgets_and_history_come_from_afar(far):
    quoted = far("quote", "people", COUNT, "--epsilon", "0.5")
    assert quoted.code == 0, quoted.err
    assert "costs         ε 0.5" in quoted.out
    answered = json.loads(far("ask", "people", COUNT, "--epsilon", "0.5", "--json").out)
    assert answered["cost"] == {"epsilon": "0.5"}
    shown = far("ask", "people", COUNT, "--epsilon", "0.5")
    assert "replayed, free" in shown.out
    state = json.loads(far("budget", "people", "--json").out)
    assert (state["spent"], state["state"], state["analyst"]["name"]) == ({"epsilon": "0.5"}, "open", "alice")
    assert "ε 0.5 spent" in far("budget", "people").out
    lines = json.loads(far("history", "people", "--json").out)["answers"]
    assert answered["id"] in [each["id"] for each in lines]
    assert answered["id"] in far("history", "people").out
    assert json.loads(far("history", "people", answered["id"], "--json").out)["rows"] == answered["rows"]
    assert f"answer {answered['id']}" in far("history", "people", answered["id"]).out


def test_files_are_written_and_a_key_is_one_request(far, folder):
    files = ("--save", "n.csv", "--receipt", "r.json")
    words = ("ask", "people", COUNT, "-e", "0.25", "--anew", "--key", "monday", *files, "--json")
    first, again = json.loads(far(*words).out), json.loads(far(*words).out)
    assert (first["id"], first["rows"]) == (again["id"], again["rows"])
    assert (folder / "n.csv").read_text().startswith("n,n_low,n_high")
    assert json.loads((folder / "r.json").read_text())["analyst"] == "alice"


def test_what_goes_wrong_there_ends_as_it_would_here(far, home, folder, monkeypatch):
    wrong = far("ask", "people", "SELECT AVG(agee) AS m FROM people", "--epsilon", "1")
    assert wrong.code == 2
    assert "^" in wrong.err
    assert "write age" in wrong.err
    dear = far("ask", "people", "SELECT AVG(age) AS m FROM people", "--epsilon", "1000")
    assert dear.code == 3
    assert far("ask", "others", COUNT, "--epsilon", "1").code == 5
    named = far("quote", "people", COUNT, "--epsilon", "1", "--as", "bob")
    assert (named.code, "token" in named.err) == (2, True)
    (folder / "token").write_text("dsc_nobody\n")
    assert far("budget", "people", "--token-file", "token").code == 5
    assert far("budget", "people", "--token-file", "nowhere").code == 2
    office.freeze(home.folder / "people.toml", reason="a look at it", analyst="alice")
    assert "a look at it" in far("budget", "people").out
    assert far("ask", "people", COUNT, "--epsilon", "2").code == 5
    office.unfreeze(home.folder / "people.toml", reason="looked", analyst="alice")


def test_addresses_are_for_asking_and_files_need_no_token(discreet, people, folder):
    (folder / "token").write_text("dsc_x\n")
    assert "needs no token" in discreet("ask", "people.toml", COUNT, "-e", "1", "--token-file", "token").err
    assert "ledger show" in discreet("history", "people.toml").err
    assert "where the table is kept" in discreet("freeze", "https://h/people", "--reason", "x").err
    gone = discreet("budget", "http://127.0.0.1:9/people", "--token-file", "token")
    assert (gone.code, "cannot be reached" in gone.err) == (4, True)
