"""The levels of a recursion share its price so that the errors of all quantiles are least."""

from fractions import Fraction
from itertools import product

import pytest

from discreet.mechanisms.quantiles import turns
from discreet.statistics.levels import parts_of

NINE = [Fraction(i, 10) for i in range(1, 10)]


def error(order, moves, touched, parts, is_concentrated):
    """The sum over all quantiles of what each is off, if an error is what one unit moves over epsilon."""
    off = {None: 0.0}
    for turn, moved in zip(order, moves, strict=True):
        share = float(parts[turn.level])
        own = float(moved) * touched[turn.level] / (share**0.5 if is_concentrated else share)
        off[turn.target] = own + float(1 - turn.q) * off[turn.low] + float(turn.q) * off[turn.high]
    return sum(off.values())


@pytest.mark.parametrize("is_concentrated", [False, True])
@pytest.mark.parametrize("touched", [(1, 1, 1, 1), (1, 2, 2, 2)])
def test_no_other_parts_make_the_errors_of_nine_quantiles_less(touched, is_concentrated):
    order = turns(NINE)
    moves = [max(turn.q, 1 - turn.q) for turn in order]
    parts = parts_of(order, moves, touched, is_concentrated=is_concentrated)
    least = error(order, moves, touched, parts, is_concentrated)
    assert sum(parts) == 1
    for change in product((-0.02, 0.0, 0.02), repeat=4):
        if abs(sum(change)) < 1e-9 and any(change):
            other = [float(part) + more for part, more in zip(parts, change, strict=True)]
            assert error(order, moves, touched, other, is_concentrated) > least
    equal = error(order, moves, touched, [0.25] * 4, is_concentrated)
    assert least < 0.98 * equal


def test_one_level_has_all_of_the_price():
    assert parts_of(turns([Fraction(1, 2)]), [Fraction(1, 2)], [1], is_concentrated=True) == (1,)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 99, 2000])
def test_the_parts_of_any_recursion_are_above_0_and_add_up_to_1(count):
    order = turns([Fraction(i, count + 1) for i in range(1, count + 1)])
    depth = 1 + max(turn.level for turn in order)
    parts = parts_of(order, [Fraction(1, 2)] * count, [1] * depth, is_concentrated=False)
    assert sum(parts) == 1
    assert min(parts) > 0
