"""Questions over HTTP, beside the same questions asked without it

As many workers as there are cores, on loopback; a table of a million rows; answers delivered as soon as they are there: the
time grid of the service is off, since it is meant to hide what is measured here. *Overhead* is the median of one client that
asks one question after the other on one connection, less the median of the same kind of questions asked of a curator in a process
that is set up as a worker is (its share of the memory, its core, how its threads take turns) and speaks no HTTP, taking turns;
each question is new, so that each is charged, read and settled. *Capacity* is how many questions a second eight clients get
answered who get a quote for each and then ask it, as fast as they can. *At half of it* as many questions, and as many quotes,
arrive at random times, whether or not those before them are answered: that is what a crowd of people does. They come each by a
connection of its own, for the capacity too, and are compared with one client who does so. When they come is drawn anew, which
moves the figure by a tenth and more: it is done three times, and the middle figure counts. The clients are a process of their own
on the same cores, and what they cost of them is told.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from statistics import median, quantiles

from _record import BENCH, ROOT, Row, Times, record, target
from _service_load import PRICE, QUESTION

from discreet.curator import accounts, office

ROWS = int(os.environ.get("DISCREET_BENCH_ROWS", "1000000"))
SECONDS = float(os.environ.get("DISCREET_BENCH_SECONDS", "60"))
WORKERS = int(os.environ.get("DISCREET_BENCH_WORKERS", str(os.cpu_count() or 1)))
CLIENTS, SINGLES = 8, 100
FACTS = """
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 1_000_000
[budget]
epsilon = 1_000_000
[columns.age]
type = "integer"
lower = 0
upper = 100
[columns.income]
type = "number"
lower = 0
upper = 100_000
"""
fresh = count()


def main() -> None:
    with tempfile.TemporaryDirectory(dir=ROOT, prefix="build-service-") as name:
        folder = Path(name)
        token = made(folder)
        words = [sys.executable, str(BENCH / "_service_server.py"), name, f"--workers={WORKERS}"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                address = json.loads(server.stdout.readline())["address"]
                found = taking_turns(folder, address, token)
                begun = processor(server.pid)
                crowd = [sys.executable, str(BENCH / "_service_load.py"), address, str(CLIENTS), str(SECONDS)]
                told = json.loads(subprocess.run(crowd, input=token, stdout=subprocess.PIPE, text=True, check=True).stdout)
                told["busy"] = processor(server.pid) - begun
            finally:
                server.terminate()
    write(*found, told)


def made(folder: Path) -> str:
    """A table, registered; the token of somebody who may ask it."""
    draw = random.Random(1)
    with (folder / "people.csv").open("w", encoding="utf-8") as file:
        file.write("age,income\n")
        file.writelines(f"{draw.randrange(100)},{draw.randrange(100_000)}\n" for _ in range(ROWS))
    (folder / "people.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "people.toml")
    token = accounts.add(folder, "alice")
    accounts.grant(folder, "alice", ["people"])
    return token


def taking_turns(folder: Path, address: str, token: str) -> tuple[list[float], list[float], list[float]]:
    """Seconds of questions asked without HTTP, of as many over HTTP on one connection, and of as many on one each."""
    host, headers = address.removeprefix("http://"), {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    kept = HTTPConnection(host, timeout=120)

    def there(connection: HTTPConnection) -> float:
        body = json.dumps({"sql": QUESTION.format(next(fresh)), "epsilon": PRICE})
        start = time.perf_counter()
        connection.request("POST", "/api/tables/people/ask", body, headers)
        told = connection.getresponse()
        said = told.read()
        assert told.status == 200, said
        return time.perf_counter() - start

    def anew() -> float:
        connection = HTTPConnection(host, timeout=120)
        taken = there(connection)
        connection.close()
        return taken

    for _ in range(100):  # it listens before its worker is ready
        try:
            kept.connect()
            break
        except OSError:
            time.sleep(0.1)
    words = [sys.executable, str(BENCH / "_service_here.py"), str(folder), str(WORKERS)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def here() -> float:
            print(QUESTION.format(next(fresh)), file=process.stdin, flush=True)
            return float(process.stdout.readline())

        found = [(here(), there(kept), anew()) for _ in range(SINGLES + 3 * WORKERS)][3 * WORKERS:]
    kept.close()
    return tuple(map(list, zip(*found, strict=True)))


def processor(process: int) -> float:
    """Seconds of processor of another process and its children, where the system tells them."""
    try:
        parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK") + sum(processor(int(child)) for child in children)


def write(local: list[float], kept: list[float], single: list[float], told: dict) -> None:
    times, capacity = told["taken"], told["capacity"]
    taken = {verb: [each for one in times for each in one[verb]] for verb in times[0]}
    highs = {verb: [quantiles(one[verb], n=20)[-1] for one in times] for verb in taken}
    high = {verb: median(found) for verb, found in highs.items()}
    beyond = (median(kept) - median(local)) * 1000
    named = {"asked without HTTP": local, "asked over HTTP, one client": kept, "the same, a connection for each": single}
    named |= {f"{verb} at half of the capacity": found for verb, found in taken.items()}
    rows: list[Row] = [{"": what, "ms, median": median(found) * 1000, "ms, 95 of 100": quantiles(found, n=20)[-1] * 1000}
                       for what, found in named.items()]
    wanted = [
        target("overhead over asking without HTTP", Times(beyond, beyond), at_most=5, unit="ms"),
        target("95 of 100 quotes at half of the capacity", Times(*[high["quote"] * 1000] * 2), at_most=50, unit="ms"),
        target("95 of 100 questions there, over one's", Times(*[high["ask"] / median(single)] * 2), at_most=3, unit="medians"),
        target("errors", Times(*[float(told["errors"])] * 2), at_most=0, unit="errors"),
    ]
    pairs = len(taken["ask"]) + capacity * SECONDS / 3
    each = [{"": f"time {number}", "95 of 100 questions, over one's": ask / median(single), "95 of 100 quotes, ms": quote * 1000}
            for number, (ask, quote) in enumerate(zip(highs["ask"], highs["quote"], strict=True), start=1)]
    about = [{"answers a second": capacity, "workers": WORKERS, "rows": ROWS, "seconds at half": SECONDS,
              "ms of processor, a quote and an answer": told["busy"] / pairs * 1000,
              "of its clients": told["own"] * 2000}]
    tables = {"Targets": wanted, "Times": rows, "At half of the capacity": each, "Capacity": about}
    record("service", tables, packages=("discreet", "fastapi", "uvicorn", "duckdb"))


if __name__ == "__main__":
    main()
