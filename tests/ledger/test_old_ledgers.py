"""A ledger that an older version wrote goes on: it opens, verifies, replays every answer, and what it was doing is finished."""

import csv
import json
import os
import shutil
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.made import sql

from discreet.curator import office, open_table
from discreet.ledger import open_ledger
from discreet.ledger.history import past

FIXTURES = Path(__file__).parent / "fixtures"
MOMENT = 1_700_000_000 * 10**9  # when the sources were last written: the first version knew them by size and time
TABLES = ("people", "patients", "visits", "parts")


@pytest.fixture(params=["first"])
def folder(request, tmp_path):
    """The tables, the ledger and all that was told, as that version left them."""
    with zipfile.ZipFile(FIXTURES / f"{request.param}.zip") as kept:
        kept.extractall(tmp_path)
    (tmp_path / ".discreet").chmod(0o700)
    for source in tmp_path.glob("*.csv"):
        os.utime(source, ns=(MOMENT, MOMENT))
    return tmp_path


@pytest.fixture
def told(folder):
    return json.loads((folder / "told.json").read_text(encoding="utf-8"))


@pytest.fixture
def curators(folder):
    found = {name: open_table(folder / f"{name}.toml") for name in TABLES}
    yield found
    for curator in found.values():
        curator.close()


def in_json(value):
    return json.loads(json.dumps(value, default=str))


LEFT_OUT = ("budget", "replayed", "intervals", "rows", "warnings", "left_out", "parts", "paid")


def shape(answer):
    """What an answer says, without the budget of then and words of advice; ends of intervals may differ in their last digit.

    Variances of answers without a document are worked out by the present formula, which guesses n - 1 better and whose intervals
    are narrower.
    """
    guessed = {column["name"] for column in answer["columns"] if column["kind"] in ("variance", "stddev", "covariance")}
    ends = [{name: Inside(pair) if name in guessed else [None if end is None else pytest.approx(end, rel=1e-12) for end in pair]
             for name, pair in row.items()} for row in answer["intervals"]]  # fmt: skip
    rows = [{name: pytest.approx(value, rel=1e-4) if name in guessed else value for name, value in row.items()}
            for row in answer["rows"]]  # fmt: skip
    columns = [{name: told for name, told in column.items() if name != "width"} for column in answer["columns"]]  # of bins, new
    return {name: value for name, value in answer.items() if name not in LEFT_OUT} | {"columns": columns}, rows, ends


class Inside(list):
    """An interval, equal to those that lie in it."""

    def __eq__(self, other):
        return self[0] * (1 - 1e-12) <= other[0] <= other[1] <= self[1] * (1 + 1e-12)

    __hash__ = None


def rough(answer):
    """The same to compare it with: what was paid then is what it cost."""
    return shape(answer | {"cost": answer.get("paid", answer["cost"])})[0], answer["rows"], answer["intervals"]


def _total(answer):
    found = answer.total(20, 60)
    return [found.value, *found.interval]


def test_an_old_ledger_verifies_also_by_its_old_witness(folder):
    witness = json.loads((folder / "witness.json").read_text(encoding="utf-8"))
    found = office.verify(folder, witness=witness)
    assert (found.ok, found.rollback) == (True, "excluded"), found.problems


def test_every_old_answer_is_replayed_as_it_was_told(curators, told):
    for each in told["asked"]:
        again = curators[each["table"]].ask(each["question"], **each["how"])
        assert again.replayed, each["question"]
        assert rough(in_json(again.to_dict())) == shape(each["answer"])
        assert in_json(again.receipt) == each["receipt"]
        assert not each["totals"] or in_json([_total(again)]) == each["totals"]
    together = curators["people"].ask_all([each["question"] for each in told["together"]], epsilon="1")
    for each, again in zip(told["together"], together, strict=True):
        assert again.replayed
        assert rough(in_json(again.to_dict())) == shape(each["answer"])


