"""Quantiles of many cells at once: the exact law of each cell by itself, two-sided, however much is known of the lattice."""

from fractions import Fraction

import numpy as np
import pytest
from tests.mechanisms.test_quantile import chain_of, every_third, joint_law, oracle, tally_of
from tests.statistics.fit import FALSE_ALARM, chi_square

from discreet.mechanisms.at_once import select_all
from discreet.mechanisms.quantile import Quantile, Ranking
from discreet.mechanisms.tallies import Nodes, Tallies
from discreet.mechanisms.tally import Tally
from discreet.mechanisms.tape import played, recorded, taped
from discreet.noise.bernoulli import uniforms
from discreet.noise.keystream import fresh

HALF = Fraction(1, 2)
SOME = [0, 3, 0, 0, 1, 5, 0, 2, 0, 0, 9, 0, 0, 0, 0, 1, 1, 0, 4]
EMPTY = [0] * 19
AT_THE_END = [0] * 16 + [6, 3, 7]
TABLES = [SOME, EMPTY, AT_THE_END]
MANY = 30_000


def tallies_of(tables, coarse=0, bits=0):
    """Tallies of small tables, coarsely known; what is inside bins can be read."""
    dense = np.array(tables, np.int64)
    points = dense.shape[1]
    bins = np.add.reduceat(dense, np.arange(0, points, 1 << coarse), axis=1)
    cell, place = np.nonzero(bins)

    def reader(of):
        def read(ranges):
            inside = np.concatenate([np.arange(a << coarse, min((b + 1) << coarse, points)) for a, b in ranges])
            found = inside[dense[of][inside] > 0]
            return found, dense[of][found]

        return read

    return Tallies(points, len(tables), cell, place, bins[cell, place], coarse=coarse, bits=bits, read=reader)


def fits(expected, drawn):
    """Whether draws follow a law; outcomes too rare for a chi-square are taken together with the rarest that is not."""
    usual = expected * drawn.sum() > 10
    if usual.sum() < 2:  # a choice that is nearly sure: right, or not
        sure = expected.argmax()
        return drawn.sum() - drawn[sure] < 10 + 6 * (1 - expected[sure]) * drawn.sum()
    found, law = drawn[usual].astype(float), expected[usual].copy()
    least = law.argmin()
    found[least] += drawn[~usual].sum()
    law[least] += expected[~usual].sum()
    return chi_square(found, law) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0, -9, 20])
