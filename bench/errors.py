"""Error at equal price, beside the recipes of others

The root of the mean squared error over many releases of one statistic at one ε, against the exact statistic of the same table.
Whatever is possible after the release costs nothing and is done for all: means are brought into the declared range, variances
between 0 and a quarter of its square. Every release below is of a whole table.

Where the size is private and a neighbour adds or removes a row, the usual recipe splits ε: one share for the count, one for the
sum and, for a variance, one for the sum of squares. *Count + sum split* is that recipe as libraries that centre values write
it: sums of x − c and of (x − c)², where c is the middle of the range, so that one row moves them by at most R/2 and R²/4. It is
written out here, with the exact noise that discreet uses. *OpenDP* is the same recipe made of its own transformations and
measurements, which do not centre. discreet releases one vector with all of ε: Bernstein sums of degree 1 for a mean, of
degree 2 for a variance. One row moves such a vector by 1 in all, however many numbers it has. The derivation is in
docs/proofs/estimators.md.

Where the size is public and a neighbour changes a row, all sides add Laplace noise to the mean, or to the variance, by the same
sensitivities. diffprivlib draws the noise of a variance so that the result is always possible, and pays with wider noise. The
target there says that nothing is lost.
"""

import json
import tempfile
from fractions import Fraction
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
from _errors_rmse import key, rmse
from _record import Row, in_peer, record

import discreet as dc
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Sums
from discreet.facts import parse_facts
from discreet.lessons.samples import sample
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.private import Private
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.views.arithmetic import evaluated

RUNS = 50_000
ROWS = 2_000
PRICES = ["0.1", "1"]
STATISTICS = {"mean": "AVG(x)", "variance": "VAR_POP(x)"}

PRIVATE = "Size private, a neighbour adds or removes a row"
PUBLIC = "Size public, a neighbour changes a row"
TWICE = "Size private, the variance beside a split that centres twice"
SPLIT, TWICE_SPLIT, OPENDP, DIFFPRIVLIB = "count + sum split", "split, centred twice", "OpenDP", "diffprivlib"

Errors = dict[str, dict[str, float]]                           # by comparison, as `key` names it
Shape = dict[str, Any]                                         # values, upper bound (0 is the lower), exact mean and variance


def main() -> None:
    shapes = made_shapes()
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "shapes.json"
        told.write_text(json.dumps({"shapes": shapes, "prices": PRICES}), encoding="utf-8")
        opendp = in_peer("opendp", "_errors_opendp.py", str(told)) or {"version": "not installed", "errors": {}}
        diffprivlib = in_peer("diffprivlib", "_errors_diffprivlib.py", str(told)) or {"version": "not installed", "errors": {}}
    ours, split, twice = {}, {}, {}
    for shape, table in shapes.items():
        for price in PRICES:
            ours |= our_errors(shape, table, price)
            split |= split_errors(shape, table, price)
            twice |= split_errors(shape, table, price, square_centre=Fraction(1, 8))
    private = compared(shapes, "private", ours, {SPLIT: split, OPENDP: opendp["errors"]})
    public = compared(shapes, "public", ours, {DIFFPRIVLIB: diffprivlib["errors"], OPENDP: opendp["errors"]})
    record(
        "errors",
        {
            "Targets": targets(private, public),
            PRIVATE: private,
            PUBLIC: public,
            TWICE: compared(shapes, "private", ours, {TWICE_SPLIT: twice}, only="variance"),
            "Tables": [about(*each) for each in shapes.items()],
        },
        notes={
            "Targets": "discreet's error over the other's. *Measured* is the geometric mean over tables and prices, *largest* "
                       "the least favourable of them; ± is one standard error of what is to its left. A target holds if what is "
                       "measured is within it.",
            PRIVATE: "Errors in units of R for means and R² for variances, where R is the length of the declared range. Of "
                     f"{RUNS:,} releases by discreet and by the split{runs_of(OPENDP, opendp)}.",
            TWICE: "No target: a stronger recipe than the one above, which libraries could use. The squares are centred as well: "
                   "the third sum is of (x − c)² − R²/8, which one row moves by at most R²/8.",
            PUBLIC: f"In the same units. Of {RUNS:,} releases by discreet{runs_of(DIFFPRIVLIB, diffprivlib)}"
                    f"{runs_of(OPENDP, opendp)}.",
        },
        peers={"opendp": opendp["version"], "diffprivlib": diffprivlib["version"]},
    )


# ---- tables


def made_shapes() -> dict[str, Shape]:
    random = np.random.default_rng(20)
    incomes = np.array(sample("ce_slides").column("Income"), float)
    return {
        "uniform": shape_of(random.uniform(0, 1, ROWS), 1),
        "skewed, Beta(2, 20)": shape_of(random.beta(2, 20, ROWS), 1),
        "made-up incomes": shape_of(incomes, 1_000_000),
    }


def shape_of(values: Any, upper: int) -> Shape:
    return {"values": values.tolist(), "upper": upper, "mean": float(values.mean()), "variance": float(values.var())}


def about(shape: str, table: Shape) -> Row:
    upper = table["upper"]
    return {"table": shape, "rows": len(table["values"]), "range": f"0 to {upper:,}", "mean, of R": table["mean"] / upper,
            "variance, of R²": table["variance"] / upper**2}


# ---- discreet


