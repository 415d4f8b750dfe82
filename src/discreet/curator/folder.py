"""All that a service needs of one folder: who comes in, the tables that are there for them, and a curator for each.

Nothing is remembered that another process could change: accounts, grants and versions are read from the ledger each time.
"""

from pathlib import Path
from threading import Lock

from discreet.answers.answer import Answer
from discreet.curator.asking import Curator
from discreet.curator.history import Past, answer_again, past
from discreet.curator.opening import open_table
from discreet.curator.taking import Taking
from discreet.errors import AccessError, DiscreetError, FactsError, TokenError
from discreet.facts.file import table_files
from discreet.ledger import open_ledger, place_of, registry
from discreet.ledger.accounts import account_of_token, accounts
from discreet.ledger.logins import Account, not_there

__all__ = ["Folder"]


class Folder(Taking):
    """The registered tables of a folder, for those who come with tokens. Safe for threads; each process opens its own."""

    _is_paced = True  # benchmarks measure without; nothing that anybody can write reaches it

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise FactsError("there is no such folder", hint="write the folder that holds the facts files", file=str(path))
        self.ledger = open_ledger(place_of(self.path))  # to look things up: whoever does waits for nobody who writes
        self.taken = open_ledger(place_of(self.path))
        self._lock = Lock()
        self._open: dict[str, Curator] = {}
        self._before: list[Curator] = []  # of versions that are gone; somebody may be using them

    def account(self, token: str) -> Account:
        """Whose token this is, as the ledger has them now. Raises TokenError. Look it up for every request."""
        return account_of_token(self.ledger, token)

    def named(self, name: str) -> Account:
        """An account of that name, to go on with what it had begun. Raises TokenError if it has ended."""
        found = next((each for each in accounts(self.ledger) if each.name == name and each.state == "open"), None)
        if found is None:
            raise TokenError("this account has ended", hint="ask the data holder")
        return found

    def names(self) -> list[str]:
        """All registered tables, for whoever runs the service. Raises LedgerFault if the ledger cannot be read."""
        return registry.names(self.ledger)

    def tables(self, account: Account) -> list[str]:
        """The tables that are there for them."""
        return [name for name in registry.names(self.ledger) if account.may_ask(name)]

    def file(self, table: str, account: Account) -> Path:
        """The facts file of a table, for acts of the data holder. Raises MissingError if it is not there for them."""
        self._version(table, account)
        found = table_files(self.path).get(table)
        if found is None:
            raise FactsError(f"{table} is registered, and no facts file here is about it", hint="restore its facts file")
        return found

    def curator(self, table: str, account: Account) -> Curator:
        """The curator of a table at its version now. Raises MissingError if it is not there, or not for them."""
        version = self._version(table, account)
        with self._lock:
            found = self._open.get(table)
            if found is None or found.facts.version != version:
                try:
                    found = self._opened(table, found, account)
                except DiscreetError as error:
                    raise error if account.is_holder else _closed(table) from None
            return found

    def _opened(self, table: str, before: Curator | None, account: Account) -> Curator:
        found = open_table(self.file(table, account))
        if self._is_paced:
            found.keep_pace()
        self._open[table] = found
        if before is not None:
            self._before.append(before)
        return found

    def _version(self, table: str, account: Account) -> str:
        row = registry.known(self.ledger, table) if account.may_ask(table) else None  # without a grant nothing is looked up
        if row is None:
            raise not_there(table)
        return row.version

    def history(self, account: Account, most: int = 50, before: str | None = None) -> list[Past]:
        """What they were answered, newest first; from the answer ``before`` back, for the next page."""
        return past(self.ledger, account.name, most, before)

    def answer(self, account: Account, identity: str, *, is_free: bool = False) -> Answer:
        """One of these answers with its receipt, as it was shown when it was bought, or when it was free. Raises MissingError for
        what others were answered."""
        with self._lock:
            curators = dict(self._open)
        return answer_again(self.ledger, curators, account.name, identity, is_free=is_free)

    def close(self) -> None:
        """Let go of all tables and of the ledger."""
        for curator in (*self._before, *self._open.values()):
            curator.close()
        self.taken.close()
        self.ledger.close()


def _closed(table: str) -> AccessError:
    """What an analyst is told of facts that cannot be opened: not which file, nor what is wrong with it."""
    return AccessError(f"{table} cannot be asked now", hint="the data holder has to look at its facts")
