from html.parser import HTMLParser

import pytest
from tests.answers.made import STATE, ages, answer, counts, facts, gaussian_state, one, quote, several, two_keys

from discreet.answers import AnswerColumn, QuotedColumn
from discreet.answers.pages import MOST_ROWS, table_as_html
from discreet.facts.model import Category
from discreet.privacy.losses import Pure

EVIL = "<script>alert('x')</script>\"&"
VOID = {"rect", "path", "br"}


class Nested(HTMLParser):
    """Fails unless every tag is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def tags(page: str) -> list[str]:
    parser = Nested()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser.tags


PAGES = {
    "one": lambda: one()._repr_html_(),
    "several": lambda: several()._repr_html_(),
    "counts": lambda: counts([945, -5])._repr_html_(),
    "two keys": lambda: two_keys()._repr_html_(),
    "bins": lambda: ages()._repr_html_(),
    "empty": lambda: counts([], labels={})._repr_html_(),
    "quote": lambda: quote()._repr_html_(),
    "replay": lambda: quote(replay=True)._repr_html_(),
    "dear": lambda: quote(cost=Pure(epsilon=2))._repr_html_(),
    "table": lambda: table_as_html(facts(), STATE),
    "budget": lambda: gaussian_state()._repr_html_(),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_small_well_formed_and_self_contained(name):
    page = PAGES[name]()
    assert not {"script", "link", "style", "img", "iframe"} & set(tags(page))
    assert "http" not in page
    assert "color:black" not in page             # the page around it decides
    assert "background:white" not in page
    assert len(page) < 20_000


@pytest.mark.parametrize(
    "page",
    [
        counts([1, 2], labels={1: EVIL, 2: "b"}, key=EVIL, question=EVIL, warnings=(EVIL,))._repr_html_(),
        one(EVIL)._repr_html_(),
        answer([AnswerColumn("k", "key"), AnswerColumn(EVIL, "count")], [{"k": EVIL, EVIL: 1}], [{EVIL: (0, 2)}])._repr_html_(),
        quote([QuotedColumn(EVIL, 1.0, "none", None)], question=EVIL, warnings=(EVIL,))._repr_html_(),
        quote(split=((EVIL, Pure(epsilon=1)),) * 2)._repr_html_(),
        table_as_html(facts(name=EVIL, version=EVIL, columns=(Category(EVIL, (EVIL,), (EVIL,), description=EVIL),)), STATE),
    ],
)
def test_no_text_becomes_markup(page):
    assert "script" not in tags(page)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_counts_have_a_bar_with_an_error_bar_each():
    page = counts([945, -5])._repr_html_()
    assert tags(page).count("svg") == 2
    assert 'aria-label="945, from 915 to 975"' in page
    assert "945 <span" in page
    assert "± 30" in page


def test_cells_without_a_number_have_no_bar():
    columns = [AnswerColumn("k", "key"), AnswerColumn("n", "count")]
    page = answer(columns, [{"k": 1, "n": None}, {"k": 2, "n": 3}], [{"n": (None, None)}, {"n": (1, 5)}])._repr_html_()
    assert tags(page).count("svg") == 1


def test_a_long_answer_is_cut():
    page = counts(list(range(1000)), labels={})._repr_html_()
    assert tags(page).count("svg") == MOST_ROWS
    assert "… 940 more rows" in page


def test_a_quote_shows_what_would_be_left():
    page = quote()._repr_html_()
    assert "ε 0.1; 0.9 left before, 0.8 after" in page
    assert 'width:80.00%;background:#4c8dd6' in page
    assert 'width:10.00%;background:#c98a1b' in page
    assert "if about 2 500 rows in a group" in page


def test_a_budget_is_exact():
    assert "ε 0.75, δ 9e-7 left" in gaussian_state()._repr_html_()
