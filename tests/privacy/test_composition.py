"""How losses add up: in sequence, on disjoint groups under both relations, and for groups of units."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

import discreet as dc
from discreet.privacy.composition import groups_touched
from discreet.privacy.prices import concentrated

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "composition.json").read_text(encoding="utf-8"))


def mp(number):
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


# ---- in sequence


def test_in_sequence_losses_of_a_kind_are_summed():
    assert dc.sequential(dc.Pure(epsilon="0.1"), dc.Pure(epsilon="0.2")) == dc.Pure(epsilon="0.3")
    assert dc.sequential(dc.Concentrated(rho="0.1"), dc.Concentrated(rho="0.2")) == dc.Concentrated(rho="0.3")
    both = dc.sequential(dc.Approximate(epsilon="0.1", delta="1e-6"), dc.Approximate(epsilon="0.2", delta="2e-6"))
    assert both == dc.Approximate(epsilon="0.3", delta="3e-6")
    assert dc.sequential() == dc.Pure(epsilon=0)


def test_in_sequence_pure_losses_take_the_kind_of_the_others():
    assert dc.sequential(dc.Pure(epsilon=1), dc.Approximate(epsilon=1, delta="1e-6")) == dc.Approximate(epsilon=2, delta="1e-6")
    assert dc.sequential(dc.Concentrated(rho=1), dc.Pure(epsilon=1)) == dc.Concentrated(rho="1.5")


def test_approximate_and_concentrated_losses_are_not_added():
    with pytest.raises(dc.ParameterError, match=r"read the concentrated ones as approximate first: loss.to_approximate\(delta\)"):
        dc.sequential(dc.Concentrated(rho=1), dc.Approximate(epsilon=1, delta="1e-6"))
    with pytest.raises(dc.ParameterError, match="do not add up"):
        dc.parallel(dc.Concentrated(rho=1), dc.Approximate(epsilon=1, delta="1e-6"), neighbours="add_remove")


@pytest.mark.parametrize("loss", [
    dc.Pure(epsilon="0.1"), dc.Approximate(epsilon="1/3", delta="1e-9"), dc.Concentrated(rho="1/7")], ids=repr)
def test_a_count_is_that_many_times_the_same(loss):
    assert dc.sequential(loss, count=5) == dc.sequential(*[loss] * 5)
    assert dc.sequential(loss, loss, count=2) == dc.sequential(*[loss] * 4)


def test_a_delta_that_reaches_one_promises_nothing_and_says_so():
    assert dc.sequential(dc.Approximate(epsilon=1, delta="0.5"), count=2).delta == 1
    assert dc.sequential(dc.Approximate(epsilon=1, delta="0.9"), count=5).delta == 1


@pytest.mark.parametrize("case", GOLDEN["smallest_laplace_noise"]["cases"], ids=str)
def test_published_the_scale_at_which_many_laplace_releases_lose_epsilon(case):
    mechanism = dc.Laplace(scale=case["scale"], sensitivity=case["sensitivity"])
    assert dc.sequential(mechanism.loss, count=case["num_queries"]) == dc.Pure(epsilon=case["epsilon"])


@pytest.mark.parametrize("case", GOLDEN["smallest_discrete_laplace_noise"]["cases"], ids=str)
def test_published_the_parameter_at_which_many_discrete_laplace_releases_lose_epsilon(case):
    mechanism = dc.Laplace(epsilon=Fraction(case["epsilon"], case["num_queries"]), sensitivity=case["sensitivity"])
    assert mechanism.law.linear == Fraction(case["parameter"])
    assert dc.sequential(mechanism.loss, count=case["num_queries"]) == dc.Pure(epsilon=case["epsilon"])


@pytest.mark.parametrize("case", GOLDEN["many_times_the_same"]["cases"], ids=str)
def test_published_many_times_the_same_without_delta(case):
    loss = dc.Approximate(epsilon=case["epsilon"], delta=0)
    assert dc.sequential(loss, count=case["num_queries"]) == dc.Approximate(epsilon=case["total_epsilon"], delta=0)


@pytest.mark.parametrize("case", GOLDEN["one_after_the_other"]["cases"], ids=str)
def test_published_one_after_the_other(case):
    total = dc.sequential(*(dc.Approximate(epsilon=epsilon, delta=delta) for epsilon, delta in case["losses"]))
    assert total.epsilon == Fraction(case["total_epsilon"])
    assert total.delta == sum(Fraction(delta) for _, delta in case["losses"]) >= Fraction(case["total_delta"])


def law_of(mechanism, shift, reach):
    return {z: mp(mechanism.pmf(z - shift, exact=True)[0]) for z in range(-reach, reach + 1)}


def test_a_second_question_that_depends_on_the_first_answer_loses_the_sum():
    """A noisy count, then a selection whose scores depend on table and answer: the joint law on two neighbours."""
    count, selection = dc.Laplace(epsilon="1/2", sensitivity=1), dc.Exponential(epsilon="3/4", sensitivity=1)
    laws = []
    for table in (0, 1):                                      # the count, and what the unit adds to each score
        joint = {}
        for answer, p in law_of(count, table, 40).items():
            scores = [table, 60 - table] if answer >= 0 else [-table, 60 + table]
            joint |= {(answer, place): p * mp(low) for place, (low, _) in enumerate(selection.pmf(scores, exact=True))}
        laws.append(joint)
    lost = max(abs(mpmath.log(laws[0][output] / laws[1][output])) for output in laws[0])
    charged = mp(dc.sequential(count.loss, selection.loss).epsilon)
    assert charged * mpmath.mpf("0.97") < lost <= charged


def test_two_gaussian_releases_lose_the_sum_of_rho_and_at_most_the_sum_of_epsilon_and_delta():
    one = dc.Gaussian(epsilon="1/2", delta="1e-2", sensitivity=1)
    near, far = law_of(one, 0, 24), law_of(one, 1, 24)
    pairs = [(near[y] * near[z], far[y] * far[z]) for y in near for z in near]
    charged = dc.sequential(one.loss, one.loss)
    over = mpmath.fsum(max(mpmath.mpf(0), p - mpmath.exp(mp(charged.epsilon)) * q) for p, q in pairs)
    assert charged == dc.Approximate(epsilon=1, delta="0.02")
    assert mp(charged.delta) / 10 < over <= mp(charged.delta)
    rho = mp(dc.sequential(concentrated(one.cost), count=2).rho)
    lost = mpmath.log(mpmath.fsum(p * p / q for p, q in pairs)) / 2              # the order 2, over 2
    assert abs(lost - rho) < rho * mpmath.mpf("1e-6")


# ---- on disjoint groups


def test_in_parallel_a_unit_touches_as_many_groups_as_its_relation_lets_it():
    losses = [dc.Pure(epsilon=e) for e in (1, 5, 2, 4)]
    assert dc.parallel(*losses, neighbours="add_remove") == dc.Pure(epsilon=5)
    assert dc.parallel(*losses, neighbours="change_one") == dc.Pure(epsilon=9)          # leaves one group, enters another
    assert dc.parallel(*losses, neighbours="add_remove", groups=3) == dc.Pure(epsilon=11)
    assert dc.parallel(*losses, neighbours="change_one", groups=3) == dc.Pure(epsilon=12)
    assert dc.parallel(dc.Pure(epsilon=3), neighbours="change_one") == dc.Pure(epsilon=3)
    assert dc.parallel(neighbours="change_one") == dc.Pure(epsilon=0)


def test_in_parallel_each_parameter_is_taken_by_itself():
    losses = [dc.Approximate(epsilon=1, delta="1e-3"), dc.Approximate(epsilon=2, delta="1e-6"), dc.Pure(epsilon=3)]
    assert dc.parallel(*losses, neighbours="add_remove") == dc.Approximate(epsilon=3, delta="1e-3")
    assert dc.parallel(*losses, neighbours="change_one") == dc.Approximate(epsilon=5, delta="0.001001")
    rhos = [dc.Concentrated(rho=1), dc.Concentrated(rho=3), dc.Pure(epsilon=2)]
    assert dc.parallel(*rhos, neighbours="add_remove") == dc.Concentrated(rho=3)
    assert dc.parallel(*rhos, neighbours="change_one") == dc.Concentrated(rho=5)


@pytest.mark.parametrize("neighbours", ["add_remove", "change_one"])
@pytest.mark.parametrize("groups", [1, 2])
def test_groups_touched_is_what_brute_force_over_small_tables_finds(neighbours, groups):
    places = 5
    units = [held for size in range(groups + 1) for held in itertools.combinations(range(places), size)]
    present = [held for held in units if held]                # under change_one a unit is replaced by one that is there
    afterwards = [()] if neighbours == "add_remove" else present
    pairs = itertools.product(present, afterwards)
    assert max(len(set(before) | set(after)) for before, after in pairs) == groups_touched(neighbours, groups)


def test_one_person_who_moves_changes_both_counts():
    """The loss that two Laplace counts in parallel really have under change_one, from their exact probabilities."""
    counts = [dc.Laplace(epsilon="1/2", sensitivity=1), dc.Laplace(epsilon=2, sensitivity=1)]
    lost = mpmath.mpf(0)
    for mechanism in counts:                                  # one row leaves one count and enters the other
        logs = {z: mpmath.log(mp(mechanism.pmf(z, exact=True)[0])) for z in range(-9, 10)}
        lost += max(abs(logs[z] - logs[z - 1]) for z in range(-8, 9))
    charged = dc.parallel(*(mechanism.loss for mechanism in counts), neighbours="change_one").epsilon
    assert abs(lost - mp(charged)) < mpmath.mpf("1e-20")
    assert dc.parallel(*(mechanism.loss for mechanism in counts), neighbours="add_remove").epsilon < charged


# ---- for groups of units


def test_for_k_units_pure_is_times_k_and_concentrated_times_k_squared():
    assert dc.group(dc.Pure(epsilon="0.1"), 5) == dc.Pure(epsilon="0.5")
    assert dc.group(dc.Concentrated(rho="0.1"), 5) == dc.Concentrated(rho="2.5")
    assert dc.group(dc.Pure(epsilon=1), 1) == dc.Pure(epsilon=1)


@pytest.mark.parametrize(("epsilon", "delta", "k"), [
    ("1", "1e-6", 3), ("0.1", "1e-9", 10), ("1/3", "1e-3", 2), ("1e-6", "1e-9", 10**6), ("2", "1e-12", 7),
    ("1e-20", "1e-30", 10**9), ("5", "1e-100", 40)])
def test_for_k_units_an_approximate_delta_is_a_geometric_sum_rounded_up(epsilon, delta, k):
    found = dc.group(dc.Approximate(epsilon=epsilon, delta=delta), k)
    true = mp(delta) * (mpmath.expm1(k * mp(epsilon)) / mpmath.expm1(mp(epsilon)))
    assert found.epsilon == k * Fraction(epsilon)
    assert true <= mp(found.delta) <= true * (1 + mpmath.mpf("2e-11"))
    if k <= 40:
        terms = mpmath.fsum(mp(delta) * mpmath.exp(i * mp(epsilon)) for i in range(k))
        assert abs(terms - true) < true * mpmath.mpf("1e-30")


@pytest.mark.parametrize(("epsilon", "delta", "k"), [
    ("1", "0.1", 3), ("100", "1e-6", 10**6), ("1", "0.5", 2), ("0", "0.1", 10), ("0", "0.1", 11)])
def test_for_k_units_delta_stops_at_one(epsilon, delta, k):
    assert dc.group(dc.Approximate(epsilon=epsilon, delta=delta), k).delta == 1


def test_for_k_units_edges():
    assert dc.group(dc.Approximate(epsilon=0, delta="0.1"), 9).delta == Fraction(9, 10)
    assert dc.group(dc.Approximate(epsilon=1, delta=0), 9) == dc.Approximate(epsilon=9, delta=0)
    assert dc.group(dc.Approximate(epsilon=1, delta="1e-6"), 1) == dc.Approximate(epsilon=1, delta="1e-6")


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_group_loss_of_gaussian_noise_is_within_what_is_charged(k):
    """k units move a count by k; delta by brute force over every output."""
    epsilon, delta = Fraction(1, 4), Fraction("1e-4")
    mechanism = dc.Gaussian(epsilon=epsilon, delta=delta, sensitivity=1)
    quadratic = mp(mechanism.law.quadratic)
    charged = dc.group(mechanism.loss, k)
    factor = mpmath.exp(mp(charged.epsilon))
    weights = {z: mpmath.exp(-quadratic * z * z) for z in range(-160, 161)}
    over = mpmath.fsum(max(mpmath.mpf(0), weights[z] - factor * weights[z + k]) for z in range(-150, 151))
    assert over / mpmath.fsum(weights.values()) <= mp(charged.delta)
    rho = dc.Gaussian(rho="1/10", sensitivity=1)
    assert rho.loss_for(k) == dc.group(rho.loss, k)           # and here it is attained
    pure = dc.Laplace(epsilon="1/10", sensitivity=1)
    assert pure.loss_for(k) == dc.group(pure.loss, k)


# ---- refusals


@pytest.mark.parametrize("call", [
    lambda: dc.sequential(0.1), lambda: dc.sequential(dc.Pure(epsilon=1), "x"),
    lambda: dc.sequential(dc.Pure(epsilon=1), count=0), lambda: dc.sequential(dc.Pure(epsilon=1), count=1.5),
    lambda: dc.parallel(1, neighbours="add_remove"),
    lambda: dc.parallel(dc.Pure(epsilon=1), neighbours="both"), lambda: dc.parallel(dc.Pure(epsilon=1), neighbours=None),
    lambda: dc.parallel(dc.Pure(epsilon=1), neighbours="add_remove", groups=0), lambda: dc.group(dc.Pure(epsilon=1), 0),
    lambda: dc.group(dc.Pure(epsilon=1), "many"), lambda: dc.group(0.1, 2), lambda: dc.group(None, 2)])
def test_what_is_no_loss_count_or_relation_is_refused(call):
    with pytest.raises(dc.ParameterError) as caught:
        call()
    assert "write" in caught.value.hint


def test_the_relation_must_be_said():
    with pytest.raises(TypeError):
        dc.parallel(dc.Pure(epsilon=1))
