"""``discreet attack``: what it prints, what it writes, and how it ends."""

import json
from types import MappingProxyType

import pytest

from discreet.attacks import ATTACKS, Line, Outcome, Rate


def fake(name: str, right: int) -> Outcome:
    """An attack that takes no time and is right this often, of 100, about discreet."""
    lines = (Line("unprotected", "a way", Rate(100, 100)), Line("discreet", "a way", Rate(right, 100)))
    return Outcome(name, f"{name}: a title", "Knows much.", "guesses that are right", lines[0].rate, lines[1].rate, 0.5, 0.6,
                   lines, ("a note",), "A lesson.", "a source")


@pytest.fixture
def fakes(monkeypatch):
    """Three attacks of which the last is not stopped."""
    made = MappingProxyType({name: (lambda name=name, right=right: fake(name, right), f"about {name}")
                             for name, right in (("one", 50), ("two", 60), ("three", 99))})
    monkeypatch.setattr("discreet.attacks.ATTACKS", made)
    monkeypatch.setattr("discreet.attacks.shelf.ATTACKS", made)


@pytest.mark.parametrize("words", [[], ["--list"]])
def test_without_a_name_there_is_a_list(discreet, words):
    shown = discreet("attack", *words)
    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.splitlines()[: len(ATTACKS)]] == list(ATTACKS)
    assert set(json.loads(discreet("attack", *words, "--json").out)["attacks"]) == set(ATTACKS)


def test_a_page_says_what_happens_the_figures_and_the_lesson(discreet, fakes):
    shown = discreet("attack", "one")
    assert (shown.code, shown.err) == (0, "")
    said = ("one: a title", "Knows much.", "100 %", "50 %  stopped", "60 %", "unprotected · a way", "a note", "A lesson.",
            "a source")
    assert [words for words in said if words not in shown.out] == []


def test_an_attack_that_was_not_stopped_ends_with_1(discreet, fakes):
    shown = discreet("attack", "three")
    assert (shown.code, shown.err) == (1, "")
    assert "NOT stopped" in shown.out
    told = discreet("attack", "three", "--json")
    assert told.code == 1
    assert [found["is_stopped"] for found in json.loads(told.out)["outcomes"]] == [False]


def test_all_is_a_line_for_each(discreet, fakes):
    shown = discreet("attack", "all")
    assert shown.code == 1
    assert [line.split()[0] for line in shown.out.splitlines()[2:5]] == ["one", "two", "three"]
    assert shown.out.count("NOT stopped") == 1
    told = json.loads(discreet("attack", "all", "--json").out)
    assert [found["attack"] for found in told["outcomes"]] == ["one", "two", "three"]


def test_a_real_attack_from_start_to_end(discreet):
    shown = discreet("attack", "low_bits", "--json")
    assert shown.code == 0
    (found,) = json.loads(shown.out)["outcomes"]
    assert found["works"]
    assert found["is_stopped"]


@pytest.mark.parametrize("ending", ["txt", "svg"])
def test_the_chart_is_saved_as_its_ending_says(discreet, folder, fakes, ending, part):
    if ending == "svg":
        part("vl_convert")
    shown = discreet("attack", "one", "--save", f"one.{ending}")
    assert shown.code == 0
    assert f"written to one.{ending}" in shown.out
    text = (folder / f"one.{ending}").read_text(encoding="utf-8")
    assert "one: a title" in text
    assert text.startswith("<svg") == (ending == "svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none"], "there is no attack called 'none'"),
        (["all", "--save", "x.svg"], "a chart is of one attack"),
        (["one", "--save", "nowhere/x.svg"], "cannot be written"),
        (["one", "--save", "x.pdf"], "a chart cannot be saved as .pdf"),
    ],
)
def test_a_wrong_wish_ends_with_2_and_a_hint(discreet, fakes, words, message):
    shown = discreet("attack", *words)
    assert shown.code == 2
    assert message in shown.err
    assert "hint:" in shown.err
