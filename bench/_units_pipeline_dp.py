"""PipelineDP's side of units.py, run by its own interpreter: `_units_pipeline_dp.py CSV`, seconds printed as JSON.

Its local backend, with the same caps and public keys; the rows are read before the clock starts.
"""

import csv
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pipeline_dp
from _units_table import GROUPS, MOST_GROUPS, MOST_ROWS

with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
    rows = [(int(person), int(g), int(x)) for person, g, x in list(csv.reader(file))[1:]]

start = time.perf_counter()
accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=0)
engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
result = engine.aggregate(
    rows,
    pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=[pipeline_dp.Metrics.COUNT, pipeline_dp.Metrics.SUM],
        max_partitions_contributed=MOST_GROUPS,
        max_contributions_per_partition=MOST_ROWS,
        min_value=0,
        max_value=100,
    ),
    pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: row[1], value_extractor=lambda row: row[2]
    ),
    public_partitions=list(range(GROUPS)),
)
accountant.compute_budgets()
found = list(result)
print(json.dumps({"version": version("pipeline-dp"), "rows": len(rows), "seconds": time.perf_counter() - start,
                  "groups": len(found)}))
