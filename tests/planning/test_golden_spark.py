"""Question → plan → SQL for Spark, to the letter: what every golden question sends first. No Spark is needed for this.

`python tests/planning/test_golden_spark.py` rewrites the files.
"""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [] if __name__ != "__main__" else [str(Path(__file__).resolve().parents[2])]

from tests.planning.test_golden_plans import FILES, GOLDEN, asked, price_of  # noqa: E402 - after the path
from tests.planning.test_golden_postgres import Sending, Sent  # noqa: E402
from tests.questions.conftest import gaps, keyed, members, people  # noqa: E402

from discreet.engines.spark.beside import with_settled  # noqa: E402
from discreet.engines.spark.dialect import SPARK  # noqa: E402
from discreet.engines.spark.stored import selected  # noqa: E402
from discreet.engines.sql.asking import Asking  # noqa: E402
from discreet.engines.sql.layout import Layout  # noqa: E402
from discreet.engines.sql.reading import is_whole, kind_of  # noqa: E402
from discreet.facts.model import ByColumn  # noqa: E402
from discreet.planning.build import make_plan  # noqa: E402
from discreet.questions.sql import read_sql  # noqa: E402
from discreet.releasing.stages import released_from  # noqa: E402

TYPES = {"number": "double", "text": "string", "truth": "boolean", "day": "date", "moment": "timestamp"}


class ToSpark(Sending):
    """The same for Spark."""

    def __init__(self, facts):
        columns = {each.name: "int" if is_whole(each) else TYPES[kind_of(each)] for each in facts.columns}
        if isinstance(facts.unit, ByColumn):
            columns.setdefault(facts.unit.column, "string")
        rows, fields, unit = selected(facts, list(columns.items()), "`main`.`t`")
        layout = with_settled(facts, Layout("data", fields, unit=unit, relation=rows))
        self._asking = Asking(facts, layout, {}, SPARK, self._sent)


def described(facts, sql):
    plan = make_plan(read_sql(sql, facts), facts, price_of(facts, sql))
    try:
        released_from(plan, ToSpark(facts))
    except Sent as sent:
        return f"{sql}\n  {sent}"
    return f"{sql}\n  nothing"


def file_of(name):
    return GOLDEN / f"spark_of_{name}.txt"


@pytest.mark.parametrize("name", FILES)
def test_golden_questions_have_their_golden_sql_on_spark(request, name):
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
