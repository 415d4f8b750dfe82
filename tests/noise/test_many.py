"""Many draws at once: the lookup arrays and the enclosures behind the fast path, and the shapes of what it returns."""

import ast
import inspect
from bisect import bisect_left
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from tests.noise.replay import ALL_ONES, LAWS, Replay, gaussian, laplace

from discreet.errors import ParameterError
from discreet.noise import discrete_gaussian, discrete_laplace, draws, many, race
from discreet.noise.draws import LARGEST_SPREAD, draw, draw_exactly_one
from discreet.noise.enclosures import exp_minus
from discreet.noise.keystream import Keystream
from discreet.noise.many import _bins_of, _guide, _keep_bounds, _settle, draw_many
from discreet.noise.one import is_kept, saturated
from discreet.noise.threshold_table import nearest_and_base, relative_exponent, threshold_table
from discreet.testing import repeatable, seeded

FINE = 40
WIDE = {name: law for name, law in LAWS.items() if law.spread >= 2 * FINE} | {
    "laplace 80": laplace(80), "gaussian 80": gaussian(80), "laplace 2^50": laplace(2**50), "gaussian 2^50": gaussian(2**50),
    "laplace, bins almost wider": laplace(2 * FINE * 2**20 - 1), "gaussian, bins almost wider": gaussian(2 * FINE * 2**20 - 1),
}  # fmt: skip
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
wide_laws = pytest.mark.parametrize("law", WIDE.values(), ids=WIDE)


# ---- the first filter


@pytest.mark.slow
@every_law
def test_a_settled_cell_lies_in_one_bin_and_an_open_one_does_not(law):
    guide = _guide(threshold_table(law, FINE))
    thresholds = guide.table.thresholds
    for cell, base in enumerate(guide.cell_base.tolist()):
        first, last = bisect_left(thresholds, cell << 48), bisect_left(thresholds, (cell + 1 << 48) - 1)
        crossed = first == len(thresholds) or thresholds[first] < cell + 1 << 48
        assert (base == many._OPEN) == crossed
        if not crossed:
            assert first == last
            assert base == nearest_and_base(first, guide.table.width)[1]


@pytest.mark.slow
@wide_laws
def test_what_the_first_filter_keeps_is_certain_to_be_kept(law):
    guide = _guide(threshold_table(law, FINE))
    made = guide.table
    keep_digits = 64 - 16 - made.width_bits
    bounds = {}
    for base, keep in zip(guide.cell_base.tolist(), guide.cell_keep.tolist(), strict=True):
        bounds.setdefault(base, keep)
        assert bounds[base] == keep
    assert bounds.pop(many._OPEN, 0) == 0
    for index in range(len(made.thresholds)):
        nearest, base = nearest_and_base(index, made.width)
        if base in bounds:
            worst = exp_minus(Fraction(*relative_exponent(law, nearest, made.width - 1)), 64)[0]
            assert 0 < bounds[base] <= worst
            assert bounds[base] % (1 << 64 - keep_digits) == 0  # place digits have no say
            beyond = Fraction(*relative_exponent(law, nearest, made.width))
            assert bounds[base] > 2**64 * (1 - beyond) - 3 * 2**32 - (1 << 64 - keep_digits)


@pytest.mark.slow
@wide_laws
def test_the_first_filter_decides_at_the_bound_and_not_beyond_it(law):
    made = threshold_table(law, FINE)
    guide = _guide(made)
    place = made.width // 3
    cells = np.flatnonzero(guide.cell_base != many._OPEN)[::997]
    for cell in cells.tolist():
        bound = int(guide.cell_keep[cell])
        last_kept = cell << 48 | (bound - 1 >> 16 + made.width_bits << made.width_bits) | place
        drawn = np.empty(1, np.int64)
        assert not many._fill(guide, drawn, Replay([last_kept])).size  # no more words are asked for
        assert drawn[0] == guide.cell_base[cell] + place
        first_open = cell << 48 | (bound >> 16 + made.width_bits << made.width_bits) | place
        replay = Replay([first_open, 0, 0, 0, 0])
        many._fill(guide, drawn, replay)
        assert len(replay.rest()) <= 2  # two fresh words at least
        assert drawn[0] == guide.cell_base[cell] + place


