"""Every golden question, under both relations, on made-up neighbouring tables: nothing but noise may tell them apart."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.questions.conftest import gaps, keyed, members, people  # noqa: F401 - the facts that the golden questions are about

from discreet.audit import question

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
RANKED = ("MEDIAN", "QUANTILE", "PERCENTILE", "MIN(", "MAX(", "_PER_UNIT")
KEYS = ("Name,", '"Home Town",', "Children,", "Debt,")
PRICES = [{"epsilon": "0.5"}, {"rho": "0.1"}, {"epsilon": 1, "delta": "1e-6"}]
FOR_KEYS = [{"epsilon": 10, "delta": "0.01"}, {"epsilon": 3, "delta": "1e-3"}]  # at which a few units make a key known
PAIRS = 8  # a sensitivity halved in all of them is found by 69 of the 70 that it is found by with 15

pytestmark = pytest.mark.slow


def asked(file):
    text = (GOLDEN / file).read_text(encoding="utf-8")
    return [form.strip() for form in re.findall(r"^=> (.*)$", text, flags=re.MULTILINE)]


def prices(sql):
    """Those at which the question is not refused: a choice by rank has no delta, and unknown keys need one."""
    if sql.removeprefix("SELECT ").startswith(KEYS):
        return FOR_KEYS
    return PRICES[:2] if any(name in sql for name in RANKED) else PRICES


FILES = {"people": "questions.txt", "keyed": "key_questions.txt", "members": "unit_questions.txt", "gaps": "null_questions.txt"}
ALL = [(facts, sql) for facts, file in FILES.items() for sql in asked(file)]
NEWEST = ("MEDIAN(", "QUANTILE(", "MIN(", "MAX(", "INTERVAL", "CORR", "REGR_SLOPE", "MODE(", "AT_BOUNDS", "RUNNING_COUNT",
          "DISTINCT", "COUNT_UNITS", "BOUNDS SHARE", "ROWS_PER_UNIT", "GROUPS_PER_UNIT", "AT_CAPS")  # fmt: skip


def test_there_are_golden_questions_of_every_statistic():
    assert len(ALL) > 60
    said = " ".join(sql for _, sql in ALL)
    assert [name for name in NEWEST if name not in said] == []


@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
@pytest.mark.parametrize("place", range(len(ALL)))
def test_a_golden_question_gives_away_no_more_than_its_price(request, place, relation):
    name, sql = ALL[place]
    facts = replace(request.getfixturevalue(name), neighbours=relation)
    if relation == "change_one":
        facts = replace(facts, units=3) if name in ("members", "gaps") else replace(facts, rows=5)
    found = question(facts, sql, **prices(sql)[place % len(prices(sql))], pairs=PAIRS)
    assert not found.found_violation, found
