"""What a charge costs, beside two bare commits

A question to a registered table takes two durable transactions: one that charges it before a row is read, and one that keeps
its answer. *Reserve + settle* is both of them without the question itself: checks of version, expiry and limits, exact sums of
what was spent, entries in the hash chain, running totals, and a signed receipt. *Two bare commits* are two transactions of
SQLite with the same settings on the same disk, which write one small row each and nothing else: what being durable costs by
itself. They take turns, so that whatever else the disk and the machine do falls on all of them.

The long ledger has a thousand times as many entries as the short one. No act reads more than a few rows of either. Nor does
asking a table that joins another confidential one, which looks up how both were registered, before and after every question:
these are whole questions, from text to answer, to a table of a hundred rows.
"""

import sqlite3
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
from _record import ROOT, Row, Times, compared, record, target

from discreet.curator import Curator, office, open_table
from discreet.curator.statements import statement_about
from discreet.facts import parse_facts
from discreet.ledger import Ledger, made_ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.registry import register
from discreet.ledger.sqlite.database import _SETTINGS
from discreet.ledger.verify import verify
from discreet.lessons.samples import sample
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text

SHORT, LONG = 100, 100_000                                     # entries; a charge and its answer are two
BATCH, REPEATS = 10, 101

Act = Callable[[], object]


def main() -> None:
    with tempfile.TemporaryDirectory(dir=ROOT, prefix="build-ledger-") as folder:   # on a disk: /tmp may be memory
        places = {entries: Path(folder) / str(entries) for entries in (SHORT, LONG)}
        ledgers = {entries: filled(place, entries) for entries, place in places.items()}
        bare = bare_database(Path(folder) / "bare.db")
        acts: dict[str, Act] = {f"{entries:,} entries": partial(batch, one_act(ledger)) for entries, ledger in ledgers.items()}
        acts["two bare commits"] = partial(batch, partial(two_commits, bare))
        taken = {what: each.each(BATCH) for what, each in compared(acts, repeats=REPEATS).items()}
        checked = {entries: seconds_of(partial(verify, ledger)) for entries, ledger in ledgers.items()}
        sizes = {entries: sum(file.stat().st_size for file in place.rglob("*")) / 1e6 for entries, place in places.items()}
        for ledger in ledgers.values():
            ledger.close()
        bare.close()
        joined = {entries: companioned(Path(folder) / f"joined {entries}", entries) for entries in (SHORT, LONG)}
        asking: dict[str, Act] = {f"{entries:,} entries": partial(ask, curator) for entries, curator in joined.items()}
        asked = compared(asking, repeats=REPEATS)
        for curator in joined.values():
            curator.close()
    short, long, commits = taken[f"{SHORT:,} entries"], taken[f"{LONG:,} entries"], taken["two bare commits"]
    acts_table = "Reserve + settle"
    record(
        "ledger",
        {
            "Targets": [
                target(f"reserve + settle at {LONG:,} entries, beside {SHORT:,}", over(long, short), at_most=1.3, unit="×"),
                *(target(f"reserve + settle at {entries:,} entries, beside two bare commits", over(each, commits), at_most=5,
                         unit="×") for entries, each in ((SHORT, short), (LONG, long))),
                target(f"asking a table with a companion at {LONG:,} entries, beside {SHORT:,}",
                       over(asked[f"{LONG:,} entries"], asked[f"{SHORT:,} entries"]), at_most=1.2, unit="×"),
            ],
            acts_table: [row(what, each, commits) for what, each in taken.items()],
            "Asking a table with a companion": [
                {"what": what, "best, ms": each.best * 1e3, "median, ms": each.median * 1e3} for what, each in asked.items()
            ],
            "Verification": [
                {"entries": entries, "seconds": checked[entries], "size, MB": sizes[entries]} for entries in (SHORT, LONG)
            ],
        },
        notes={
            acts_table: f"Milliseconds, best and median of {REPEATS} batches of {BATCH} in turn.",
            "Verification": "Every hash, signature and receipt, and every running row worked out anew from the entries.",
        },
        packages=("discreet", "cryptography"),
        peers={"sqlite": sqlite3.sqlite_version},
    )


def over(some: Times, others: Times) -> Times:
    return Times(some.best / others.best, some.median / others.median)


