"""The auditor at length: how often it is wrong about what is right, and two installed peers that it refutes."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.audit import correct

import discreet as dc

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parent.parent.parent
RUNS, ALPHA = 200, 0.05


def peer(name):
    """The interpreter of a peer's own environment, as `make bench` installs it."""
    folder = ROOT / ".venv-peers" / name
    usual = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    python = Path(os.environ.get(f"DISCREET_PEER_{name.upper()}", usual))
    if not python.exists():
        pytest.skip(f"missing part: {name} in .venv-peers, which `make bench` installs")
    return str(python)


@pytest.mark.parametrize("name", [*correct.BATCHES, *correct.CALLS])
def test_false_alarms_are_as_rare_as_stated(name):
    batch = name in correct.BATCHES
    claim, one, other = (correct.BATCHES | correct.CALLS)[name]
    alarms, seen = 0, []
    for _ in range(RUNS):
        found = dc.audit(one, other, claim, batch=batch, samples=20_000 if batch else 300, alpha=ALPHA)
        alarms += found.found_violation
        seen.append(found.at_least)
    most = stats.binom.ppf(0.999, RUNS, ALPHA)
    print(f"\n  {name}: {alarms} false alarms in {RUNS} runs at α = {ALPHA}, at most {most:.0f} expected; "
          f"least loss shown {np.mean(seen):.3f} on average")
    assert alarms <= most


@pytest.mark.parametrize(("script", "one", "other"), [("nanmean.py", "0", "1"), ("regression.py", "1", "0.001")])
def test_an_installed_peer_violates_its_own_claim(script, one, other):
    python, file = peer("diffprivlib"), str(Path(__file__).with_name("peers") / script)
    sides = [dc.audit.command([python, "-W", "ignore", file, words], timeout=300) for words in (one, other)]
    found = dc.audit(*sides, epsilon=1, samples=1000, batch=True, alpha="1e-6", timeout=600)
    print(f"\n  {script}: {found}")
    assert found.found_violation
    assert any(each.event.startswith("value ") and each.at_least > 1 for each in found.findings)
