"""One price over several vectors and several questions: equal shares, weights, and parts that add up."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.planning.batches import make_plans
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.planning.shares import weights_behind
from discreet.privacy.conversion import rho_of
from discreet.privacy.events import Sequence
from discreet.privacy.prices import approximate, concentrated, pure
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.views.expected import expected_errors, price_within

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1000
[columns.x]
type = "number"
lower = 0
upper = 10
null = 0
[columns.y]
type = "number"
lower = 0
upper = 100
[columns.k]
type = "integer"
lower = 0
upper = 999
[columns.c]
type = "category"
values = [1, 2, 3]
"""
FREE = parse_facts(FACTS.format(neighbours="add_remove", size="rows_about = 1000"), "t.toml")
FIXED = parse_facts(FACTS.format(neighbours="change_one", size="rows = 1000"), "t.toml")
THREE = "SELECT AVG(x) AS mx, AVG(y) AS my, COUNT(y) / COUNT(k) AS part FROM t"  # x, y and k: three vectors


def asked(sql, facts=FREE):
    return read_sql(sql, facts)


def shares(sql, weights, facts=FREE):
    return {v.what: v.share for v in make_plan(asked(sql, facts), facts, read_price(epsilon=1), weights).vectors}


# ---- weights


def test_without_weights_every_vector_has_an_equal_share():
    assert list(shares(THREE, None).values()) == [Fraction(1, 3)] * 3
    assert shares(THREE, {}) == shares(THREE, {"mx": 1})


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({"mx": 3}, ["3/5", "1/5", "1/5"]),
        ({"AVG(x)": "1/2"}, ["1/5", "2/5", "2/5"]),                      # by what a quote calls it
        ({"my": 2, "part": 5}, ["1/11", "5/11", "5/11"]),                # AVG(y) and COUNT(y) are one vector: the larger
        ({"my": "0.1"}, ["10/21", "1/21", "10/21"]),                     # the largest that is named, though part weighs 1
        ({"mx": 0.3, "my": 0.3, "part": "0.3"}, ["1/3", "1/3", "1/3"]),
    ],
)
def test_shares_are_in_proportion_to_weights_and_add_up_to_one(weights, expected):
    found = list(shares(THREE, weights).values())
    assert found == [Fraction(each) for each in expected]
    assert sum(found) == 1


@pytest.mark.parametrize(("price", "loss"), [({"epsilon": 1}, pure), ({"rho": "0.1"}, concentrated)])
def test_weights_move_noise_and_leave_the_price_alone(price, loss):
    plain, weighed = (make_plan(asked(THREE), FREE, read_price(**price), each) for each in (None, {"mx": 8}))
    assert loss(weighed.event) == loss(plain.event) == read_price(**price)
    assert weighed.vectors[0].mechanism.scale < plain.vectors[0].mechanism.scale
    assert weighed.vectors[1].mechanism.scale > plain.vectors[1].mechanism.scale


def test_an_aggregate_that_only_having_uses_is_weighed_by_what_it_is():
    sql = "SELECT AVG(y) AS m FROM t HAVING SUM(k) > 7"
    assert shares(sql, {"SUM(k)": 3}) == {"AVG(y)": Fraction(1, 4), "SUM(k)": Fraction(3, 4)}


@pytest.mark.parametrize("weights", [{"mz": 2}, {"MX": 2}, {"x": 2}, {"avg(x)": 2}])
def test_an_unknown_name_is_refused_with_the_names_there_are(weights):
    with pytest.raises(dc.QuestionError) as refused:
        make_plan(asked(THREE), FREE, read_price(epsilon=1), weights)
    assert repr(next(iter(weights))) in str(refused.value)
    assert all(name in refused.value.hint for name in ("mx", "my", "part", "AVG(x)"))


def test_keys_and_public_numbers_take_no_weight():
    with pytest.raises(dc.QuestionError):
        shares("SELECT c, COUNT(*) AS n FROM t GROUP BY c", {"c": 2})
    with pytest.raises(dc.QuestionError) as refused:
        shares("SELECT COUNT(*) AS n FROM t", {"n": 2}, FIXED)
    assert "public" in refused.value.hint


@pytest.mark.parametrize("weight", [0, -1, "x", float("nan"), float("inf"), True, None, "1e999"])
def test_a_weight_is_a_positive_number_that_leaves_something_for_the_others(weight):
    with pytest.raises(dc.Refused):
        shares(THREE, {"mx": weight})


def test_weights_of_hundreds_of_digits_are_refused_before_they_become_shares_that_nothing_reads_back():
    long = {"mx": f"1/{10**390 + 1}", "my": f"1/{10**390 + 7}", "part": f"1/{10**390 + 9}"}
    with pytest.raises(dc.QuestionError, match="digits"):
        shares(THREE, long)
    assert shares(THREE, {"mx": 0.1 + 0.2, "my": "0.123456789012345"})


def test_a_share_close_to_nothing_is_still_released():
    plan = make_plan(asked(THREE), FREE, read_price(epsilon="1e-12"), {"mx": "1e8"})
    released = release(plan, Reference(FREE, [{"x": 1, "y": 2, "k": 3}]).run(plan.wanted))
    assert [each.shape for each in released] == [(2, 1, 1), (2, 1, 1), (1, 1, 1)]


def test_many_cells_are_refused_where_a_small_share_would_leave_64_bits():
    sql = "SELECT k, COUNT(*) AS n, AVG(y) AS m FROM t GROUP BY k"
    make_plan(asked(sql), FREE, read_price(epsilon="1e-9"))
    with pytest.raises(dc.QuestionError, match="out of reach"):
        make_plan(asked(sql), FREE, read_price(epsilon="1e-9"), {"m": "1e8"})


