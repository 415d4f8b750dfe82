"""OpenDP's side of questions.py, run by OpenDP's own interpreter: `_questions_opendp.py PARQUET`, seconds printed as JSON.

The same question through its Polars context: the keys are public, and a group has at most a million rows. It is the fastest of
the forms that were tried: to fill nulls and NaN first takes it longer. Polars alone is timed as well.
"""

import json
import sys
import warnings
from dataclasses import asdict
from importlib.metadata import version

import opendp.prelude as dp
import polars as pl
from _record import clocked

REPEATS = 9

warnings.simplefilter("ignore")                       # of a default that will change
dp.enable_features("contrib")
margin = dp.polars.Margin(by=["g"], invariant="keys", max_length=1_000_000, max_groups=50)


def ask() -> object:
    context = dp.Context.compositor(
        data=pl.scan_parquet(sys.argv[1]),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[margin],
    )
    statistics = dp.len().alias("n"), pl.col("x").dp.sum((0.0, 100.0)).alias("s")
    return context.query().group_by("g").agg(*statistics).release().collect()


def ask_polars() -> object:
    return pl.scan_parquet(sys.argv[1]).group_by("g").agg(pl.len().alias("n"), pl.col("x").sum().alias("s")).collect()


wall, cores = clocked({"OpenDP": ask, "Polars": ask_polars}, repeats=REPEATS)
print(json.dumps({"version": version("opendp"), "polars": version("polars"), "repeats": REPEATS,
                  "wall": {name: asdict(taken) for name, taken in wall.items()},
                  "processor": {name: asdict(taken) for name, taken in cores.items()}}))