# ---- the second filter


@wide_laws
def test_keep_bounds_enclose_the_exact_probability(law):
    made = threshold_table(law, FINE)
    guide, stream = _guide(made), repeatable("keep bounds")
    drawn = np.empty((2, 1500), np.uint64)
    stream.fill(drawn)
    count = len(made.thresholds)
    index = np.concatenate([drawn[0] % np.uint64(count), [0, 0, 1, 1, count - 1, count - 1, count - 2]]).astype(np.intp)
    offset = np.concatenate([drawn[1] & np.uint64(made.width - 1), [0, made.width - 1] * 3, [made.width - 1]]).astype(np.int64)
    low, high = _keep_bounds(guide, index, offset)
    for bin_, away, least, most in zip(index.tolist(), offset.tolist(), low.tolist(), high.tolist(), strict=True):
        nearest, _ = nearest_and_base(bin_, made.width)
        x = Fraction(*relative_exponent(law, nearest, away))
        exact_low, exact_high = exp_minus(x, 96)
        assert least << 64 <= exact_low
        assert exact_high <= most << 64
        assert most - least <= 2**32 * x**3 / 6 + 16  # so that few are left open


@wide_laws
def test_the_second_filter_agrees_with_the_exact_decision_word_by_word(law):
    made = threshold_table(law, FINE)
    guide, stream = _guide(made), repeatable("second filter")
    words, fresh = np.empty(3000, np.uint64), np.empty((2, 3000), np.uint64)
    stream.fill(words)
    stream.fill(fresh)
    values, kept = _settle(guide, words, Replay([*fresh.ravel().tolist(), *[0] * 100]))
    keep_digits = 64 - 16 - made.width_bits
    drawn = zip(words.tolist(), *fresh.tolist(), values.tolist(), kept.tolist(), strict=True)
    for word, more_bin, more_keep, value, keep in drawn:
        prefix = word >> 48 << 48 | more_bin >> 16
        place = word & made.width - 1
        index = bisect_left(made.thresholds, prefix)
        assert value == nearest_and_base(index, made.width)[1] + place
        digits = (word >> made.width_bits & (1 << keep_digits) - 1) << 64 - keep_digits | more_keep >> keep_digits
        assert keep == is_kept(made, index, place, digits, 64, Replay([]))


