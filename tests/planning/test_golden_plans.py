"""Question → plan → SQL, to the letter: what every golden question releases, with which noise, and what DuckDB is asked first.

A change of planning or of the SQL writer shows here as a difference to read. `python tests/planning/test_golden_plans.py`
rewrites the files.
"""

import re
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.exact import shown
from discreet.planning.build import make_plan
from discreet.privacy.losses import Approximate, Pure
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from
from discreet.statistics.ends import RanksWithEnds

sys.path[:0] = [] if __name__ != "__main__" else [str(Path(__file__).resolve().parents[2])]

from tests.questions.conftest import gaps, keyed, members, people  # noqa: E402 - the facts that the questions are about

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
FILES = {"people": "questions.txt", "keyed": "key_questions.txt", "members": "unit_questions.txt", "gaps": "null_questions.txt"}


class Recorded:
    """A connection that keeps the text of what runs through it."""

    def __init__(self, connection):
        self._connection, self.statements = connection, []

    @classmethod
    def engine(cls, facts):
        """An engine over no rows, whose connection is recorded."""
        engine = DuckDB(facts, pa.table({column.name: pa.array([], pa.string()) for column in facts.columns}))
        engine._connection = cls(engine._connection)
        return engine

    def cursor(self):
        return self

    def execute(self, sql):
        self.statements.append(sql)
        return self._connection.execute(sql)

    def interrupt(self):
        self._connection.interrupt()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def price_of(facts, sql):
    needs_delta = any(sql.startswith(f"SELECT {name}") for name in ("Name,", '"Home Town",', "Children,", "Debt,"))
    return Approximate(epsilon=Fraction(1, 2), delta=Fraction(1, 100)) if needs_delta else Pure(epsilon=Fraction(1, 2))


def described(engine, facts, sql):
    """The block of one question."""
    (statements := engine._connection.statements).clear()
    plan = make_plan(read_sql(sql, facts), facts, price_of(facts, sql))
    lines = [sql, f"  loss  {plan.event!r}"]
    lines += [f"  {shown(each.share)} of it  {each.what}: {getattr(each, 'mechanism', None)!r}" for each in plan.vectors]
    lines += [f"    and around it  {each.radii!r} {each.counting!r}" for each in plan.vectors if isinstance(each, RanksWithEnds)]
    if plan.vectors:
        released_from(plan, engine)
    lines += [f"  {sql}" for sql in statements[:1]]  # later ones may depend on what was chosen
    return "\n".join(lines)


def asked(name):
    text = (GOLDEN / FILES[name]).read_text(encoding="utf-8")
    return [form.strip() for form in re.findall(r"^=> (.*)$", text, flags=re.MULTILINE)]


def file_of(name):
    return GOLDEN / f"plans_of_{name}.txt"


@pytest.mark.parametrize("name", FILES)
def test_golden_questions_have_their_golden_plans_and_sql(request, name):
    blocks = file_of(name).read_text(encoding="utf-8").split("\n\n")
    facts = request.getfixturevalue(name)
    engine = Recorded.engine(facts)
    assert [block.splitlines()[0] for block in blocks] == asked(name), "run this file to write blocks for new questions"
    changed = [block for block in blocks if described(engine, facts, block.splitlines()[0]) != block.rstrip("\n")]
    assert not changed, "\n\n".join(["these are planned differently now:", *changed])


if __name__ == "__main__":
    facts = people._get_wrapped_function()()
    for name, step in {"people": None, "keyed": keyed, "members": members, "gaps": gaps}.items():
        facts = facts if step is None else step._get_wrapped_function()(facts)  # each is made of the one before
        engine = Recorded.engine(facts)
        file_of(name).write_text("\n\n".join(described(engine, facts, sql) for sql in asked(name)) + "\n", encoding="utf-8")
