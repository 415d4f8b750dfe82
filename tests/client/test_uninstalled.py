"""The client where DuckDB and sqlglot are not installed: an environment of its own, which has discreet and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
SOURCE = Path(__file__).resolve().parents[2] / "src"
SCRIPT = """
import importlib.util, json, sys
assert not any(importlib.util.find_spec(each) for each in ("duckdb", "sqlglot", "numpy", "cryptography", "typer", "httpx"))
import discreet as dc
with dc.connect(sys.argv[1] + "/people") as people:
    quote = people.quote("SELECT COUNT(*) AS n FROM people", epsilon="0.5")
    answer = people.where("age >= 40").group_by("town").select(n=dc.count(), m=dc.mean("age")).ask(epsilon=1)
    alone = people.ask("SELECT COUNT(*) AS n FROM people", within=20)
    both = people.ask_all(["SELECT AVG(age) AS m FROM people", "SELECT COUNT(*) AS n FROM people"], epsilon=1)
    try:
        people.where("agee > 1")
    except dc.QuestionError as error:
        wrong = str(error)
    print(json.dumps({"quote": repr(quote), "rows": len(answer.rows), "value": alone.value, "shown": repr(answer),
                      "table": repr(people),
                      "html": answer._repr_html_(), "chart": str(answer.plot()), "csv": answer.to_csv(), "wrong": wrong,
                      "spent": str(people.budget.spent), "loaded": sorted(sys.modules)}))
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An environment without packages, in which the folder of the sources is on the path."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=300)
    (next(folder.glob("lib/python3*/site-packages")) / "discreet.pth").write_text(f"{SOURCE}\n")
    return folder / "bin" / "python"


def test_the_client_needs_neither_engine_nor_noise(bare, home, service):
    environment = {"PATH": os.environ["PATH"], "DISCREET_TOKEN": home.alice, "PYTHONUTF8": "1"}
    words = [str(bare), "-W", "error", "-c", SCRIPT, service.address]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rows"] >= 2
    assert "±" in told["quote"]
    assert "±" in told["shown"]
    assert "age" in told["wrong"]
    assert told["csv"].startswith("town,n,n_low,n_high,m,m_low,m_high")
    never = {"discreet.curator", "discreet.engines", "discreet.ledger", "discreet.releasing", "discreet.noise.draws"}
    assert never.isdisjoint(told["loaded"])
