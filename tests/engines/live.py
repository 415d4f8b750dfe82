"""Registered tables whose rows are in a database: asked, failed, and looked at from all sides afterwards."""

from fractions import Fraction

import pytest
from tests.curator.test_faults_and_canaries import as_printed, everything_written
from tests.ledger.made import entries_by_hand, facts_text, sql

import discreet as dc
from discreet.curator import office, open_table

CANARY, NUMBER = "zyxwv-9871", 86.417529
ROWS = [(NUMBER, 1, CANARY), *((3.0, 2, "someone"),) * 9]
COUNT = "SELECT COUNT(*) AS n FROM t"
SUM = "SELECT SUM(x) AS s, COUNT(*) AS n FROM t WHERE place = 2"
TRUE = {"s": 27, "n": 9}  # what SUM comes to
EXACT = 10**7  # an ε at which noise is nothing
# what PostgreSQL, its driver, Spark and Java say when something fails
WORDS = (
    "administrator", "invalid input", "does not exist", "terminat", "statement timeout", "canceling", "relation", "server closed",
    "psycopg", "pg_sleep", "Py4J", "grpc", "pyspark", "stack", "CAST_INVALID", "org.apache", "SQLSTATE", "JVM", "stopped",
)  # fmt: skip


def facts_at(folder, source, **changes):
    """A facts file for a table somewhere else."""
    file = folder / "t.toml"
    text = facts_text(**{"budget": f"epsilon = {10 * EXACT}", **changes})
    file.write_text(text.replace('source = "t.csv"', f'source = "{source}"'), encoding="utf-8")
    return file


def registered(folder, source, **changes):
    file = facts_at(folder, source, **changes)
    office.register(file)
    return file


def charges(file):
    """State and attempts of every charge, and what they sum up to."""
    found = sql(file.parent, "SELECT state, attempt FROM charges ORDER BY number")
    amounts = [Fraction(body["amount"][0]) for _, kind, body, _ in entries_by_hand(file.parent) if kind == "charge"]
    return found, sum(amounts, start=Fraction(0))


def failed(curator, file, caplog, *, freezes, question=SUM, analyst="alice", then=lambda: None):
    """Ask a question that fails after its charge: kept once, final, told to nobody but by its number."""
    before, spent = charges(file)
    with pytest.raises(dc.Fault) as caught:
        curator.ask(question, epsilon="0.5", analyst=analyst)
    fault = caught.value
    assert (fault.__cause__, fault.__context__) == (None, None)
    after, now = charges(file)
    assert after == [*before, ("faulted", 1)]
    assert now == spent + Fraction(1, 2)
    assert fault.freezes == freezes, fault.cause
    faults = [body for _, kind, body, _ in entries_by_hand(file.parent) if kind == "fault"]
    [kept] = [body for body in faults if body["reference"] == fault.reference]
    assert bool(kept.get("frozen")) == freezes
    written = everything_written(file.parent, caplog)
    said = fault.message + "".join(map(str, fault.args))
    for word in (CANARY, str(NUMBER)):
        assert word not in as_printed(fault)
        assert word not in written
    assert not [word for word in WORDS if word.casefold() in said.casefold()]
    logged = "".join(record.getMessage() for record in caplog.records)
    assert not [word for word in WORDS if word in logged.replace(fault.cause, "")]
    if freezes:
        with pytest.raises(dc.AccessError):
            curator.ask(COUNT, epsilon="0.5", analyst=analyst)
        assert [each.reference for each in office.alarms(file)] == [fault.reference]
        office.unfreeze(file, reason="looked at")
    then()
    assert curator.recover() == [], "nothing is resumed"
    assert office.verify(file).ok
    return fault


def refused(file, *errors):
    """Asking costs nothing, and says nothing of rows or of the engine."""
    before = charges(file)
    curator = open_table(file)
    with pytest.raises(errors or (dc.FactsError, dc.SourceFault)) as caught:
        curator.ask(f"{COUNT} WHERE x > 1", epsilon="0.5", analyst="alice")
    curator.close()
    assert charges(file) == before
    assert CANARY not in as_printed(caught.value)
    assert office.alarms(file) == []
    assert office.verify(file).ok
    return caught.value


def answers(curator, question=SUM, expected=TRUE):
    """The exact integers, at a price at which noise is nothing."""
    answer = curator.ask(question, epsilon=EXACT, analyst="bob")
    found = {name: round(value) for name, value in answer.rows[0].items()}
    assert found == expected
    return answer
