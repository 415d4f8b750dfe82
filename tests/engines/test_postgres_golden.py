"""PostgreSQL gives the integers of the reference engine for golden questions, on rows some of which are nothing like theirs."""

import re
from random import Random

import pytest
from tests.engines.test_total_sql import GOLDEN, ROOT, work_off
from tests.laws.engines_of_laws import Compared, framed, in_postgres
from tests.questions.conftest import gaps, keyed, members, people  # noqa: F401 - the facts that golden questions are about

from discreet.engines.reference.engine import Reference
from discreet.facts.model import Boolean, ByColumn, Category, Date, Integer, Number, Timestamp

pytestmark = [pytest.mark.slow, pytest.mark.lowest]
ANY = [None, "", "?", " 7 ", "1e400", "-1e-400", "nan", "1_000", "x" * 300, "é\\%_", "0", "Ä", "9999-12-31 24:00:00"]
OF_KIND = {
    Number: ["0.5", "-7", "1e3", "40000.25", "+12.", "1e308"], Integer: ["1", "2", "3", "55", "-7", "120.0", "7.5"],
    Boolean: ["true", "no", "1", "F"], Date: ["2020-02-29", "1999-12-31", "0001-01-01", "2020-06-01T23:59:59Z"],
    Timestamp: ["2020-06-01 10:00:00.5", "1999-12-31T23:59:59Z", "2020-06-01T10:00:00+05:30"],
}  # fmt: skip
KEYS = ("Name,", '"Home Town",', "Children,", "Debt,")  # questions that select keys which nobody listed


def rows_at_random(facts, number):
    """Mostly what the columns are about, so that questions find rows; of each unit several."""
    random = Random(number)

    def value(column):
        known = column.values if isinstance(column, Category) else OF_KIND.get(type(column), ["anna", "Bob", "bob", "ann"])
        return random.choice(known if random.random() < 0.7 else ANY)

    rows = [{column.name: value(column) for column in facts.columns} for _ in range(number)]
    if isinstance(facts.unit, ByColumn):
        for row in rows:
            row[facts.unit.column] = random.choice(["1", "2", "02", "anna", "Anna", "", None, *map(str, range(10, 30))])
    return rows


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_questions_have_the_same_integers(name, request):
    facts = request.getfixturevalue(name)
    questions = re.findall(r"^=> (.*)$", (ROOT / "golden" / GOLDEN[name]).read_text(encoding="utf-8"), flags=re.MULTILINE)
    rows, answered = rows_at_random(facts, 90), 0
    engine = Compared(in_postgres(facts, *framed(facts, rows, {})), Reference(facts, rows, {}))
    for sql in questions:
        needs_delta = sql.startswith(tuple(f"SELECT {key}" for key in KEYS))
        answered += work_off(engine, facts, sql, epsilon="0.5", **({"delta": "0.01"} if needs_delta else {}))
        assert not engine.differences, sql
    assert answered >= 0.9 * len(questions)
    assert engine.asked.total() >= answered // 2