def row(what: str, taken: Times, commits: Times) -> Row:
    times = {"best, ms": taken.best * 1e3, "median, ms": taken.median * 1e3}
    return {"what": what, **times, "× two bare commits": taken.best / commits.best}


def batch(act: Act) -> None:
    for _ in range(BATCH):
        act()


def seconds_of(act: Act) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


# ---- what is measured


def filled(place: Path, entries: int) -> Ledger:
    """A ledger with so many entries, made by asking. Only for filling it may the disk keep it waiting less."""
    place.mkdir()
    ledger = made_ledger(place / ".discreet")
    register(ledger, FACTS, [])
    with ledger.store.database.reading() as connection:
        pass
    connection.execute("PRAGMA synchronous = OFF")
    act = one_act(ledger)
    for _ in range((entries - 1) // 2):
        act()
    connection.execute("PRAGMA synchronous = FULL")
    ledger.store.database.checkpoint()
    return ledger


def companioned(place: Path, entries: int) -> Curator:
    """A table that joins another one about the same people, in a ledger with so many entries."""
    place.mkdir()
    for name, other in (("people", "visits"), ("visits", "people")):
        (place / f"{name}.toml").write_text(COMPANIONS.format(name=name, other=other), encoding="utf-8")
        rows = "".join(f"{number},{(number + len(name)) % 100}\n" for number in range(100 + len(name)))
        (place / f"{name}.csv").write_text(f"id,x\n{rows}", encoding="utf-8")
    for name in ("people", "visits"):
        office.register(place / f"{name}.toml")
    curator = open_table(place / "people.toml")
    ledger = curator.desk.ledger
    with ledger.store.database.reading() as connection:
        pass
    connection.execute("PRAGMA synchronous = OFF")
    for number in range((entries - 2) // 2):
        (granted,) = ledger.reserve([replace(request(number), table="people", version="1")])
        ledger.settle(granted, RELEASED, STATEMENT)
    connection.execute("PRAGMA synchronous = FULL")
    ledger.store.database.checkpoint()
    ask(curator)                                               # loads all that asking needs
    return curator


def ask(curator: Curator) -> None:
    curator.ask(f"SELECT COUNT(*) AS n FROM people WHERE x > {next(NUMBERS)}", epsilon="0.01")


def one_act(ledger: Ledger) -> Act:
    """A question with a mean, of another text every time, charged and answered."""
    def act() -> None:
        (granted,) = ledger.reserve([next(REQUESTS)])
        ledger.settle(granted, RELEASED, STATEMENT)

    return act


def bare_database(file: Path) -> sqlite3.Connection:
    bare = sqlite3.connect(file, isolation_level=None)
    for setting in _SETTINGS:
        bare.execute(setting)
    bare.execute("CREATE TABLE small (number INTEGER PRIMARY KEY, text TEXT) STRICT")
    return bare


def two_commits(bare: sqlite3.Connection) -> None:
    for text in ("charged", "settled"):
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO small (text) VALUES (?)", (text,))
        bare.execute("COMMIT")


FACTS = parse_facts(sample("ce_slides").facts_toml.replace("epsilon = 1.4", "epsilon = 1_000_000"), "ce_slides.toml")
PLAN = make_plan(read_sql("SELECT AVG(Income) AS m FROM ce_slides WHERE KidsCount > 0", FACTS), FACTS, read_price(epsilon="0.01"))
NAME, TEXT = fingerprint(PLAN.question), to_text(PLAN.question)


def request(number: int) -> Request:
    """The same question under another name."""
    name, who = f"{NAME[:-12]}{number:012x}", f"analyst {number % 10}"
    return Request(FACTS.name, FACTS.version, name, TEXT, PLAN.price, PLAN.event, analyst=who)


REQUESTS = map(request, count())
NUMBERS = (f"{number / 1000:.3f}" for number in count())
COMPANIONS = """
[table]
name = "{name}"
source = "{name}.csv"
version = "1"
unit = {{ column = "id", max_rows = 1 }}
neighbours = "add_remove"
people = "everybody"
[budget]
epsilon = 1_000_000
[columns.x]
type = "integer"
lower = 0
upper = 100
[join.{other}]
facts = "{other}.toml"
"""
STATEMENT = statement_about(PLAN, request(0))
RELEASED = tuple(np.full((2, 1, 1), 10**12, dtype=object) for _ in PLAN.vectors)


if __name__ == "__main__":
    main()
