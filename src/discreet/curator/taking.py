"""Questions that a service takes in: the part of a folder that several workers share through its ledger."""

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.ledger import Ledger, asked
from discreet.ledger.asked import Taken
from discreet.ledger.entries.charges import Wish
from discreet.ledger.entries.requests import wish_from, wish_to
from discreet.ledger.logins import Account

__all__ = ["Taken", "Taking", "Wish", "wish_from", "wish_to"]


class Taking:
    """What outlives a connection and a worker. Ask with ``key=taken.id``: then it is charged once, whoever goes on with it."""

    ledger: Ledger  # to look things up
    taken: Ledger  # the same one, opened again: to write

    def take_in(
        self, account: Account, table: str, body: Mapping[str, Any], *, key: str = "", lasts: float = 0.0
    ) -> Taken:
        """Write a question down, or find the one that came with the same key; work on it if it ``is_new``, else wait for it.

        Raises ParameterError if the key came with another request, BusyError if too many of theirs are waiting.
        """
        return asked.take_in(self.taken, account.name, table, body, key=key, lasts=lasts)

    def asked(self, account: Account, identity: str) -> Taken:
        """A question of theirs. Raises MissingError."""
        return asked.asked(self.ledger, account.name, identity)

    def done(self, identity: str, outcome: Mapping[str, Any]) -> Taken:
        """What became of a question: ``{"answer": id}``, with ``free`` where nothing was bought; or an error as it is told.
        The first that is said counts.
        """
        return asked.done(self.taken, identity, outcome)

    def all_done(self, outcomes: Mapping[str, Mapping[str, Any]]) -> None:
        """Which answers questions were given: several at once."""
        asked.all_done(self.taken, outcomes)

    def reword(self, identity: str, body: Mapping[str, Any]) -> None:
        """Whoever goes on with a question goes on with this: a wish is a price by now."""
        asked.reword(self.taken, identity, body)

    def forget(self, identity: str) -> None:
        """As if it had not come: for what was refused before anything was charged, and may come again with its key."""
        asked.forget(self.taken, identity)

    def renew(self, identities: Sequence[str]) -> None:
        """This process works on these still: to be said every few seconds, or others go on with them."""
        asked.renew(self.taken, identities)

    def left_behind(self) -> list[str]:
        """Questions whose workers are dead."""
        return asked.left_behind(self.ledger)

    def take(self, identity: str) -> Taken | None:
        """One of them, to go on with; None if somebody was faster, or it was answered before its worker died."""
        return asked.take(self.taken, identity)