@wide_laws
def test_what_the_second_filter_leaves_open_is_decided_by_exact_digits(law):
    made = threshold_table(law, FINE)
    guide, keep_digits = _guide(made), 64 - 16 - made.width_bits
    for index in (0, 1, 10, 31, len(made.thresholds) - 1):
        place = 0 if index % 2 else made.width - 1  # the furthest from zero
        low, high = (int(each[0]) for each in _keep_bounds(guide, np.array([index]), np.array([made.width - 1])))
        decided = set()
        for leading in {low - 1, low, (low + high) // 2, high - 1, high}:
            prefix, keep = made.thresholds[index] - 1, leading << 32 | 0x12345678
            word = prefix >> 48 << 48 | keep >> 64 - keep_digits << made.width_bits | place
            fresh = [prefix << 16 & ALL_ONES, keep << keep_digits & ALL_ONES]
            _, kept = _settle(guide, np.array([word], np.uint64), Replay(fresh))
            assert kept[0] == is_kept(made, index, place, keep, 64, Replay([]))
            decided.add(bool(kept[0]))
        assert decided == {True, False}


def model(made, size, stream):
    """Many draws one by one, with exact decisions in place of the second filter, from the same words; and the rounds it took."""
    guide, keep_digits = _guide(made), 64 - 16 - made.width_bits
    drawn, places, rounds = [0] * size, list(range(size)), 0
    while places:
        words, again = np.empty(len(places), np.uint64), []
        stream.fill(words)
        is_left = (words << np.uint64(16)) >= guide.cell_keep[words >> np.uint64(48)]
        fresh = np.empty((2, np.count_nonzero(is_left)), np.uint64)
        stream.fill(fresh)
        more = iter(fresh.T.tolist())
        for at, word, left in zip(places, words.tolist(), is_left.tolist(), strict=True):
            more_bin, more_keep = next(more) if left else (ALL_ONES, 0)
            index, place = bisect_left(made.thresholds, word >> 48 << 48 | more_bin >> 16), word & made.width - 1
            keep = (word >> made.width_bits & (1 << keep_digits) - 1) << 64 - keep_digits | more_keep >> keep_digits
            drawn[at] = nearest_and_base(index, made.width)[1] + place
            if not is_kept(made, index, place, keep, 64, Replay([])):
                again.append(at)
        places, rounds = again, rounds + 1
    return drawn, rounds


@pytest.mark.slow
@pytest.mark.parametrize("law", [laplace(FINE * 2**10), gaussian(FINE * 2**20), gaussian(2**50)])
def test_many_draws_are_what_exact_decisions_make_of_the_same_words(law):
    made = threshold_table(law, FINE)
    expected, rounds = model(made, 30_000, repeatable("model"))
    assert rounds > 2  # some were rejected twice
    assert draw_many(made, 30_000, repeatable("model")).tolist() == expected


@every_law
def test_a_word_on_a_threshold_or_beyond_the_last_is_left_to_the_exact_draw(law):
    guide = _guide(threshold_table(law, FINE))
    thresholds = guide.table.thresholds
    prefixes = np.array([t + step for t in thresholds[:50] for step in (-1, 0, 1)] + [ALL_ONES, thresholds[-1]], np.uint64)
    index, is_hard = _bins_of(guide, prefixes)
    for prefix, found, hard in zip(prefixes.tolist(), index.tolist(), is_hard.tolist(), strict=True):
        assert hard == (prefix in thresholds or prefix > thresholds[-1])
        assert hard or found == bisect_left(thresholds, prefix)


@pytest.mark.parametrize("make", [laplace, gaussian])
def test_draws_far_beyond_the_table_are_completed(make):
    narrow, wide = _guide(threshold_table(make(10), FINE)), _guide(threshold_table(make(10**6), FINE))
    words = np.array([ALL_ONES], np.uint64)
    values, kept = _settle(narrow, words, Replay([ALL_ONES, 1 << 60]))
    assert kept.all()
    assert abs(int(values[0])) > int(nearest_and_base(len(narrow.table.thresholds), 1)[0])
    values, kept = _settle(wide, words, Replay([ALL_ONES, 0, ALL_ONES, 1 << 60]))  # two fresh words, and two more for the bin
    assert abs(int(values[0])) > int(nearest_and_base(len(wide.table.thresholds), wide.table.width)[0])


def test_draws_that_no_array_holds_saturate_on_both_paths(monkeypatch):
    assert [saturated(z) for z in (-(2**70), -5, 2**62 + 1)] == [-(2**62), -5, 2**62]
    monkeypatch.setattr(many, "value_in", lambda *_: 2**70)  # would take a hundred words of nothing but ones
    for made in (threshold_table(laplace(10), FINE), threshold_table(laplace(10**6), FINE)):
        values, _ = _settle(_guide(made), np.array([ALL_ONES], np.uint64), Replay([ALL_ONES, 0, 1 << 60, 1 << 60]))
        assert values.tolist() == [2**62]
    monkeypatch.setattr(draws, "draw_few", lambda _, size, __: [-(2**70)] * size)
    assert draw(laplace(5), 3, Keystream()).tolist() == [-(2**62)] * 3


def test_bins_too_wide_for_the_second_filter_are_refused():
    with pytest.raises(ValueError, match="too wide"):
        draw_many(threshold_table(gaussian(10**6), 4), 1000, Keystream())
    with pytest.raises(ValueError, match="too wide"):
        draw_many(threshold_table(laplace(2**60), FINE), 1000, Keystream())


# ---- what comes out


@pytest.mark.parametrize("noise", [discrete_laplace, discrete_gaussian])
@pytest.mark.parametrize("size", [0, 1, 2, 511, 512, 513, 70_000, (), (3,), (3, 4), (0, 5), (30, 40), (2, 3, 200)])
def test_an_array_has_the_size_and_shape_asked_for(noise, size):
    drawn = noise(7, size)
    assert drawn.dtype == np.int64
    assert drawn.shape == (size if isinstance(size, tuple) else (size,))


def test_without_a_size_one_python_integer_is_drawn():
    assert type(discrete_laplace(3)) is int
    assert type(discrete_gaussian(3)) is int


@pytest.mark.parametrize("size", [0, 1, 511, 512, 200_000])
def test_draws_are_the_same_from_cached_tables_and_new_ones(size):
    with seeded(4):
        cached = discrete_laplace(10**6, size)
    threshold_table.cache_clear()
    _guide.cache_clear()
    with seeded(4):
        assert (discrete_laplace(10**6, size) == cached).all()


@pytest.mark.parametrize("scale", ["1e-3", "1e-12", "1e-300"])
def test_the_narrowest_noise_is_zero_in_any_number(scale):
    assert discrete_laplace(scale) == discrete_gaussian(scale) == 0
    assert not discrete_laplace(scale, 1000).any()
    assert not discrete_gaussian(scale, 1000).any()


def test_noise_wider_than_an_array_can_hold_is_refused_unless_drawn_one_by_one():
    assert abs(discrete_laplace(2**200)) < 2**210
    assert abs(discrete_gaussian(2**400)) < 2**205
    for size in (0, 1, 1000, (2, 2)):
        with pytest.raises(ParameterError, match="too wide for an array"):
            discrete_laplace(LARGEST_SPREAD + 1, size)
        with pytest.raises(ParameterError, match="too wide for an array"):
            discrete_gaussian((LARGEST_SPREAD + 1) ** 2, size)
    assert discrete_laplace(LARGEST_SPREAD, 1000).any()
    assert discrete_gaussian(LARGEST_SPREAD**2, 1000).any()


@pytest.mark.parametrize("scale", [0, -1, "nan", float("inf"), None, True, "", "1/0", [1]])
@pytest.mark.parametrize("noise", [discrete_laplace, discrete_gaussian])
def test_a_scale_that_is_not_a_positive_number_is_refused(noise, scale):
    for size in (None, 3):
        with pytest.raises(ParameterError):
            noise(scale, size)


@pytest.mark.parametrize("size", [-1, (2, -1), 1.5, "many", True])
def test_a_size_that_is_not_a_number_of_draws_is_refused(size):
    with pytest.raises(ParameterError):
        discrete_laplace(1, size)


def test_draws_by_law_are_arrays_of_64_bit_integers_on_both_paths():
    for size in (3, 3000):
        assert draw(laplace(5), size, Keystream()).dtype == np.int64
    assert type(draw_exactly_one(laplace(5), Keystream())) is int


# ---- no floating point


@every_law
def test_lookup_arrays_hold_integers_only(law):
    guide = _guide(threshold_table(law, FINE))
    arrays = {field.name: value for field in fields(guide) if isinstance(value := getattr(guide, field.name), np.ndarray)}
    assert {name: array.dtype.kind for name, array in arrays.items()} == {
        "thresholds": "u", "cell_base": "i", "cell_keep": "u", "bin_base": "i", "bin_slope": "u", "negative": "b",
    }  # fmt: skip
    assert type(guide.curve) is int


class Watched(np.ndarray):
    """An array that sees every operation done with it."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        options["out"] = tuple(np.asarray(each) for each in options["out"]) if "out" in options else None
        result = getattr(ufunc, method)(*(np.asarray(each) if isinstance(each, Watched) else each for each in inputs), **options)
        for each in result if isinstance(result, tuple) else (result,):
            assert np.asarray(each).dtype.kind in "iub", ufunc
        return result.view(Watched) if isinstance(result, np.ndarray) else result


@wide_laws
def test_no_step_of_the_second_filter_makes_a_floating_point_number(law):
    words = np.empty(1000, np.uint64)
    repeatable("watched").fill(words)
    values, kept = _settle(_guide(threshold_table(law, FINE)), words.view(Watched), repeatable("fresh"))
    assert (values.dtype.kind, kept.dtype.kind) == ("i", "b")


@pytest.mark.parametrize("module", [many, race])
def test_no_floating_point_number_is_written_in_the_code(module):
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.Attribute | ast.Name) and "float" in ast.unparse(node))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            assert module is race  # of Fractions only, and many has none
