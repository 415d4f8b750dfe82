"""A report on a table: all that was charged is on it, nothing of it can be run, and it is checked against the ledger."""

import json

import pytest

import discreet as dc
from discreet.cli.app import run
from discreet.curator import accounts, office
from discreet.curator.report import report_on
from discreet.publishing.report_page import report_page

FACTS = """
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
description = "<i>who</i> they are"
[budget]
epsilon = 5
delta = "1e-6"
[columns.age]
type = "integer"
lower = 0
upper = 100
[columns.town]
type = "category"
values = ["a", "<b>"]
"""
QUESTIONS = {"alice": "SELECT COUNT(*) AS n FROM people WHERE town = '<b>'", "<script>": "SELECT AVG(age) AS m FROM people"}


@pytest.fixture
def facts(tmp_path):
    (tmp_path / "people.csv").write_text("age,town\n" + "\n".join(f"{20 + i % 50},a" for i in range(200)) + "\n")
    file = tmp_path / "people.toml"
    file.write_text(FACTS)
    office.register(file)
    accounts.add(tmp_path, "alice")
    accounts.grant(tmp_path, "alice", ["people"])
    with dc.open(file) as table:
        for who, sql in QUESTIONS.items():
            table.ask(sql, epsilon="0.25", analyst=who)
        table.ask(QUESTIONS["alice"], epsilon="0.25", analyst="alice")
    office.freeze(file, reason="a <look> at it")
    return file


def test_a_report_has_every_charge_act_and_total(facts):
    found = report_on(facts, office.witness(facts))
    assert [(each["analyst"], each["cost"], each["state"]) for each in found["charges"]] == [
        (who, {"epsilon": "0.25", "delta": "0"}, "answered") for who in QUESTIONS
    ]
    assert [each["kind"] for each in found["acts"]] == ["register", "grant", "freeze"]
    assert found["budget"]["spent"] == {"epsilon": "0.5", "delta": "0"}
    assert [each["name"] for each in found["accounts"]] == ["alice"]
    assert (found["ledger"]["ok"], found["ledger"]["rollback"]) == (True, "excluded")
    assert found["shared_with"] == []
    assert found["stops"][0]["reason"] == "a <look> at it"
    json.dumps(found)


def test_the_page_says_it_all_and_runs_nothing(facts):
    page = report_page(report_on(facts))
    for said in ("alice", "&lt;script&gt;", "ε 0.25", "ε 0.5", "a &lt;look&gt; at it", "COUNT(*)", "&lt;b&gt;", "nobody may ask",
                 "agree", "takes a witness", "&lt;i&gt;who&lt;/i&gt;"):
        assert said in page, said
    for never in ("<script", "<look>", "<b>", "<i>who", "http://", "https://", "src="):
        assert never not in page, never


def test_a_budget_that_is_shared_is_said_to_be_since_charges_do_not_add_up_to_it(tmp_path, capsys):
    (tmp_path / "people.csv").write_text("age,town\n30,a\n40,a\n")
    for name in ("people", "others"):
        shared = FACTS.replace('name = "people"', f'name = "{name}"\npeople = "everybody"')
        (tmp_path / f"{name}.toml").write_text(shared)
        office.register(tmp_path / f"{name}.toml")
    with dc.open(tmp_path / "others.toml") as table:
        table.ask("SELECT COUNT(*) AS n FROM others", epsilon="0.25")
    found = report_on(tmp_path / "people.toml")
    assert (found["charges"], found["budget"]["spent"]["epsilon"], found["shared_with"]) == ([], "0.25", ["others"])
    assert "shared with others" in report_page(found)
    assert run(["report", str(tmp_path / "people.toml")]) == 0
    assert "shared with others" in capsys.readouterr().out


def test_files_are_written_and_a_violation_ends_with_1(facts, tmp_path, capsys):
    assert run(["report", str(facts), "--out", str(tmp_path / "r.html")]) == 0
    told = capsys.readouterr().out
    assert "consistent" in told
    assert "people is frozen for everybody" in told
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert run(["report", str(facts), "--out", str(tmp_path / "r.json")]) == 0
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["table"]["name"] == "people"
    assert run(["report", str(facts), "--out", str(tmp_path / "r.pdf")]) == 2
    kept = {each.name: each.read_bytes() for each in (tmp_path / ".discreet").iterdir()}
    office.unfreeze(facts, reason="looked")
    (tmp_path / "late.json").write_text(json.dumps(office.witness(facts)))
    for name, content in kept.items():  # an older copy is put back by hand
        (tmp_path / ".discreet" / name).write_bytes(content)
    capsys.readouterr()
    assert run(["report", str(facts), "--witness", str(tmp_path / "late.json")]) == 1
    assert "rolled back" in capsys.readouterr().out
