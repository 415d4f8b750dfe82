"""Pages about one person: in the average, and as the difference between two neighbouring tables."""

import numpy as np

from discreet.gallery.noise import INCOME, INCOME_RANGE, ROWS
from discreet.plots.figure import Axis, Bars, Curve, Dots, Figure, Mark, Plot
from discreet.privacy.events import Neighbours
from discreet.sensitivities import sensitivity

__all__ = ["loss_of_private_scale", "one_person", "who_is_a_neighbour"]

RELATIONS: tuple[Neighbours, Neighbours] = ("add_remove", "change_one")


def one_person() -> Figure:
    """The mean as one record goes from 0 to the bound."""
    others, xs = float(INCOME), np.linspace(0, INCOME_RANGE, 51)
    curves = tuple(Curve(f"n = {n}", xs.tolist(), ((others * (n - 1) + xs) / n).tolist()) for n in (10, 100, ROWS))
    top = (others * 9 + INCOME_RANGE) / 10
    richest = Dots("n = 10", [float(INCOME_RANGE)], [top], texts=["the richest"])
    alt = (
        "The mean income against the income of one of n people, from 0 to a million: straight lines with slope 1/n. One "
        "person moves the mean of 10 by 100 000, of 100 by 10 000 and of 994 by 1006.04. The richest person among ten "
        "stands out at 160 834."
    )
    axes = Axis("income of one person", form="~s", ends=(0, 1.2 * INCOME_RANGE)), Axis("mean income", form="~s")
    return Figure("One person in the average", alt, (Plot(*axes, (*curves, richest)),), source="Hu, 7.2.2, and CS208")


def who_is_a_neighbour() -> Figure:
    """Sensitivities under both relations, and the loss of a scale that was taken from the table."""
    names = ["a count", "a histogram", "three counts"]
    bars = []
    for relation in RELATIONS:
        moves = [float(sensitivity(statistic, neighbours=relation)) for statistic in ("count", "histogram", ["count"] * 3)]
        bars.append(Bars(relation, names, moves, texts=[f"{each:g}" for each in moves]))
    left = Plot(Axis(""), Axis("l1 sensitivity", ends=(0, 3.4)), tuple(bars), "How far one unit moves it", 300)
    ts = np.linspace(0, 3 * INCOME_RANGE, 61)
    loss = Curve("loss", ts.tolist(), [loss_of_private_scale(float(t)) for t in ts])
    right = Plot(Axis("released mean t", form="~s"), Axis("privacy loss", zero=True), (loss, Mark("ε = 1", y=1.0)),
                 "Scale from nrow(): 994 rows or 993", 300, 200)  # fmt: skip
    alt = (
        "Left, sensitivities if a unit may come or go, or change: a count 1 and 1, a histogram 1 and 2, three counts 3 "
        "and 3. Right, the loss when the scale is taken from the number of rows at hand: it grows without end, 1.0 at a "
        "release of one million and 2.0 at two millions, where ε = 1 was promised."
    )
    return Figure("Who is a neighbour?", alt, (left, right), source="Hu, definitions 7.2 to 7.4")


def loss_of_private_scale(t: float, rows: int = ROWS) -> float:
    """|ln p(t)/q(t)| at ε = 1 for tables of n and n − 1 people without income, each with the scale of its own nrow()."""
    return abs(t * rows / INCOME_RANGE - t * (rows - 1) / INCOME_RANGE - float(np.log(rows / (rows - 1))))
