"""The page about Python has every public name, every word that may stand beside a question, and all of an answer."""

import re
from pathlib import Path

import discreet as dc
from discreet.curator.request import Words
from discreet.questions.builder import Asking

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
CODE = re.findall(r"`([^`\n]+)`", PAGE)


def test_every_public_name_is_on_the_page_and_no_other():
    assert {name for code in CODE for name in re.findall(r"\bdc\.(\w+)", code)} == set(dc.__all__)


def test_every_word_beside_a_question_is_on_the_page():
    assert set(Words.__annotations__) - set(CODE) == set()


def test_all_of_an_answer_and_of_a_question_is_on_the_page():
    shown = {re.split(r"[^\w]", code)[0] for code in CODE}
    assert {name for name in dir(dc.Answer) if not name.startswith("_")} - shown == set()
    assert {name for name in dir(Asking) if not name.startswith("_")} - {"rows", "number_about"} - shown == set()
