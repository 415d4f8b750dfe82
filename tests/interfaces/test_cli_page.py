"""The page that commands print on: the bar, the width, the letters, and the sign of life."""

import io
from dataclasses import replace
from fractions import Fraction

import pytest
from rich.console import Console

from discreet import Approximate, Concentrated, Pure
from discreet.answers.answer import Allowance, BudgetState
from discreet.cli.page import Page, gauge_in_words
from discreet.cli.waiting import waiting


class Ascii(io.StringIO):
    encoding = "ascii"


def page(width=80, *, ascii_only=False):
    file = Ascii() if ascii_only else io.StringIO()
    return Page(Console(file=file, width=width, highlight=False, markup=False)), file


def state(spent, cap="1"):
    spent, cap = Fraction(spent), Fraction(cap)
    return BudgetState(Pure(epsilon=cap), Pure(epsilon=spent), Pure(epsilon=cap - spent))


@pytest.mark.parametrize(
    ("spent", "cost", "bar"),
    [
        ("0", None, "█" * 20),
        ("0.5", None, "█" * 10 + "░" * 10),
        ("1", None, "░" * 20),
        ("0.999", None, "█" + "░" * 19),  # something is left, and it shows
        ("0.001", None, "█" * 19 + "░"),  # something is gone, and it shows
        ("0", "0.25", "█" * 15 + "▒" * 5),
        ("0.5", "0.5", "▒" * 10 + "░" * 10),
    ],
)
def test_the_bar_shows_what_is_left_and_what_a_question_would_take(spent, cost, bar):
    drawn, file = page()
    drawn.gauge(state(spent), None if cost is None else state(Fraction(spent) + Fraction(cost)))
    assert file.getvalue().strip().split(" ")[0] == bar


def test_what_is_left_is_never_rounded_up():
    assert gauge_in_words(state("0.6")) == "ε 0.4 of 1 left"
    assert gauge_in_words(state(Fraction(1, 3))) == "ε 2/3 of 1 left"
    long = state(Fraction(1, 3) + Fraction(1, 10**30))
    assert gauge_in_words(long) == "ε ≈ 0.6666 of 1 left"
    both = Approximate(epsilon=1, delta="1e-6")
    assert gauge_in_words(BudgetState(both, Approximate(epsilon=0, delta=0), both)) == "ε 1 of 1, δ 1e-6 of 1e-6 left"
    alice = Allowance("alice", Pure(epsilon="0.2"), Pure(epsilon="0.1"), Pure(epsilon="0.3"))
    assert gauge_in_words(replace(state("0.3"), asker=alice)) == "ε 0.7 of 1 left; for alice ε 0.1 of 0.3"
    rho = Concentrated(rho="0.5")
    assert gauge_in_words(BudgetState(rho, Concentrated(rho=0), rho)) == "ρ 0.5 of 0.5 left"


@pytest.mark.parametrize(("width", "used"), [(20, 72), (80, 80), (300, 100)])
def test_a_page_is_between_72_and_100_columns_wide(width, used):
    drawn, file = page(width)
    drawn.say("word " * 200)
    longest = max(map(len, file.getvalue().splitlines()))
    assert used - 10 < longest <= used


def test_a_figure_is_never_cut_and_a_long_text_is_folded():
    drawn, file = page(72)
    drawn.table("wr", ["what", "n"], [("many words " * 20, "1234567890" * 3)])
    assert "1234567890" * 3 in file.getvalue()
    assert max(map(len, file.getvalue().splitlines())) <= 72
    drawn.table("rr", ["a", "b"], [("1" * 60, "2" * 60)])
    assert "1" * 60 in file.getvalue()
    assert "2" * 60 in file.getvalue()


def test_ascii_gets_words_for_our_letters():
    drawn, file = page(ascii_only=True)
    drawn.gauge(state("0.5"), state("0.75"))
    drawn.say("ε ± … ·")
    drawn.table("l", ["ε"], [("−1",)])
    text = file.getvalue()
    assert text.isascii()
    assert "#####=====.........." in text
    assert "epsilon +/- ... |" in text


def test_what_people_write_is_not_taken_for_markup():
    drawn, file = page()
    drawn.line("[red]not red[/red]")
    drawn.table("l", ["[b]x"], [("[/]",)])
    assert "[red]not red[/red]" in file.getvalue()
    assert "[/]" in file.getvalue()


def test_nothing_turns_where_stderr_is_no_terminal(capsys):
    with waiting("asking") as say:
        say("still asking")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "")
