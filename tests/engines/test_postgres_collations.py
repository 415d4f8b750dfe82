"""Texts in a database whose own order is that of a dictionary: they are in the order of code points, as on every engine."""

import os
import shutil
import subprocess
from dataclasses import replace

import pytest
from sqlglot import exp
from tests import postgres_server as pg
from tests.laws.engines_of_laws import Compared, framed, in_postgres

from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.stored import Described, layout_of
from discreet.engines.reference.engine import Reference
from discreet.engines.sql.reading import read_column
from discreet.engines.sql.sheet import Sheet
from discreet.facts import parse_facts
from discreet.facts.model import Companion
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from

WORDS = ["b", "B", "a", "A", "Zed", "zed", "Äther", "äther", "é", "e", "_x", "x"]  # more than are compared one by one
FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {{ column = "who", max_rows = {most}, max_groups = 2 }}
neighbours = "add_remove"
people = "p"
[budget]
epsilon = 1_000
delta = 0.1
[columns.s]
type = "category"
values = [{words}]
{constant}
[columns.name]
type = "text"
max_length = 9
[columns.x]
type = "number"
lower = 0
upper = 100
"""
QUESTIONS = [
    "SELECT SUM(x) FROM t WHERE s IS NOT NULL", "SELECT AVG(x) FROM t WHERE s <> 'a'", "SELECT s, SUM(x) FROM t GROUP BY s",
    "SELECT SUM(x) FROM t WHERE COALESCE(s, name) <> 'B'", "SELECT s, COUNT(DISTINCT who) FROM t GROUP BY s",
    "SELECT SUM(x) FROM t WHERE CASE WHEN x > 50 THEN s ELSE name END <> 'b'", "SELECT SUM(x) FROM t WHERE LOWER(name) <> 'bc'",
    "SELECT MEDIAN(x) FROM t WHERE s IN ('B', 'a', 'Zed', 'e')",
]  # fmt: skip
BESIDE = ["SELECT SUM(visits.x) FROM t JOIN visits ON t.who = visits.who WHERE visits.s <> 'a'",
          "SELECT visits.s, COUNT(*) FROM t JOIN visits ON t.who = visits.who GROUP BY visits.s"]  # fmt: skip


def facts_for(most=3, constant=False):
    said = {"words": ", ".join(f'"{word}"' for word in WORDS), "constant": "per_unit = true" if constant else ""}
    ours, theirs = (parse_facts(FACTS.format(most=many, **said), "t.toml") for many in (most, 2))
    visits = replace(theirs, name="visits")
    return replace(ours, joins=(Companion("visits", "visits.toml", "who", "who", visits),))


def rows(times):
    return [{"who": f"p{row % 3}", "s": WORDS[row * times % len(WORDS)], "name": WORDS[row * 5 % len(WORDS)] + "c", "x": row}
            for row in range(60)]  # fmt: skip


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory):
    """A database in the order of dictionaries, on a server of its own: few systems have such an order, and one is made here."""
    locales = tmp_path_factory.mktemp("locales")
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "en_US", "-f", "UTF-8", str(locales / "en_US.UTF-8")], capture_output=True, check=False
    )
    if not made or not (locales / "en_US.UTF-8").exists():
        pytest.skip("missing part: localedef, and its en_US")
    locales.chmod(0o755)
    for folder in locales.parents:
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o011:
            folder.chmod(folder.stat().st_mode | 0o011)  # a server that root starts runs as somebody else
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LOCPATH", str(locales))
        here = pg.started(tmp_path_factory.mktemp("server") / "pg")
    import psycopg

    owner = here.get_uri(database="words")
    with psycopg.connect(here.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("CREATE DATABASE words LOCALE_PROVIDER libc LOCALE 'en_US.UTF-8' TEMPLATE template0")
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA w")
        connection.execute("GRANT USAGE ON SCHEMA w TO reader")
        assert connection.execute("SELECT 'a' < 'B'").fetchone() == (True,), "this is no dictionary"
    yield {"owner": owner, "schema": "w"}
    here.cleanup()


def test_every_text_that_is_read_is_in_the_order_of_code_points():
    """On any server, as it says itself."""
    facts = replace(facts_for(), joins=())
    few = replace(facts.columns[0], name="few", values=("b", "A"))
    facts = replace(facts, columns=(*facts.columns, few))
    names = [column.name for column in facts.columns] + ["who"]
    table = pg.stored(dict.fromkeys(names, "text"), [("1",) * len(names)])
    layout = layout_of(facts, table, tuple(Described(name, "text") for name in names))
    sheet = Sheet(layout, POSTGRES)
    terms = [sheet.named(read_column(column, layout.fields[column.name], sheet)) for column in facts.columns]
    texts = [exp.func("PG_COLLATION_FOR", term.sql) for term in terms if term.kind == "text"]
    with pg.connected() as connection:
        assert connection.execute(sheet.select(*texts)).fetchall() == [('"C"',) * 3]


@pytest.mark.slow
@pytest.mark.parametrize("constant", [False, True], ids=["any", "constant per unit"])
def test_rows_and_values_that_stay_are_those_of_code_points(dictionary, monkeypatch, constant):
    monkeypatch.setattr(pg, "_STARTED", dictionary)
    facts, ours, theirs = facts_for(constant=constant), rows(7), {"visits": rows(5)}
    engine = Compared(in_postgres(facts, *framed(facts, ours, theirs)), Reference(facts, ours, theirs))
    for sql in QUESTIONS + BESIDE:
        released_from(make_plan(read_sql(sql, facts), facts, read_price(epsilon=1)), engine)
        assert not engine.differences, sql
    assert engine.asked.total() >= len(QUESTIONS + BESIDE)