@pytest.mark.slow
def test_an_error_that_is_wished_for_costs_less_where_weights_favour_it():
    wish = {"mx": Fraction(1)}
    plain, weighed = (price_within(asked(THREE), FREE, wish, 0.95, None, weights=each) for each in (None, {"mx": 8}))
    assert weighed.epsilon < Fraction(1, 2) * plain.epsilon
    for price, weights in ((plain, None), (weighed, {"mx": 8})):
        at = {each.name: each for each in expected_errors(make_plan(asked(THREE), FREE, price, weights), 0.95, None)}
        assert 0.98 < at["mx"].plus_minus <= 1
    with pytest.raises(dc.QuestionError, match="mz"):
        price_within(asked(THREE), FREE, wish, 0.95, None, weights={"mz": 1})


# ---- several questions


COUNT, MEAN, BOTH = "SELECT COUNT(*) AS n FROM t", "SELECT AVG(y) AS m FROM t", "SELECT AVG(x) AS a, AVG(y) AS b FROM t"


@pytest.mark.parametrize(("price", "loss"), [({"epsilon": "0.7"}, pure), ({"rho": "0.1"}, concentrated)])
def test_every_vector_of_every_question_gets_an_equal_share_and_the_parts_are_the_price(price, loss):
    plans = make_plans([asked(sql) for sql in (COUNT, BOTH, MEAN + " WHERE c = 2")], FREE, read_price(**price))
    whole = next(iter(price.values()))
    parts = [getattr(plan.price, next(iter(price))) for plan in plans]
    assert parts == [Fraction(whole) * Fraction(each) for each in ("1/4", "1/2", "1/4")]
    assert loss(Sequence(tuple(plan.event for plan in plans))) == read_price(**price)
    assert len({loss(v.mechanism.cost) for plan in plans for v in plan.vectors}) == 1


def test_parts_of_epsilon_and_delta_add_up_and_each_holds_by_itself():
    price = read_price(epsilon=1, delta="1e-6")
    plans = make_plans([asked(sql) for sql in (COUNT, BOTH, MEAN)], FREE, price)
    assert approximate(Sequence(tuple(plan.event for plan in plans))) == price
    for plan in plans:
        assert approximate(plan.event) == plan.price
        rho = sum((concentrated(v.mechanism.cost).rho for v in plan.vectors), start=Fraction(0))
        if plan.question.outputs[0].name != "n":                        # one number is calibrated by its exact law
            assert rho <= rho_of(plan.price.epsilon, plan.price.delta)
    alike = [concentrated(v.mechanism.cost).rho for plan in plans[1:] for v in plan.vectors]
    assert max(alike) < Fraction(11, 10) * min(alike)                    # equal noise, but for the logarithm of delta


def test_weights_reach_across_questions_and_a_name_in_none_of_them_is_refused():
    questions = [asked(sql) for sql in (COUNT, BOTH)]
    plans = make_plans(questions, FREE, read_price(epsilon=1), {"n": 2, "b": "1/2"})
    shared = [v.share * plan.price.epsilon for plan in plans for v in plan.vectors]
    assert shared == [Fraction(4, 7), Fraction(2, 7), Fraction(1, 7)]
    with pytest.raises(dc.QuestionError, match="m"):
        make_plans(questions, FREE, read_price(epsilon=1), {"m": 2})


def test_a_question_that_is_asked_twice_is_planned_and_paid_for_once():
    twice = [asked(sql) for sql in (COUNT, MEAN, "SELECT count(*) AS k FROM T WHERE 1 = 1", BOTH)]
    plans = make_plans(twice, FREE, read_price(epsilon=1))
    assert [plan.question for plan in plans] == [twice[0], twice[1], twice[3]]
    assert [plan.price.epsilon for plan in plans] == [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": "1e-6"}])
def test_what_is_public_costs_nothing_and_leaves_the_price_to_the_others(price):
    whole = read_price(**price)
    free, paid = make_plans([asked(COUNT, FIXED), asked("SELECT AVG(x) AS m FROM t", FIXED)], FIXED, whole)
    assert paid.price == whole
    assert free.vectors == ()
    assert set(vars_of(free.price)) == {0}
    alone, = make_plans([asked(COUNT, FIXED)], FIXED, whole)
    assert alone == free


def vars_of(loss):
    return [getattr(loss, name) for name in loss.__slots__]


def test_no_questions_are_no_plan():
    with pytest.raises(dc.ParameterError):
        make_plans([], FREE, read_price(epsilon=1))


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": "1e-6"}])
def test_a_plan_of_several_is_made_again_from_its_question_its_price_and_its_weights(price):
    plans = make_plans([asked(sql) for sql in (COUNT, BOTH, THREE)], FREE, read_price(**price), {"n": 2, "b": "1/2", "part": 7})
    assert weights_behind(plans[0]) == {}
    for plan in plans:
        assert make_plan(plan.question, FREE, plan.price, weights_behind(plan)) == plan


def test_the_words_of_a_quote_come_before_a_name_that_says_the_same():
    sql = 'SELECT AVG(y) AS "COUNT(*)", COUNT(*) AS n FROM t'
    assert shares(sql, {"COUNT(*)": 3}) == {"AVG(y)": Fraction(1, 4), "COUNT(*)": Fraction(3, 4)}
