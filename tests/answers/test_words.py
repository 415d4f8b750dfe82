import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.answers.made import STATE, ages, answer, counts, facts, gaussian_state, one, quote, rho_state, several, two_keys

from discreet.answers import Allowance, AnswerColumn, BudgetState, QuotedColumn
from discreet.answers.losses import exactly
from discreet.answers.words import table_in_words
from discreet.facts.model import ByColumn, Source
from discreet.plots import text_chart
from discreet.privacy.losses import Approximate, Concentrated, Pure


def lines(*expected: str) -> str:
    return "\n".join(expected)


# ---- one number


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (one("mean_Age"), "Age mean 38.5 ± 0.1 (95 %) · ε 0.1 · 0.9 left"),
        (one("stddev_Age", "stddev"), "Age standard deviation 38.5 ± 0.1 (95 %) · ε 0.1 · 0.9 left"),
        (one("count", "count", 51, 21, 81), "count 51 ± 30 (95 %) · ε 0.1 · 0.9 left"),
        (one("n", "count", 51, 21, 81, replayed=True), "n 51 ± 30 (95 %) · ε 0.1, replayed, free · 0.9 left"),
        (one("share", "derived", 0.42, 0.31, 0.55), "share 0.42 (0.31 … 0.55, 95 %) · ε 0.1 · 0.9 left"),
        (one("n", "count", 994, 994, 994, cost=Pure(epsilon=0)), "n 994 (public) · ε 0 · 0.9 left"),
        (one("m", "mean", None, None, None), "m has no value · ε 0.1 · 0.9 left"),
        (one("m", "mean", 3.0, None, None), "m 3 ± ∞ (95 %) · ε 0.1 · 0.9 left"),
        (one(confidence=Fraction(999, 1000)), "Age 38.5 ± 0.1 (99.9 %) · ε 0.1 · 0.9 left"),
        (one(cost=Concentrated(rho="0.005"), budget=rho_state()), "Age 38.5 ± 0.1 (95 %) · ρ 0.005 · 0.375 left"),
    ],
)
def test_one_number_is_one_line(made, sentence):
    assert repr(made) == sentence


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        ((None, None), "Age 40 (rank ± 12, 95 %) · ε 0.1 · 0.9 left"),
        ((30, 54), "Age 40 (30 … 54, 95 %) · ε 0.1 · 0.9 left"),
        ((39, 42), "Age 40 (39 … 42, 95 %) · ε 0.1 · 0.9 left"),             # whole numbers, as the column has them
        ((-1, 1200), "Age 40 (−1 … 1 200, 95 %) · ε 0.1 · 0.9 left"),
        ((40, 40), "Age 40 (40 … 40, 95 %) · ε 0.1 · 0.9 left"),             # bought, and not public
    ],
)
def test_a_value_chosen_by_its_rank_shows_its_rank_or_the_ends_that_were_bought(ends, sentence):
    made = one("Age", "quantile", 40, *ends)
    assert repr(replace(made, rank_intervals=({"Age": (-12, 12)},))) == sentence


def test_whole_numbers_chosen_by_rank_have_no_decimals_in_tables_lists_and_pages():
    columns, rows = [AnswerColumn("k", "key"), AnswerColumn("q", "quantile")], [{"k": 1, "q": 2}, {"k": 2, "q": 3}]
    table = answer(columns, rows, [{"q": (1, 4)}, {"q": (2, 4)}])
    medians = [AnswerColumn("q", "median"), AnswerColumn("x", "median")]
    listed = answer(medians, [{"q": 2, "x": 2.0}], [{"q": (1, 4), "x": (1.0, 4.0)}])
    for made in (table, listed):
        ranks = ({column.name: (-9, 9) for column in made.columns if column.kind != "key"},) * len(made.rows)
        shown = replace(made, rank_intervals=ranks)
        for said in (repr(shown), shown._repr_html_(), text_chart(shown).draw(80, ascii_only=False)):
            assert "2 (1 … 4)" in re.sub("<[^>]*>", "", said)
    assert "2.0 (1.0 … 4.0)" in repr(listed)                                   # of numbers that need not be whole


def test_a_delta_is_never_rounded_to_nothing():
    made = one(cost=Approximate(epsilon=1, delta="1e-30"), budget=gaussian_state())
    assert repr(made) == "Age 38.5 ± 0.1 (95 %) · ε 1, δ 1e-30 · ε 0.75, δ 9e-7 left"
    none = one(cost=Approximate(epsilon=1, delta=0), budget=replace(gaussian_state(), remaining=Approximate(epsilon=1, delta=0)))
    assert repr(none) == "Age 38.5 ± 0.1 (95 %) · ε 1 · ε 1, δ 0 left"         # that none is left is told, that none was paid not


