"""The ledger's SQLite file: the only folder that names ``sqlite3``."""
