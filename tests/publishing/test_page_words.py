"""What a page says of its numbers is true of them: warnings, errors, which groups are shown, and what was paid before."""

from fractions import Fraction
from html import unescape

import pytest
from tests.questions.conftest import people

from discreet.curator.together import Worth
from discreet.privacy.losses import Pure
from discreet.publishing.derived import derived_from
from discreet.publishing.release_file import Derivation, Release
from discreet.publishing.release_page import ReleasePage, page_of
from discreet.publishing.sheets import Sheet, SheetColumn, dictionary

KEY = SheetColumn("race", "key", (1, 2), type="BIGINT")
COUNT = SheetColumn("n", "count", (5, 7), (4, 6), (6, 8), has_interval=True, type="BIGINT")
MEDIAN = SheetColumn("m", "number", (30.0, 31.0), meaning="MEDIAN(age)", ranks=10, sure="0.95")
PAID = {"table": "people", "price": {"epsilon": "1"}, "mechanisms": [{}], "entry": {"at": "2020-01-01"},
        "budget": {"before": {"epsilon": "0"}, "after": {"epsilon": "1"}, "cap": {"epsilon": "9"}}}  # fmt: skip


def sheet(*columns, **more):
    return Sheet("counts", "Counts", "", "SELECT", (KEY, *columns), "0.95", "epsilon 1", **more)


def page(*asked, derived=(), receipt=PAID):
    cost, facts = (Worth(("people",), Pure(epsilon=12)),), (people._get_wrapped_function()(),)
    return unescape(page_of(ReleasePage("T", "", tuple(derived), asked, cost, facts, {each.name: receipt for each in asked})))


@pytest.mark.slow
def test_warnings_and_what_is_not_covered_are_on_the_page_and_in_the_dictionary():
    made = sheet(COUNT, left_out=("rows are cut",), warnings=("MAX(age) is the value with about 10 rows above it",))
    assert "MAX(age) is the value with about 10 rows above it" in page(made)
    key, count, *_ = dictionary([made]).splitlines()[1:]
    assert count.endswith(",rows are cut; MAX(age) is the value with about 10 rows above it")
    assert key.endswith(",")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ((COUNT,), "<li>every number with its error</li>"),
        ((COUNT, MEDIAN), "<li>every number with its error, or that of its rank</li>"),
        ((MEDIAN,), "<li>every number with the error of its rank</li>"),
    ],
)
def test_the_head_says_what_its_numbers_come_with(columns, said):
    assert said in page(sheet(*columns))


def test_how_far_a_rank_is_off_is_a_bound_of_some_confidence():
    assert MEDIAN.in_words == "MEDIAN(age); chosen by its rank, which is off by 10 at most, with 95 % confidence"


def test_a_derived_table_has_the_notes_of_what_it_reads_and_is_not_said_to_show_every_group(tmp_path):
    asked = sheet(COUNT, left_out=("rows are cut",), warnings=("a note",))
    large = Derivation("large", "SELECT race, n, n_low, n_high FROM counts WHERE n > 6", Fraction(9, 10))
    (found,) = derived_from(Release(tmp_path, "", "T", "", (), (large,), {}), [asked])
    assert (found.left_out, found.warnings, found.rows) == (("rows are cut",), ("a note",), 1)
    text = page(asked, derived=[found])
    assert "In tables that are not derived, every group that could be there is shown" in text
    assert "Derived tables show the rows that their SQL chooses" in text


def test_prices_that_do_not_add_up_are_explained():
    before = page(sheet(COUNT), receipt=PAID | {"stored": [], "mechanisms": []})
    assert '<p class="tags">nothing: all was released before' in before
    assert "Some of it was released before, for other questions" in before
    assert "Some of it was released before" not in page(sheet(COUNT))
