"""Tumult Analytics' side of spark.py, run by its own interpreter: `_spark_tumult.py PARQUET GROUPS REPEATS`, seconds as JSON.

A count and a sum in public groups, each row a unit of its own, on Spark's version that it needs, as large as the other one.
"""

import json
import logging
import os
import sys
import time
import warnings
from importlib.metadata import version

os.environ["PYSPARK_PYTHON"] = sys.executable
warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

from pyspark.sql import SparkSession  # noqa: E402 - after its interpreter is named
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session  # noqa: E402

place, groups, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", "8").config("spark.sql.warehouse.dir", f"{place}-warehouse").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
table = Session.from_dataframe(PureDPBudget(float("inf")), "t", spark.read.parquet(place), protected_change=AddOneRow())
asked = QueryBuilder("t").groupby(KeySet.from_dict({"g": list(range(groups))}))
seconds = []
for _ in range(repeats + 1):
    start = time.perf_counter()
    for query in (asked.count(), asked.sum("x", low=0, high=100)):
        found = table.evaluate(query, PureDPBudget(1)).collect()
        assert len(found) == groups
    seconds.append(time.perf_counter() - start)
print(json.dumps({"version": version("tmlt.analytics"), "pyspark": version("pyspark"), "seconds": seconds[1:]}))
