"""The closing table can fail a run, and fails only for what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow           # each starts pytest, some of them with workers
CONFTEST = Path(__file__).with_name("conftest.py")
OPTIONAL = "def test_that_wants_a_file(real_data): real_data('no/such.csv')\n"
MISSING = "def test_that_wants_a_package(part): part('no_such_package')\n"
UNSAID = "import pytest\ndef test_skipped_for_no_stated_kind(): pytest.skip('not today')\n"
WHOLE_FILE = "import pytest\npytest.skip('missing part: all of it', allow_module_level=True)\n"
PASSES = "def test_that_passes(): pass\n"


def run(folder: Path, source: str, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n")                # keeps the project's own settings out
    (folder / "test_it.py").write_text(source)
    (folder / "test_other.py").write_text(PASSES)
    env = {name: value for name, value in os.environ.items() if name not in ("CI", "DISCREET_REQUIRE_ALL", "DISCREET_DATA")
           and not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *words, str(folder)]
    settings["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"                 # plugins take a second of every process
    return subprocess.run(command, env=env | settings, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("source", "workers"), [(MISSING, "0"), (MISSING, "2"), (WHOLE_FILE, "2"), (UNSAID, "0")],
                         ids=["missing", "missing in a worker", "whole file", "unsaid"])
def test_a_missing_part_is_listed_and_fails_only_where_all_is_required(tmp_path, source, workers):
    relaxed = run(tmp_path, source, "-n", workers)
    strict = run(tmp_path, source, "-n", workers, DISCREET_REQUIRE_ALL="1")
    assert relaxed.returncode == 0, relaxed.stdout
    assert "missing part " in relaxed.stdout
    assert strict.returncode == 1, strict.stdout
    assert "missing part, FAILS" in strict.stdout


def test_optional_data_is_listed_and_never_fails(tmp_path):
    found = run(tmp_path, OPTIONAL, "-n", "2", CI="true", DISCREET_DATA=str(tmp_path))
    assert found.returncode == 0, found.stdout
    assert "optional data" in found.stdout
    assert "no/such.csv (not in DISCREET_DATA)" in found.stdout


def test_a_failure_stays_a_failure_and_a_full_run_prints_no_table(tmp_path):
    assert run(tmp_path, "def test_it(): assert False\n", CI="true").returncode == 1
    full = run(tmp_path, PASSES, CI="true")
    assert full.returncode == 0
    assert "did not run here" not in full.stdout
