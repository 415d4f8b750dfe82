"""The tables of a ledger on disk, as migrations that are recorded in it. A released migration is never edited: add another."""

import sqlite3
from collections.abc import Iterator

__all__ = ["MIGRATIONS", "statements_of"]


def statements_of(script: str) -> Iterator[str]:
    """The statements of a migration one by one: ``executescript`` would end the transaction."""
    text = ""
    for line in script.splitlines():
        text += line + "\n"
        if text.strip() and sqlite3.complete_statement(text):
            yield text
            text = ""


_FIRST = """
CREATE TABLE entries (           -- what happened, in order; each holds the hash of the one before
    number    INTEGER PRIMARY KEY,
    at        TEXT NOT NULL,
    kind      TEXT NOT NULL,
    body      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    signature TEXT
) STRICT;
CREATE TRIGGER entries_are_not_edited BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never edited'); END;
CREATE TRIGGER entries_are_not_deleted BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;

CREATE TABLE accounts (          -- one budget: of a table, or of the tables about the same people
    name       TEXT PRIMARY KEY,
    currency   TEXT NOT NULL,
    has_delta  INTEGER NOT NULL,
    cap        TEXT NOT NULL,
    cap_delta  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE tables (
    name     TEXT PRIMARY KEY,
    account  TEXT NOT NULL REFERENCES accounts,
    version  TEXT NOT NULL,
    epoch    INTEGER NOT NULL,
    touched  INTEGER NOT NULL,
    digest   TEXT NOT NULL,      -- of the facts as they were registered
    budget   TEXT NOT NULL,      -- everything in [budget] but the cap
    stamps   TEXT NOT NULL,      -- keyed digests of the source; of sizes and times in older ledgers
    frozen   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE analysts (
    tbl     TEXT NOT NULL,
    name    TEXT NOT NULL,
    faults  INTEGER NOT NULL,
    frozen  INTEGER NOT NULL,
    PRIMARY KEY (tbl, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE totals (            -- running totals: verification recomputes them from the entries
    account TEXT NOT NULL,
    tbl     TEXT NOT NULL,
    epoch   INTEGER NOT NULL,
    who     TEXT NOT NULL,
    amount  TEXT NOT NULL,
    delta   TEXT NOT NULL,
    PRIMARY KEY (account, who, tbl, epoch)
) STRICT, WITHOUT ROWID;
CREATE TABLE cells (
    account TEXT NOT NULL,
    tbl     TEXT NOT NULL,
    version TEXT NOT NULL,
    cell    TEXT NOT NULL,
    who     TEXT NOT NULL,
    amount  TEXT NOT NULL,
    delta   TEXT NOT NULL,
    PRIMARY KEY (account, who, tbl, version, cell)
) STRICT, WITHOUT ROWID;

CREATE TABLE charges (           -- number is that of the entry that made the charge
    number      INTEGER PRIMARY KEY,
    tbl         TEXT NOT NULL,
    version     TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    kind        TEXT NOT NULL,   -- of the price
    price       TEXT NOT NULL,
    price_delta TEXT NOT NULL,
    analyst     TEXT NOT NULL,
    key         TEXT,
    state       TEXT NOT NULL,   -- running, settled or faulted
    attempt     INTEGER NOT NULL,
    owner       TEXT NOT NULL,
    lease       REAL NOT NULL,
    reference   TEXT
) STRICT;
CREATE INDEX charges_by_question ON charges (tbl, version, fingerprint);
CREATE INDEX charges_running ON charges (state) WHERE state = 'running';
CREATE UNIQUE INDEX charges_by_key ON charges (tbl, analyst, key) WHERE key IS NOT NULL;
CREATE TABLE answers (
    charge   INTEGER PRIMARY KEY REFERENCES charges,
    id       TEXT NOT NULL UNIQUE,
    released TEXT NOT NULL,
    receipt  TEXT NOT NULL
) STRICT;
"""

_SOURCES = """
CREATE TABLE sources (           -- what was found last where the rows are; all of it keyed, outside the chain, never exported
    tbl     TEXT NOT NULL,
    place   TEXT NOT NULL,
    pin     TEXT NOT NULL,       -- what the version was registered with
    look    TEXT NOT NULL,       -- sizes, times and inodes: when they differ the bytes are digested again
    content TEXT NOT NULL,
    closed  INTEGER NOT NULL,    -- until the data holder acts
    PRIMARY KEY (tbl, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE source_files (      -- contents that a table has or had: the same one under another name is found by it
    tbl  TEXT NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (tbl, file)
) STRICT, WITHOUT ROWID;
"""

_LENGTH = """
-- What a table was registered with is found without reading all entries.
CREATE INDEX entries_about_tables ON entries (number) WHERE kind IN ('register', 'version');
CREATE TABLE ends (              -- budgets that were asked after their last day: a clock that is set back opens none of them
    tbl     TEXT NOT NULL,
    expires TEXT NOT NULL,
    PRIMARY KEY (tbl, expires)
) STRICT, WITHOUT ROWID;
"""

_DOCUMENTS = """
CREATE TABLE documents (         -- answers as they were shown, which need no plan; the entry of the settling has the digest
    charge   INTEGER PRIMARY KEY REFERENCES charges,
    document BLOB NOT NULL
) STRICT;
"""

