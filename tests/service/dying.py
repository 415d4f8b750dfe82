"""A service in a process that dies while it reads the table for a question: FOLDER TOKEN KEY BODY. Run by a test."""

import json
import os
import signal
import sys
from pathlib import Path

from tests.service.conftest import Caller
from tests.service.inside import Inside

from discreet.curator import desk
from discreet.service.settings import Settings


def main(folder: str, token: str, key: str, body: str) -> None:
    desk.released_parts = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    with Inside(Settings(Path(folder))) as client:
        Caller(client, token).post("/api/tables/people/ask", json.loads(body), headers={"Idempotency-Key": key})


if __name__ == "__main__":
    main(*sys.argv[1:])