@pytest.mark.parametrize(
    ("number", "up", "down"),
    [
        (Fraction(1, 10), "0.1", "0.1"),
        (Fraction(1, 3), "1/3", "1/3"),
        (Fraction(1, 10**4), "0.0001", "0.0001"),
        (Fraction(1, 10**6), "1e-6", "1e-6"),
        (Fraction(97, 10**7), "9.7e-6", "9.7e-6"),
        (Fraction(1, 30_000), "1/30000", "1/30000"),
        (Fraction(123, 10**20), "1.23e-18", "1.23e-18"),
        (Fraction(10**20, 3 * 10**20 + 1), "≈ 0.3334", "≈ 0.3333"),
        (Fraction(1, 3 * 10**15), "≈ 3.334e-16", "≈ 3.333e-16"),
        (Fraction(0), "0", "0"),
    ],
)
def test_a_long_number_is_rounded_against_the_reader(number, up, down):
    assert (exactly(number, up=True), exactly(number, up=False)) == (up, down)


def test_warnings_stand_below():
    assert repr(one(warnings=("read the facts", "twice"))).splitlines()[1:] == ["! read the facts", "! twice"]


# ---- several numbers


def test_several_numbers_are_a_list():
    assert repr(several()) == lines(
        "n               4 987 ± 30",
        "income         61 200 ± 3 200",
        "v       2 400 000 000 (2 100 000 000 … 2 900 000 000)",
        "share            0.42 (0.31 … 0.55)",
        "95 % intervals, noise only, each by itself · ε 0.1 · 0.9 left",
    )


def test_a_table_is_aligned_and_has_labels_beside_its_keys():
    assert repr(counts([945, 49], replayed=True, warnings=("read the facts",))) == lines(
        "UrbanRural         n",
        "────────────────────",
        "1 Urban     945 ± 30",
        "2 Rural      49 ± 30",
        "95 % intervals, noise only, each by itself · ε 0.1, replayed, free · 0.9 left",
        "! read the facts",
    )


def test_two_keys_and_two_numbers():
    assert repr(two_keys()).splitlines()[:4] == [
        "UrbanRural  Race                 n",
        "──────────────────────────────────",
        "1 Urban     1 White       900 ± 30",
        "1 Urban     2 Black       366 ± 30",
    ]
    assert repr(ages()).splitlines()[:4] == [
        "age         n               m",
        "─────────────────────────────",
        "  0  113 ± 30  30 000 ± 900",
        "  5  174 ± 30  32 860 ± 960",
    ]


@pytest.mark.parametrize(("rows", "last"), [(30, "30  29 ± 30"), (31, "… 1 more row"), (1000, "… 970 more rows"), (0, "no rows")])
def test_a_long_table_is_cut(rows, last):
    *_, line, _ = repr(counts(list(range(rows)), labels={}, key="k")).splitlines()
    assert line == last


def test_a_table_holds_other_and_missing_keys_and_values():
    columns = [AnswerColumn("k", "key", {1: "a"}), AnswerColumn("m", "mean")]
    made = answer(columns, [{"k": 1, "m": 2.0}, {"k": "other", "m": None}, {"k": None, "m": 4.0}],
                  [{"m": (1.5, 2.5)}, {"m": (None, None)}, {"m": (3.5, 4.5)}])
    assert repr(made).splitlines()[2:5] == ["1     a  2.00 ± 0.50", "other       –", "none     4.00 ± 0.50"]


def test_names_and_labels_cannot_break_the_table():
    made = counts([1, 2], labels={1: "a\nb\x1b[2J", 2: "人口"}, key="k\n2")
    assert repr(made).splitlines()[:4] == [
        "k 2             n",
        "─────────────────",
        "1 a b\ufffd[2J  1 ± 30",
        "2 人口     2 ± 30",
    ]


@pytest.mark.slow
def test_a_repr_needs_no_package():
    script = "from tests.answers.made import *; repr(counts([1, 2])); repr(quote()); import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"altair", "pandas", "pyarrow", "rich"} & set(run.stdout.split())


# ---- quotes


def test_a_quote_says_cost_split_error_and_basis():
    assert repr(quote(warnings=("read the facts",))) == lines(
        "quote for ce_slides · SELECT COUNT(*) AS n, AVG(Income) AS m FROM ce_slides GROUP BY UrbanRural",
        "  costs      ε 0.1; 0.9 left before, 0.8 after",
        "  split      COUNT(*)     ε 0.05",
        "             AVG(Income)  ε 0.05",
        "  ± at 95 %  n  ± 60",
        "             m  ± 1 300  if about 2 500 rows in a group",
        "  groups     2, all of them released, empty ones too",
        "  counts     are reliable above about 600 rows: there the ± is a tenth of the count",
        "  ! read the facts",
    )


@pytest.mark.parametrize(
    ("basis", "rows", "words"),
    [
        ("rows", 994, "for the 994 rows that are public"),
        ("released", 480, "for at least 480 rows, by a count already released"),
        ("assuming", 1000, "assuming 1 000 rows"),
        ("rows_about", 5000, "if about 5 000 rows"),
        ("rows_kept", 5000, "if the caps leave about 5 000 rows, and more if they cut some"),
        ("none", None, ""),
    ],
)
def test_the_basis_is_in_words(basis, rows, words):
    shown = repr(quote([QuotedColumn("m", 1234.5, basis, rows)], cells=1, split=(), readable_group=None))
    assert shown.splitlines()[-1] == f"  ± at 95 %  m  ± 1 300  {words}".rstrip()


