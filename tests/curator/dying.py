"""A worker that dies between any two steps of a question with a key, and a client that sends it again. Run by a test."""

import json
import os
import signal
import sys
from contextlib import closing, contextmanager

from discreet.curator import Folder
from discreet.ledger.sqlite.database import Database

STEPS = 4  # taken in, charged, settled, done
QUESTION = "SELECT COUNT(*) AS n FROM t WHERE x > 3"


class Death:
    """SIGKILL in the middle of a transaction, or right after it, by how many came before."""

    def __init__(self, step, *, after):
        self._left, self._after, self._writing = step, after, Database.writing

    def comes(self):
        """From now on, in this process."""
        Database.writing = lambda database: self._written(database)  # noqa: PLW0108 - else it would be no method

    @contextmanager
    def _written(self, database):
        with self._writing(database) as connection:
            yield connection
            if self._left == 0 and not self._after:
                os.kill(os.getpid(), signal.SIGKILL)
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def served(folder, token, key):
    """What a service does with a question that has a key; always bought anew, so that a replay hides no second charge."""
    account = folder.account(token)
    taken = folder.take_in(account, "t", {"sql": QUESTION}, key=key)
    if taken.is_new:
        answer = folder.curator("t", account).ask(QUESTION, epsilon="0.01", analyst=account, key=taken.id, anew=True)
        taken = folder.done(taken.id, {"answer": answer.id})
    found = folder.answer(account, taken.outcome["answer"])
    return found.id, found.value, found.receipt["entry"]["charge"]


def main(path, token):
    with closing(Folder(path)) as folder:
        served(folder, token, "first")                                               # everything is imported before the forks
    for step in range(STEPS):
        for after in (False, True):
            process = os.fork()
            if process == 0:
                with closing(Folder(path)) as folder:
                    folder.curator("t", folder.account(token)).open()                # which may write too
                    Death(step, after=after).comes()
                    served(folder, token, f"{step} {after}")
                os._exit(0)
            _, status = os.waitpid(process, 0)
            with closing(Folder(path)) as folder:
                told = [served(folder, token, f"{step} {after}") for _ in range(2)]
                found = {"killed": os.WIFSIGNALED(status), "told": told, "history": len(folder.history(folder.account(token)))}
                print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
