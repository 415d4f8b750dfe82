"""The privacy loss as a random variable: against brute force, against exact composition, and from both sides of the truth."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies

import discreet as dc
from discreet.privacy.atoms import Atoms, atoms_of
from discreet.privacy.events import Disjoint, ExponentialSelection, KeyRelease, LaplaceRelease, PureRelease, Repeated, Sequence
from discreet.privacy.grids import Gridded, merged_onto, split_onto
from discreet.privacy.pairs import Ranged, pairs_of, shifted_by
from discreet.privacy.tilted import composed


def mp(number):
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def noise_pair(mechanism):
    """[(P(y), Q(y))] of one number released, from the weights of the law alone; outputs of equal odds are one output."""
    law, shift = mechanism.law, shifted_by(mechanism).shift
    reach = 26 if law.quadratic else 100 * (law.spread + 1)
    weights = {z: mpmath.exp(-mp(law.exponent(abs(z)))) for z in range(-reach - shift, reach + shift + 1)}
    total, pair = mpmath.fsum(weights.values()), {}
    for z in range(-reach, reach + shift + 1):
        p, q = pair.get(odds := law.exponent(abs(z - shift)) - law.exponent(abs(z)), (0, 0))
        pair[odds] = p + weights[z] / total, q + weights[z - shift] / total
    return list(pair.values())


def response_pair(epsilon, delta=0):
    """What is (epsilon, delta)-private and no better."""
    likely, left = mp(1) / (1 + mpmath.exp(-mp(epsilon))), 1 - mp(delta)
    return [(left * likely, left * (1 - likely)), (left * (1 - likely), left * likely), (mp(delta), mp(0)), (mp(0), mp(delta))]


def true_delta(pairs, epsilon):
    """The hockey-stick divergence of the product, over every combination of outputs."""
    odds = mpmath.exp(mp(epsilon))
    joint = [(mp(1), mp(1))]
    for pair in pairs:
        joint = [(p * a, q * b) for (p, q), (a, b) in itertools.product(joint, pair)]
    return mpmath.fsum(max(mp(0), p - odds * q) for p, q in joint)


LAPLACE, COARSE = dc.Laplace(scale="2", sensitivity=1), dc.Laplace(scale="7/2", sensitivity=3)
GAUSSIAN = dc.Gaussian(rho="1/4", sensitivity=1)


@pytest.mark.slow
@pytest.mark.parametrize(("sources", "pairs"), [
    ([LAPLACE] * 2, [noise_pair(LAPLACE)] * 2), ([COARSE] * 2, [noise_pair(COARSE)] * 2), ([GAUSSIAN], [noise_pair(GAUSSIAN)]),
    ([GAUSSIAN] * 2, [noise_pair(GAUSSIAN)] * 2), ([LAPLACE, GAUSSIAN], [noise_pair(LAPLACE), noise_pair(GAUSSIAN)]),
    ([dc.Pure(epsilon="1/3")] * 5, [response_pair("1/3")] * 5),
    ([dc.Approximate(epsilon="1/2", delta="1e-3")] * 3, [response_pair("1/2", "1e-3")] * 3),
    ([dc.Approximate(epsilon="1/2", delta="1e-3"), COARSE], [response_pair("1/2", "1e-3"), noise_pair(COARSE)])],
    ids=["laplace", "coarse", "one gaussian", "gaussian", "both", "pure", "approximate", "mixed"])
@pytest.mark.parametrize("step", [None, "1/97"])
def test_delta_by_brute_force_lies_between_both_estimates_and_they_are_close(sources, pairs, step):
    found = dc.loss_distribution(*sources, step=step)
    for epsilon in ("0", "1/10", "1/2", "1"):
        true = true_delta(pairs, epsilon)
        below, above = found.delta(epsilon, optimistic=True), found.delta(epsilon)
        assert below <= true * (1 + mpmath.mpf("1e-30"))
        assert true <= above * (1 + mpmath.mpf("1e-30"))
        if step is None:
            assert above - below <= 1e-4 * float(true) + 1e-12


def test_a_loss_three_per_cent_larger_is_told_apart():
    for percent in (97, 103):
        other = dc.loss_distribution(dc.Laplace(scale=Fraction(7, 2) * 100 / percent, sensitivity=3), count=20)
        ours = dc.loss_distribution(COARSE, count=20)
        assert (other.epsilon("1e-6", optimistic=True) > ours.epsilon("1e-6")) == (percent > 100)
        assert (other.epsilon("1e-6") < ours.epsilon("1e-6", optimistic=True)) == (percent < 100)


# ---- the figures that every accountant is compared by


def test_a_hundred_laplace_releases_at_a_tenth():
    one = dc.Laplace(epsilon="0.1", sensitivity=1)
    assert dc.sequential(one.loss, count=100) == dc.Pure(epsilon=10)
    rho = dc.sequential(one.loss.to_concentrated(), count=100)
    assert float(rho.to_approximate("1e-6").epsilon) == pytest.approx(5.222, abs=1e-3)
    assert float(dc.optimal_composition(one.loss, count=100, delta="1e-6").epsilon) == pytest.approx(4.7746, abs=5e-5)
    assert 4.68 < dc.loss_distribution(one.for_floats(), count=100).epsilon("1e-6") < 4.70
    # on whole numbers that move by one step, discrete Laplace noise is randomized response, and the optimum is attained
    assert dc.loss_distribution(one, count=100).epsilon("1e-6") == pytest.approx(4.774567588, abs=1e-8)


def test_a_hundred_gaussian_releases_of_deviation_ten():
    one = dc.Gaussian(rho="1/200", sensitivity=1)
    assert one.scale == 10
    assert float(dc.sequential(one.loss, count=100).to_approximate("1e-6").epsilon) == pytest.approx(5.222, abs=1e-3)
    assert dc.loss_distribution(one, count=100).epsilon("1e-6", optimistic=True) > 4.88
    assert dc.loss_distribution(one, count=100).epsilon("1e-6") <= 4.89
    assert dc.loss_distribution(one.for_floats(), count=100).epsilon("1e-6") <= 4.89


@pytest.mark.parametrize(("epsilon", "count"), [("0.1", 100), ("1", 30), ("1/3", 7), ("0.01", 500)])
@pytest.mark.parametrize("delta", ["0.1", "1e-6", "1e-15"])
def test_of_pure_events_the_loss_distribution_is_the_optimal_composition(epsilon, count, delta):
    ours = dc.loss_distribution(PureRelease(Fraction(epsilon)), count=count)
    best = float(dc.optimal_composition(dc.Pure(epsilon=epsilon), count=count, delta=delta).epsilon)
    assert ours.epsilon(delta, optimistic=True) <= best <= ours.epsilon(delta) + 1e-10
    assert ours.epsilon(delta) == pytest.approx(best, abs=1e-8)


def test_small_deltas_are_told_with_as_many_digits_as_large_ones():
    ours = dc.loss_distribution(dc.Pure(epsilon="0.1"), count=1000)
    for epsilon in (10, 30, 60):
        best = float(dc.optimal_composition(dc.Pure(epsilon="0.1"), count=1000, epsilon=epsilon).delta)
        assert best <= ours.delta(epsilon) * (1 + 1e-9)
        assert ours.delta(epsilon) == pytest.approx(best, rel=1e-6)
        assert ours.delta(epsilon, optimistic=True) == pytest.approx(best, rel=1e-6)


# ---- worst pairs


@pytest.mark.slow
def test_a_vector_with_laplace_noise_is_no_worse_than_one_number_that_moves_as_far():
    for scale, parts in itertools.product(["1/2", "2", "9"], [(1, 1), (1, 2), (2, 2), (1, 1, 1)]):
        pairs = [noise_pair(dc.Laplace(scale=scale, sensitivity=part)) for part in parts]
        together = dc.loss_distribution(dc.Laplace(scale=scale, sensitivity=sum(parts)))
        for epsilon in ("0", "1/20", "1/5", "1/2", "1", "2"):
            assert true_delta(pairs, epsilon) <= together.delta(epsilon) * (1 + 1e-9) + 1e-9


def test_on_finer_steps_laplace_noise_loses_less_and_never_less_than_continuous_noise():
    losses = [dc.loss_distribution(dc.Laplace(scale=10 * steps, sensitivity=steps), count=100) for steps in (1, 2, 4, 32, 512)]
    epsilons = [each.epsilon("1e-6", optimistic=True) for each in losses]
    assert epsilons == sorted(epsilons, reverse=True)
    assert epsilons[-1] > 4.6926                              # what continuous noise loses
    for level in ("0.01", "0.05", "0.09"):
        single = dc.loss_distribution(dc.Laplace(scale=40, sensitivity=4))
        assert single.delta(level) >= dc.tradeoff(ratio="0.1").delta(level)


@pytest.mark.slow
def test_the_pair_of_a_selection_is_the_least_above_all_of_bounded_range():
    ranged = dc.loss_distribution(ExponentialSelection(Fraction(1)))
    odds = mpmath.e
    for level in (0.0, 0.1, 0.3, 0.7):
        of_each = [(odds - mpmath.exp(t)) / (odds - 1) * (1 - mpmath.exp(level - t)) for t in np.linspace(level, 1, 401).tolist()]
        assert max(of_each) <= ranged.delta(level) + 1e-12
        assert max(of_each) == pytest.approx(ranged.delta(level, optimistic=True), rel=1e-4)


@pytest.mark.parametrize("scores", [([0, 3, 5], [1, 2, 6]), ([4, 4, 4], [5, 3, 4]), ([10, 0, 0], [9, 1, 1])], ids=str)
def test_real_selections_lose_no_more_than_their_pair(scores):
    mechanism = dc.Exponential(epsilon="3/2", sensitivity=1)
    near, far = ([mp(low) for low, _ in mechanism.pmf(each, exact=True)] for each in scores)
    for count in (1, 2, 4):
        found = dc.loss_distribution(mechanism, count=count)
        for epsilon in ("0", "1/2", "1"):
            assert true_delta([list(zip(near, far, strict=True))] * count, epsilon) <= found.delta(epsilon)


def test_events_stand_for_the_worst_that_they_allow():
    tenth = Fraction(1, 10)
    assert pairs_of([LaplaceRelease(tenth)]) == pairs_of([PureRelease(tenth)]) == pairs_of([dc.Pure(epsilon="0.1")])
    assert pairs_of([KeyRelease(tenth, Fraction(1, 100))]) == pairs_of([dc.Approximate(epsilon="0.1", delta="0.01")])
    assert pairs_of([dc.Exponential(epsilon="0.1", sensitivity=3)]) == {Ranged(tenth): 1}
    claimed = dc.Gaussian(epsilon=1, delta="1e-6", sensitivity=1)
    assert pairs_of([claimed.cost]) == pairs_of([dc.Approximate(epsilon=1, delta="1e-6")])
    nested = Sequence((Repeated(PureRelease(tenth), 3), Sequence((PureRelease(tenth), ExponentialSelection(tenth)))))
    assert pairs_of([nested], count=2) == {**pairs_of([dc.Pure(epsilon="0.1")], 8), **pairs_of([ExponentialSelection(tenth)], 2)}


def test_on_disjoint_groups_only_the_worst_that_one_unit_touches_are_composed():
    parts = tuple(PureRelease(Fraction(n, 10)) for n in (1, 3, 2))
    assert pairs_of([Disjoint(parts, "add_remove")]) == pairs_of([dc.Pure(epsilon="0.3")])
    assert pairs_of([Disjoint(parts, "change_one")]) == pairs_of([dc.Pure(epsilon="0.3"), dc.Pure(epsilon="0.2")])
    mixed = (PureRelease(Fraction(1, 10)), KeyRelease(Fraction(1, 5), Fraction(1, 1000)))
    assert pairs_of([Disjoint(mixed, "add_remove")]) == pairs_of([dc.Approximate(epsilon="0.2", delta="0.001")])


# ---- the grid and the transform


@pytest.mark.parametrize("pair", [
    shifted_by(COARSE), shifted_by(GAUSSIAN), Ranged(Fraction(1)), shifted_by(COARSE.for_floats()),
    shifted_by(GAUSSIAN.for_floats())], ids=["laplace", "gaussian", "ranged", "fine laplace", "fine gaussian"])
def test_splitting_only_adds_to_delta_and_merging_only_takes_from_it(pair):
    step = Fraction(1, 50)

    def curve(losses, masses):
        return np.array([np.sum(masses * -np.expm1(np.minimum(0.0, level - losses))) for level in np.linspace(-0.9, 1.5, 61)])

    fine = [atoms_of(pair, 0.0005, pessimistic=side) for side in (True, False)]
    above, below = curve(fine[0].losses, fine[0].masses), curve(fine[1].losses, fine[1].masses)
    assert np.all(below <= above + 1e-14)
    assert np.max(above - below) < 1e-6
    for coarse, sign in ((split_onto(fine[0], step), 1), (merged_onto(fine[1], step), -1)):
        losses = (coarse.first + np.arange(len(coarse.masses))) * float(step)
        off = sign * (curve(losses, coarse.masses) - (above if sign > 0 else below))
        assert np.min(off) > -1e-12
        assert np.max(off) < 1e-2


def test_both_laws_of_a_pair_keep_their_mass_on_the_grid():
    atoms = Atoms(Fraction(1, 7), np.array([-6, 1, 3, 8]), np.array([0.1, 0.2, 0.3, 0.4]))
    for grid in (split_onto(atoms, Fraction(1, 10)), merged_onto(atoms, Fraction(1, 10))):
        losses = (grid.first + np.arange(len(grid.masses))) / 10
        assert np.sum(grid.masses) == pytest.approx(1, abs=1e-12)
        if grid.slack < 1e-12:
            assert np.sum(grid.masses * np.exp(-losses)) == pytest.approx(np.sum(atoms.masses * np.exp(-atoms.losses)), abs=1e-12)


@pytest.mark.slow
def test_what_rounding_adds_is_within_what_is_said_of_it():
    masses = np.array([3, 0, 1, 4, 1, 5, 9, 2], dtype=np.float64) / 25
    for count, tilt in ((7, 0.5), (40, 2.0), (100, 0.01)):
        found = composed([(Gridded(-3, masses, Fraction(0)), count)], 0.1, tilt)
        exact = [mp(1)]
        for _ in range(count):
            before, exact = exact, [mp(0)] * (len(exact) + 7)
            for place, value in enumerate(before):
                for more, mass in enumerate((3, 0, 1, 4, 1, 5, 9, 2)):
                    exact[place + more] += value * mass / 25
        for epsilon in (0.5, 0.35 * count):
            true = mpmath.fsum(p * -mpmath.expm1(epsilon - loss) for place, p in enumerate(exact)
                               if (loss := mpmath.mpf("0.1") * (place - 3 * count)) > epsilon)
            below, above = found.delta(epsilon, pessimistic=False), found.delta(epsilon, pessimistic=True)
            assert below <= true <= above
            assert above - below < 1e-7 * float(true) + 1e-7 * mpmath.exp(found.log_total - tilt * epsilon)


SIZES = strategies.fractions(min_value=Fraction(1, 40), max_value=4, max_denominator=40)
SHARES = strategies.fractions(min_value=0, max_value=1, max_denominator=1000)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(sizes=strategies.lists(SIZES, min_size=1, max_size=3), count=strategies.sampled_from([1, 3, 20]), share=SHARES,
       step=strategies.sampled_from([None, Fraction(1, 33), Fraction(1, 500)]))
def test_whatever_is_composed_the_optimum_lies_between_both_estimates(sizes, count, share, step):
    losses = [dc.Pure(epsilon=size) for size in sizes]
    level = share * sum(sizes) * count
    best = float(dc.optimal_composition(*losses, count=count, epsilon=level).delta)
    found = dc.loss_distribution(*losses, count=count, step=step)
    assert found.delta(level, optimistic=True) <= best * (1 + 1e-9)
    assert best <= found.delta(level) * (1 + 1e-9) + 1e-300


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(scale=strategies.integers(20, 900), shift=strategies.integers(1, 400), count=strategies.sampled_from([1, 4, 60]),
       share=SHARES, steps=strategies.integers(20, 200), gaussian=strategies.booleans())
def test_blocks_of_outputs_bracket_what_all_of_them_one_by_one_lose(scale, shift, count, share, steps, gaussian):
    ratio = Fraction(shift, scale)
    noise = dc.Gaussian(rho=ratio**2 / 2, sensitivity=shift) if gaussian else dc.Laplace(scale=scale, sensitivity=shift)
    exactly, coarse = dc.loss_distribution(noise, count=count), dc.loss_distribution(noise, count=count, step=ratio / steps)
    level = share * ratio * count
    assert coarse.delta(level, optimistic=True) <= exactly.delta(level) * (1 + 1e-9)
    assert exactly.delta(level, optimistic=True) <= coarse.delta(level) * (1 + 1e-9) + 1e-300


# ---- what a chart draws, and refusals


def test_what_a_chart_draws_is_a_law_and_a_falling_curve():
    found = dc.loss_distribution(dc.Approximate(epsilon="0.1", delta="1e-4"), count=20)
    losses, masses = found.losses()
    assert (masses > 0).all()
    assert np.sum(masses) == pytest.approx(1, abs=1e-9)
    assert found.infinite == pytest.approx(1 - (1 - 1e-4) ** 20, rel=1e-9)
    mean = 20 * 0.1 * np.tanh(0.05)
    assert losses @ masses == pytest.approx(mean, rel=1e-6)
    curve = dc.loss_distribution(dc.Pure(epsilon="0.1"), count=20).curve(9)
    assert curve[0][0] == 0
    assert [delta for _, delta in curve] == sorted((delta for _, delta in curve), reverse=True)
    assert curve[-1][1] <= 1.01e-12


def test_it_says_that_it_is_no_stop_rule():
    assert "never a stop rule" in dc.loss_distribution.__doc__
    assert "no stop rule" in repr(dc.loss_distribution(dc.Pure(epsilon=1)))


def test_a_loss_that_may_be_infinite_has_no_epsilon_below_that_probability():
    found = dc.loss_distribution(dc.Approximate(epsilon=1, delta="1e-3"), count=2)
    assert found.epsilon("1e-4") == float("inf")
    assert found.epsilon("0.0021") < 2
    with pytest.raises(dc.ParameterError, match="write a larger delta"):
        found.to_approximate("1e-4")
    assert found.to_approximate("0.01").delta == Fraction(1, 100)


def test_nothing_lost_is_told_as_nothing():
    found = dc.loss_distribution(dc.Pure(epsilon=0), count=5)
    assert found.epsilon("1e-6") < 1e-8
    assert found.delta(0) < 1e-12


@pytest.mark.parametrize("call", [
    dc.loss_distribution, lambda: dc.loss_distribution(dc.Pure(epsilon=1), count=0), lambda: dc.loss_distribution(0.1),
    lambda: dc.loss_distribution(dc.Concentrated(rho=1)), lambda: dc.loss_distribution(dc.Gaussian(rho=1, sensitivity=1).cost),
    lambda: dc.loss_distribution(dc.Gaussian(rho=1, sensitivity_squared=2)),
    lambda: dc.loss_distribution(dc.Pure(epsilon=1), step=0), lambda: dc.loss_distribution(dc.Pure(epsilon=1)).epsilon(0),
    lambda: dc.loss_distribution(dc.Pure(epsilon=1)).epsilon(1), lambda: dc.loss_distribution(dc.Pure(epsilon=1)).delta(-1),
    lambda: dc.loss_distribution(dc.Pure(epsilon=1), step="1e-9").epsilon("0.1"),
    lambda: dc.loss_distribution(dc.Laplace(epsilon=1, sensitivity=2**60))])
def test_what_has_no_loss_distribution_is_refused_with_a_way_out(call):
    with pytest.raises(dc.ParameterError) as caught:
        call()
    assert "write" in caught.value.hint or "give" in caught.value.hint
