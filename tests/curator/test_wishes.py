"""Wishes: a ± that was met, or bought before, is free; one that was missed says so. Rule 29."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger.entries.charges import Wish
from discreet.ledger.entries.requests import request_from

pytestmark = pytest.mark.slow  # tables are registered for every test

MEAN = "SELECT AVG(weight) AS m FROM t"
BY_TOWN = "SELECT town, AVG(weight) AS m FROM t GROUP BY town"
FACTS = """\
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 50000

[budget]
epsilon = 5000
{more}
[columns.weight]
type = "number"
lower = 0
upper = 300

[columns.town]
type = "category"
values = ["a", "b", "c"]
"""


def registered(folder, more="", rows=3000, towns='["a", "b", "c"]', about=50000):
    text = "".join(f"{60 + place % 23},{'abc'[place % 3]}\n" for place in range(rows))
    (folder / "t.csv").write_text("weight,town\n" + text, encoding="utf-8")
    text = FACTS.format(more=more).replace('["a", "b", "c"]', towns).replace("50000", str(about))
    (folder / "t.toml").write_text(text, encoding="utf-8")
    office.register(folder / "t.toml")
    return folder / "t.toml"


@pytest.fixture
def t(tmp_path):
    with open_table(registered(tmp_path)) as curator:
        yield curator


def spent(curator):
    return curator.budget.spent.epsilon


@pytest.mark.parametrize("question", [MEAN, BY_TOWN])
def test_a_wish_that_was_bought_is_free_again_though_it_was_missed(tmp_path, question):
    file = registered(tmp_path, rows=300)                                    # a tenth of a tenth of what is public about them
    with open_table(file) as first:
        bought = first.ask(question, within=1)
        paid = spent(first)
    with open_table(file) as again:
        assert again.quote(question, within=1).replay
        for name in (None, "alice"):
            found = again.ask(question.replace("AS m", "AS other"), within={"other": 1}, analyst=name)
            assert found.replayed
            assert [row["other"] for row in found.rows] == [row["m"] for row in bought.rows]
        assert again.ask(question, within=1, key="mine").replayed
        assert spent(again) == paid
    assert office.verify(tmp_path).ok


def test_a_wish_that_what_is_stored_meets_is_free_whatever_bought_it(t):
    t.ask("SELECT AVG(weight) AS m, COUNT(*) AS n FROM t", epsilon=4)
    paid = spent(t)
    for wish in (1, 2, "30"):
        assert t.quote(MEAN, within=wish).replay
        assert t.ask(MEAN, within=wish, assuming=10).replayed
    assert spent(t) == paid
    assert not t.quote(MEAN, within="0.001").replay


def test_a_wish_is_met_by_the_groups_that_are_shown_though_another_has_too_few_rows(t):
    first = t.ask(BY_TOWN, epsilon=2)
    assert first.too_few[-1] == ("m",)                                       # nobody is without a town
    for wish in (5, 50):
        assert t.ask(BY_TOWN, within=wish).replayed
    nobody = MEAN + " WHERE weight > 250"
    assert t.ask(nobody, epsilon=1).too_few
    assert not t.quote(nobody, within=5).replay


def test_a_wish_as_wide_as_can_be_written_is_met_by_what_is_stored(t):
    t.ask(MEAN, epsilon=1)
    assert t.quote(MEAN, within="1e400").replay
    assert t.ask(MEAN, within="1e400").replayed
    assert spent(t) == 1


def test_another_wish_is_bought_and_one_that_was_met_better_meanwhile_is_told_better(t):
    first = t.ask(MEAN, within=1, assuming=50_000)
    (low, high) = first.intervals[0]["m"]
    assert (high - low) / 2 > 1
    better = t.ask(MEAN, within=1, assuming=2_000)
    assert not better.replayed
    assert t.ask(MEAN, within=1, assuming=50_000).rows == better.rows
    paid = spent(t)
    assert not t.ask(MEAN, within=1, assuming=50_000, anew=True).replayed    # whoever wants another one pays for it
    assert spent(t) > paid


def test_a_key_finds_its_charge_again_whatever_was_released_since(t):
    first = t.ask(MEAN, within=1, key="mine")
    t.ask("SELECT COUNT(*) AS n FROM t", epsilon=1)
    t.ask(MEAN, epsilon=3)
    paid = spent(t)
    assert t.ask(MEAN, within=1, key="mine").value == first.value
    assert spent(t) == paid


def test_a_wish_that_was_missed_says_what_was_asked_for_and_which_rows_were_assumed(t):
    for _ in range(2):
        answer = t.ask(MEAN, within=1)
        assert "± 1 was asked for; about 50 000 rows were assumed" in answer.warnings
    assert not any("was asked for" in each for each in t.ask(MEAN, within=1000).warnings)
    assert not any("was asked for" in each for each in t.ask(MEAN, epsilon="0.001").warnings)
    grouped = t.ask(BY_TOWN, within="0.5", assuming=20_000)
    assert "± 0.5 was asked for; 20 000 rows in each group were assumed" in grouped.warnings
    counted = t.ask("SELECT COUNT(*) AS n FROM t WHERE weight > 70", within=20)
    assert not any("was asked for" in each for each in counted.warnings)


def test_a_median_within_some_ranks_is_refused_as_before_though_it_is_stored(t):
    t.ask("SELECT MEDIAN(weight) AS m FROM t", epsilon=1)
    with pytest.raises(dc.QuestionError):
        t.ask("SELECT MEDIAN(weight) AS m FROM t", within=5)
    with pytest.raises(dc.QuestionError, match="no number 'z'"):
        t.ask(MEAN, within={"z": 5})


def test_the_entry_of_a_charge_keeps_its_wish_and_entries_without_one_are_read_as_before(t):
    t.ask(MEAN, within=8)
    (entry,) = [each for each in t.desk.ledger.entries() if each.kind == "charge"]
    assert entry.body["wish"] == {"within": [[0, "8"]], "confidence": "19/20", "rows": [[0, "rows_about", 50000]]}
    assert request_from(entry.body).wish == Wish(((0, Fraction(8)),), Fraction(19, 20))
    assert request_from({name: each for name, each in entry.body.items() if name != "wish"}).wish is None


def test_the_largest_epsilon_that_is_left_for_somebody_is_no_more_than_their_limit_leaves(tmp_path):
    with open_table(registered(tmp_path, more="per_analyst = 2")) as t:
        t.ask(MEAN, epsilon="0.5", analyst="alice")
        assert t.budget_for("alice").affordable == Fraction(3, 2)
        assert t.budget_for("bob").affordable == 2
        assert t.budget.affordable == Fraction("4999.5")


def test_the_largest_epsilon_that_is_left_is_no_more_than_one_question_may_cost(tmp_path):
    with open_table(registered(tmp_path, more="max_epsilon_per_question = 3")) as t:
        assert (t.budget.affordable, t.budget_for("alice").affordable) == (3, 3)
        with pytest.raises(dc.BudgetError):
            t.ask(MEAN, epsilon="3.01")
        t.ask(MEAN, epsilon=3)


def test_groups_that_may_be_empty_by_a_released_count_make_no_wish_dear(tmp_path):
    """None of the rows is in d, or in no town; the ± of the others is that of their size, once their count was released."""
    with open_table(registered(tmp_path, towns='["a", "b", "c", "d"]', about=5000)) as t:
        before = t.quote(BY_TOWN, within=5)
        assert before.columns[0].rows == 1000
        t.ask("SELECT town, COUNT(weight) AS n FROM t GROUP BY town", epsilon=1)
        after = t.quote(BY_TOWN, within=5)
        (column,) = after.columns
        assert (column.basis, 950 < column.rows <= 1000) == ("released", True)
        assert 0.9 < after.cost.epsilon / before.cost.epsilon < 1.2
        told = "2 of 5 groups may have few rows or none, by a count already released: the ± is that of the others"
        assert told in after.warnings
        assumed = t.quote(BY_TOWN, within=5, assuming=10)
        assert assumed.cost == after.cost
        assert any("assuming 10 rows is not used" in each for each in assumed.warnings)
        assert not any("too few" in each for each in t.ask(BY_TOWN, within=5).warnings)
