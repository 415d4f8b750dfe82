"""Ends the PostgreSQL of a run of tests that was killed: `python ending.py FOLDER PID` waits until the process PID is gone.

Only the server that keeps its files in that folder, by its process id.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

WATCHING = []  # a process that nobody holds is warned of
PATIENCE = 20.0  # seconds for a server to stop by itself, each time it is told to


def watch(folder):
    """Start a process that ends the server of ``folder`` after this run, unless another worker has."""
    with suppress(FileExistsError), Path(f"{folder}.watched").open("x"):
        run = os.getppid() if os.environ.get("PYTEST_XDIST_WORKER") else os.getpid()
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = [sys.executable, "-S", __file__, str(folder), str(run)]
        WATCHING.append(subprocess.Popen(words, start_new_session=True, **quiet))


def main(folder, run):
    """Wait for the end of the run, then for that of the server."""
    while is_running(run):
        time.sleep(0.5)
    for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):  # fast, at once, whatever happens
        server = server_of(folder)
        if server is None:
            break
        with suppress(ProcessLookupError):
            os.kill(server, how)
        until = time.monotonic() + PATIENCE
        while is_running(server) and time.monotonic() < until:
            time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)
    Path(f"{folder}.watched").unlink(missing_ok=True)


def server_of(folder):
    """The process id of the server that keeps its files in a folder; None if there is none, or if it is somebody else's."""
    try:
        process = int((folder / "postmaster.pid").read_text().split()[0])
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError, IndexError):
        return None
    return process if os.fsencode(folder) in words else None


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    with suppress(OSError):  # one that has ended, and that nobody has looked at
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
