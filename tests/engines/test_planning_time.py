"""PostgreSQL plans every accepted question in bounded time: the deepest and the longest that are accepted, on a real server."""

import re
import sys

import pytest
import sqlglot
from sqlglot import exp
from tests import postgres_server as pg
from tests.engines.statements import Record, Written
from tests.engines.test_total_sql import work_off
from tests.laws import questions_at_random as at_random
from tests.laws import units_at_random as by_unit
from tests.laws.engines_of_laws import Compared, framed, in_postgres

from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.reference.engine import Reference
from discreet.questions.algebra import Caps

pytestmark = pytest.mark.slow
MOST_WORDS = 40 * POSTGRES.most_nodes  # in one SELECT once others are merged into it: what a question says itself is in there too
PATIENCE = "10s"  # hundreds of times what such questions take; without fences they take minutes and all memory


def nested(form, times, inner="x"):
    """A form around itself, so many times."""
    for _ in range(times):
        inner = form.format(inner)
    return inner


CLAMPED = nested("CLAMP(1e300 * {}, -5, 5)", 30)
QUESTIONS = {
    "quotients": f"SELECT SUM({nested('GREATEST(LEAST({} / y, 50), -50)', 30)}) AS s FROM t",
    "remainders": f"SELECT SUM({nested('GREATEST(LEAST(({}) % y, 50), -50)', 22)}) AS s FROM t",
    "rounded": f"SELECT SUM({nested('ROUND({})', 95)}) AS s FROM t",
    "powers": f"SELECT AVG({nested('GREATEST(LEAST(POWER({}, 31), 50), -50)', 30)}) AS s FROM t",
    "products": f"SELECT AVG({CLAMPED}) AS s FROM t WHERE {nested('CLAMP(1e300 * {}, -5, 5)', 30, 'y')} > 1",
    "keys": f"SELECT BIN({CLAMPED}, 1) AS g, VAR_POP(y) AS v FROM t GROUP BY g",
    "one value many times": f"SELECT {', '.join(f'VAR_POP({CLAMPED}) FILTER (WHERE y > {k}) AS v{k}' for k in range(12))} FROM t",
    "conditions": f"SELECT COUNT(*) AS n FROM t WHERE {' OR '.join(f'x > {k}' for k in range(3000))}",
    "patterns": "SELECT COUNT(*) AS n FROM t WHERE " + " OR ".join(f"name LIKE 'a{k}%'" for k in range(1000)),
    "branches": f"SELECT SUM(CASE {' '.join(f'WHEN y > {k} THEN {k % 100}' for k in range(2000))} ELSE x END) AS s FROM t",
    "values": f"SELECT COUNT(*) AS n FROM t WHERE x IN ({', '.join(map(str, range(5000)))})",
}  # fmt: skip


class Merged:
    """How many words the largest SELECT of a statement has once those without a fence are merged into it, read from its text."""

    def __init__(self, sql):
        self.most = 0
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, 20_000))
        try:
            self._select(sqlglot.parse_one(sql, read="postgres"))
        finally:
            sys.setrecursionlimit(before)  # other tests rely on it

    def _select(self, node):
        while not isinstance(node, exp.Select):
            node = node.this
        sources = [node.args["from_"].this] if node.args.get("from_") else []
        known = {}
        for each in [*sources, *(join.this for join in node.args.get("joins") or [])]:
            known |= self._select(each.this) if isinstance(each, exp.Subquery) else {}
        outputs = {}
        for each in node.expressions:
            outputs |= known if each.is_star else {each.alias_or_name: self._size(each, known)}
        others = [node.args[name] for name in ("where", "having", "group") if node.args.get(name)]
        conditions = [*others, *(join.args["on"] for join in node.args.get("joins") or [])]
        self.most = max(self.most, sum(outputs.values()) + sum(self._size(each, known) for each in conditions))
        fenced = node.args.get("offset") or node.args.get("group") or node.args.get("distinct")
        is_fenced = fenced or any(each.find(exp.AggFunc, exp.Window) for each in node.expressions)
        return dict.fromkeys(outputs, 1) if is_fenced else outputs

    @staticmethod
    def _size(node, known):
        return sum(known.get(each.name, 1) if isinstance(each, exp.Column) else 1 for each in node.walk())


@pytest.fixture(params=["rows", "units"])
def world(request):
    """Facts, and the caps that questions about them are asked with."""
    if request.param == "rows":
        return at_random.facts_for("add_remove", 3), None
    return by_unit.facts_for("add_remove"), Caps(3, 2, None)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_deepest_questions_that_are_accepted_are_planned_in_time(name, world):
    facts, caps = world
    record = Record("postgres")
    record.look_at = lambda sql, tables: record.seen.append(sql)  # whether it is total is for others to say
    caps = caps if caps is None or "GROUP BY" in QUESTIONS[name] else Caps(3, None, None)
    assert work_off(Written(record, facts, []), facts, QUESTIONS[name], caps), "it is to be accepted"
    columns = [column.name for column in facts.columns] + (["who"] if caps else [])
    table = pg.stored(dict.fromkeys(columns, "text"), [])
    with pg.connected() as connection:
        connection.execute(f"SET statement_timeout = '{PATIENCE}'")
        for sql in record.seen:
            assert Merged(sql).most <= MOST_WORDS
            connection.execute(f"EXPLAIN {re.sub(r'FROM s[.]t', f'FROM {table}', sql)}".encode()).fetchall()


@pytest.mark.parametrize("name", ["powers", "rounded", "products", "keys", "conditions"])
def test_what_is_fenced_and_leaves_columns_behind_has_the_same_integers(name, world):
    facts, caps = world
    caps = caps if caps is None or "GROUP BY" in QUESTIONS[name] else Caps(3, None, None)
    pairs = [("1.5", "2"), ("-3", "99.5"), (None, "0"), ("1e400", "nan"), ("0.2", "5e-324"), ("10.5", "x"), ("2", None)] * 2
    rows = [{"x": x, "y": y, "name": "a1", "who": f"p{place % 3}"} for place, (x, y) in enumerate(pairs)]
    engine = Compared(in_postgres(facts, *framed(facts, rows, {})), Reference(facts, rows, {}))
    assert work_off(engine, facts, QUESTIONS[name], caps)
    assert engine.asked.total() >= 1
    assert not engine.differences


def test_what_is_deeper_or_longer_is_refused_before_anything_is_charged():
    facts = at_random.facts_for("add_remove", 3)
    engine = Written(Record("postgres"), facts, [])
    deeper = f"SELECT SUM({nested('ROUND({})', 101)}) AS s FROM t"
    longer = f"SELECT COUNT(*) AS n FROM t WHERE {' OR '.join(f'x > {k}' for k in range(4000))}"
    assert not work_off(engine, facts, deeper)
    assert not work_off(engine, facts, longer)


def test_without_fences_the_same_questions_are_found_too_large(monkeypatch):
    monkeypatch.setattr(type(POSTGRES), "most_nodes", 10**9)
    facts, record = at_random.facts_for("add_remove", 3), Record("postgres")
    record.look_at = lambda sql, tables: record.seen.append(sql)
    work_off(Written(record, facts, []), facts, QUESTIONS["quotients"])
    work_off(Written(record, facts, []), facts, QUESTIONS["conditions"])
    assert [Merged(sql).most > MOST_WORDS for sql in record.seen] == [True, True]
