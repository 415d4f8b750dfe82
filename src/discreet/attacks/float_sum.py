"""Float sums: one row can move a floating-point sum a thousand times further than the row itself is moved."""

from contextlib import ExitStack, closing
from typing import Any

import numpy as np

from discreet.attacks.draws import Floats, textbook_laplace
from discreet.attacks.guessing import guesses, together
from discreet.attacks.outcome import Line, Outcome, most_right
from discreet.attacks.worlds import World, world
from discreet.errors import Refused
from discreet.facts.make import integer
from discreet.mechanisms.laplace import Laplace

__all__ = ["added_up", "float_sum", "rounding", "shuffled"]

_ROWS = 1025
_EPSILON = "0.1"
_QUESTION = "SELECT SUM(x) AS s FROM t"


def rounding(digits: int) -> tuple[list[int], list[int]]:
    """Two tables that differ in one row by 2, which is the whole range [2^digits, 2^digits + 2]."""
    low, high = 2**digits, 2**digits + 2
    return [low] + [high] * (_ROWS - 1), [high] * _ROWS


def shuffled(digits: int) -> tuple[list[int], list[int]]:
    """The same rows in two orders: a large one first, or last."""
    return [2**digits] + [1] * (_ROWS - 1), [1] * (_ROWS - 1) + [2**digits]


def added_up(values: list[int], kind: type[np.floating[Any]]) -> float:
    """The sum as a loop over floats computes it, one after the other."""
    return float(np.add.accumulate(np.array(values, kind))[-1])


def float_sum(trials: int = 60) -> Outcome:
    """Which of two tables was it? Float sums with noise for a row's range, against exact sums with the same noise."""
    with ExitStack() as stack:
        pair = [stack.enter_context(_world(rows, 2**24, 2**24 + 2)) for rows in rounding(24)]
        orders = [stack.enter_context(_world(rows, 1, 2**24)) for rows in shuffled(24)]
        bare = [
            Line("unprotected", "row, 2^53", _on_floats(trials, rounding(53), np.float64, 2.0)),
            Line("unprotected", "row, 2^24", _on_floats(trials, rounding(24), np.float32, 2.0)),
            Line("unprotected", "order, 2^53", _on_floats(trials, shuffled(53), np.float64, 0.0)),
        ]
        ours = [
            Line("discreet", "row, 2^24", guesses(trials, lambda secret: _above(pair[secret], sum(rounding(24)[0]) + 1))),
            Line("discreet", "row, 2^53", guesses(trials, _with_whole_numbers)),
            Line("discreet", "order, 2^24", guesses(trials, lambda secret: _above(orders[secret], sum(shuffled(24)[0])))),
        ]
    moved, turned = ([added_up(rows, np.float64) for rows in pair] for pair in (rounding(53), shuffled(53)))
    return Outcome(
        name="float_sum",
        title="Float sums: a rounding error as large as a secret",
        attacker="Knows every row but one, or everything but the order of the rows, and asks for one noisy sum.",
        success="guesses of the table that are right",
        unprotected=together(bare),
        discreet=together(ours),
        chance=0.5,
        most=most_right(float(_EPSILON)),
        lines=(*bare, *ours),
        notes=(f"{_ROWS} rows between 2^53 and 2^53 + 2: one row moved by 2 moves the float sum by {moved[1] - moved[0]:.0f}",
               f"the same rows in another order: the float sum differs by {abs(turned[1] - turned[0]):.0f}",
               f"a table of 2^53s behind a curator: {_out_of_reach()}; dc.Laplace takes their sum as a whole number, above"),
        lesson="Noise is scaled to how far one row can move a sum, and floats move it further than the rule says. discreet sums "
               "whole numbers exactly, in any order, and refuses a range that its sums could not hold.",
        source="Casacuberta, Shoemate, Vadhan and Wagaman 2022",
    )  # fmt: skip


def _world(rows: list[int], low: int, high: int) -> Any:
    return world({"x": integer(low, high)}, [(value,) for value in rows], budget=1, public_size=True)


def _on_floats(trials: int, pair: tuple[list[int], list[int]], kind: type[np.floating[Any]], moved: float) -> Any:
    """A library that adds floats and then noise for what it believes one row can do: nothing, where only the order changed."""
    sums = [added_up(rows, kind) for rows in pair]
    scale = max(moved, 1.0) / float(_EPSILON)

    def attempt(secret: int) -> bool:
        noisy: Floats = sums[secret] + textbook_laplace(1, scale)
        return bool((noisy[0] > sum(sums) / 2) == (sums[1] > sums[0]))

    return guesses(trials, attempt)


def _above(where: World, threshold: int) -> bool:
    (answer,) = where.answers(_QUESTION, epsilon=_EPSILON)
    return bool(answer.value > threshold)


def _with_whole_numbers(secret: int) -> bool:
    pair = rounding(53)
    released = Laplace(epsilon=_EPSILON, sensitivity=2).release(sum(pair[secret]))
    return bool(released > sum(pair[0]) + 1)


def _out_of_reach() -> str:
    with _world(rounding(53)[1], 2**53, 2**53 + 2) as where, closing(where.curator()) as curator:
        try:
            return f"answered {curator.ask(_QUESTION, epsilon=_EPSILON).value}"
        except Refused:
            spent = curator.budget.to_dict()["spent"]["epsilon"]
            return f"refused before a row is read, and ε {spent} spent"
