"""Losses as values: what they hold, how they show themselves, what they refuse, and how one reads as another."""

from fractions import Fraction

import pytest

import discreet as dc


@pytest.mark.parametrize(("loss", "shown"), [
    (dc.Pure(epsilon="0.3"), "Pure(epsilon=3/10)"),
    (dc.Pure(epsilon=1), "Pure(epsilon=1)"),
    (dc.Pure(epsilon=0.1), "Pure(epsilon=1/10)"),
    (dc.Pure(epsilon="0.123456789"), "Pure(epsilon=0.123456789)"),
    (dc.Pure(epsilon="1/3"), "Pure(epsilon=1/3)"),
    (dc.Approximate(epsilon=1, delta="1e-6"), "Approximate(epsilon=1, delta=1/1000000)"),
    (dc.Approximate(epsilon="1/2", delta="1e-20"), "Approximate(epsilon=1/2, delta=0.00000000000000000001)"),
    (dc.Concentrated(rho="0.5"), "Concentrated(rho=1/2)"),
    (dc.zCDP(rho=2), "Concentrated(rho=2)"),
    (dc.sequential(dc.Approximate(epsilon=1, delta="0.6"), count=2), "Approximate(epsilon=2, delta=1)")])
def test_a_loss_says_its_parameter(loss, shown):
    assert repr(loss) == shown


def test_losses_are_exact_frozen_values():
    assert dc.Pure(epsilon=0.1) == dc.Pure(epsilon="1/10") == dc.Pure(epsilon=Fraction(1, 10))
    assert dc.zCDP is dc.Concentrated
    assert len({dc.Pure(epsilon=1), dc.Pure(epsilon="1.0"), dc.Concentrated(rho=1)}) == 2
    with pytest.raises(AttributeError):
        dc.Pure(epsilon=1).epsilon = 2
    with pytest.raises(TypeError):
        dc.Pure(1)                                            # privacy parameters have names


def test_a_pure_loss_reads_as_the_other_kinds():
    assert dc.Pure(epsilon=2).to_approximate() == dc.Approximate(epsilon=2, delta=0)
    assert dc.Pure(epsilon=2).to_approximate("1e-9") == dc.Approximate(epsilon=2, delta="1e-9")
    assert dc.Pure(epsilon="0.1").to_concentrated() == dc.Concentrated(rho="0.005")


def test_an_approximate_loss_reads_at_a_larger_delta_only():
    loss = dc.Approximate(epsilon=1, delta="1e-6")
    assert loss.to_approximate("1e-5") == dc.Approximate(epsilon=1, delta="1e-5")
    assert loss.to_approximate("1e-6") == loss
    with pytest.raises(dc.ParameterError, match=r"cannot be read at delta 0\.0000001; write a delta of at least 0\.000001"):
        loss.to_approximate("1e-7")


@pytest.mark.parametrize("bad", [None, "x", True, -1, "-0.1", float("nan"), float("inf"), [1]], ids=repr)
@pytest.mark.parametrize("make", [lambda x: dc.Pure(epsilon=x), lambda x: dc.Approximate(epsilon=x, delta=0),
                                  lambda x: dc.Concentrated(rho=x)], ids=["pure", "approximate", "concentrated"])
def test_a_loss_that_is_no_number_from_zero_up_is_refused(make, bad):
    with pytest.raises(dc.ParameterError) as caught:
        make(bad)
    assert "write" in caught.value.hint


def test_a_concentrated_loss_needs_a_delta():
    with pytest.raises(dc.ParameterError, match="needs a delta above 0; write a small delta such as '1e-6'"):
        dc.Concentrated(rho=1).to_approximate(0)


# ---- comparing


def test_losses_of_one_kind_are_compared_number_by_number():
    assert dc.Pure(epsilon=1) <= dc.Pure(epsilon=2)
    assert dc.Pure(epsilon=1) < dc.Pure(epsilon=2)
    assert dc.Pure(epsilon=2) > dc.Pure(epsilon="1.999")
    assert not dc.Pure(epsilon=1) < dc.Pure(epsilon=1)
    assert dc.Pure(epsilon=1) <= dc.Approximate(epsilon=1, delta="1e-6")
    assert not dc.Approximate(epsilon=1, delta="1e-6") <= dc.Pure(epsilon=1)
    assert dc.Concentrated(rho="0.1") < dc.Concentrated(rho="0.2")
    one, other = dc.Approximate(epsilon=1, delta="1e-5"), dc.Approximate(epsilon=2, delta="1e-6")
    assert not one <= other
    assert not other <= one
    assert max([dc.Pure(epsilon=1), dc.Pure(epsilon=3), dc.Pure(epsilon=2)]) == dc.Pure(epsilon=3)


@pytest.mark.parametrize("other", [dc.Concentrated(rho=1), 1])
def test_losses_of_different_kinds_are_not_compared(other):
    for compare in (lambda: dc.Pure(epsilon=1) <= other, lambda: dc.Pure(epsilon=1) > other):
        with pytest.raises(dc.ParameterError, match="to_approximate"):
            compare()
