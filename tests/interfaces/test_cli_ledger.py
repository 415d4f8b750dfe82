"""budget, ledger and receipt: what was spent, and how anyone can check it."""

import json
import sqlite3

import pytest
from tests.interfaces.people import CANARY, ODD_AGE

COUNT = "SELECT COUNT(*) AS n FROM people"
ROUND = ["SELECT COUNT(*) AS n FROM people WHERE Note = 'x'", "SELECT Sex, AVG(Age) AS m, SUM(Age) AS s FROM people GROUP BY Sex",
         "SELECT VARIANCE(Age) AS v FROM people"]  # fmt: skip


@pytest.fixture
def asked(people):
    """The command line, with one question asked and its receipt kept."""
    assert people("ask", "people.toml", COUNT, "-e", "0.5", "--as", "alice", "--receipt", "r.json").code == 0
    return people


# ---- budgets


def test_both_forms_of_budget_say_the_same(asked):
    told = json.loads(asked("budget", "people.toml", "--json").out)
    assert told == json.loads(asked("budget", "show", "people.toml", "--json").out)
    assert told == json.loads(asked("budget", "--json", "people.toml").out)
    assert list(told) == ["cap", "spent", "remaining", "cells", "analysts", "state", "stops", "faults", "uncharged"]
    assert (told["spent"], told["remaining"], told["cells"]) == ({"epsilon": "0.5"}, {"epsilon": "1.5"}, {})
    assert "ε 1.5 of 2 left" in asked("budget", "people.toml").out


def test_a_cap_is_raised_for_a_reason_and_never_lowered(asked):
    told = json.loads(asked("budget", "raise", "people.toml", "--epsilon", "5", "--reason", "second wave", "--json").out)
    assert (told["cap"], told["remaining"]) == ({"epsilon": "5"}, {"epsilon": "4.5"})
    assert asked("budget", "raise", "people.toml", "--epsilon", "1", "--reason", "less").code == 3
    assert asked("budget", "raise", "people.toml", "--epsilon", "6").code == 2
    assert asked("budget", "raise", "people.toml", "--epsilon", "6", "--reason", " ").code == 2
    assert asked("budget", "raise", "people.toml", "--reason", "x").code == 2
    assert "second wave" in asked("ledger", "show", "people.toml").out


# ---- the ledger


def test_entries_are_shown_in_words_and_as_json(asked):
    told = json.loads(asked("ledger", "show", "people.toml", "--json").out)["entries"]
    assert [entry["kind"] for entry in told] == ["register", "charge", "settle"]
    assert [entry["number"] for entry in told] == [1, 2, 3]
    assert all(set(entry) == {"number", "at", "kind", "body", "hash"} for entry in told)
    page = asked("ledger", "show", "people.toml").out
    assert "people by alice: ε 0.5; spent 0 → 0.5 of 2" in page
    assert COUNT in page
    assert "register" not in asked("ledger", "show", "people.toml", "--last", "2").out


def test_entries_of_a_budget_with_a_delta_show_epsilon_first_and_both(discreet, folder):
    facts = (folder / "people.toml").read_text(encoding="utf-8")
    (folder / "people.toml").write_text(facts.replace("epsilon = 2", "epsilon = 2\ndelta = 0.0001"), encoding="utf-8")
    assert discreet("register", "people.toml").code == 0
    assert discreet("ask", "people.toml", COUNT, "--epsilon", "0.5").code == 0
    assert discreet("ask", "people.toml", COUNT, "--epsilon", "1", "--delta", "0.000001").code == 0
    page = " ".join(discreet("ledger", "show", "people.toml").out.split())
    assert "people: ε 0.5; spent ε 0 → ε 0.5 of ε 2, δ 0.0001" in page
    assert "people: ε 1, δ 1e-6; spent ε 0.5 → ε 1.5, δ 1e-6 of ε 2, δ 0.0001" in page


def test_every_kind_of_entry_has_words(asked, folder):
    for words in (("freeze", "people.toml", "--reason", "why not"), ("unfreeze", "people.toml", "--reason", "done"),
                  ("freeze", "people.toml", "--reason", "you", "--analyst", "bob"),
                  ("budget", "raise", "people.toml", "--epsilon", "3", "--reason", "more")):  # fmt: skip
        assert asked(*words).code == 0
    facts = (folder / "people.toml").read_text(encoding="utf-8")
    (folder / "people.toml").write_text(facts.replace('unit = "row"', 'unit = "row"\nversion = "2"'), encoding="utf-8")
    assert asked("version", "new", "people.toml", "--reason", "new rows").code == 0
    page = asked("ledger", "show", "people.toml").out
    for words in ("why not", "people, analyst bob", "cap 2 → 3", "version 1 → 2", "new rows", "charge 2 answered"):
        assert words in page


def test_a_sound_ledger_verifies_by_file_and_by_folder(asked):
    told = json.loads(asked("ledger", "verify", "people.toml", "--json").out)
    assert told == json.loads(asked("ledger", "verify", ".", "--json").out)
    assert (told["ok"], told["entries"], told["rollback"], told["problems"]) == (True, 3, "not excluded", [])
    assert "rollback not excluded" in asked("ledger", "verify", ".").out


