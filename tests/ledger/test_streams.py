"""A long ledger: verifying and exporting it takes no more memory than a short one, and nothing that is asked scans it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ledger.made import made_facts, request, sql

from discreet.curator import office
from discreet.ledger import journal, ledger_in_memory, made_ledger
from discreet.ledger.records import AnswerRecord, ChargeRecord, TotalRecord
from discreet.ledger.registry import register

ROOT = Path(__file__).parents[2]
MEASURED = """
import json, resource, sys
from discreet.curator import office
office.verify(sys.argv[1] + "/short")                      # loads all that verifying needs
for _ in office.export(sys.argv[1] + "/short"): pass
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = office.verify(sys.argv[1] + "/long")
lines = sum(1 for _ in office.export(sys.argv[1] + "/long"))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([found.ok, found.entries, lines, before / 1024, after / 1024]))
"""


def filled(place, entries, at_once=1):
    """A ledger with so many entries, ``at_once`` charges and their answers in turn. It does not wait for the disk meanwhile."""
    place.mkdir(parents=True)
    ledger = made_ledger(place / ".discreet")
    register(ledger, made_facts(budget="epsilon = 1_000_000"), [])
    with ledger.store.database.reading() as connection:
        pass
    connection.execute("PRAGMA synchronous = OFF")
    for first in range(0, entries // 2, at_once):
        asked = [request(f"question {number}", "1", analyst=f"analyst {number % 10}") for number in range(first, first + at_once)]
        for granted in ledger.reserve(asked):
            ledger.settle(granted, (), {"question": "a question of the usual length, which is repeated in its receipt"})
    ledger.close()


def measured(folder):
    """Whether the long ledger is sound, its entries twice, and the most memory in MB before and after."""
    done = subprocess.run([sys.executable, "-c", MEASURED, str(folder)], capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_verifying_and_exporting_twenty_thousand_entries_takes_no_more_memory_than_a_hundred(tmp_path):
    filled(tmp_path / "short", 100)
    filled(tmp_path / "long", 20_000, at_once=100)
    ok, entries, lines, before, after = measured(tmp_path)
    print(f"\n  {before:.0f} MB, then {after:.0f} MB")
    assert (ok, entries, lines) == (True, 20_001, 20_001)
    assert after - before < 8                                               # 40 MB when all was kept


LOOKUPS = {
    "what a table was registered with": lambda rows: list(journal.each_entry(rows, "register", "version")),
    "a question": lambda rows: list(rows.each(ChargeRecord, table="t", version="1", fingerprint="q", kind="epsilon")),
    "several questions": lambda rows: list(rows.each(ChargeRecord, table="t", version="1", fingerprint=["p", "q"])),
    "what somebody works on": lambda rows: list(rows.each(ChargeRecord, state="running", table="t")),
    "a key": lambda rows: rows.one(ChargeRecord, table="t", analyst="alice", key="k"),
    "an answer": lambda rows: rows.one(AnswerRecord, id="…"),
    "the totals of two": lambda rows: list(rows.each(TotalRecord, account="table:t", who={"", "alice"})),
    "the last entry": journal.head,
}


@pytest.mark.parametrize("what", LOOKUPS)
def test_what_is_looked_up_is_found_without_a_scan(what):
    ledger = ledger_in_memory()
    register(ledger, made_facts(), [])
    with ledger.store.reading() as rows:
        connection, seen = rows._connection, []
        connection.set_trace_callback(seen.append)
        LOOKUPS[what](rows)
        connection.set_trace_callback(None)
        (statement,) = [each for each in seen if each.startswith("SELECT")]
        plan = [row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    assert [step for step in plan if step.startswith("SCAN ") and "json_each" not in step and "INDEX" not in step] == (
        ["SCAN entries"] if what == "the last entry" else [])                # backwards, and one row of it
    ledger.close()


def test_extra_rows_are_named(tmp_path):
    filled(tmp_path / "home", 10)
    same = "tbl, version, fingerprint, kind, price, price_delta, analyst, key, state, attempt, owner, lease, reference"
    sql(tmp_path / "home", f"INSERT INTO charges SELECT number + 1, {same} FROM charges WHERE number = 4")
    sql(tmp_path / "home", "DELETE FROM charges WHERE number = 6")
    problems = " | ".join(office.verify(tmp_path / "home").problems)
    assert "state of charge 5 was changed" in problems
    assert "state of charge 6 was changed" in problems
