"""What a release gives back: multiples of a public step whatever the data, in the shape that came in, with the noise claimed."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from discreet import Exponential, Gaussian, Laplace
from discreet.mechanisms.grid import float_step, read_values
from discreet.testing import seeded

FALSE_ALARM = 1e-9
LAPLACE = Laplace(epsilon="1/2", sensitivity=1)
GAUSSIAN = Gaussian(rho="1/8", sensitivity=1)
BOTH = pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
LARGEST = sys.float_info.max


def steps_of(released, step: Fraction) -> list[Fraction]:
    return [Fraction(float(x)) / step for x in np.ravel(released)]


# ---- the step


DATA = [0.0, 1.0, -1.0, 1 / 3, 0.1, 1e-300, 5e-324, 2.0**52 + 1, 1e15, -1e15, math.pi, 0.5, 1.5, 1e300, -1e300, LARGEST]


@pytest.mark.parametrize("mechanism", [
    Laplace(epsilon=1, sensitivity="1/3"), Laplace(epsilon="0.01", sensitivity="1/150"), Laplace(epsilon=100, sensitivity=7),
    Gaussian(rho="1/2", sensitivity="1/3"), Gaussian(epsilon=1, delta="1e-6", sensitivity="0.2"), LAPLACE, GAUSSIAN], ids=repr)
def test_a_released_float_is_a_whole_multiple_of_a_step_that_no_data_can_change(mechanism):
    step = mechanism.for_floats().step
    for value in DATA:
        for released in (mechanism.release(value), mechanism.release([value]), mechanism.release(np.array([value]))):
            assert all(steps.denominator == 1 for steps in steps_of(released, step))
    for value in (0.0, 1 / 3, 12345.678):                     # and of no coarser one: half of the multiples are odd
        odd = {int(steps) % 2 for _ in range(60) for steps in steps_of(mechanism.release(value), step)}
        assert odd == {0, 1}


@BOTH
def test_several_floats_share_a_step_that_depends_on_how_many_there_are(mechanism):
    step = mechanism.for_floats(5).step
    for values in ([0.0] * 5, [1 / 3, 0.1, 7.5, -2.0, 1e9], [5e-324, 1.0, 2.0, 3.0, 1e12]):
        released = [mechanism.release(values) for _ in range(20)]
        assert all(steps.denominator == 1 for one in released for steps in steps_of(one, step))
        assert any(steps % 2 for one in released for steps in steps_of(one, step))


def test_the_step_for_floats_is_the_largest_power_of_two_below_a_millionth_of_scale_and_sensitivity():
    for epsilon, sensitivity in [("1", "1/3"), ("0.01", "1/150"), ("30", "0.7"), ("1000", "1e6"), ("2", "3/1048576")]:
        mechanism = Laplace(epsilon=epsilon, sensitivity=sensitivity).for_floats()
        width = min(mechanism.scale, mechanism.sensitivity)
        assert mechanism.step <= width / 2**20 < 2 * mechanism.step
        assert float_step(width) == mechanism.step


@pytest.mark.parametrize("step", ["1/4", "1", "1024"])
@pytest.mark.parametrize("make", [lambda step: Laplace(epsilon=1, sensitivity=3, step=step),
                                  lambda step: Gaussian(rho=1, sensitivity=3, step=step)], ids=["laplace", "gaussian"])
def test_a_step_given_by_hand_is_kept(make, step):
    mechanism = make(step)
    for values in (0.3, 17, [0.3, 0.7, 1e6], np.array([3, 4, 5]), np.arange(600.0)):
        assert all(steps.denominator == 1 for steps in steps_of(mechanism.release(values), Fraction(step)))
    assert mechanism.for_floats(9).step == Fraction(step)


@pytest.mark.parametrize(("step", "values", "numbers"), [
    ("4", np.arange(7), 7), ("4", np.arange(7.0), 7), ("1/4", np.arange(7.0), 7), ("1", np.arange(7.0), 7), ("4", 3, 1),
    ("1/4", np.arange(7), None), ("1", np.arange(7), None)], ids=str)
@pytest.mark.parametrize("make", [lambda step: Laplace(epsilon="1/9", sensitivity=3, step=step),
                                  lambda step: Gaussian(rho="1/99", sensitivity=3, step=step)], ids=["laplace", "gaussian"])
def test_numbers_that_may_have_to_be_rounded_get_the_noise_for_as_many(make, step, values, numbers):
    mechanism = make(step)
    behind = mechanism if numbers is None else mechanism.for_floats(numbers)
    with seeded(3):
        released = [mechanism.release(values) for _ in range(30)]
    with seeded(3):
        expected = [behind.release(values) for _ in range(30)]
    assert np.array_equal(released, expected)
    assert numbers in (None, 1) or behind.law != mechanism.law    # nothing less would have done


# ---- types and shapes


@BOTH
def test_an_int_gives_an_int_a_float_a_float_and_an_array_an_array_of_its_shape(mechanism):
    assert type(mechanism.release(51)) is int
    assert type(mechanism.release(np.int16(51))) is int
    assert type(mechanism.release(51.0)) is float
    assert type(mechanism.release(np.float32(51))) is float
    assert type(mechanism.release("51")) is float
    for shape in [(), (3,), (2, 3), (0,), (2, 0, 4), (2, 1, 300)]:
        for given in ("i1", "u8", "i8", "f2", "f4", "f8"):
            released = mechanism.release(np.ones(shape, given))
            assert released.shape == shape
            assert released.dtype == ("float64" if given.startswith("f") else "int64")
    assert mechanism.release([[1, 2], [3, 4], [5, 6]]).shape == (3, 2)
    assert mechanism.release((1, 2, 3)).dtype == np.int64
    assert mechanism.release([1, 2.5]).dtype == np.float64


@BOTH
def test_whether_a_fraction_happens_to_be_whole_does_not_show(mechanism):
    assert type(mechanism.release(Fraction(6, 2))) is type(mechanism.release(Fraction(7, 2))) is float
    assert mechanism.release([Fraction(6, 2), 4]).dtype == np.float64


@BOTH
@pytest.mark.parametrize("given", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers_of_every_type_stay_what_they_are(mechanism, given):
    ends = np.iinfo(given)
    numbers = [0, 1, ends.max, ends.min, ends.max - 1]
    on_step = read_values(np.array(numbers, given)).on(Fraction(1))
    assert on_step.tolist() == [max(-(2**61), min(2**61, number)) for number in numbers]
    released = mechanism.release(np.array(numbers, given))
    assert max(abs(int(a) - int(b)) for a, b in zip(released, on_step, strict=True)) < 200


@BOTH
def test_integers_near_two_to_the_sixtieth_do_not_pass_through_floats(mechanism):
    numbers = np.full(40, 2**60 + 1)                          # a float would have to round it to 2^60
    for values in (numbers, numbers.tolist()):
        released = [int(x) - 2**60 - 1 for x in mechanism.release(values)]
        assert max(map(abs, released)) < 200
        assert len({x % 2 for x in released}) == 2
    assert abs(mechanism.release(2**60 + 1) - 2**60 - 1) < 200
    assert abs(mechanism.release(10**50) - 10**50) < 200


def test_integers_on_a_step_that_is_not_one_are_rounded_without_floats():
    numbers = [2**60 + 1, 2**60 + 2, 2**60 + 3, -(2**60) - 2, 5, 6, 7, -6]
    for values in (numbers, np.array(numbers)):
        on_step = read_values(values).on(Fraction(4))
        assert on_step.tolist() == [(n + 2) // 4 for n in numbers]
    assert read_values(np.array([3, -3])).on(Fraction(1, 8)).tolist() == [24, -24]


@pytest.mark.parametrize("numbers", [[2**63, -1], [2**64 - 1, 0], [2**70, -(2**70)], [2**61, -(2**61) - 1]])
def test_an_integer_too_large_for_an_array_saturates_and_nothing_else_changes(numbers):
    on_step = read_values(numbers).on(Fraction(1))
    assert on_step.tolist() == [max(-(2**61), min(2**61, number)) for number in numbers]
    released = LAPLACE.release(numbers)
    assert released.dtype == np.int64
    assert max(abs(int(a) - int(b)) for a, b in zip(released, on_step, strict=True)) < 200


@BOTH
def test_what_is_too_large_for_the_step_saturates_without_a_word(mechanism):
    step = mechanism.for_floats(3).step
    for values in (np.array([1e300, -LARGEST, 0.0]), [1e300, -LARGEST, 0.0], [Fraction(10) ** 400, -LARGEST, 0]):
        released = mechanism.release(values)
        assert released / float(step) == pytest.approx([2.0**61, -(2.0**61), 0], abs=2.0**32)
    assert mechanism.release(LARGEST) == LARGEST
    assert mechanism.release("1e400") == LARGEST
    assert mechanism.release("-1e400") == -LARGEST


def test_noise_that_leads_past_the_largest_float_stops_there():
    mechanism = Laplace(epsilon="0.01", sensitivity=10**306)
    coarse = Laplace(epsilon="0.01", sensitivity=10**306, step=2**980)
    released = {abs(x) for _ in range(20) for x in (mechanism.release(LARGEST), *coarse.release(np.array([LARGEST, -LARGEST])))}
    assert max(released) == LARGEST
    assert len(released) > 5


def test_a_float_is_rounded_as_the_number_it_holds():
    assert read_values(np.float32(123456792)).on(Fraction(1)) == 123456792       # its shortest decimal is 123456790
    assert read_values([np.float32(123456792), 1]).on(Fraction(1)).tolist() == [123456792, 1]
    assert read_values(0.1).one == Fraction(0.1) != Fraction(1, 10)


@pytest.mark.parametrize("place", [0, 1, -1, 7, 2**40, -(2**40) - 1])
def test_halves_go_up_by_every_road(place):
    half = place + Fraction(1, 2)
    for number, expected in [(half, place + 1), (Fraction(math.nextafter(float(half), -math.inf)), place)]:
        x = float(number)
        assert Fraction(x) == number
        assert read_values(x).on(Fraction(1)) == expected
        assert read_values([x, 1]).on(Fraction(1))[0] == read_values(np.array([x])).on(Fraction(1))[0] == expected
    assert read_values(np.array([2.0**52 + 1, 2.0**53 - 1, 0.5 - 2.0**-54])).on(Fraction(1)).tolist() == [2**52 + 1, 2**53 - 1, 0]


def test_every_release_opens_entropy_once(meter):
    LAPLACE.release(5)
    LAPLACE.release(np.arange(1000))
    Exponential(epsilon=1, sensitivity=1).select([1, 2, 3])
    assert meter.opened == 3
    assert meter.fills > 0


def test_the_same_value_is_not_released_the_same_way_twice():
    assert len({LAPLACE.for_floats().release(0.0) for _ in range(20)}) > 15    # two may meet, in one run of twenty thousand


@BOTH
def test_whole_numbers_of_any_size_get_the_same_noise(mechanism):
    numbers = np.array([[10**40, -(10**40)], [5, 2**63]], dtype=object)
    with seeded(4):
        released = mechanism.release_whole(numbers)
    with seeded(4):
        assert (released - numbers).tolist() == mechanism.release(np.zeros((2, 2), np.int64)).tolist()
    assert all(type(x) is int for x in released.flat)


# ---- the noise: accepted at the claimed size, rejected 3 % above and below


def surprise(statistic: float, mean: float, deviation: float) -> float:
    """The two-sided probability of something this far from the mean."""
    return 2 * norm.sf(abs(statistic - mean) / deviation)


def fit_of_scale(noise, law, factor: float) -> float:
    """How likely the mean size (Laplace) or mean square (Gaussian) of the noise is under the law widened by ``factor``."""
    n = len(noise)
    if law.quadratic:
        variance = float(1 / (2 * law.quadratic)) * factor**2    # wide enough that the variance is the nominal one
        return surprise(float(np.mean(noise**2)), variance, variance * math.sqrt(2 / n))
    q = math.exp(-float(law.linear) / factor)
    mean, second = 2 * q / (1 - q * q), 2 * q / (1 - q) ** 2
    return surprise(float(np.mean(np.abs(noise))), mean, math.sqrt((second - mean**2) / n))


def accepted_and_no_other(noise, law) -> bool:
    centred = surprise(float(np.mean(noise)), 0, float(np.std(noise)) / math.sqrt(len(noise))) > FALSE_ALARM
    return centred and [fit_of_scale(noise, law, factor) > FALSE_ALARM for factor in (0.97, 1, 1.03)] == [False, True, False]


N = 300_000
CLAIMS = [
    Laplace(epsilon="1/2", sensitivity=1), Laplace(epsilon="1/10", sensitivity=3), Laplace(epsilon=3, sensitivity=2),
    Gaussian(rho="1/8", sensitivity=1), Gaussian(rho="1/1000", sensitivity_squared=2),
    Gaussian(epsilon=1, delta="1e-6", sensitivity=1, dimensions=N)]


@pytest.mark.parametrize("mechanism", CLAIMS, ids=repr)
def test_the_noise_on_integers_has_the_claimed_size_and_no_other(mechanism):
    values = np.arange(N) - N // 2
    assert accepted_and_no_other((mechanism.release(values) - values).astype(float), mechanism.law)


@pytest.mark.parametrize("mechanism", CLAIMS, ids=repr)
def test_the_noise_on_floats_has_the_claimed_size_and_no_other(mechanism):
    behind = mechanism.for_floats(N)
    values = np.linspace(-1000, 1000, N)
    noise = (mechanism.release(values) - values) / float(behind.step)
    assert accepted_and_no_other(noise, behind.law)
    expected = float(mechanism.scale) * (1 if isinstance(mechanism, Gaussian) else math.sqrt(2))
    assert float(np.std(noise)) * float(behind.step) == pytest.approx(expected, rel=0.03)


@pytest.mark.slow
def test_the_noise_of_single_releases_has_the_claimed_size_and_no_other():
    noise = np.array([LAPLACE.release(51) - 51 for _ in range(170_000)])
    assert accepted_and_no_other(noise.astype(float), LAPLACE.law)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [
    Laplace(epsilon=1, sensitivity="1/3"), Gaussian(rho=1, sensitivity="0.1"), Gaussian(rho="1/2", sensitivity=1)], ids=repr)
def test_the_noise_of_short_releases_has_the_claimed_size_and_no_other(mechanism):
    values = np.full(500, 51.3)
    behind = mechanism.for_floats(500)
    noise = np.concatenate([mechanism.release(values) - values for _ in range(180 if behind.law.quadratic else 340)])
    assert accepted_and_no_other(noise / float(behind.step), behind.law)


@pytest.mark.slow
def test_selections_follow_the_claimed_epsilon_and_no_other():
    mechanism, others = Exponential(epsilon="1/2", sensitivity=1), 3000
    scores = np.full(others + 1, -32)                         # exp(-32 / 4) 3000 is about 1: a fair coin, which 3 % would bend
    scores[1234] = 0
    n = 12_000
    wins = sum(mechanism.select(scores) == 1234 for _ in range(n))

    def fit(epsilon):
        p = Exponential(epsilon=epsilon, sensitivity=1).pmf(scores)[1234]
        return surprise(wins, n * p, math.sqrt(n * p * (1 - p)))

    assert fit(Fraction(1, 2)) > FALSE_ALARM
    assert fit(Fraction(1, 2) * Fraction(97, 100)) < FALSE_ALARM
    assert fit(Fraction(1, 2) * Fraction(103, 100)) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("scores", [
    [3, 1, 0], [0.5, 0.25, 0.5, -1.0], np.array([7, 7, 9], np.uint64), np.array([1, 2], np.float32)], ids=repr)
def test_selections_follow_their_probabilities(scores):
    mechanism, n = Exponential(epsilon=1, sensitivity=1), 1500
    with seeded(5):
        chosen = np.bincount([mechanism.select(scores) for _ in range(n)], minlength=len(scores))
    for count, p in zip(chosen, mechanism.pmf(scores), strict=True):
        assert surprise(count, n * p, math.sqrt(n * p * (1 - p))) > 1e-4
