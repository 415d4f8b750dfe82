"""A service whose running questions have a second at its end: FOLDER. Run by a test."""

import json
import sys
from pathlib import Path

from discreet.service.serving import serve
from discreet.service.settings import Limits, Settings


def said(address: str) -> None:
    print(json.dumps({"address": address}), flush=True)


if __name__ == "__main__":
    serve(Settings(Path(sys.argv[1]), port=0, limits=Limits(seconds_to_end=1)), said)
