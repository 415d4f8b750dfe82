"""The service as processes of its own, on loopback."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx

SOURCE = Path(__file__).resolve().parents[2] / "src"


def _words_of(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


class Outside:
    """``discreet serve`` on a folder, until the end of the context. ``log`` is what it wrote to stderr."""

    def __init__(self, folder: Path, *words: str, workers: int = 1, port: int = 0, program: str = "") -> None:
        self.folder = folder
        self.log_file = folder.parent / f"{folder.name}.log"
        serve = ["discreet", "serve", str(folder), "--port", str(port), "--workers", str(workers), "--json", *words]
        self._words = [sys.executable, "-m", *([program, str(folder)] if program else serve)]

    def __enter__(self):
        environment = os.environ | {"PYTHONPATH": f"{SOURCE}:{SOURCE.parent}", "DISCREET_THREADS": "1"}
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(self._words, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        line = self.process.stdout.readline()
        assert line, self.log
        self.address = json.loads(line)["address"]
        anew = httpx.Limits(max_keepalive_connections=0)                       # so that requests meet all workers
        self.client = httpx.Client(base_url=self.address, timeout=60, verify=False, limits=anew)
        return self

    def __exit__(self, *_):
        self.client.close()
        self.stop()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def kill(self) -> None:
        """All of it at once, so that nothing is ended in order."""
        workers = self.workers
        self.process.kill()
        for each in workers:
            os.kill(each, signal.SIGKILL)
        self.process.wait()

    def wait_for(self, what: Callable[[], bool]) -> None:
        """Until something is so; a minute is waited for it."""
        until = time.monotonic() + 60
        while not what():
            assert time.monotonic() < until, self.log
            time.sleep(0.05)

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    @property
    def workers(self) -> list[int]:
        """The processes that answer: children of the one that was started."""
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(each) for each in found if b"spawn_main" in _words_of(each)]

    def request(self, method: str, path: str, **more) -> httpx.Response:
        return self.client.request(method, path, **more)
