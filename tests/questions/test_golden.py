"""SQL → the question in its one form, and back."""

import re
from pathlib import Path

import pytest

from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
FILES = {"people": "questions.txt", "keyed": "key_questions.txt", "members": "unit_questions.txt", "gaps": "null_questions.txt"}
TEXTS = {facts: (GOLDEN / file).read_text(encoding="utf-8") for facts, file in FILES.items()}
PAIRS = [
    (facts, asked, form)
    for facts, text in TEXTS.items()
    for asked, form in re.findall(r"^(SELECT.*)\n=> (.*)$", text, flags=re.MULTILINE | re.IGNORECASE)
]


def test_every_golden_block_is_a_pair():
    assert len(PAIRS) == sum(text.count("=> ") for text in TEXTS.values()) > 60


@pytest.mark.parametrize(("facts", "asked", "form"), PAIRS)
def test_a_question_has_its_golden_form(request, facts, asked, form):
    assert to_text(read_sql(asked, request.getfixturevalue(facts))) == form


@pytest.mark.parametrize(("facts", "form"), [(facts, form) for facts, _, form in PAIRS])
def test_reading_a_form_gives_the_question_back(request, facts, form):
    about = request.getfixturevalue(facts)
    question = read_sql(form, about)
    assert to_text(question) == form
    assert fingerprint(read_sql(to_text(question), about)) == fingerprint(question)


@pytest.mark.parametrize("parts", [3, 7, 10])
def test_a_third_of_a_range_is_read_back_from_the_text_of_its_question(people, parts):
    question = read_sql(f"SELECT WIDTH_BUCKET(Age, 0, 100, {parts}) AS g, COUNT(*) AS n FROM people GROUP BY g", people)
    assert read_sql(to_text(question), people) == question
