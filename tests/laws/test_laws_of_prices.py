"""Laws that every price keeps: nothing is free, nothing is lost, order does not matter."""

from fractions import Fraction

import hypothesis.strategies as st
from hypothesis import given, settings

import discreet as dc
from discreet.privacy.conversion import delta_of, epsilon_of
from discreet.privacy.events import Disjoint, ExponentialSelection, GaussianRelease, LaplaceRelease, Repeated, Sequence
from discreet.privacy.prices import approximate, concentrated, pure

EPSILONS = st.fractions(min_value=0, max_value=20, max_denominator=1000)
DELTAS = st.fractions(min_value=0, max_value=Fraction(1, 1000), max_denominator=10**9)
PURE = st.builds(lambda e: dc.Pure(epsilon=e), EPSILONS)
APPROXIMATE = st.builds(lambda e, d: dc.Approximate(epsilon=e, delta=d), EPSILONS, DELTAS)
CONCENTRATED = st.builds(lambda r: dc.Concentrated(rho=r), EPSILONS)
LISTS = st.one_of(*(st.lists(kind, min_size=1, max_size=6) for kind in (PURE, APPROXIMATE, CONCENTRATED)))
RELATIONS = st.sampled_from(["add_remove", "change_one"])


def size(loss) -> tuple[Fraction, ...]:
    match loss:
        case dc.Pure(epsilon=epsilon):
            return (epsilon,)
        case dc.Approximate(epsilon=epsilon, delta=delta):
            return epsilon, delta
        case dc.Concentrated(rho=rho):
            return (rho,)


def at_most(one, other) -> bool:
    return type(one) is type(other) and all(a <= b for a, b in zip(size(one), size(other), strict=True))


@given(LISTS, st.randoms())
def test_in_sequence_the_order_and_the_brackets_do_not_matter(losses, random):
    total = dc.sequential(*losses)
    mixed = random.sample(losses, len(losses))
    assert dc.sequential(*mixed) == total
    assert dc.sequential(dc.sequential(*losses[:2]), *losses[2:]) == total


@given(LISTS)
def test_in_sequence_every_part_counts(losses):
    total = dc.sequential(*losses)
    assert all(at_most(loss, total) for loss in losses)
    assert size(total) == tuple(map(sum, zip(*map(size, losses), strict=True)))


@given(LISTS, RELATIONS, st.integers(1, 7))
def test_parallel_lies_between_its_largest_part_and_the_sum(losses, neighbours, groups):
    side_by_side = dc.parallel(*losses, neighbours=neighbours, groups=groups)
    assert all(at_most(loss, side_by_side) for loss in losses)
    assert at_most(side_by_side, dc.sequential(*losses))
    assert at_most(side_by_side, dc.parallel(*losses, neighbours=neighbours, groups=groups + 1))
    assert at_most(dc.parallel(*losses, neighbours="add_remove", groups=groups),
                   dc.parallel(*losses, neighbours="change_one", groups=groups))
    if groups >= len(losses):
        assert side_by_side == dc.sequential(*losses)
    twice = dc.parallel(*losses, neighbours="add_remove", groups=2 * groups)
    assert dc.parallel(*losses, neighbours="change_one", groups=groups) == twice


@given(st.one_of(PURE, APPROXIMATE, CONCENTRATED), st.integers(1, 8), st.integers(1, 8))
def test_larger_groups_of_units_lose_more(loss, k, more):
    assert at_most(dc.group(loss, k), dc.group(loss, k + more))
    assert at_most(loss, dc.group(loss, k))
    assert dc.group(loss, 1) == loss
    if not isinstance(loss, dc.Approximate):
        assert dc.group(dc.group(loss, k), more) == dc.group(loss, k * more)
    else:
        nested, whole = dc.group(dc.group(loss, k), more), dc.group(loss, k * more)
        assert nested.epsilon == whole.epsilon
        assert nested.delta <= whole.delta * (1 + Fraction(1, 10**9)) + Fraction(1, 10**30)
        assert whole.delta <= nested.delta * (1 + Fraction(1, 10**9)) + Fraction(1, 10**30)


@given(PURE, st.integers(1, 9))
def test_a_sequence_of_pure_losses_read_as_rho_is_the_sum_of_its_rhos(loss, count):
    by_rho = dc.sequential(loss.to_concentrated(), count=count)
    assert by_rho.rho == count * loss.epsilon**2 / 2
    assert dc.sequential(loss, dc.Concentrated(rho=0), count=count) == by_rho


POSITIVE = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=1000)
SMALL = st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(1, 10), max_denominator=10**12)


@settings(max_examples=50)
@given(POSITIVE, POSITIVE, SMALL, SMALL)
def test_more_rho_or_less_delta_means_more_epsilon(rho, more, delta, slack):
    slightly = 1 + Fraction(1, 10**5)                         # two searches may stop at different places
    epsilon = epsilon_of(rho, delta)
    assert epsilon <= epsilon_of(rho + more, delta) * slightly
    assert epsilon_of(rho, delta + slack) <= epsilon * slightly
    assert delta_of(rho, epsilon) <= delta * slightly


EVENTS = st.recursive(
    st.one_of(st.builds(LaplaceRelease, POSITIVE), st.builds(ExponentialSelection, POSITIVE),
              st.builds(GaussianRelease, POSITIVE, st.builds(lambda e, d: dc.Approximate(epsilon=e, delta=d), POSITIVE, SMALL))),
    lambda parts: st.one_of(
        st.builds(Sequence, st.lists(parts, max_size=3).map(tuple)), st.builds(Repeated, parts, st.integers(1, 4)),
        st.builds(Disjoint, st.lists(parts, max_size=3).map(tuple), RELATIONS, st.integers(1, 3))),
    max_leaves=8)


@given(EVENTS, EVENTS, st.integers(1, 5))
def test_prices_of_events_add_up_and_only_grow(one, other, count):
    for price in (approximate, concentrated):
        both = price(Sequence((one, other)))
        assert both == dc.sequential(price(one), price(other)) == price(Sequence((other, one)))
        assert price(Repeated(one, count)) == price(Sequence((one,) * count))
        assert at_most(price(Disjoint((one, other), "add_remove")), both)
        assert price(Disjoint((one, other), "change_one")) == both
        assert at_most(price(one), price(Disjoint((one, other), "add_remove")))


PURE_EVENTS = st.one_of(st.builds(LaplaceRelease, POSITIVE), st.builds(ExponentialSelection, POSITIVE))


@given(st.lists(PURE_EVENTS, min_size=1, max_size=4), RELATIONS)
def test_the_kinds_of_price_agree_where_they_overlap(parts, neighbours):
    for event in (Sequence(tuple(parts)), Disjoint(tuple(parts), neighbours)):
        assert approximate(event) == pure(event).to_approximate()
        assert concentrated(event).rho <= pure(event).to_concentrated().rho     # squares of sums are larger than sums of squares