@pytest.mark.parametrize(("coarse", "prior"), [(0, None), (0, every_third(19)), (3, every_third(19))])
def test_every_cell_has_the_exact_law(coarse, prior, offset):
    cells = MANY if not coarse else 3000  # cells that are known coarsely are chosen one by one
    mechanism = Quantile(epsilon=1, sensitivity=HALF, q="0.4", offset=offset, prior=prior)
    tallies = tallies_of(TABLES * (cells // 3), coarse)
    found = select_all(mechanism, tallies, tallies.whole)
    for place, counts in enumerate(TABLES):
        drawn = np.bincount(found[place::3], minlength=19)
        assert fits(oracle(counts, mechanism), drawn)


def test_the_law_is_told_from_one_that_is_3_percent_off():
    counts, cells = [0] * 60 + [40] + [0] * 2000 + [40] + [0] * 60, 20_000
    mechanism = Quantile(epsilon=Fraction(19, 40), sensitivity=HALF, q="0.3")
    many = Tallies(len(counts), cells, np.repeat(np.arange(cells), 2), np.tile([60, 2061], cells), np.full(2 * cells, 40))
    drawn = np.bincount(select_all(mechanism, many, many.whole), minlength=len(counts))
    grouped = [drawn[:61].sum(), drawn[61:].sum()]  # about as likely: what says most about epsilon

    def chances(of):
        law = oracle(counts, of)
        return [law[:61].sum(), law[61:].sum()]

    assert chi_square(grouped, chances(mechanism)) > FALSE_ALARM
    for factor in (Fraction(97, 100), Fraction(103, 100)):
        off = Quantile(epsilon=factor * Fraction(19, 40), sensitivity=HALF, q="0.3")
        assert chi_square(grouped, chances(off)) < FALSE_ALARM


@pytest.mark.slow
def test_several_quantiles_of_every_cell_have_the_exact_joint_law(monkeypatch):
    monkeypatch.setattr("discreet.mechanisms.quantiles.BITS", 1)
    chain = chain_of(("1/4", "1/2"), (Fraction(1), Fraction(1)), every_third(3, bits=1))
    tables = [[3, 0, 2], [0, 0, 0], [0, 9, 1]]
    tallies = tallies_of(tables * 10_000, bits=1)
    found = chain.select_all(tallies)
    assert (found[0] <= found[1]).all()
    for place, counts in enumerate(tables):
        law = np.zeros(9)
        for (low, high), chance in joint_law(counts, chain, 1).items():
            law[3 * (low >> 1) + (high >> 1)] += chance
        drawn = np.bincount(3 * found[0][place::3] + found[1][place::3], minlength=9)
        assert fits(law, drawn)


@pytest.mark.parametrize("bits", [0, 2])
def test_flat_stretches_say_of_every_cell_what_its_own_tally_says(bits):
    rng = np.random.default_rng(5)
    tables = [rng.integers(0, 3, 24).tolist() for _ in range(40)] + [EMPTY + [0] * 5]
    tallies = tallies_of(tables, bits=bits)
    size = 24 << bits
    first = rng.integers(0, size, len(tables))
    last = np.array([rng.integers(each, size) for each in first])
    whole = tallies.whole
    before, _ = tallies.at(first)
    _, upto = tallies.at(last)
    for nodes in (whole, Nodes(first, last, before, upto)):
        spread = tallies.spread(nodes)
        for cell, counts in enumerate(tables):
            here = spread.cell == cell
            points = np.flatnonzero(counts)
            alone = Tally(24, points, np.array(counts)[points], bits=bits)
            assert (alone.at(int(first[cell])), alone.at(int(last[cell]))) == (
                (before[cell], tallies.at(first)[1][cell]), (tallies.at(last)[0][cell], upto[cell]),
            )  # fmt: skip
            dense = alone.whole.rows
            assert dense == int(whole.upto[cell])
            node = nodes[cell]
            alone = Tally(24, points, np.array(counts)[points], bits=bits)
            known = Ranking(Quantile(epsilon=1, sensitivity=1, q=HALF), alone, node)._clipped(alone.stretches(node))
            assert spread.start[here].tolist() == known.start.tolist()
            assert (spread.end - spread.start)[here].tolist() == known.width.tolist()
            assert (spread.low[here].tolist(), spread.high[here].tolist()) == (known.low.tolist(), known.high.tolist())


@pytest.mark.slow
@pytest.mark.parametrize(("counts", "offset"), [([0] * 8 + [1, 4], 3), ([4, 1] + [0] * 8, -3)])
def test_beside_an_end_that_is_right_by_definition_a_point_of_the_same_bin_has_its_exact_chance(counts, offset):
    """Of a bin of two points one is right whatever the rows are; how many of the rows are at the other is not known by that."""
    mechanism = Quantile(epsilon=1, sensitivity=1, q=int(offset > 0), offset=offset)
    drawn = np.bincount([mechanism.select(tally_of(counts, coarse=1)) for _ in range(1000)], minlength=10)
    assert fits(oracle(counts, mechanism), drawn)


def test_who_observes_sees_one_call_for_each_cell_and_a_tape_gives_them_again():
    mechanism = Quantile(epsilon=1, sensitivity=HALF, q=HALF)

    def asked():
        tallies = tallies_of(TABLES)
        return select_all(mechanism, tallies, tallies.whole).tolist()

    with recorded() as calls:
        asked()
    assert [type(call.exact) for call in calls] == [Ranking] * 3
    with taped() as tape:
        first = asked()
    with played(tape):
        assert asked() == first


def test_uniform_integers_below_many_counts_are_uniform():
    counts = np.tile(np.array([1, 2, 3, 7, 1 << 61], np.int64), 20_000)
    found = uniforms(counts, fresh())
    assert (found >= 0).all()
    assert (found < counts).all()
    for place, count in enumerate((1, 2, 3, 7)):
        drawn = np.bincount(found[place::5], minlength=count)
        assert len(drawn) == count
        assert count == 1 or chi_square(drawn, [1 / count] * count) > FALSE_ALARM
    assert abs(float((found[4::5] / 2.0**61).mean()) - 0.5) < 0.02


def test_no_cells_and_no_rows_are_no_special_case():
    mechanism = Quantile(epsilon=1, sensitivity=HALF, q=HALF)
    tallies = tallies_of([EMPTY])
    assert 0 <= select_all(mechanism, tallies, tallies.whole)[0] < 19
