"""Every notebook runs from its first cell to its last, in a real kernel: one for all of them, emptied in between."""

import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
LONGEST = 120  # seconds that one cell may take before the kernel counts as stuck


@contextmanager
def kernel(part, folder: Path):
    """A client of a kernel that runs this interpreter in ``folder``, as Jupyter would start it."""
    part("ipykernel")
    manager = part("jupyter_client.manager").KernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = sys.executable                       # not whichever Python was named python3 here
    found = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])   # `!discreet` is beside it
    settings = {"IPYTHONDIR": str(folder / "ipython"), "NO_COLOR": "1", "PATH": found}
    manager.start_kernel(cwd=str(folder), env=os.environ | settings)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LONGEST)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, source: str) -> tuple[dict, str]:
    """How a cell ended, with the exit code of its last command, and all that it showed."""
    shown = []

    def keep(message):
        content = message["content"]
        shown.append(content.get("text") or content.get("data", {}).get("text/plain", ""))

    command = {"code": "get_ipython().user_ns.get('_exit_code', 0)"}
    reply = client.execute_interactive(source, output_hook=keep, user_expressions=command, timeout=LONGEST, store_history=False)
    return reply["content"], "".join(shown)


def code(said: dict) -> str:
    return said["user_expressions"]["code"]["data"]["text/plain"]


@pytest.mark.slow
def test_every_notebook_runs_in_a_kernel_and_refuses_where_its_page_does(part, tmp_path):
    assert len(NOTEBOOKS) >= 21
    told = {}
    with kernel(part, tmp_path) as client:
        for notebook in NOTEBOOKS:
            (home := tmp_path / notebook.stem).mkdir()
            run(client, f"%reset -f\n%cd -q {home}")
            cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            for cell in cells:
                if cell["cell_type"] != "code":
                    continue
                said, shown = run(client, "".join(cell["source"]))
                told[notebook.stem] = told.get(notebook.stem, 0) + bool(shown.strip())
                where = (notebook.stem, cell["id"], said.get("ename"), said.get("evalue"), shown[-500:])
                if "raises-exception" in cell["metadata"].get("tags", ()):
                    assert said["status"] == "error", where
                    assert said["ename"] in ("BudgetError", "ParameterError", "QuestionError", "FactsError", "AccessError"), where
                else:
                    assert said["status"] == "ok", where
                    assert code(said) == "0", where
    assert {name: count for name, count in told.items() if count == 0} == {}       # each of them showed something


@pytest.mark.slow
def test_a_cell_that_fails_and_a_command_that_fails_are_seen(part, tmp_path):
    with kernel(part, tmp_path) as client:
        said, _ = run(client, "1 / 0")
        assert (said["status"], said["ename"]) == ("error", "ZeroDivisionError")
        said, shown = run(client, "!discreet quote nowhere.toml 'SELECT COUNT(*) FROM t' --epsilon 1")
        assert (said["status"], code(said)) == ("ok", "2")
        assert "nowhere.toml" in shown