def test_a_ledger_that_was_touched_ends_with_1_and_names_the_entry(asked, folder):
    with sqlite3.connect(folder / ".discreet" / "ledger.db") as ledger:
        for (name,) in ledger.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            ledger.execute(f"DROP TRIGGER {name}")  # a hand that edits takes these away first
        ledger.execute("UPDATE entries SET body = replace(body, '1/2', '1/4') WHERE number = 2")
    ledger.close()
    shown = asked("ledger", "verify", ".")
    assert shown.code == 1
    assert "violated" in shown.out
    assert "2" in shown.out.partition("violated")[2]
    told = json.loads(asked("ledger", "verify", ".", "--json").out)
    assert (told["ok"], bool(told["problems"])) == (False, True)


def test_a_rolled_back_ledger_is_found_with_a_witness(asked, folder):
    saved = (folder / ".discreet" / "ledger.db").read_bytes()
    assert asked("ask", "people.toml", ROUND[0], "-e", "0.5").code == 0
    assert asked("ledger", "witness", ".", "--out", "w.json").code == 0
    assert json.loads(asked("ledger", "verify", ".", "--witness", "w.json", "--json").out)["rollback"] == "excluded"
    for extra in folder.glob(".discreet/ledger.db-*"):
        extra.unlink()
    (folder / ".discreet" / "ledger.db").write_bytes(saved)
    assert asked("ledger", "verify", ".").code == 0
    assert asked("ledger", "verify", ".", "--witness", "w.json").code == 1


def test_every_entry_is_exported_a_line_each(asked, folder):
    lines = asked("ledger", "export", ".").out.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2, 3]
    assert asked("ledger", "export", ".", "--out", "all.jsonl").code == 0
    assert (folder / "all.jsonl").read_text(encoding="utf-8").splitlines() == lines
    assert asked("ledger", "export", ".", "--out", "nowhere/x").code == 2


def test_recovering_where_nothing_crashed_says_so(asked):
    assert json.loads(asked("ledger", "recover", "people.toml", "--json").out) == {"recovered": []}
    assert "nothing was left unfinished" in asked("ledger", "recover", "people.toml").out


# ---- releases


def test_a_release_is_quoted_published_and_free_again(people, folder):
    question = '[[question]]\nname = "all"\nsql = "SELECT COUNT(*) AS n FROM people"\nepsilon = 0.5\n'
    (folder / "out.toml").write_text(f'[release]\ntitle = "All"\ntable = "people.toml"\n{question}', encoding="utf-8")
    told = json.loads(people("publish", "out.toml", "--out", "pages", "--dry-run", "--json").out)
    assert (told["dry_run"], told["budgets"][0]["takes"]) == (True, {"epsilon": "0.5"})
    assert not (folder / "pages").exists()
    shown = people("publish", "out.toml", "--out", "pages")
    assert (shown.code, shown.err) == (0, "")
    assert {"all.csv", "index.html", "receipts"} <= {file.name for file in (folder / "pages").iterdir()}
    assert people("receipt", "verify", "pages/receipts/all.json", "--key", "pages/public.pem").code == 0
    assert people("publish", "out.toml", "--out", "pages").code == 0
    assert json.loads(people("budget", "people.toml", "--json").out)["spent"] == {"epsilon": "0.5"}
    assert people("publish", "none.toml", "--out", "pages").code == 2


def test_a_published_folder_is_verified_offline(people, folder):
    question = '[[question]]\nname = "all"\nsql = "SELECT COUNT(*) AS n FROM people"\nepsilon = 0.5\n'
    (folder / "out.toml").write_text(f'[release]\ntitle = "All"\ntable = "people.toml"\n{question}', encoding="utf-8")
    assert people("publish", "out.toml", "--out", "pages").code == 0
    shown = people("release", "verify", "pages")
    assert (shown.code, "the release holds: 6 files, 1 receipts" in shown.out, "--key PATH" in shown.out) == (0, True, True)
    told = json.loads(people("release", "verify", "pages", "--key", ".discreet/public.pem", "--json").out)
    assert (told["ok"], told["files"], told["problems"]) == (True, 6, [])
    (folder / "pages" / "all.csv").write_text("n,n_low,n_high\n1,1,1\n", encoding="utf-8")
    shown = people("release", "verify", "pages")
    assert (shown.code, "all.csv was changed" in shown.out) == (1, True)
    assert json.loads(people("release", "verify", "pages", "--json").out)["problems"] == ["all.csv was changed"]
    assert people("release", "verify", "nowhere").code == 2


# ---- receipts


def test_a_receipt_verifies_offline_by_the_key_beside_it_or_the_one_named(asked, folder):
    shown = asked("receipt", "verify", "r.json")
    assert (shown.code, "the receipt holds" in shown.out) == (0, True)
    away = folder / "away"
    away.mkdir()
    (folder / "r.json").rename(away / "r.json")
    assert "public key" in asked("receipt", "verify", "away/r.json").err
    told = json.loads(asked("receipt", "verify", "away/r.json", "--key", ".discreet/public.pem", "--json").out)
    assert told == {"ok": True, "key": ".discreet/public.pem", "problems": []}


