"""A long ledger: verifying and exporting it takes no more memory than a short one, and nothing that is asked scans it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ledger.made import made_facts, request, sql

from discreet.curator import office
from discreet.ledger import made_ledger, registry
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


def filled(place, entries):
    """A ledger with so many entries, charges and answers in turn. Only for filling it does it not wait for the disk."""
    place.mkdir(parents=True)
    ledger = made_ledger(place / ".discreet")
    register(ledger, made_facts(budget="epsilon = 1_000_000"), [])
    with ledger.database.reading() as connection:
        pass
    connection.execute("PRAGMA synchronous = OFF")
    for number in range(entries // 2):
        (granted,) = ledger.reserve([request(f"question {number}", "1", analyst=f"analyst {number % 10}")])
        ledger.settle(granted, (), {"question": "a question of the usual length, which is repeated in its receipt"})
    ledger.close()


def measured(folder):
    """Whether the long ledger is sound, its entries twice, and the most memory in MB before and after."""
    done = subprocess.run([sys.executable, "-c", MEASURED, str(folder)], capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_verifying_and_exporting_twenty_thousand_entries_takes_no_more_memory_than_a_hundred(tmp_path):
    filled(tmp_path / "short", 100)
    filled(tmp_path / "long", 20_000)
    ok, entries, lines, before, after = measured(tmp_path)
    print(f"\n  {before:.0f} MB, then {after:.0f} MB")
    assert (ok, entries, lines) == (True, 20_001, 20_001)
    assert after - before < 8                                               # 40 MB when all was kept


def test_what_a_table_was_registered_with_is_found_without_a_scan(empty_ledger):
    register(empty_ledger, made_facts(), [])
    with empty_ledger.database.reading() as connection:
        seen = []
        connection.set_trace_callback(seen.append)
        registry._acts(connection, "t")
        connection.set_trace_callback(None)
        (statement,) = [each for each in seen if "entries" in each]
        plan = " ".join(row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"))
    assert "USING INDEX" in plan, plan


def test_extra_rows_are_named(tmp_path):
    filled(tmp_path / "home", 10)
    same = "tbl, version, fingerprint, kind, price, price_delta, analyst, key, state, attempt, owner, lease, reference"
    sql(tmp_path / "home", f"INSERT INTO charges SELECT number + 1, {same} FROM charges WHERE number = 4")
    sql(tmp_path / "home", "DELETE FROM charges WHERE number = 6")
    problems = " | ".join(office.verify(tmp_path / "home").problems)
    assert "state of charge 5 was changed" in problems
    assert "state of charge 6 was changed" in problems
