"""Keys that no list names: the optimal curve, the noisy threshold, and the (epsilon, delta) in them."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from tests.mechanisms.selections import delta as delta_of_laws
from tests.mechanisms.selections import real

import discreet as dc
from discreet import KeySelection, NoisyThreshold
from discreet.noise.probabilities import mass, tail
from discreet.privacy import events
from discreet.privacy.prices import approximate

PRICES = [("1", "1e-5"), ("1/10", "1e-8"), ("3", "1/100"), ("1/2", "1e-40"), ("1/1000", "1/10"), ("20", "1e-6")]


def selection(epsilon, delta, **more):
    return KeySelection(epsilon=epsilon, delta=delta, **({"neighbours": "add_remove"} | more))


def curve(mechanism):
    """Chances from no units to the first that is certain."""
    chances = [mechanism.probability(0, exact=True)]
    while chances[-1] < 1:
        chances.append(mechanism.probability(len(chances), exact=True))
    return chances


def closed_form(epsilon, delta, units):
    """Theorem 1 of Desfontaines, Voss, Gipson and Mandayam (2022), for one key."""
    shrink = mpmath.exp(-epsilon)
    turn = 1 + int(mpmath.floor(mpmath.log((1 + shrink * (2 * delta - 1)) / (delta * (1 + shrink))) / epsilon))
    rising = delta * mpmath.expm1(min(units, turn) * epsilon) / mpmath.expm1(epsilon)
    if units <= turn:
        return rising
    shrunk = mpmath.exp((turn - units) * epsilon)
    return min(mpmath.mpf(1), 1 + shrunk * (rising - 1) + delta * (1 - shrunk) / mpmath.expm1(epsilon))


@pytest.mark.parametrize(("epsilon", "delta"), PRICES)
def test_chances_are_those_of_the_published_formula_and_never_above(mp, epsilon, delta):
    chances = curve(selection(epsilon, delta))
    assert chances[0] == 0
    with mpmath.workdps(80):
        for units in {*range(1, min(60, len(chances))), *range(1, len(chances), max(1, len(chances) // 50)), len(chances) - 1}:
            exact = closed_form(mp(epsilon), mp(delta), units)
            assert real(chances[units]) <= exact * (1 + mpmath.mpf(10) ** -60)
            assert exact - real(chances[units]) < mpmath.mpf(2) ** -60


@pytest.mark.parametrize(("epsilon", "delta"), PRICES)
def test_neighbouring_chances_are_as_far_apart_as_epsilon_and_delta_allow_and_no_further(mp, epsilon, delta):
    growth, slack, chances = mpmath.exp(mp(epsilon)), mp(delta), list(map(real, curve(selection(epsilon, delta))))
    narrow = mpmath.mpf(10) ** -15
    for less, more in itertools.pairwise(chances):
        ends = [growth * less + slack - more, growth * (1 - more) + slack - (1 - less)]
        assert more > less  # so the other two conditions hold as well
        assert min(ends) > -mpmath.mpf(10) ** -30
        assert min(ends) < narrow or more == 1


@pytest.mark.parametrize(("epsilon", "delta", "half"), [("1", "1e-5", 12), ("1/10", "1e-8", 155)])
def test_half_of_the_keys_are_told_from_the_published_number_of_units_on(epsilon, delta, half):
    mechanism = selection(epsilon, delta)
    assert mechanism.probability(half - 1) < 0.5 <= mechanism.probability(half)
    noisy = NoisyThreshold(epsilon=epsilon, delta=delta, neighbours="add_remove")
    assert noisy.probability(half) < 0.5
    assert all(noisy.probability(units) <= mechanism.probability(units) + 1e-12 for units in range(3 * half))


# ---- several keys of one unit


def product_law(chances):
    """The law of which keys are told, key by key independent."""
    return [mpmath.fprod(p if kept else 1 - p for p, kept in zip(chances, told, strict=True))
            for told in itertools.product((True, False), repeat=len(chances))]


@pytest.mark.parametrize("groups", [1, 2, 3, 5])
def test_a_unit_that_brings_all_its_keys_alone_is_betrayed_with_probability_delta(mp, groups):
    mechanism = selection(1, "1/50", groups=groups)
    with mpmath.workdps(80):
        told = 1 - (1 - mp(mechanism.key_delta)) ** groups
        assert mpmath.mpf("0.999999") * mp("1/50") < told <= mp("1/50")
    assert mechanism.key_delta >= Fraction(1, 50) / groups
    assert mechanism.key_epsilon == Fraction(1, groups)
    assert mechanism.probability(1, exact=True) <= mechanism.key_delta < mechanism.probability(1, exact=True) + Fraction(1, 2**60)


@pytest.mark.parametrize(("neighbours", "groups"), [("add_remove", 1), ("add_remove", 3), ("change_one", 1), ("change_one", 2)])
def test_the_delta_of_all_keys_that_a_unit_touches_is_within_the_price(mp, neighbours, groups):
    mechanism = selection("3/2", "1/20", groups=groups, neighbours=neighbours)
    touched = groups if neighbours == "add_remove" else 2 * groups
    most = mpmath.mpf(0)
    for counts in itertools.combinations_with_replacement((0, 1, 2, 4, 7), touched):
        later = [each + 1 if at < groups else max(0, each - 1) for at, each in enumerate(counts)]  # it enters some, leaves others
        before, after = ([real(mechanism.probability(each, exact=True)) for each in units] for units in (counts, later))
        for p, q in ((before, after), (after, before)):
            most = max(most, delta_of_laws(product_law(p), product_law(q), mp("3/2")))
    assert most <= mp("1/20")
    assert most > mp("1/20") * mpmath.mpf("0.97" if neighbours == "add_remove" else "0.4")


def test_both_shares_are_halved_again_where_a_unit_can_change():
    for groups in (1, 4):
        there, changed = selection(1, "1e-5", groups=groups), selection(1, "1e-5", groups=groups, neighbours="change_one")
        assert changed.key_epsilon == there.key_epsilon / 2
        assert changed.key_delta == there.key_delta / 2


def test_a_public_minimum_moves_the_curve_and_below_it_nothing_is_told():
    plain, moved = selection(1, "1e-5"), selection(1, "1e-5", at_least=10)
    assert [moved.probability(units) for units in range(10)] == [0] * 10
    assert all(moved.probability(units + 9, exact=True) == plain.probability(units, exact=True) for units in range(30))
    noisy, higher = (NoisyThreshold(epsilon=1, delta="1e-5", neighbours="add_remove", at_least=least) for least in (1, 10))
    assert higher.threshold == noisy.threshold + 9
    assert [higher.probability(units + 9) for units in range(1, 30)] == [noisy.probability(units) for units in range(1, 30)]
    assert higher.probability(9) == 0


# ---- the noisy threshold


@pytest.mark.parametrize(("epsilon", "delta"), [*PRICES, ("1", "0.9")])
@pytest.mark.parametrize("groups", [1, 3])
def test_a_key_of_one_unit_passes_the_threshold_with_at_most_its_share_of_delta(epsilon, delta, groups):
    mechanism = NoisyThreshold(epsilon=epsilon, delta=delta, neighbours="add_remove", groups=groups)
    assert tail(mechanism.law, mechanism.threshold - 1)[1] <= mechanism.key_delta
    assert tail(mechanism.law, mechanism.threshold - 2)[0] > mechanism.key_delta
    assert mechanism.law.linear == mechanism.key_epsilon


def test_the_delta_of_keys_and_noisy_counts_is_within_the_price(mp):
    mechanism = NoisyThreshold(epsilon=1, delta="1/100", neighbours="add_remove")
    least, reach = mechanism.threshold, 60

    def told(units):
        if not units:
            return [mpmath.mpf(1)] + [mpmath.mpf(0)] * reach
        masses = [real(mass(mechanism.law, number - units)[0]) for number in range(least, least + reach)]
        return [1 - mpmath.fsum(masses), *masses]

    laws = [told(units) for units in range(13)]
    found = [max(delta_of_laws(p, q, mp("1")), delta_of_laws(q, p, mp("1"))) for p, q in itertools.pairwise(laws)]
    assert max(found[1:]) < mpmath.mpf(10) ** -20  # noise alone: epsilon, and no delta
    assert mp("1/100") * mpmath.mpf("0.35") < found[0] <= mp("1/100")  # the threshold is a whole number


# ---- use


def test_keys_come_in_the_order_given_and_certain_ones_always_do():
    mechanism = selection(1, "1e-5")
    units = np.array([0, 10**9, -3, 30, 2**63 - 1, 0, 40])
    for _ in range(20):
        assert mechanism.select(units).tolist() == [1, 3, 4, 6]
    assert mechanism.select(units.astype(np.uint64)[[0, 1, 3]]).tolist() == [1, 2]
    assert mechanism.select(np.array([], np.int64)).tolist() == []
    assert mechanism.select(np.array([100, 0, 127], np.int8)).tolist() == mechanism.select([100, 0, 127]).tolist() == [0, 2]
    places, noisy = NoisyThreshold(epsilon=1, delta="1e-5", neighbours="add_remove").release(units)
    assert set(places.tolist()) >= {1, 4}
    assert abs(noisy[0] - 10**9) < 1000
    assert noisy.min() >= NoisyThreshold(epsilon=1, delta="1e-5", neighbours="add_remove").threshold


def test_the_cost_is_epsilon_and_delta_for_all_keys_together():
    for make in (KeySelection, NoisyThreshold):
        mechanism = make(epsilon=1, delta="1e-6", groups=7, neighbours="change_one")
        assert mechanism.cost == events.KeyRelease(Fraction(1), Fraction("1e-6"))
        assert approximate(mechanism.cost) == mechanism.loss == dc.Approximate(epsilon=1, delta="1e-6")
        assert repr(mechanism) == f"{make.__name__}(epsilon=1, delta=0.000001, groups=7, neighbours='change_one', at_least=1)"