def test_a_receipt_that_was_changed_ends_with_1(asked, folder):
    receipt = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    (folder / "r.json").write_text(json.dumps(receipt | {"price": {"epsilon": "0.1"}}), encoding="utf-8")
    shown = asked("receipt", "verify", "r.json")
    assert (shown.code, "does not hold" in shown.out) == (1, True)
    (folder / "r.json").write_text("{}", encoding="utf-8")
    assert asked("receipt", "verify", "r.json").code == 1
    for content in ("[]", "not json"):
        (folder / "r.json").write_text(content, encoding="utf-8")
        assert asked("receipt", "verify", "r.json").code == 2


def test_a_witness_is_no_receipt_nor_a_receipt_a_witness(asked, folder):
    assert asked("ledger", "witness", ".", "--out", "w.json").code == 0
    shown = asked("receipt", "verify", "w.json")
    assert (shown.code, "this is a witness, not a receipt" in shown.err) == (2, True)
    shown = asked("ledger", "verify", ".", "--witness", "r.json")
    assert (shown.code, "this is a receipt, not a witness" in shown.err) == (2, True)


def test_the_numbers_of_an_answer_are_checked_against_its_receipt(asked, folder):
    again = asked("ask", "people.toml", COUNT, "-e", "0.5", "--as", "alice", "--json")
    (folder / "a.json").write_text(again.out, encoding="utf-8")
    shown = asked("receipt", "verify", "r.json", "--answer", "a.json")
    assert (shown.code, "are those that were signed" in shown.out) == (0, True)
    answer = json.loads((folder / "a.json").read_text(encoding="utf-8"))
    answer["rows"][0]["n"] += 1
    (folder / "a.json").write_text(json.dumps(answer), encoding="utf-8")
    told = json.loads(asked("receipt", "verify", "r.json", "--answer", "a.json", "--json").out)
    assert (told["ok"], told["problems"]) == (False, ["the numbers of the answer are not those that were signed"])
    assert asked("receipt", "verify", "r.json", "--answer", "a.json").code == 1
    assert asked("receipt", "verify", "r.json", "--answer", "r.json").code == 2
    (folder / "a.csv").write_text("n\n1\n", encoding="utf-8")
    assert "save the answer as JSON: --save answer.json" in asked("receipt", "verify", "r.json", "--answer", "a.csv").err


def test_a_question_is_bought_anew_only_if_that_is_said(asked):
    first = json.loads(asked("ask", "people.toml", COUNT, "-e", "0.5", "--json").out)
    anew = json.loads(asked("ask", "people.toml", COUNT, "-e", "0.5", "--anew", "--json").out)
    assert (first["replayed"], anew["replayed"], anew["budget"]["spent"]) == (True, False, {"epsilon": "1"})
    assert json.loads(asked("ask", "people.toml", COUNT, "-e", "0.5", "--json").out)["id"] == anew["id"] != first["id"]


def test_a_receipt_is_shown_by_the_answer_s_id(asked, folder):
    receipt = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert json.loads(asked("receipt", "show", "people.toml", receipt["answer"]).out) == receipt
    assert asked("receipt", "show", "people.toml", "nothing").code == 2


# ---- what nobody may see


def test_what_is_in_the_rows_shows_in_no_output_of_any_command(asked, folder):
    said = []

    def note(*words):
        shown = asked(*words)
        said.append(shown.out + shown.err)
        return shown

    for question in ROUND:
        for verb in ("quote", "ask"):
            note(verb, "people.toml", question, "-e", "0.2")
        note("ask", "people.toml", question, "-e", "0.2", "--json")
    note("ask", "people.toml", "SELECT COUNT(*) AS n FROM people WHERE Age / (Age - Age) > 1", "-e", "0.1")
    note("ask", "people.toml", "SELECT MAX(Nope) AS n FROM people", "-e", "0.1")
    note("ask", "people.toml", "SELECT Note FROM people", "-e", "0.1")
    note("ask", "people.toml", COUNT, "-e", "9")
    for line in ("init people.csv --out draft.toml", "check people.toml", "check draft.toml", "register people.toml",
                 "budget people.toml", "ledger show people.toml", "ledger export .", "ledger verify .", "ledger witness .",
                 "ledger recover people.toml", "receipt verify r.json"):  # fmt: skip
        note(*line.split())
    rows = (folder / "people.csv").read_text(encoding="utf-8")
    (folder / "people.csv").write_text(rows.replace(",", ";"), encoding="utf-8")
    for words in (("check", "people.toml"), ("register", "people.toml"), ("ask", "people.toml", ROUND[0], "-e", "0.3")):
        assert note(*words).code != 0
    written = [file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".csv"]
    for secret in (CANARY, str(ODD_AGE)):
        assert [text for text in said if secret in text] == []
        assert [data for data in written if secret.encode() in data] == []
