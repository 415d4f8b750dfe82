"""Questions asked in a process of their own, without HTTP: FOLDER WORKERS. Prints the seconds of each question on stdin.

It is set up as one of so many workers is: their share of the memory, their core, how threads take turns, what garbage is looked
through. Curator and account are as the service has them. So all that is left between its seconds and those of a client is HTTP,
the token, and how one worker deals with several requests.
"""

import sys
import time
from pathlib import Path

from _service_load import PRICE

from discreet.curator.folder import Folder
from discreet.service.serving import worker
from discreet.service.settings import Settings

Folder._is_paced = False


def main() -> None:
    settings = Settings(Path(sys.argv[1]), workers=int(sys.argv[2]))
    worker(settings)
    folder = Folder(settings.folder)
    account = folder.named("alice")
    curator = folder.curator("people", account)
    for line in sys.stdin:
        start = time.perf_counter()
        curator.ask(line.strip(), epsilon=PRICE, analyst=account)
        print(time.perf_counter() - start, flush=True)
    folder.close()


if __name__ == "__main__":
    main()