def our_errors(shape: str, table: Shape, price: str) -> Errors:
    """Of releases by the planner's own vectors, grids, noise and estimates."""
    rows = [{"x": repr(value)} for value in table["values"]]
    found = {}
    relations = {"private": 'neighbours = "add_remove"', "public": f'neighbours = "change_one"\nrows = {len(rows)}'}
    for size, relation in relations.items():
        facts = parse_facts(FACTS.format(relation=relation, upper=table["upper"]), "t")
        engine = Reference(facts, rows)
        for statistic, sql in STATISTICS.items():
            plan = make_plan(read_sql(f"SELECT {sql} AS y FROM t", facts), facts, read_price(epsilon=price))
            released = release(plan, many_times(engine.run(plan.wanted)))
            values = evaluated(plan, plan.question.outputs[0].value, released, 0.05).value
            found[key(shape, price, f"{statistic}, {size} size")] = rmse(possible(values, statistic, table), table[statistic])
    return found


def many_times(sums: Private[Sums]) -> Private[Sums]:
    """The same exact sums in RUNS cells: one release is then RUNS independent ones."""
    found = sums.take()
    return Private(Sums(np.repeat(found.high, RUNS, axis=1), np.repeat(found.low, RUNS, axis=1)))


FACTS = """\
[table]
name = "t"
source = "t.csv"
version = "1"
unit = "row"
{relation}

[budget]
epsilon = 1

[columns.x]
type = "number"
lower = 0
upper = {upper}
null = 0
"""


# ---- the split, written out


def split_errors(shape: str, table: Shape, price: str, square_centre: Fraction = Fraction(0)) -> Errors:
    """Of count and centred sums with an equal share of the price each, and exact noise on a grid of R / 2^20 and R² / 2^20."""
    upper, steps, epsilon = table["upper"], 1 << 20, Fraction(price)
    u = np.array(table["values"]) / upper - 0.5                # between -1/2 and 1/2, its square between 0 and 1/4
    squares = u * u - float(square_centre)
    exact = {                                                  # and by how much one row moves it, at most
        0: (len(u), 1),
        1: (round(u.sum() * steps), steps // 2),
        2: (round(squares.sum() * steps), int((Fraction(1, 4) - square_centre) * steps)),
    }

    def noisy(power: int, share: Fraction) -> Any:
        value, sensitivity = exact[power]
        return value + dc.noise.discrete_laplace(sensitivity / share, RUNS)

    rows = np.maximum(noisy(0, epsilon / 2), 1)
    mean = (noisy(1, epsilon / 2) / steps / rows + 0.5) * upper
    rows = np.maximum(noisy(0, epsilon / 3), 1)
    first, second = noisy(1, epsilon / 3) / steps / rows, noisy(2, epsilon / 3) / steps / rows
    found = {"mean": mean, "variance": (second + float(square_centre) - first**2) * upper**2}
    return {key(shape, price, f"{statistic}, private size"): rmse(possible(values, statistic, table), table[statistic])
            for statistic, values in found.items()}


def possible(values: Any, statistic: str, table: Shape) -> Any:
    """Values of a statistic, brought to where they can be."""
    return np.clip(values, 0, table["upper"] if statistic == "mean" else table["upper"] ** 2 / 4)


# ---- how it is told


def compared(shapes: dict[str, Shape], size: str, ours: Errors, others: dict[str, Errors], only: str | None = None) -> list[Row]:
    rows = []
    for statistic in [only] if only else STATISTICS:
        for shape, table in shapes.items():
            for price in PRICES:
                name, unit = key(shape, price, f"{statistic}, {size} size"), table["upper"] ** (1 + (statistic == "variance"))
                row: Row = {"statistic": statistic, "table": shape, "ε": price, "discreet": ours[name]["rmse"] / unit}
                for who, errors in others.items():
                    row |= beside(who, ours[name], errors.get(name), unit)
                rows.append(row)
    return rows


def beside(who: str, ours: dict[str, float], theirs: dict[str, float] | None, unit: float) -> Row:
    if theirs is None:
        return {who: None, f"÷ {who}": None, f"± {who}": None}
    ratio = ours["rmse"] / theirs["rmse"]
    error = ratio * (ours["uncertainty"] ** 2 + theirs["uncertainty"] ** 2) ** 0.5
    return {who: theirs["rmse"] / unit, f"÷ {who}": ratio, f"± {who}": error}


def targets(private: list[Row], public: list[Row]) -> list[Row]:
    return [
        *(target(f"{statistic}, size private, beside {who}", private, statistic, who, most)
          for statistic, most in (("mean", 0.75), ("variance", 0.6)) for who in (SPLIT, OPENDP)),
        *(target(f"{statistic}, size public, beside {who}", public, statistic, who, 1.02)
          for statistic in STATISTICS for who in (DIFFPRIVLIB, OPENDP)),
    ]


def target(what: str, rows: list[Row], statistic: str, who: str, at_most: float) -> Row:
    found = [(row[f"÷ {who}"], row[f"± {who}"]) for row in rows if row["statistic"] == statistic]
    row: Row = {"target": what[0].upper() + what[1:], "wanted": f"≤ {at_most:g}"}
    if any(ratio is None for ratio, _ in found):
        return row | {"measured": None, "±": None, "largest": None, "± of the largest": None, "holds": None}
    mean = exp(sum(log(ratio) for ratio, _ in found) / len(found))
    error = mean * sum((error / ratio) ** 2 for ratio, error in found) ** 0.5 / len(found)
    largest, its_error = max(found)
    return row | {"measured": mean, "±": error, "largest": largest, "± of the largest": its_error, "holds": mean <= at_most}


def runs_of(who: str, peer: dict[str, Any]) -> str:
    runs = {int(each["runs"]) for each in peer["errors"].values()}
    return f", {', '.join(f'{count:,}' for count in runs)} by {who}" if runs else f"; {who} was not installed"


if __name__ == "__main__":
    main()
