"""Question → plan → SQL for PostgreSQL, to the letter: what every golden question sends first. No server is needed for this.

`python tests/planning/test_golden_postgres.py` rewrites the file.
"""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [] if __name__ != "__main__" else [str(Path(__file__).resolve().parents[2])]

from tests.planning.test_golden_plans import FILES, GOLDEN, asked, price_of  # noqa: E402 - after the path
from tests.questions.conftest import gaps, keyed, members, people  # noqa: E402

from discreet.engines.postgres.dialect import POSTGRES  # noqa: E402
from discreet.engines.postgres.stored import Described, layout_of  # noqa: E402
from discreet.engines.sql.asking import Asking  # noqa: E402
from discreet.engines.sql.reading import is_whole, kind_of  # noqa: E402
from discreet.facts.model import ByColumn  # noqa: E402
from discreet.planning.build import make_plan  # noqa: E402
from discreet.private import Private  # noqa: E402
from discreet.questions.sql import read_sql  # noqa: E402
from discreet.releasing.stages import released_from  # noqa: E402

TYPES = {"number": "float8", "text": "text", "truth": "bool", "day": "date", "moment": "timestamptz"}


class Sent(Exception):
    """The first statement."""


class Sending:
    """An engine that sends nothing and tells what it would."""

    def __init__(self, facts):
        columns = [Described(each.name, "int4" if is_whole(each) else TYPES[kind_of(each)]) for each in facts.columns]
        known = {each.name for each in columns}
        if isinstance(facts.unit, ByColumn) and facts.unit.column not in known:
            columns.append(Described(facts.unit.column, "text"))
        layout = layout_of(facts, '"public"."t"', tuple(columns))
        self._asking = Asking(facts, layout, {}, POSTGRES, self._sent)

    def _sent(self, sql):
        raise Sent(sql)

    def run(self, wanted):
        return Private(self._asking.sums(wanted))

    def counts(self, wanted):
        return Private(self._asking.counts(wanted))

    def keys(self, wanted):
        return Private(self._asking.candidates(wanted))


def described(facts, sql):
    plan = make_plan(read_sql(sql, facts), facts, price_of(facts, sql))
    try:
        released_from(plan, Sending(facts))
    except Sent as sent:
        return f"{sql}\n  {sent}"
    return f"{sql}\n  nothing"


def file_of(name):
    return GOLDEN / f"postgres_of_{name}.txt"


@pytest.mark.parametrize("name", FILES)
def test_golden_questions_have_their_golden_sql_in_postgresql(request, name):
    blocks = file_of(name).read_text(encoding="utf-8").split("\n\n")
    facts = request.getfixturevalue(name)
    assert [block.splitlines()[0] for block in blocks] == asked(name), "run this file to write blocks for new questions"
    changed = [block for block in blocks if described(facts, block.splitlines()[0]) != block.rstrip("\n")]
    assert not changed, "\n\n".join(["these are sent differently now:", *changed])


if __name__ == "__main__":
    facts = people._get_wrapped_function()()
    for name, step in {"people": None, "keyed": keyed, "members": members, "gaps": gaps}.items():
        facts = facts if step is None else step._get_wrapped_function()(facts)  # each is made of the one before
        file_of(name).write_text("\n\n".join(described(facts, sql) for sql in asked(name)) + "\n", encoding="utf-8")
