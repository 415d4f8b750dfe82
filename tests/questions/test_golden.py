"""SQL → the question in its one form, and back."""

import re
from pathlib import Path

import pytest

from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.words import to_text

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "questions.txt"
PAIRS = re.findall(r"^(SELECT.*)\n=> (.*)$", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE | re.IGNORECASE)


def test_every_golden_block_is_a_pair():
    assert len(PAIRS) == GOLDEN.read_text(encoding="utf-8").count("=> ") > 30


@pytest.mark.parametrize(("asked", "form"), PAIRS)
def test_a_question_has_its_golden_form(people, asked, form):
    assert to_text(read_sql(asked, people)) == form


@pytest.mark.parametrize("form", [form for _, form in PAIRS])
def test_reading_a_form_gives_the_question_back(people, form):
    question = read_sql(form, people)
    assert to_text(question) == form
    assert fingerprint(read_sql(to_text(question), people)) == fingerprint(question)
