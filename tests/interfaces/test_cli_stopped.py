"""What stops asking is seen where one looks: in budget, quote, check and unfreeze, each with its way out."""

import json
import re

import pytest
from tests.interfaces.people import FACTS

COUNT = "SELECT COUNT(*) AS n FROM people"
ASKING = ("ask", "orders.toml", COUNT, "-e", "0.5")


@pytest.fixture
def orders(discreet, folder):
    """A table whose name is not that of its file."""
    (folder / "people.toml").rename(folder / "orders.toml")
    assert discreet("register", "orders.toml").code == 0
    return discreet


def words_of(shown):
    return " ".join((shown.out + shown.err).split())


def with_version(folder, version, **changes):
    text = FACTS.replace('unit = "row"', f'unit = "row"\nversion = "{version}"')
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    (folder / "orders.toml").write_text(text, encoding="utf-8")


def ended(orders, folder):
    with_version(folder, 2, end=("epsilon = 2", "epsilon = 2\nexpires = 2020-01-01"))
    assert orders("version", "new", "orders.toml").code == 0
    assert orders(*ASKING).code == 5


def failed(orders, monkeypatch, *more):
    """A fault that may depend on rows; its reference."""
    from discreet.engines.sql import asking

    with monkeypatch.context() as patch:
        patch.setattr(asking, "to_sql", lambda *words: "SELECT CAST('x' AS BIGINT) AS s")
        shown = orders("ask", "orders.toml", f"{COUNT} WHERE Age > 40", "-e", "0.1", "--json", *more)
    assert shown.code == 4
    return json.loads(shown.err)["reference"]


def budget(orders):
    return json.loads(orders("budget", "orders.toml", "--json").out)


# ---- budget


def test_budget_says_that_the_source_cannot_be_asked_with_the_cause_and_what_to_do(orders, folder):
    (folder / "people.csv").rename(folder / "elsewhere.csv")
    shown = orders(*ASKING, "--json")
    assert shown.code == 4
    assert json.loads(shown.err)["hint"] == "whoever holds the data looks with discreet check FILE"
    orders(*ASKING)
    told = budget(orders)
    assert (told["state"], told["faults"], len(told["uncharged"])) == ("open", [], 2)
    assert told["uncharged"][1]["reference"] == json.loads(shown.err)["reference"]
    page = words_of(orders("budget", "orders.toml"))
    assert "the source could not be asked, 2 times in the last 7 days; that cost nothing" in page
    assert ": FileNotFoundError" in page
    assert "discreet check orders.toml says how it is now" in page
    theirs = orders("budget", "orders.toml", "--as", "alice")
    assert "could not be asked" not in theirs.out


def test_what_failed_a_month_ago_is_in_no_words_of_budget(orders, folder):
    line = {"at": "2026-01-01T00:00:00+00:00", "reference": "0123456789ab", "fault": "fault", "cause": "cannot connect"}
    (folder / ".discreet" / "faults.log").write_text(json.dumps(line | {"table": "people"}) + "\n{half", encoding="utf-8")
    assert [each["cause"] for each in budget(orders)["uncharged"]] == ["cannot connect"]
    assert "could not be asked" not in words_of(orders("budget", "orders.toml"))


def test_a_table_that_may_be_asked_is_open(orders):
    told = budget(orders)
    assert (told["state"], told["stops"]) == ("open", [])


def test_budget_says_that_a_table_is_frozen_by_hand_since_when_why_and_what_to_do(orders):
    orders("freeze", "orders.toml", "--reason", "a doubt")
    told = budget(orders)
    (stop,) = told["stops"]
    assert (told["state"], stop["since"][:2]) == ("frozen", "20")
    assert stop | {"since": ""} == {"state": "frozen", "analyst": None, "since": "", "reason": "a doubt", "reference": ""}
    page = words_of(orders("budget", "orders.toml"))
    assert "frozen for everybody" in page
    assert "a doubt" in page
    assert "discreet unfreeze orders.toml --reason" in page


def test_budget_says_who_is_frozen_by_which_fault_and_what_to_do(orders, monkeypatch):
    first = failed(orders, monkeypatch)
    told = budget(orders)
    assert (told["state"], [(stop["analyst"], stop["reference"]) for stop in told["stops"]]) == ("open", [("anonymous", first)])
    page = words_of(orders("budget", "orders.toml"))
    assert f"anonymous is frozen by a fault, reference {first}" in page
    assert "discreet unfreeze orders.toml --analyst anonymous --reason" in page
    second = failed(orders, monkeypatch, "--as", "bob")
    told = budget(orders)
    assert told["state"] == "frozen"
    assert (None, second) in [(stop["analyst"], stop["reference"]) for stop in told["stops"]]


