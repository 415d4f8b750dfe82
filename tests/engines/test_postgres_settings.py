"""What a role sets for itself in PostgreSQL changes no integer and no limit: settings of ours hold inside of a transaction."""

import re

import pytest
from tests import postgres_server as pg
from tests.engines.statements import Record, Written
from tests.engines.test_postgres_keys import CODES, HEAD, LOOKUP, agree
from tests.engines.test_total_sql import work_off

import discreet as dc
from discreet.engines.postgres import connecting
from discreet.engines.postgres.connecting import begin, connected
from discreet.facts.make import facts_for_table
from discreet.facts.model import Source

OURS = connecting._SETTINGS | connecting._LATER | connecting._IF_ABLE | {"statement_timeout": "3600s"}
OTHERS = {  # unlike ours in whatever they are about; a few are as long as a test may take
    "search_path": "shadows, pg_catalog", "row_security": "on", "standard_conforming_strings": "off",
    "transform_null_equals": "on", "array_nulls": "off", "extra_float_digits": "-15", "timezone": "Asia/Kolkata",
    "datestyle": "SQL, DMY", "intervalstyle": "iso_8601", "bytea_output": "escape", "client_encoding": "LATIN1",
    "gin_fuzzy_search_limit": "1", "exit_on_error": "on", "lock_timeout": "30s",
    "idle_in_transaction_session_timeout": "30s", "jit": "on", "join_collapse_limit": "100", "from_collapse_limit": "100",
    "geqo": "off", "geqo_threshold": "100", "geqo_effort": "10", "geqo_pool_size": "10", "geqo_generations": "10",
    "geqo_selection_bias": "1.5", "geqo_seed": "0.5", "transaction_timeout": "30s", "client_connection_check_interval": "0",
    "statement_timeout": "30s",
}  # fmt: skip
SHADOWS = """
CREATE SCHEMA IF NOT EXISTS shadows;
GRANT USAGE ON SCHEMA shadows TO PUBLIC;
CREATE OR REPLACE FUNCTION shadows.md5(bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT repeat('0', 32) $$;
CREATE OR REPLACE FUNCTION shadows.pg_input_is_valid(text, text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$ SELECT true $$;
"""
LONG_LISTS = 20


@pytest.fixture
def odd():
    """The address of a role that may read as the reader may, and sets everything otherwise."""
    role = f"odd_{pg.schema()}"
    with pg.connected() as owner:
        owner.execute(SHADOWS)
        owner.execute(f"CREATE ROLE {role} LOGIN IN ROLE reader")
        for name, value in OTHERS.items():
            said = value if name == "search_path" else f"'{value}'"
            owner.execute(f"ALTER ROLE {role} SET {name} = {said}")
    yield pg.reader().replace("//reader@", f"//{role}@")
    with pg.connected() as owner:
        owner.execute(f"DROP ROLE {role}")


def told(connection, names):
    """What is set, as the server writes it."""
    return {name: connection.execute("SELECT pg_catalog.current_setting(%s)", (name,)).fetchone()[0] for name in names}


def test_every_setting_of_ours_holds_in_a_transaction_and_ends_with_it(odd):
    """A pooler may give each transaction another session, and what a session is left with to somebody else."""
    assert set(OTHERS) == set(OURS), "a setting without a test"
    with pg.connected() as owner:
        owner.execute("BEGIN")
        for name, value in OURS.items():
            owner.execute("SELECT set_config(%s, %s, true)", (name, value))
        expected = told(owner, OURS)
        owner.execute("ROLLBACK")
    connection = connected(Source("postgresql", odd, "t"))
    before = told(connection, OURS)
    assert [name for name in OURS if before[name] == expected[name]] == ["client_encoding"]  # which comes with the connection
    begin(connection)
    assert told(connection, OURS) == expected
    assert told(connection, ["transaction_isolation", "transaction_read_only"]) == {
        "transaction_isolation": "repeatable read", "transaction_read_only": "on"
    }  # fmt: skip
    connection.execute("ROLLBACK")
    assert told(connection, OURS) == before
    connection.close()


@pytest.mark.slow
def test_what_a_role_sets_changes_nothing(odd, monkeypatch):
    monkeypatch.setattr(pg, "reader", lambda: odd)
    agree(HEAD.format(unit='"row"') + LOOKUP, [
        "SELECT COUNT(*) FROM t WHERE x = NULLIF(5, 5)", "SELECT COUNT(*) FROM t WHERE a = CASE WHEN 1 = 2 THEN 5 END",
        "SELECT COUNT(*) FROM t LEFT JOIN codes ON t.c = codes.code WHERE w IS NULL",
    ], {"codes": CODES})  # fmt: skip
    agree(HEAD.format(unit='{ column = "u", max_rows = 3, max_groups = 1 }'), ["SELECT g, SUM(x) FROM t GROUP BY g"])


def test_a_server_that_cannot_tell_whether_somebody_waits_is_asked_all_the_same(monkeypatch):
    monkeypatch.setitem(connecting._IF_ABLE, "client_connection_check_interval", "-1")  # refused as where it is not supported
    connection = connected(Source("postgresql", pg.reader(), "t"))
    begin(connection)
    expected = {"search_path": "pg_catalog", "transaction_read_only": "on"}
    assert told(connection, expected) == expected
    connection.close()


@pytest.mark.slow
def test_long_lists_of_values_are_planned_in_time_whatever_a_role_sets(odd, monkeypatch):
    """Each list is a join: the best order of 20 of them takes longer to find than any question may."""
    columns = {f"c{place}": dc.category(*(f"v{word}" for word in range(12))) for place in range(LONG_LISTS)}
    facts = facts_for_table(name="t", columns=columns, unit="row", neighbours="add_remove", budget={"epsilon": 1})
    record = Record("postgres")
    record.look_at = lambda sql, tables: record.seen.append(sql)  # whether it is total is for others to say
    where = " OR ".join(f"{name} IN ('v1', 'v{place % 12}')" for place, name in enumerate(columns))
    joined = " AND ".join(f"COALESCE({name}, 'none') <> 'v3'" for name in columns)
    for sql in (f"SELECT COUNT(*) FROM t WHERE {where}", f"SELECT COUNT(*) FROM t WHERE {joined}"):
        assert work_off(Written(record, facts, []), facts, sql)
    assert max(sql.count("(VALUES ") for sql in record.seen) == LONG_LISTS
    table = pg.stored(dict.fromkeys(columns, "text"), [])
    connection = connected(Source("postgresql", odd, table))
    begin(connection)
    connection.execute("SET LOCAL statement_timeout = '10s'")  # hundreds of times what it takes
    for sql in record.seen:
        connection.execute(f"EXPLAIN {re.sub(r'FROM s[.]t', f'FROM {table}', sql)}".encode()).fetchall()
    connection.close()