def test_sizes_that_nothing_tells_stand_side_by_side():
    columns = [QuotedColumn("m", error, "table", rows) for error, rows in ((12_345.0, 100), (1234.5, 1000), (123.4, 10_000))]
    shown = repr(quote(columns, cells=1, split=(), readable_group=None))
    assert shown.splitlines()[-1] == "  ± at 95 %  m  ± 13 000 / ± 1 300 / ± 130  for 100 / 1 000 / 10 000 rows"


def test_a_replay_costs_nothing_and_says_so():
    assert "costs      nothing: it was bought before, at this price or more; 0.9 left" in repr(quote(replay=True))


def test_parts_that_were_bought_before_are_free_and_what_is_less_precise_is_offered():
    from discreet.answers.quote import QuotedOffer

    shown = repr(quote(free=("AVG(x)",), offers=(QuotedOffer("n", 42.0, 30.0, Pure(epsilon="0.07")),)))
    assert "AVG(x)       free: bought before" in shown
    assert "or for free  n ± 42 instead of ± 30, at ε 0.07 or less" in shown


def test_too_dear_a_question_says_so():
    assert "costs      ε 2, more than the budget has: 0.9 left" in repr(quote(cost=Pure(epsilon=2), affordable=False))


def test_whoever_has_a_limit_reads_what_is_left_for_them():
    def state(spent, left, theirs):
        asker = Allowance("alice", Pure(epsilon=theirs), Pure(epsilon=Fraction(3, 10) - Fraction(theirs)), Pure(epsilon="0.3"))
        return BudgetState(Pure(epsilon=1), Pure(epsilon=spent), Pure(epsilon=left), asker=asker)

    before, then = state("0.2", "0.8", "0.1"), state("0.3", "0.7", "0.2")
    shown = repr(quote(budget=before, after=then))
    assert "costs      ε 0.1; 0.8 left, 0.2 of it for alice before, 0.7, 0.1 of it for alice after" in shown
    spent = replace(before, asker=replace(before.asker, spent=Pure(epsilon="0.4"), remaining=Pure(epsilon=0)))
    shown = repr(quote(cost=Pure(epsilon="0.3"), budget=before, after=spent, affordable=False))
    assert "costs      ε 0.3, more than alice has: 0.8 left, 0.2 of it for alice" in shown
    assert repr(replace(counts([1, 2]), budget=then)).endswith("0.7 left, 0.1 of it for alice")
    assert then.to_dict()["analyst"] == {
        "name": "alice", "limit": {"epsilon": "0.3"}, "spent": {"epsilon": "0.2"}, "remaining": {"epsilon": "0.1"}
    }  # fmt: skip


def test_a_quote_in_two_letters():
    shown = repr(quote(cost=Approximate(epsilon="0.25", delta="1e-7"), budget=gaussian_state(),
                       after=replace(gaussian_state(), remaining=Approximate(epsilon="0.5", delta="8e-7"))))
    assert "costs      ε 0.25, δ 1e-7; ε 0.75, δ 9e-7 left before, ε 0.5, δ 8e-7 after" in shown


# ---- budgets and tables


def test_a_budget_has_a_gauge():
    assert repr(STATE) == "budget ε 1 · 0.1 spent · 0.9 left  ██████████████████░░"
    assert repr(rho_state()) == "budget ρ 0.5 · 0.125 spent · 0.375 left  ███████████████░░░░░"
    empty = BudgetState(Pure(epsilon=1), Pure(epsilon=1), Pure(epsilon=0))
    assert repr(empty).endswith("░" * 20)


def test_the_gauge_shows_the_scarcer_part():
    state = replace(gaussian_state(), remaining=Approximate(epsilon="0.75", delta="1e-7"))
    assert repr(state).endswith("██" + "░" * 18)


def test_a_table_says_what_is_public():
    assert table_in_words(facts(), STATE) == lines(
        "ce_slides · version 2017Q1 · about 5 000 rows · protects each row, added or removed",
        "budget ε 1 · 0.1 spent · 0.9 left  ██████████████████░░",
        "the budget lives in this process and is gone with it",
        "",
        "  UrbanRural  category  1 Urban, 2 Rural                       where the household lives",
        "  Income      number    0 … 1 000 000            missing is 0  income before taxes in the past 12 months",
        "  Age         integer   0 … 120",
        "  Race        category  1, 2, 3, 4, 5, … 4 more",
        "  Owner       boolean   true, false",
        "  Seen        date      no bounds",
        "  Name        text      up to 256 letters",
    )


def test_a_table_of_many_rows_per_unit_says_whose_rows_it_protects():
    made = facts(unit=ByColumn("household"), neighbours="change_one", rows_about=None, version="1")
    text = table_in_words(replace(made, located=Source("csv", "/x.csv")), STATE)
    assert text.startswith("ce_slides · protects all rows of one household, changed\nbudget")
    assert "/x.csv" not in text
    assert "lives in this process" not in text