def test_budget_says_that_a_table_is_closed_or_has_ended_and_what_to_do(orders, folder):
    ended(orders, folder)
    told = budget(orders)
    assert (told["state"], told["stops"][0]["since"]) == ("ended", "2020-01-01")
    page = words_of(orders("budget", "orders.toml"))
    assert "ended on 2020-01-01" in page
    assert "discreet version new orders.toml" in page
    with_version(folder, 3)
    assert orders("version", "new", "orders.toml").code == 0
    (folder / "people.csv").write_text("Age,Sex,Note\n1,1,x\n", encoding="utf-8")
    assert orders(*ASKING).code in (4, 5)
    assert budget(orders)["state"] == "closed"
    page = words_of(orders("budget", "orders.toml"))
    assert "closed for everybody" in page
    assert "discreet version new orders.toml" in page
    assert "discreet unfreeze orders.toml" in page


# ---- quote


def test_a_quote_says_that_asking_is_stopped_and_still_quotes(orders, monkeypatch):
    asked = ("quote", "orders.toml", COUNT, "-e", "0.1")
    assert "stopped" not in words_of(orders(*asked))
    reference = failed(orders, monkeypatch)
    shown = orders(*asked)
    assert shown.code == 0
    assert "asking is stopped: anonymous is frozen since 2" in words_of(shown)
    assert f"and may not ask people now: a question of theirs failed after its charge (reference {reference})" in words_of(shown)
    orders("unfreeze", "orders.toml", "--reason", "looked")
    orders("freeze", "orders.toml", "--reason", "a doubt")
    told = json.loads(orders(*asked, "--json").out)
    assert re.fullmatch(r"asking is stopped: people is frozen since \S+ \S+ UTC: a doubt", told["warnings"][0])


@pytest.mark.parametrize("how", ["ended", "closed"])
def test_a_quote_says_that_a_budget_has_ended_or_a_source_changed(orders, folder, how):
    if how == "ended":
        ended(orders, folder)
    else:
        (folder / "people.csv").write_text("Age,Sex,Note\n1,1,x\n", encoding="utf-8")
        orders(*ASKING)
    changed = "the source of people has changed since it was registered"
    why = {"ended": "the budget of people ended on 2020-01-01", "closed": changed}
    shown = orders("quote", "orders.toml", COUNT, "-e", "0.1")
    assert shown.code == 0
    assert f"asking is stopped: {why[how]}" in words_of(shown)


# ---- unfreeze


def test_unfreeze_without_a_reason_says_what_is_stopped_and_what_a_reason_would_do(orders, folder):
    shown = orders("unfreeze", "orders.toml")
    assert shown.code == 0
    assert "people may be asked: nothing is stopped" in words_of(shown)
    orders("freeze", "orders.toml", "--reason", "a doubt")
    page = words_of(orders("unfreeze", "orders.toml"))
    assert "people is frozen for everybody" in page
    assert "discreet unfreeze orders.toml --reason" in page
    assert "nothing was changed" in page
    assert json.loads(orders("unfreeze", "orders.toml", "--json").out)["frozen"] is True
    orders("unfreeze", "orders.toml", "--reason", "none")
    ended(orders, folder)
    page = words_of(orders("unfreeze", "orders.toml"))
    assert "ended on 2020-01-01" in page
    assert "unfreeze does not move" in page


@pytest.mark.parametrize("more", [(), ("--reason", "go on")])
def test_an_analyst_who_is_not_frozen_is_not_let_go(orders, more):
    orders("freeze", "orders.toml", "--analyst", "bob", "--reason", "a doubt")
    shown = orders("unfreeze", "orders.toml", "--analyst", "bobby", *more)
    assert shown.code == 2
    assert "bobby is not frozen" in words_of(shown)
    assert "frozen on people: bob" in words_of(shown)
    assert [json.loads(line)["kind"] for line in orders("ledger", "export", "orders.toml").out.splitlines()][-1] == "freeze"
    assert orders("unfreeze", "orders.toml", "--analyst", "bob", "--reason", "none").out == "bob may go on; it is in the ledger\n"


def test_where_nothing_is_frozen_it_is_said_and_nothing_is_written(orders):
    orders("freeze", "orders.toml", "--analyst", "bob", "--reason", "another")
    before = orders("ledger", "export", "orders.toml").out
    shown = orders("unfreeze", "orders.toml", "--reason", "x")
    assert (shown.code, "people was not frozen: nothing was written" in shown.out) == (0, True)
    assert "may go on" not in shown.out
    assert "bob is frozen since 20" in words_of(shown)
    assert "UTC" in shown.out
    assert orders("ledger", "export", "orders.toml").out == before


def test_unfreeze_of_a_table_says_who_stays_frozen(orders):
    orders("freeze", "orders.toml", "--reason", "a doubt")
    orders("freeze", "orders.toml", "--analyst", "bob", "--reason", "another")
    shown = orders("unfreeze", "orders.toml", "--analyst", "bob", "--reason", "none")
    assert "bob is not frozen any more" in words_of(shown)
    assert "people is frozen for everybody" in words_of(shown)
    orders("freeze", "orders.toml", "--analyst", "bob", "--reason", "another")
    shown = orders("unfreeze", "orders.toml", "--reason", "none")
    assert shown.code == 0
    assert "people may go on; it is in the ledger" in words_of(shown)
    assert "bob is frozen" in words_of(shown)
    assert "discreet unfreeze orders.toml --analyst bob --reason" in words_of(shown)


