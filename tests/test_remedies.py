"""Hints whose words every interface writes in its own way."""

import inspect
import re
from pathlib import Path

import pytest

import discreet as dc
from discreet.curator import accounts
from discreet.curator.request import Ask
from discreet.remedies import Remedy, Word, on_command_line, said

HOW = Remedy("write {epsilon=1} and {delta=1e-6}, or ask with {anew}; {max_rows_per_group=3} too")


def test_a_remedy_is_a_text_in_pythons_words():
    assert HOW == "write epsilon=1 and delta='1e-6', or ask with anew=True; max_rows_per_group=3 too"
    assert HOW.parts[1] == Word("epsilon", "1")


def test_the_command_line_says_it_in_options():
    assert said(HOW, on_command_line) == "write --epsilon 1 and --delta 1e-6, or ask with --anew; --max-rows-per-group 3 too"


def test_any_other_hint_is_said_as_it_is():
    assert said("write {x}", on_command_line) == "write {x}"
    assert Remedy("nothing to replace") == "nothing to replace"


def test_a_remedy_travels_with_its_error():
    error = dc.QuestionError("no", hint=HOW)
    assert isinstance(error.hint, Remedy)
    assert str(error).endswith(str(HOW))


def test_words_of_remedies_are_words_of_a_request_or_of_an_act():
    """So that no interface is told to write what it cannot."""
    words = {word for verb in (Ask, accounts.rotate) for word in inspect.signature(verb).parameters}
    found = []
    for file in Path(dc.__file__).parent.rglob("*.py"):
        found += re.findall(r'Remedy\(\s*f?"[^"]*?\{+([a-z_]+)=', file.read_text(encoding="utf-8"))
    assert len(found) > 8
    assert set(found) <= words


@pytest.mark.parametrize("way", [str, lambda hint: said(hint, on_command_line)])
def test_a_wish_and_a_price_are_refused_in_the_words_of_whoever_reads(way):
    hint = None
    try:
        Ask("SELECT 1", epsilon=1, within=2).price(None, None, None)
    except dc.ParameterError as error:
        hint = way(error.hint)
    assert hint in ("write epsilon=0.1, or within=500", "write --epsilon 0.1, or --within 500")
