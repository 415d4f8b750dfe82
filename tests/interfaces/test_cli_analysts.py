"""analyst add, list, grant, ungrant, limit, rotate, revoke: as people type them, and as programs read them."""

import json

from discreet.curator import Folder, office


def test_an_account_from_its_token_to_its_end(people, folder):
    made = people("analyst", "add", ".", "alice")
    token = made.out.strip()
    assert (made.code, len(token), "shown this once" in made.err, "no last day" in made.err) == (0, 47, True, True)
    holder = json.loads(people("analyst", "add", ".", "carol", "--holder", "--expires", "2999-01-31", "--json").out)
    assert list(holder) == ["name", "token", "expires"]
    assert "carol acts for the data holder, and may ask all tables" in people("analyst", "grant", ".", "carol", "people").out
    again = people("analyst", "rotate", ".", "carol")
    assert "its last day is 2999-01-31" in again.err
    assert people("analyst", "grant", ".", "alice", "people").out == "alice may ask people\n"
    assert "limits: people ε 0.5" in people("analyst", "limit", "people.toml", "alice", "people", "--epsilon", "0.5").out
    told = json.loads(people("analyst", "list", ".", "--json").out)["accounts"]
    assert [(each["name"], each["role"], each["tables"], each["limits"]) for each in told] == [
        ("alice", "analyst", ["people"], {"people": {"epsilon": "0.5"}}), ("carol", "holder", [], {})]  # fmt: skip
    page = people("analyst", "list", ".").out
    assert "open, until 2999-01-31" in page
    assert json.loads(people("budget", "people.toml", "--json").out)["analysts"]["alice"]["limit"] == {"epsilon": "0.5"}
    assert people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.6", "--as", "alice").code == 3
    fresh = people("analyst", "rotate", ".", "alice").out.strip()
    assert people("analyst", "limit", ".", "alice", "people", "--none").out == "alice may ask people\n"
    assert people("analyst", "ungrant", ".", "alice", "people").out == "alice may ask none\n"
    with_token = Folder(folder)
    assert with_token.account(fresh).name == "alice"
    with_token.close()
    people("analyst", "limit", ".", "alice", "people", "--epsilon", "0.5")
    assert json.loads(people("analyst", "revoke", ".", "alice", "--json").out) == {"name": "alice", "state": "revoked"}
    (line,) = [line for line in people("budget", "people.toml").out.splitlines() if "alice" in line]
    assert line.split() == ["alice", "ε", "0", "revoked", "ε", "0.5"]
    assert json.loads(people("budget", "people.toml", "--json").out)["analysts"]["alice"]["state"] == "revoked"
    everything = page + "".join(people("ledger", what, ".").out for what in ("export", "verify"))
    shown = people("ledger", "show", "people.toml").out
    for line in ("alice, analyst", "carol, holder, until 2999-01-31", "alice: people", "alice, people: ε 0.5",
                 "alice: a new token", "alice, people: none of their own", "alice: the token has ended, for good"):  # fmt: skip
        assert line in shown
    office.freeze("people.toml", reason="a look", by="carol")
    assert "people; by carol" in people("ledger", "show", "people.toml").out
    assert "consistent" in everything
    assert not any(secret in everything + shown for secret in (token, fresh, holder["token"]))


REFUSED = {
    "add . a/b": (2, "cannot be the name"), "add . Anonymous": (2, "cannot be the name"), "add . ALICE": (2, "there is or was"),
    "add . x --expires 2001-01-01": (2, "is over"), "add . x --expires soon": (2, "is not a day"),
    "add elsewhere x": (2, "no such folder"), "grant . nobody people": (2, "there is no account 'nobody'"),
    "grant . alice pets": (2, "registered here: people"), "ungrant . alice people": (2, "has no grant"),
    "limit . alice people": (2, "--none"), "limit . alice people --rho 1": (3, "another kind of loss"),
    "limit . alice people --epsilon many": (2, "epsilon"), "limit . alice people --epsilon 1 --none": (2, "or none"),
}  # fmt: skip


def test_what_cannot_be_done_is_said_in_words(people):
    people("analyst", "add", ".", "alice")
    for words, (code, said) in REFUSED.items():
        found = people("analyst", *words.split())
        assert (found.code, found.out) == (code, ""), words
        assert said in found.err
        told = json.loads(people("analyst", *words.split(), "--json").err)
        assert set(told) >= {"error", "message", "hint"}


def test_a_budget_tells_its_data_holder_of_questions_that_failed(people, monkeypatch):
    from discreet.engines.duckdb.engine import DuckDB

    def fails(*_):
        raise ZeroDivisionError("a canary")

    with monkeypatch.context() as patch:
        patch.setattr(DuckDB, "run", fails)
        assert people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1", "--as", "alice").code == 4
    (told,) = json.loads(people("budget", "people.toml", "--json").out)["faults"]
    page = people("budget", "people.toml").out
    assert f"charge {told['charge']} of alice, reference {told['reference']}; froze alice" in page
    assert "1 question failed" in page
    theirs = people("budget", "people.toml", "--as", "alice")
    assert "failed after the charge" not in theirs.out
    assert "faults" not in json.loads(people("budget", "people.toml", "--as", "alice", "--json").out)
