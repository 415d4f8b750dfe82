import io
import sys

import pytest
from tests.answers.made import counts, one

from discreet.plots.lettering import can_show, clean, for_terminal, padded, shortened, width_of
from discreet.plots.text_chart import text_chart


def encoded(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def test_a_label_cannot_move_the_cursor_or_break_a_line():
    assert clean("a\nb\tc") == "a b c"
    assert clean("\x1b[31mred") == "\ufffd[31mred"
    assert clean("left\u202eright") == "left\ufffdright"


def test_wide_letters_take_two_columns():
    assert width_of("人口") == 4
    assert width_of("e\u0301") == 1
    assert padded("人口", 6) == "人口  "
    assert padded("n", 3, right=True) == "  n"
    assert shortened("人口統計", 5) == "人口…"
    assert shortened("short", 5) == "short"


@pytest.mark.parametrize(("encoding", "shows"), [("utf-8", True), ("cp1252", False), ("ascii", False), ("nonsense-8", False)])
def test_an_output_shows_what_it_can_encode(monkeypatch, encoding, shows):
    class Output:
        pass

    Output.encoding = encoding
    monkeypatch.setattr(sys, "stdout", Output())
    assert can_show("ε ├") == shows
    assert for_terminal("ε 0.1 ± 3") == ("ε 0.1 ± 3" if shows else "epsilon 0.1 +/- 3")


def test_reprs_print_on_an_ascii_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", encoded("ascii"))
    for shown in (one(), counts([945, 49]), text_chart(counts([945, 49])), one().budget):
        assert repr(shown).isascii()
        print(shown)


def test_nothing_is_known_of_an_output_without_encoding(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert repr(one()) == "Age 38.5 ± 0.1 (95 %) · ε 0.1 · 0.9 left"
