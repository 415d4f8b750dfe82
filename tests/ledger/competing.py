"""One of several processes that compete for the last of a budget: sixteen threads, each with its questions."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import discreet as dc
from discreet.curator import open_table

THREADS = 16


def main(file, process, price, kind):
    """Every thread asks a question of its own, or all threads of all processes ask the same ones."""
    curator = open_table(file)
    curator.quote("SELECT COUNT(*) AS n FROM t", epsilon=price)              # loads all that asking needs
    curator.open()
    print("ready", flush=True)
    sys.stdin.readline()
    together = Barrier(THREADS)

    def ask(thread):
        together.wait()
        number = thread % 4 if kind == "identical" else 1000 * int(process) + thread
        try:
            answer = curator.ask(f"SELECT COUNT(*) AS n FROM t WHERE x > {number}", epsilon=price, analyst=f"thread {thread}")
        except dc.BudgetError:
            return {"number": number, "refused": True}
        return {"number": number, "id": answer.id, "value": answer.value, "replayed": answer.replayed}

    with ThreadPoolExecutor(THREADS) as pool:
        print(json.dumps(list(pool.map(ask, range(THREADS)))), flush=True)
    curator.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