_ALARMS = """
CREATE TABLE alarms (            -- faults that may depend on rows, until the data holder has looked
    charge       INTEGER NOT NULL,
    account      TEXT NOT NULL,
    asker        TEXT NOT NULL,
    reference    TEXT NOT NULL,
    froze_asker  INTEGER NOT NULL,   -- on every table of the account
    froze_tables INTEGER NOT NULL,   -- of the account, for everybody
    PRIMARY KEY (charge, asker)
) STRICT, WITHOUT ROWID;
CREATE TABLE shown (             -- whom an answer was delivered to: their history, which they may always read
    charge INTEGER NOT NULL,
    asker  TEXT NOT NULL,
    PRIMARY KEY (charge, asker)
) STRICT, WITHOUT ROWID;
INSERT INTO shown SELECT number, CASE analyst WHEN '' THEN 'anonymous' ELSE analyst END FROM charges WHERE state = 'settled';
"""

_DRAWS = """
CREATE TABLE draws (             -- what charges have bought, by what it is about: verification recomputes it from the entries
    name   TEXT NOT NULL,
    charge INTEGER NOT NULL REFERENCES charges,
    place  INTEGER NOT NULL,     -- of the vector in the plan
    slot   INTEGER NOT NULL,     -- of the filter or the share in the vector
    PRIMARY KEY (name, charge, place, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX draws_by_charge ON draws (charge);
CREATE TABLE viewed (            -- whom a view of a draw was delivered to
    charge INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    asker  TEXT NOT NULL,
    PRIMARY KEY (charge, place, asker)
) STRICT, WITHOUT ROWID;
CREATE TABLE releases (          -- released integers, packed; older answers have them as text
    charge INTEGER PRIMARY KEY REFERENCES charges,
    packed BLOB NOT NULL
) STRICT;
"""

_ACCOUNTS = """
CREATE TABLE logins (            -- who may come in; the entries have seals of the tokens, which tell nothing about them
    name    TEXT PRIMARY KEY,
    role    TEXT NOT NULL,
    token   TEXT NOT NULL,       -- keyed hash; never exported
    since   TEXT NOT NULL,
    expires TEXT NOT NULL,
    ended   INTEGER NOT NULL,
    revoked INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX logins_by_token ON logins (token);
CREATE TABLE grants (
    name TEXT NOT NULL,
    tbl  TEXT NOT NULL,
    PRIMARY KEY (name, tbl)
) STRICT, WITHOUT ROWID;
CREATE TABLE limits (
    name   TEXT NOT NULL,
    tbl    TEXT NOT NULL,
    amount TEXT NOT NULL,
    delta  TEXT NOT NULL,
    PRIMARY KEY (name, tbl)
) STRICT, WITHOUT ROWID;
"""

_SHARED = """
CREATE TABLE history (           -- what was delivered, to whom
    number INTEGER PRIMARY KEY,
    asker  TEXT NOT NULL,
    id     TEXT NOT NULL,
    at     TEXT NOT NULL,
    tbl    TEXT NOT NULL,
    charge INTEGER
) STRICT;
CREATE UNIQUE INDEX history_by_id ON history (asker, id);
CREATE INDEX history_in_order ON history (asker, number);
CREATE INDEX history_by_charge ON history (charge, asker) WHERE charge IS NOT NULL;
INSERT INTO history (asker, id, at, tbl, charge)
    SELECT shown.asker, answers.id, entries.at, charges.tbl, shown.charge
    FROM shown JOIN answers ON answers.charge = shown.charge JOIN charges ON charges.number = shown.charge
    JOIN entries ON entries.number = shown.charge ORDER BY shown.charge, shown.asker;
DROP TABLE shown;
CREATE TABLE views (             -- what was shown of views, which nobody paid for
    number   INTEGER PRIMARY KEY REFERENCES history,
    asker    TEXT NOT NULL,
    receipt  TEXT NOT NULL,
    document BLOB NOT NULL
) STRICT;
CREATE INDEX views_by_asker ON views (asker, number);
CREATE TABLE filled (            -- how much of what costs nothing is kept for an asker
    asker TEXT PRIMARY KEY,
    views INTEGER NOT NULL,
    size  INTEGER NOT NULL,
    asked INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE asked (             -- questions that were taken in, for all workers
    number  INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    asker   TEXT NOT NULL,
    key     TEXT NOT NULL,
    digest  TEXT NOT NULL,
    tbl     TEXT NOT NULL,
    body    TEXT NOT NULL,
    at      REAL NOT NULL,
    due     REAL NOT NULL,
    state   TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    owner   TEXT NOT NULL,
    lease   REAL NOT NULL,
    outcome TEXT NOT NULL
) STRICT;
CREATE INDEX asked_by_key ON asked (asker, key);
CREATE INDEX asked_by_state ON asked (state, asker, number);
CREATE INDEX entries_about_faults ON entries (number) WHERE kind = 'fault';
"""

MIGRATIONS = (
    ("first", _FIRST), ("sources", _SOURCES), ("length", _LENGTH), ("documents", _DOCUMENTS), ("alarms", _ALARMS),
    ("draws", _DRAWS), ("accounts", _ACCOUNTS), ("shared", _SHARED),
)  # fmt: skip
