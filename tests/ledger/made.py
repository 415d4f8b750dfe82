"""A small table, requests to its ledger, and a reading of a ledger's file that shares no code with the product."""

import hashlib
import json
import sqlite3
from contextlib import closing
from fractions import Fraction

from discreet.facts import parse_facts, read_facts
from discreet.ledger.entries.charges import Request
from discreet.planning.price import read_price
from discreet.privacy.events import GaussianRelease, LaplaceRelease

FACTS = """
[table]
name = "{name}"
source = "{name}.csv"
version = "{version}"
unit = "row"
neighbours = "{neighbours}"
{more}
[budget]
{budget}
[columns.x]
type = "number"
lower = 0
upper = 100
null = 0
[columns.place]
type = "category"
null = "drop"
values = [1, 2]
[columns.name]
type = "text"
max_length = 20
"""
ROWS = "x,place,name\n" + "".join(f"{number % 100},{1 + number % 2},someone\n" for number in range(60))


def facts_text(name="t", version="1", neighbours="add_remove", budget='epsilon = 1\npartition = "place"', more=""):
    return FACTS.format(name=name, version=version, neighbours=neighbours, budget=budget, more=more)


def made_facts(**changes):
    return parse_facts(facts_text(**changes), "t.toml")


def write_table(folder, *, rows=ROWS, name="t", **changes):
    """A facts file with its source; the path of the first."""
    (folder / f"{name}.csv").write_text(rows, encoding="utf-8")
    file = folder / f"{name}.toml"
    file.write_text(facts_text(name=name, **changes), encoding="utf-8")
    return file


def edit(file, old, new):
    """Write ``new`` for ``old`` in a facts file."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return read_facts(file)


def request(what="q", epsilon="1/10", *, table="t", version="1", delta=None, rho=None, **more):
    """A question to a ledger, whose event costs what is offered."""
    price = read_price(epsilon=None if rho else epsilon, delta=delta, rho=rho)
    if rho:
        event = GaussianRelease(2 * Fraction(rho))
    elif delta:
        event = GaussianRelease(Fraction(1, 100), price)
    else:
        event = LaplaceRelease(price.epsilon)
    return Request(table, version, fingerprint=what, question=f"SELECT {what}", price=price, event=event, **more)


def count_above(number):
    """A question that differs from every other."""
    return f"SELECT COUNT(*) AS n FROM t WHERE x > {number}"


def spent(curator):
    return curator.budget.spent.epsilon


# ---- a ledger's file, read by hand


def sql(folder, statement, *values):
    """Do something to the file of a ledger behind its back."""
    with closing(sqlite3.connect(folder / ".discreet" / "ledger.db", isolation_level=None)) as connection:
        return connection.execute(statement, values).fetchall()


def entries_by_hand(folder):
    """Number, kind and body of all entries; the chain is worked out anew on the way."""
    before, found = "0" * 64, []
    for number, at, kind, body, hash_, _ in sql(folder, "SELECT * FROM entries ORDER BY number"):
        assert number == len(found) + 1, "an entry is missing"
        before = hashlib.sha256(f"{before}\n{number}\n{at}\n{kind}\n{body}".encode()).hexdigest()
        assert before == hash_, f"entry {number} is not what it was"
        found.append((number, kind, json.loads(body), hash_))
    return found


def charged_by_hand(folder, table="t"):
    """The sum of all charges to a table without cells."""
    charges = [body for _, kind, body, _ in entries_by_hand(folder) if kind == "charge" and body["table"] == table]
    assert all("cells" not in body for body in charges)
    return sum((Fraction(body["amount"][0]) for body in charges), start=Fraction(0))