def test_what_is_left_of_old_budgets_is_the_same(curators, told):
    for name, curator in curators.items():
        state = in_json(curator.budget.to_dict())
        if "analysts" in state:                                                    # then it told what each had spent, and no more
            state["analysts"] = {who: each["spent"] for who, each in state["analysts"].items()}
        assert state == told["budgets"][name]


def test_what_was_answered_then_is_in_the_history_of_whoever_asked(folder, told):
    with closing(open_ledger(folder / ".discreet")) as ledger:
        ids = {each.id for who in ("", "alice", "bob") for each in past(ledger, who, most=500)}
    asked = {each["answer"]["id"] for each in told["asked"] if each["how"].get("analyst") in (None, "alice", "bob")}
    assert asked <= ids


def test_old_receipts_hold_and_changed_ones_do_not(folder, told):
    key = (folder / ".discreet" / "public.pem").read_bytes()
    published = [json.loads(file.read_text(encoding="utf-8")) for file in (folder / "release" / "receipts").iterdir()]
    receipts = [each["receipt"] for each in [*told["asked"], *told["together"]]] + published
    for receipt in receipts:
        assert office.verify_receipt(receipt, key) == ()
        assert office.verify_receipt(receipt | {"analyst": "mallory"}, key) != ()


def test_what_an_old_process_was_doing_when_it_died_is_finished_without_a_charge(folder, curators, told):
    crashed = told["crashed"]
    before = curators[crashed["table"]].budget.spent
    answer = curators[crashed["table"]].ask(crashed["question"], **crashed["how"])
    assert [row["ward"] for row in answer.rows] == ["a", "b", "c"]
    assert curators[crashed["table"]].budget.spent == before
    assert sql(folder, "SELECT COUNT(*) FROM charges WHERE state <> 'settled'") == [(0,)]
    assert office.verify(folder).ok


def test_it_can_be_finished_by_the_data_holder_too(folder):
    (answer,) = office.recover(folder / "visits.toml")
    assert len(answer.rows) == 3
    assert office.recover(folder / "visits.toml") == []


def test_new_questions_are_charged_to_an_old_ledger_up_to_the_limit_of_an_analyst(folder, curators):
    people = curators["people"]
    people.ask("SELECT COUNT(*) AS n FROM people WHERE age > 77", epsilon="1", analyst="alice")
    with pytest.raises(Exception, match="is left for alice"):
        people.ask("SELECT COUNT(*) AS n FROM people WHERE age > 78", epsilon="1", analyst="alice")
    assert office.verify(folder).ok


@pytest.mark.slow
def dictionary_of(release):
    """File, column, noise and price of every number: words may be mended, and columns added."""
    names = ("file", "column", "kind", "confidence", "noise", "scale", "cost", "labels")
    rows = csv.DictReader((release / "data-dictionary.csv").read_text(encoding="utf-8").splitlines())
    return [{name: row[name] for name in names} for row in rows]


@pytest.mark.slow
def test_an_old_release_is_published_again_for_free(folder, curators, told):
    from discreet.publishing.publish import publish

    before = curators["visits"].budget.spent
    shutil.copytree(folder / "release", folder / "kept")
    found = publish(folder / "release.toml", folder / "again")
    assert found.is_free
    assert curators["visits"].budget.spent == before
    assert dictionary_of(folder / "again") == dictionary_of(folder / "kept")
    for file in {*(folder / "kept").glob("*.csv")} - {folder / "kept" / "data-dictionary.csv"}:
        assert (folder / "again" / file.name).read_bytes() == file.read_bytes()
    assert office.verify_release(folder / "again").ok                              # signed now, with the receipts of then
    assert "publish it again" in office.verify_release(folder / "kept").problems[0]


@pytest.mark.slow
def test_nobody_else_gets_a_receipt_with_the_name_of_who_asked(curators, told):
    for each in told["asked"]:
        how = {name: value for name, value in each["how"].items() if name != "key"} | {"analyst": "somebody else"}
        again = curators[each["table"]].ask(each["question"], **how)
        assert again.replayed
        assert again.receipt is None or again.receipt["analyst"] in ("", "somebody else")
