"""What an event costs in each kind of loss."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.privacy.events import Disjoint, ExponentialSelection, GaussianRelease, LaplaceRelease, Repeated, Sequence
from discreet.privacy.prices import approximate, concentrated, pure

LAPLACE = LaplaceRelease(Fraction(1, 2))
SELECTION = ExponentialSelection(Fraction(2))
CLAIMED = GaussianRelease(Fraction(1, 4), claim=dc.Approximate(epsilon=1, delta="1e-6"))
GAUSSIAN = GaussianRelease(Fraction(1, 4))


def test_a_laplace_release_costs_its_ratio():
    assert pure(LAPLACE) == dc.Pure(epsilon="1/2")
    assert approximate(LAPLACE) == dc.Approximate(epsilon="1/2", delta=0)
    assert concentrated(LAPLACE) == dc.Concentrated(rho="1/8")


def test_a_selection_costs_its_epsilon_and_an_eighth_of_its_square():
    assert pure(SELECTION) == dc.Pure(epsilon=2)
    assert approximate(SELECTION) == dc.Approximate(epsilon=2, delta=0)
    assert concentrated(SELECTION) == dc.Concentrated(rho="1/2")


def test_a_gaussian_release_costs_half_its_ratio_squared_or_what_it_was_made_for():
    assert concentrated(GAUSSIAN) == concentrated(CLAIMED) == dc.Concentrated(rho="1/8")
    assert approximate(CLAIMED) == dc.Approximate(epsilon=1, delta="1e-6")
    with pytest.raises(dc.ParameterError, match="price it by epsilon and delta"):
        approximate(GAUSSIAN)
    for event in (GAUSSIAN, CLAIMED, Sequence((LAPLACE, GAUSSIAN))):
        with pytest.raises(dc.ParameterError, match="no pure epsilon; price it by rho"):
            pure(event)


@pytest.mark.parametrize("price", [pure, approximate, concentrated])
@pytest.mark.parametrize("part", [
    LAPLACE, SELECTION, Sequence((LAPLACE, SELECTION)), Disjoint((LAPLACE, SELECTION), "change_one")],
                         ids=lambda event: type(event).__name__)
def test_a_repeated_event_costs_as_much_as_each_of_them(price, part):
    for count in (1, 2, 7, 100):
        assert price(Repeated(part, count)) == price(Sequence((part,) * count)) == dc.sequential(*[price(part)] * count)


@pytest.mark.parametrize("price", [approximate, concentrated])
def test_repeated_gaussian_releases_are_counted_too(price):
    assert price(Repeated(CLAIMED, 10)) == price(Sequence((CLAIMED,) * 10))
    assert price(Repeated(CLAIMED, 10)) != price(CLAIMED)


def test_disjoint_events_cost_their_largest_or_their_two_largest():
    parts = (LaplaceRelease(Fraction(1)), LaplaceRelease(Fraction(3)), LaplaceRelease(Fraction(2)))
    assert pure(Disjoint(parts, "add_remove")) == dc.Pure(epsilon=3)
    assert pure(Disjoint(parts, "change_one")) == dc.Pure(epsilon=5)
    assert pure(Disjoint(parts, "add_remove", groups=2)) == dc.Pure(epsilon=5)
    assert pure(Disjoint(parts, "change_one", groups=2)) == dc.Pure(epsilon=6)
    assert concentrated(Disjoint(parts, "change_one")) == dc.Concentrated(rho=Fraction(9 + 4, 2))
    assert approximate(Disjoint((*parts, CLAIMED), "add_remove")) == dc.Approximate(epsilon=3, delta="1e-6")


def test_a_mix_is_priced_part_by_part():
    night = Sequence((LAPLACE, Repeated(SELECTION, 2), Disjoint((CLAIMED, LAPLACE), "add_remove")))
    assert approximate(night) == dc.Approximate(epsilon=Fraction(1, 2) + 4 + 1, delta="1e-6")
    assert concentrated(night) == dc.Concentrated(rho=Fraction(1, 8) + 1 + Fraction(1, 8))


@pytest.mark.parametrize("nothing", [Sequence(()), Disjoint((), "change_one"), Repeated(Sequence(()), 3)], ids=repr)
def test_nothing_costs_nothing_in_every_kind(nothing):
    assert pure(nothing) == dc.Pure(epsilon=0)
    assert approximate(nothing) == dc.Approximate(epsilon=0, delta=0)
    assert concentrated(nothing) == dc.Concentrated(rho=0)


@pytest.mark.parametrize(("mechanism", "price"), [
    (dc.Laplace(epsilon="0.1", sensitivity=3), pure), (dc.Laplace(epsilon=1, sensitivity="1/3"), pure),
    (dc.Laplace(scale=4, sensitivity=2), pure), (dc.Exponential(epsilon="0.7", sensitivity=2), pure),
    (dc.Gaussian(rho="0.01", sensitivity=1), concentrated), (dc.Gaussian(rho="0.01", sensitivity="1/3"), concentrated),
    (dc.Gaussian(rho="0.01", sensitivity="1/3").for_floats(5), concentrated),
    (dc.Gaussian(rho=2, sensitivity_squared=3), concentrated),
    (dc.Gaussian(epsilon=1, delta="1e-6", sensitivity=1), approximate),
    (dc.Gaussian(epsilon=1, delta="1e-6", sensitivity="0.2", dimensions=3), approximate)],
    ids=lambda each: getattr(each, "__name__", repr(each)))
def test_a_mechanism_and_the_event_it_leaves_agree_on_the_price(mechanism, price):
    assert price(mechanism.cost) == mechanism.loss


def test_a_gaussian_made_for_epsilon_and_delta_costs_on_a_rho_ledger_what_its_variance_says():
    mechanism = dc.Gaussian(epsilon=1, delta="1e-6", sensitivity=2)
    assert concentrated(mechanism.cost).rho == 4 * mechanism.law.quadratic


def test_a_relation_or_number_that_does_not_exist_is_refused():
    of_no_group = Disjoint((LAPLACE,), "add_remove", groups=0)
    for event in (Disjoint((LAPLACE,), "other"), of_no_group, Repeated(LAPLACE, 0), Repeated(LAPLACE, -1)):
        with pytest.raises(dc.ParameterError):
            pure(event)
