"""Every golden question, under both relations, on made-up neighbouring tables: nothing but noise may tell them apart."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.questions.conftest import people  # noqa: F401 - the facts that the golden questions are about

from discreet.audit import question

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "questions.txt"
QUESTIONS = re.findall(r"^(SELECT.*)\n=> ", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE | re.IGNORECASE)
PRICES = [{"epsilon": "0.5"}, {"rho": "0.1"}, {"epsilon": 1, "delta": "1e-6"}]
PAIRS = 15

pytestmark = pytest.mark.slow


def test_there_are_golden_questions():
    assert len(QUESTIONS) > 30


@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
@pytest.mark.parametrize("place", range(len(QUESTIONS)))
def test_a_golden_question_gives_away_no_more_than_its_price(people, place, relation):  # noqa: F811
    facts = replace(people, neighbours=relation, rows=5 if relation == "change_one" else None)
    found = question(facts, QUESTIONS[place], **PRICES[place % len(PRICES)], pairs=PAIRS)
    assert not found.found_violation, found
