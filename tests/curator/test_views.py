"""A release is what is bought, and a question is a view of it: what follows from stored draws costs nothing. Rule 16."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp

import pytest

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.curator.orders import Order, crossed
from discreet.curator.request import Ask
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.ledger.verify import verify
from discreet.noise.probabilities import tail
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.planning.purchase import Draw, Purchase, Use, bought_whole
from discreet.privacy.conversion import delta_of
from discreet.privacy.events import GaussianRelease
from discreet.questions.sql import read_sql
from discreet.releasing.stages import part_of
from discreet.views.stored import view_of

FACTS = """
[table]
name = "people"
source = "people.csv"
unit = {unit}
neighbours = "add_remove"
rows_about = 600
{caps}
[budget]
epsilon = 1000
delta = 0.5
[columns.Income]
type = "number"
null = "drop"
lower = 0
upper = 500000
[columns.Age]
type = "integer"
lower = 10
upper = 90
null = 40
[columns.Race]
type = "category"
null = "drop"
values = [1, 2, 3]
[columns.who]
type = "text"
"""
BY_RACE = "SELECT Race, AVG(Income) AS m FROM people GROUP BY Race"


def rows(count=600):
    return [{"Income": i % 7 * 10_000.0, "Age": 20 + i * 7 % 53, "Race": 1 + i % 3, "who": f"u{i % 200}"} for i in range(count)]


def people(unit="'row'", caps=""):
    facts = parse_facts(FACTS.format(unit=unit, caps=caps), "people.toml")
    return curator_in_memory(facts, Reference(facts, rows()))


def spent(curator):
    return curator.budget.spent.epsilon


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["Income, Age", "Age, Income"])
def test_a_line_is_free_where_a_correlation_was_bought_either_way_round(pair):
    curator = people()
    curator.ask(f"SELECT CORR({pair}) AS r FROM people", epsilon=100)
    asked = [f"SELECT REGR_SLOPE({one}) AS b FROM people" for one in ("Income, Age", "Age, Income")]
    found = [curator.ask(sql, epsilon=100, confidence="0.9999") for sql in asked]
    assert spent(curator) == 100
    alone = people().ask("SELECT REGR_SLOPE(Income, Age) AS b, REGR_SLOPE(Age, Income) AS c FROM people", epsilon=1000)
    for answer, truth in zip(found, alone.rows[0].values(), strict=True):  # in the units of its own numbers
        low, high = answer.intervals[0]["b"]
        assert low < truth < high
        assert found[0].rows[0]["b"] != found[1].rows[0]["b"]


VIEWS = [
    BY_RACE + " ORDER BY m DESC",
    BY_RACE + " ORDER BY m LIMIT 3",
    "SELECT Race AS race, AVG(Income) AS mean FROM people GROUP BY Race",
    "SELECT AVG(Income) AS m, Race FROM people GROUP BY Race",
    "SELECT Race, AVG(Income) / 1000 AS thousands FROM people GROUP BY Race",
    BY_RACE + " HAVING AVG(Income) > 1000",
    "SELECT Race, SUM(Income) AS total FROM people GROUP BY Race",
]


def test_views_of_a_mean_cost_nothing_and_their_quotes_say_what_they_will_have():
    t = people()
    first = t.ask(BY_RACE, epsilon="0.1")
    for sql in VIEWS:
        quote, answer = t.quote(sql, epsilon="0.1"), t.ask(sql, epsilon="0.1")
        assert (quote.cost, quote.replay, answer.replayed) == (dc.Pure(epsilon=0).to_approximate(), True, True)
        assert quote.free != ()
        assert verify(t.desk.ledger).ok
    count = "SELECT Race, COUNT(Income) AS n FROM people GROUP BY Race"
    quote, counted = t.quote(count, epsilon="0.05"), t.ask(count, epsilon="0.05")
    half = [(high - low) / 2 for low, high in (ends["n"] for ends in counted.intervals)]
    assert all(abs(each - quote.columns[0].plus_minus) <= 1 for each in half)  # of a count: it does not depend on the data
    assert spent(t) == Fraction(1, 10)
    by_race = {row["Race"]: row["m"] for row in first.rows}
    shown = {row["Race"]: row["thousands"] * 1000 for row in t.ask(VIEWS[4], epsilon="0.1").rows}
    assert shown == pytest.approx(by_race)


def test_what_is_added_is_bought_at_its_share_and_nothing_else():
    t = people()
    t.ask(BY_RACE, epsilon="0.1")
    with_count = "SELECT Race, AVG(Income) AS m, COUNT(*) AS n FROM people GROUP BY Race"
    quote = t.quote(with_count, epsilon="0.1")
    assert (quote.free, [what for what, _ in quote.split]) == (("AVG(Income)",), ["COUNT(*)"])
    answer = t.ask(with_count, epsilon="0.1")
    assert (answer.cost.epsilon, answer.free, spent(t)) == (Fraction(1, 20), ("AVG(Income)",), Fraction(3, 20))
    assert answer.receipt["stored"] == [{"what": "AVG(Income)", "charge": 2}]
    assert t.ask(with_count + " ORDER BY n", epsilon="0.1").rows is not None
    assert spent(t) == Fraction(3, 20)


def test_a_stored_draw_that_is_less_precise_is_offered_and_taken_at_a_lower_price():
    t = people()
    t.ask(BY_RACE, epsilon="0.1")
    counted = "SELECT Race, COUNT(Income) AS n FROM people GROUP BY Race"
    (offer,) = t.quote(counted, epsilon="0.1").offers
    assert (offer.free, offer.bought) == (42.0, 30.0)                  # two draws of scale 10, or one
    assert not t.quote(counted, epsilon="0.1").replay
    assert t.quote(counted, epsilon=offer.at.epsilon).replay           # 0.0707 is where they are as good
    assert offer.at.epsilon == Fraction(7, 100)
    assert not t.quote(counted, epsilon="0.0708").replay


def test_sums_of_a_higher_degree_tell_means_and_counts_where_they_are_as_good():
    t = people()
    t.ask("SELECT VARIANCE(Income) AS v FROM people", epsilon=1)
    mean = "SELECT AVG(Income) AS m FROM people"
    assert not t.quote(mean, epsilon=1).replay                         # five quarters of the variance
    assert t.quote(mean, epsilon="0.89").replay                        # (4/5) ** 0.5 is 0.894
    assert not t.quote(mean, epsilon="0.9").replay
    assert t.quote("SELECT COUNT(Income) AS n FROM people", epsilon="0.57").replay     # 3 ** -0.5 is 0.577
    assert not t.quote("SELECT COUNT(Income) AS n FROM people", epsilon="0.58").replay
    assert not t.quote("SELECT STDDEV(Income) AS s FROM people WHERE Age > 20", epsilon="0.1").replay


def test_a_total_of_numbers_far_from_zero_is_not_as_good_as_planned():
    t = people()
    t.ask("SELECT AVG(Age) AS m FROM people", epsilon=1)                # from 10 to 90
    total = "SELECT SUM(Age) AS s FROM people"
    assert t.quote(total, epsilon=1).replay is False                   # (10 ** 2 + 90 ** 2) ** 0.5 is more than 90
    assert t.quote(total, epsilon="0.99").replay                       # 90.55 against 90.9


def test_weights_decide_what_is_bought_and_nothing_better_is_out_of_reach():
    t = people()
    both = "SELECT SUM(Age) AS s, COUNT(DISTINCT Race) AS n FROM people"
    t.ask(both, epsilon=1, weights={"s": 1, "n": 99})
    before = spent(t)
    again = t.ask(both, epsilon=1)                                     # half of 1 for the sum is more than a hundredth
    assert (again.free, spent(t) - before) == (("COUNT(DISTINCT Race)",), Fraction(1, 2))
    assert t.ask(both, epsilon=1, weights={"s": 1, "n": 99}).replayed


def test_kinds_of_noise_do_not_stand_for_each_other():
    t = people()
    t.ask(BY_RACE, epsilon=1)
    assert not t.quote(BY_RACE, epsilon="0.5", delta="1e-6").replay
    t.ask(BY_RACE, epsilon=1, delta="1e-6")
    assert t.quote(BY_RACE, epsilon="0.5", delta="1e-6").replay
    assert t.quote(BY_RACE, epsilon="0.5").free == ("AVG(Income)",)


@pytest.mark.parametrize("sql", ["SELECT MEDIAN(Income) AS m FROM people", "SELECT MIN(Age) AS m FROM people",
                                 "SELECT QUANTILE(Age, 0.25) AS a, MEDIAN(Age) AS m, QUANTILE(Age, 0.75) AS b FROM people"])
def test_ranks_are_stored_whole_and_serve_at_a_lower_price(sql):
    t = people()
    first = t.ask(sql, epsilon=1)
    assert t.ask(sql, epsilon="0.5").rows == first.rows
    assert t.ask(sql.replace(" AS m", " * 2 AS m"), epsilon=1).replayed
    assert spent(t) == 1
    assert not t.quote(sql, epsilon="1.1").replay


# ---- (epsilon, delta)


def test_a_partial_purchase_is_one_claim_at_the_exact_delta_of_what_is_released():
    t = people()
    price = {"epsilon": 1, "delta": "1e-6"}
    t.ask("SELECT AVG(Income) AS m FROM people", **price)
    both = "SELECT AVG(Income) AS m, COUNT(*) AS n FROM people"
    plan = make_plan(read_sql(both, t.facts), t.facts, read_price(**price))
    request = crossed(Order(t.desk, plan, Fraction(19, 20)), waits=False).request
    assert isinstance(request.event, GaussianRelease)
    claim, rho = request.event.claim, request.event.ratio_squared / 2
    assert rho == plan.vectors[1].mechanism.cost.ratio_squared / 2     # of the count alone
    assert Fraction(1, 2) < claim.epsilon < 1
    assert delta_of(rho, claim.epsilon) <= claim.delta == Fraction(1, 10**6)
    assert delta_of(rho, claim.epsilon * Fraction(999, 1000)) > claim.delta          # and no less will do
    assert delta_of(rho, Fraction(1, 2)) > 100 * claim.delta / 2       # what half of the price would have claimed
    before = t.budget.spent
    t.ask(both, **price)
    assert (t.budget.spent.epsilon - before.epsilon, t.budget.spent.delta - before.delta) == (claim.epsilon, claim.delta)
    assert verify(t.desk.ledger).ok


@pytest.mark.slow
def test_the_claim_of_a_partial_purchase_holds_by_the_law_of_its_noise():
    t = people()
    price = {"epsilon": "0.5", "delta": "1e-5"}
    t.ask("SELECT AVG(Income) AS m FROM people", **price)
    plan = make_plan(read_sql("SELECT AVG(Income) AS m, COUNT(*) AS n FROM people", t.facts), t.facts, read_price(**price))
    event = crossed(Order(t.desk, plan, Fraction(19, 20)), waits=False).request.event
    law, epsilon = plan.vectors[1].mechanism.law, event.claim.epsilon
    # one row moves the count by one: the exact delta is P(z >= t) - e^epsilon P(z >= t + 1), at the worst t
    above = [float(tail(law, t)[1]) for t in range(600)]
    delta = max(here - exp(epsilon) * beyond for here, beyond in pairwise(above))
    assert 0 < delta <= event.claim.delta


# ---- keys that are found


def test_a_second_question_on_found_keys_pays_no_delta_and_keeps_its_kind_of_noise():
    t = people()
    price = {"epsilon": 20, "delta": "1e-3"}
    counted = "SELECT who, COUNT(*) AS n FROM people GROUP BY who"
    first = t.ask(counted, **price)
    assert t.budget.spent.delta == Fraction(1, 1000)
    means = "SELECT who, AVG(Age) AS m FROM people GROUP BY who"
    quote = t.quote(means, epsilon=10, delta="1e-3")
    assert (quote.free, [what for what, _ in quote.split]) == (("keys who",), ["AVG(Age)"])
    before = spent(t)
    answer = t.ask(means, epsilon=10, delta="1e-3")
    assert t.budget.spent.delta == Fraction(1, 1000)
    assert spent(t) - before == 5                                      # the share of the mean
    assert [row["who"] for row in answer.rows] == [row["who"] for row in first.rows]
    assert answer.receipt["mechanisms"][0]["noise"] == "discrete Laplace"
    assert t.ask("SELECT who, AVG(Age) * 2 AS twice FROM people GROUP BY who", epsilon=10, delta="1e-3").replayed
    assert verify(t.desk.ledger).ok


# ---- caps


def test_under_a_cap_a_sum_alone_and_beside_a_mean_are_different_statistics():
    t = people(unit="{ column = 'who' }", caps="")
    total = "SELECT SUM(Age) AS s FROM people PER UNIT 2 ROWS"
    t.ask("SELECT SUM(Age) AS s, AVG(Income) AS m FROM people PER UNIT 2 ROWS", epsilon=1)
    quote = t.quote(total, epsilon="0.1")
    assert quote.free == ()
    assert not quote.replay


def test_a_part_bought_later_is_of_the_same_rows_of_each_unit_as_the_whole():
    """Which rows of a unit stay depends on the columns that are read: a part of a plan reads as if it were all of it."""
    facts = parse_facts(FACTS.format(unit="{ column = 'who' }", caps=""), "people.toml")
    both = "SELECT AVG(Income) AS m, SUM(Age) AS s FROM people PER UNIT 2 ROWS"
    plan = make_plan(read_sql(both, facts), facts, read_price(epsilon=1))
    engine = Reference(facts, rows())
    whole = engine.run(plan.wanted).take().whole()
    for place, vector in enumerate(plan.vectors):
        part = part_of(plan, [place])
        found = engine.run(part.wanted).take().whole()
        start = vector.measures[0]
        assert found.tolist() == whole[start : start + len(vector.wants()[0])].tolist()
        alone = replace(part.wanted, also_read=frozenset())
        assert alone.measures
    assert engine.run(alone).take().whole().tolist() != found.tolist()  # the law could fail: read alone, other rows stay


# ---- several questions at once


def test_the_same_question_twice_in_a_batch_is_one_view_of_found_bounds_with_two_names():
    facts = parse_facts(FACTS.format(unit="'row'", caps="").replace("lower = 0\nupper = 500000\n", ""), "people.toml")
    t = curator_in_memory(facts, Reference(facts, rows()))
    bounded = t.ask("SELECT VARIANCE(Income) AS v FROM people", epsilon=20, bounds_share="0.5")
    asked = [read_sql(f"SELECT AVG(Income) AS {name} FROM people", facts, bounds_share=Fraction(1, 2)) for name in "ab"]
    alone = t.ask(asked[0], epsilon=5)
    first, second = t.ask_all(asked, epsilon=5)
    assert (first.rows[0]["a"], first.intervals[0]["a"]) == (second.rows[0]["b"], second.intervals[0]["b"])
    assert (alone.intervals, spent(t)) == (first.intervals, bounded.cost.epsilon)


def test_what_is_told_within_found_bounds_has_a_name_that_says_which_charge_found_which():
    unbounded = FACTS.replace("lower = 0\nupper = 500000\n", "").replace("lower = 10\nupper = 90\n", "")
    facts = parse_facts(unbounded.format(unit="'row'", caps=""), "people.toml")
    asked = read_sql("SELECT AVG(Income) AS m, AVG(Age) AS a FROM people", facts, bounds_share=Fraction(1, 2))
    plan = make_plan(asked, facts, read_price(epsilon=1))

    def names(*charges):
        uses = tuple(Use(place, 0, Draw(charge, place, 0, plan.vectors[place])) for place, charge in enumerate(charges))
        return Purchase(plan, (2, 3), uses, plan.event).names

    assert names(3, 5) != names(5, 3)
    assert [name for _, _, name in names(4, 4)] == [name + "4" for place, _, name in bought_whole(plan).names if place > 1]


def test_keys_of_the_charge_by_which_most_is_stored_are_used_and_not_the_most_precise():
    t = people()
    means = "SELECT who, AVG(Age) AS m FROM people GROUP BY who"
    first = t.ask(means, epsilon=20, delta="1e-3")
    t.ask("SELECT who, COUNT(*) AS n FROM people GROUP BY who", epsilon=40, delta="1e-3")     # better keys, without means
    assert t.ask(means, epsilon=20, delta="1e-3").rows == first.rows
    assert t.ask(means + " ORDER BY m", epsilon=20, delta="1e-3").replayed


# ---- intervals of values


LARGEST = "SELECT MAX(Age) AS m FROM people"


@pytest.mark.slow
@pytest.mark.parametrize("before", [{"epsilon": 10}, {"epsilon": "0.01"}, {"epsilon": 3, "value_intervals": True}])
@pytest.mark.parametrize("words", [{"epsilon": "0.1"}, {"epsilon": 3}, {"epsilon": 30}])
def test_ends_are_those_of_the_value_that_is_shown_whatever_was_bought_before(before, words):
    """The value and both ends are one part: an interval around another value would miss half the time."""
    t = people()
    t.ask(LARGEST, **before)
    ask = Ask.of(LARGEST, value_intervals=True, **words)
    plan = make_plan(ask.read(t.facts), t.facts, ask.price(ask.read(t.facts), t.facts, None), ask.weights)
    view = view_of(crossed(Order(t.desk, plan, Fraction(19, 20)), waits=False).purchase).plan
    assert [part.what for part in view.vectors] == ["MAX(Age, INTERVAL)"]
    answer = t.ask(LARGEST, value_intervals=True, **words)
    (row,), (ends,) = answer.rows, answer.intervals
    assert ends["m"][0] <= row["m"] <= ends["m"][1]


def test_an_interval_of_values_is_free_at_a_lower_price():
    t = people()
    first = t.ask(LARGEST, epsilon=3, value_intervals=True)
    t.ask(LARGEST, epsilon=2)
    again = t.ask(LARGEST, epsilon=1, value_intervals=True)
    assert (again.rows, again.intervals, spent(t)) == (first.rows, first.intervals, 5)


@pytest.mark.parametrize("price", [{"epsilon": 3}, {"epsilon": 3, "delta": "1e-6"}])
def test_what_two_questions_of_a_batch_share_is_bought_once_and_shown_the_same(price):
    t = people()
    best = "SELECT Race, AVG(Income) AS most FROM people GROUP BY Race ORDER BY most DESC LIMIT 1"
    asked = [BY_RACE, best, "SELECT COUNT(*) AS n FROM people", "SELECT Race, SUM(Income) AS s FROM people GROUP BY Race"]
    means, top, count, sums = t.ask_all(asked, **price)
    (row,), (ends,) = top.rows, top.intervals
    told = {each["Race"]: (each["m"], pair["m"]) for each, pair in zip(means.rows, means.intervals, strict=True)}
    assert told[row["Race"]] == (row["most"], ends["most"])                          # one draw, seen twice
    assert [each.replayed for each in (means, top, count, sums)] == [False, True, False, True]
    bought = means.receipt["entry"]["charge"]
    assert [each["charge"] for each in top.receipt["stored"] + sums.receipt["stored"]] == [bought] * 2
    assert (top.cost.epsilon, spent(t)) == (0, means.cost.epsilon + count.cost.epsilon)
    assert spent(t) < 2                                                              # of 3, for four that are two
    assert [each.rows for each in t.ask_all(asked, **price)] == [each.rows for each in (means, top, count, sums)]
    assert (spent(t) < 2, verify(t.desk.ledger).ok) == (True, True)


def test_of_a_batch_only_what_is_told_as_well_by_others_is_left_out_of_the_charge():
    t = people()
    count, both = "SELECT COUNT(*) AS n FROM people", "SELECT COUNT(*) AS n, MEDIAN(Income) AS m FROM people"
    assert [each.replayed for each in t.ask_all([count, both], epsilon=2)] == [False, False]     # a part of it is new
    t = people()
    assert [each.replayed for each in t.ask_all([both, count], epsilon=2)] == [False, True]
    assert t.ask_all(["SELECT AVG(Age) AS m FROM people", count], epsilon=20)[1].cost.epsilon == 10  # a pair tells it √2 worse
    with pytest.raises(dc.BudgetError):
        people().ask_all([both, count], epsilon=10**5)