def test_unfreeze_does_not_say_that_an_ended_budget_may_go_on_and_the_way_it_names_works(orders, folder):
    ended(orders, folder)
    shown = orders("unfreeze", "orders.toml", "--reason", "we need it")
    assert shown.code == 5
    assert "may go on" not in words_of(shown)
    assert "write a later expires and a new version into the facts" in words_of(shown)
    assert orders(*ASKING).code == 5
    with_version(folder, 3, end=("epsilon = 2", "epsilon = 2\nexpires = 2999-01-01"))
    assert orders("version", "new", "orders.toml").code == 0
    assert orders(*ASKING).code == 0


def test_an_end_in_the_past_is_said_by_check_register_and_version_new(discreet, folder):
    (folder / "people.toml").write_text(FACTS.replace("epsilon = 2", "epsilon = 2\nexpires = 2020-01-01"), encoding="utf-8")
    said = "expires is 2020-01-01, which is past: nothing can be asked"
    checked = discreet("check", "people.toml")
    assert (checked.code, said in words_of(checked)) == (0, True)
    assert json.loads(discreet("check", "people.toml", "--json").out)["warnings"] == [f"people.toml: {said}"]
    assert said in words_of(discreet("register", "people.toml"))
    (folder / "orders.toml").write_text((folder / "people.toml").read_text(encoding="utf-8"), encoding="utf-8")
    with_version(folder, 2, end=("epsilon = 2", "epsilon = 2\nexpires = 2020-01-01"))
    assert said in words_of(discreet("version", "new", "orders.toml"))


# ---- names


def test_acts_name_the_table_and_not_its_file(orders, folder):
    assert orders("freeze", "orders.toml", "--reason", "x").out == "people is frozen; it is in the ledger\n"
    assert orders("unfreeze", "orders.toml", "--reason", "x").out == "people may go on; it is in the ledger\n"
    assert orders("budget", "raise", "orders.toml", "--epsilon", "3", "--reason", "x").out.startswith("people: raised\n")
    with_version(folder, 2)
    assert orders("version", "new", "orders.toml").out.startswith("people is now at version 2\n")


# ---- the kind of a budget


def test_a_raise_is_in_the_money_of_the_budget(orders):
    for more in (("--delta", "1e-6"), ("--rho", "3")):
        price = () if more[0] == "--rho" else ("--epsilon", "12")
        shown = orders("budget", "raise", "orders.toml", *price, *more, "--reason", "keys")
        assert shown.code == 3
        assert "the budget of people counts epsilon only, and keeps its kind for the ledger's life" in words_of(shown)
        assert "--epsilon" in words_of(shown)
    assert budget(orders)["cap"] == {"epsilon": "2"}
    assert orders("budget", "raise", "orders.toml", "--epsilon", "12", "--reason", "keys").code == 0


@pytest.mark.parametrize("accounting", ["basic", "concentrated"])
def test_a_raise_of_epsilon_alone_keeps_the_delta(discreet, folder, accounting):
    budget = f'epsilon = 2\ndelta = 1e-6\naccounting = "{accounting}"'
    (folder / "people.toml").write_text(FACTS.replace("epsilon = 2", budget), encoding="utf-8")
    assert discreet("register", "people.toml").code == 0
    assert discreet("budget", "raise", "people.toml", "--epsilon", "3", "--reason", "more").code == 0
    shown = discreet("budget", "raise", "people.toml", "--epsilon", "3", "--delta", "1e-6", "--reason", "the same")
    assert (shown.code, "already" in words_of(shown)) == (3, True)
    assert discreet("budget", "raise", "people.toml", "--epsilon", "3", "--delta", "2e-6", "--reason", "more").code == 0
    shown = discreet("budget", "raise", "people.toml", "--rho", "9", "--reason", "more")
    assert (shown.code, "keeps its kind" in words_of(shown)) == (3, True)


def test_a_new_version_does_not_change_the_kind_of_a_budget_and_says_which_cap_applies(orders, folder):
    with_version(folder, 2, cap=("epsilon = 2", "epsilon = 2\ndelta = 1e-6"))
    shown = orders("version", "new", "orders.toml")
    assert shown.code == 2
    assert "the budget of people counts epsilon only, and keeps its kind for the ledger's life" in words_of(shown)
    with_version(folder, 2, cap=("epsilon = 2", "epsilon = 5"))
    shown = orders("version", "new", "orders.toml")
    assert shown.code == 0
    assert "the ledger's cap applies, not the one in this file; see discreet budget raise" in words_of(shown)
    assert budget(orders)["cap"] == {"epsilon": "2"}
    with_version(folder, 2, cap=("epsilon = 2", "epsilon = 2\ndelta = 1e-6"))
    assert "the budget of people counts epsilon only" in words_of(orders("register", "orders.toml"))
