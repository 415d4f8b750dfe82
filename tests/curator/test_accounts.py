"""Accounts of a folder: who comes in, what is there for them, and what they may spend. Through the whole curator."""

import re
import shutil
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from tests.ledger.made import count_above, edit, sql, write_table

import discreet as dc
from discreet.curator import Folder, accounts, office
from discreet.ledger.entries import chain


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two tables, and tokens of alice, who may ask the first, of bob, who may ask nothing, and of carol, a holder."""
    place = tmp_path_factory.mktemp("made")
    for name in ("t", "u"):
        rows = "x,place,name\n" + "".join(f"{number % 90},{1 + number % 2},{name}\n" for number in range(60))
        office.register(write_table(place, name=name, rows=rows, budget="epsilon = 1\nper_analyst = 0.5", more="rows_about = 60"))
    tokens = {"alice": accounts.add(place, "alice"), "bob": accounts.add(place, "bob"),
              "carol": accounts.add(place, "carol", "holder")}
    accounts.grant(place, "alice", ["t"])
    return place, tokens


@pytest.fixture
def folder(made, tmp_path):
    place, tokens = made
    (place / "a.toml").write_bytes(b"\xff\xfe[table")                        # nobody's facts, in nobody's way
    (place / "b.toml").write_text("[table]\nname = 1", encoding="utf-8")
    with closing(Folder(shutil.copytree(place, tmp_path / "folder"))) as opened:
        yield opened, tokens


def refusal(kind, act, *words):
    """What is said when something is refused."""
    with pytest.raises(kind) as found:
        act(*words)
    return str(found.value)


def test_a_token_opens_what_was_granted_and_everything_else_is_not_there(folder):
    opened, tokens = folder
    alice, carol = opened.account(tokens["alice"]), opened.account(tokens["carol"])
    assert (alice.name, alice.role, opened.tables(alice)) == ("alice", "analyst", ["t"])
    assert opened.tables(carol) == ["t", "u"]
    assert opened.curator("t", alice).ask(count_above(1), epsilon="0.1", analyst=alice).budget.asker.name == "alice"
    told = {refusal(dc.MissingError, opened.curator, table, alice).replace(f"'{table}'", "") for table in ("u", "v")}
    assert len(told) == 1                                             # a table without a grant is like one that is not there
    with pytest.raises(dc.MissingError):
        opened.curator("u", carol).ask(count_above(1), epsilon="0.1", analyst=alice)


def test_wrong_old_and_revoked_tokens_are_told_alike_and_at_once_in_every_process(folder):
    opened, tokens = folder
    with closing(Folder(opened.path)) as other:
        curator, bob = other.curator("t", other.account(tokens["carol"])), other.account(tokens["bob"])
        accounts.grant(opened.path, "bob", ["t"])
        before = bob = other.account(tokens["bob"])
        fresh = accounts.rotate(opened.path, "bob")
        assert other.account(fresh) == before
        wrong = ["", "dsc_", tokens["bob"], tokens["alice"][:-1], tokens["alice"].lower() + "x", "dsc_" + "A" * 43, "ä" * 47]
        told = {refusal(dc.TokenError, other.account, token) for token in wrong}
        accounts.revoke(opened.path, "bob")
        told.add(refusal(dc.TokenError, other.account, fresh))
        assert len(told) == 1
        with pytest.raises(dc.TokenError):                                    # looked up before it was revoked, charged after
            curator.ask(count_above(2), epsilon="0.1", analyst=bob)
        accounts.ungrant(opened.path, "alice", ["t"])
        assert other.tables(other.account(tokens["alice"])) == []
    with pytest.raises(dc.ParameterError, match="there is or was"):
        accounts.add(opened.path, "Bob")
    assert office.verify(opened.path).ok


def test_of_two_limits_the_stricter_counts_in_quotes_budgets_and_charges(folder):
    opened, tokens = folder
    accounts.limit(opened.path, "alice", "t", "0.25")
    alice, bob = opened.account(tokens["alice"]), "bob"
    curator = opened.curator("t", alice)
    quote = curator.quote(count_above(1), epsilon="0.2", analyst=alice)
    assert (quote.affordable, quote.to_dict()["analyst_left_after"]) == (True, {"epsilon": "0.05"})
    assert not curator.quote(count_above(1), epsilon="0.3", analyst=alice).affordable
    with pytest.raises(dc.BudgetError, match=r"0\.25 is left for alice"):
        curator.ask(count_above(1), epsilon="0.3", analyst=alice)
    assert curator.quote(count_above(1), epsilon="0.5", analyst=bob).affordable
    accounts.limit(opened.path, "alice", "t", 9)                              # of which the facts leave a half
    assert curator.budget_for(alice).asker.to_dict()["limit"] == {"epsilon": "0.5"}
    assert curator.budget.to_dict()["analysts"]["alice"]["limit"] == {"epsilon": "0.5"}
    accounts.limit(opened.path, "alice", "t", None)
    assert opened.account(tokens["alice"]).limits == {}
    assert office.verify(opened.path).ok


def test_a_token_ends_after_its_last_day_and_a_clock_that_goes_back_does_not_open_it(folder, monkeypatch):
    opened, _ = folder
    today = datetime.now(UTC).date()
    token = accounts.add(opened.path, "dora", expires=today + timedelta(days=2))
    assert opened.account(token).expires == (today + timedelta(days=2)).isoformat()
    late = f"{today + timedelta(days=4)}T00:00:00+00:00"
    for room in ("accounts", "logins"):
        monkeypatch.setattr(f"discreet.ledger.{room}.now", lambda: late)
    with pytest.raises(dc.TokenError, match="ended on"):
        opened.account(token)
    for room in ("accounts", "logins"):
        monkeypatch.setattr(f"discreet.ledger.{room}.now", chain.now)
    with pytest.raises(dc.TokenError, match="ended on"):
        opened.account(token)
    with pytest.raises(dc.ParameterError, match="is over") as refused:
        accounts.rotate(opened.path, "dora")
    assert "expires='none'" in refused.value.hint
    assert opened.account(accounts.rotate(opened.path, "dora", expires="none")).state == "open"
    assert office.verify(opened.path).ok


def test_a_new_token_keeps_the_last_day_unless_another_is_given(folder):
    opened, _ = folder
    accounts.add(opened.path, "dora", expires="2999-01-31")
    for given, holds in ((None, "2999-01-31"), ("2999-02-28", "2999-02-28"), (None, "2999-02-28"), ("none", None), (None, None)):
        assert opened.account(accounts.rotate(opened.path, "dora", expires=given)).expires == holds
    assert office.verify(opened.path).ok


def test_an_account_with_a_table_that_is_not_there_is_not_made(folder):
    opened, _ = folder
    before = accounts.listed(opened.path)
    with pytest.raises(dc.ParameterError, match="no table 'visit'"):
        accounts.add(opened.path, "dora", tables=["t", "visit"])
    assert accounts.listed(opened.path) == before
    token = accounts.add(opened.path, "dora", tables=["t", "u"])
    assert opened.tables(opened.account(token)) == ["t", "u"]
    assert office.verify(opened.path).ok


def test_nothing_is_granted_to_whoever_may_ask_all_tables(folder):
    opened, _ = folder
    entries = len(office.entries(opened.path))
    assert accounts.grant(opened.path, "carol", ["t"]).to_dict()["tables"] == []
    accounts.add(opened.path, "erin", "holder", tables=["t"])
    assert [each.kind for each in office.entries(opened.path)[entries:]] == ["enrol"]
    with pytest.raises(dc.ParameterError) as refused:
        accounts.ungrant(opened.path, "carol", ["t"])
    assert "all tables" in refused.value.hint


def test_neither_a_token_nor_its_hash_is_where_somebody_looks(folder):
    opened, tokens = folder
    everything = b"".join(file.read_bytes() for file in opened.path.rglob("*") if file.is_file())
    told = repr(list(office.export(opened.path))) + repr(accounts.listed(opened.path)) + repr(opened.account(tokens["alice"]))
    hashes = re.findall(rb"(?:alice|bob|carol)(?:analyst|holder)([0-9a-f]{64})", everything)
    assert len(set(hashes)) == 3                                              # they are there, or the next line says nothing
    for token in tokens.values():
        assert len(token) == 47
        assert token.encode() not in everything
        assert token[4:].encode() not in everything
    assert all(found.decode() not in told for found in hashes)


def test_verification_finds_an_account_that_was_edited(folder):
    opened, _ = folder
    ((token,),) = sql(opened.path, "SELECT token FROM logins WHERE name = 'alice'")
    edits = {
        "UPDATE logins SET token = 'x' WHERE name = 'alice'": f"UPDATE logins SET token = '{token}' WHERE name = 'alice'",
        "UPDATE logins SET role = 'holder' WHERE name = 'bob'": "UPDATE logins SET role = 'analyst' WHERE name = 'bob'",
        "UPDATE logins SET expires = '2099-01-01'": "UPDATE logins SET expires = ''",
        "INSERT INTO grants VALUES ('bob', 'u')": "DELETE FROM grants WHERE name = 'bob'",
        "INSERT INTO limits VALUES ('alice', 't', '9', '0')": "DELETE FROM limits",
        "DELETE FROM logins": "",
    }
    for edited, undone in edits.items():
        assert office.verify(opened.path).ok
        sql(opened.path, edited)
        assert "without an entry" in office.verify(opened.path).problems[0], edited
        sql(opened.path, undone)


def test_a_new_version_is_opened_by_the_next_who_asks(folder):
    opened, tokens = folder
    alice = opened.account(tokens["alice"])
    assert opened.curator("t", alice).facts.version == "1"
    edit(opened.path / "t.toml", 'version = "1"', 'version = "2"')
    office.new_version(opened.path / "t.toml", reason="later rows")
    assert opened.curator("t", alice).facts.version == "2"
    edit(opened.path / "t.toml", 'version = "2"', 'version = "3"')
    with closing(Folder(opened.path)) as other, pytest.raises(dc.AccessError, match="cannot be asked now"):
        other.curator("t", alice)
