"""OpenDP's side of quantiles.py, run by OpenDP's own interpreter: rank errors of its private quantile, printed as JSON.

It chooses among candidates that the user lists, evenly spread over the bounds here: a thousand, and as many as whole numbers or
a hundred thousand. Scores and scale are OpenDP's own; the law is that of its noise, and the runs show how far they are from it.
"""

import json
from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
from _quantiles_errors import flipped, rank_error, summary, told

RUNS = {1_001: 500, 100_001: 80}

dp.enable_features("contrib", "private-quantile-v2")
data = told()
found = {}
for name, table in data["tables"].items():
    values = np.sort(np.array(table["values"], float))
    domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False))
    for price in data["prices"]:
        for count, runs in RUNS.items():
            whole = int(table["upper"] - table["lower"]) + 1
            candidates = np.linspace(table["lower"], table["upper"], min(count, whole)).tolist()
            scores = dp.t.make_quantile_score_candidates(domain, dp.symmetric_distance(), candidates, 0.5)

            def chooser(scale, scores=scores):
                return dp.m.make_noisy_max(scores.output_domain, scores.output_metric, dp.max_divergence(), scale, negate=True)

            def measured(scale, scores=scores, chooser=chooser):
                return scores >> chooser(scale)

            scale = dp.binary_search_param(measured, d_in=1, d_out=float(price), T=float)
            exact, choose = scores(values), chooser(scale)
            off, chances = rank_error(values, np.array(candidates), 0.5), flipped(np.array(exact, float), scale)
            law = float(chances @ off)
            spread = float(np.sqrt(max(chances @ off**2 - law**2, 0) / runs))
            errors = summary(off[[choose(exact) for _ in range(runs)]])
            apart = abs(errors["mean"] - law) / max(spread, 1e-9)
            found[f"{name}, {price}, {count}"] = errors | {"law": law, "runs": runs, "apart": apart}
print(json.dumps({"version": version("opendp"), "errors": found}))
