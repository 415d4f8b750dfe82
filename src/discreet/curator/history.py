"""What somebody was answered, shown to them again as it was: whatever became of the table, its version or its plan since."""

from collections.abc import Mapping
from dataclasses import replace

from discreet.answers.answer import Answer
from discreet.curator.asking import Curator
from discreet.curator.results import answer_as_shown, bin_widths
from discreet.curator.wishes import missed
from discreet.errors import DiscreetError
from discreet.facts.model import Facts
from discreet.ledger import Ledger
from discreet.ledger.alarms import asker_named
from discreet.ledger.history import Past, past, shown
from discreet.questions.sql import read_sql

__all__ = ["Past", "answer_again", "past"]


def answer_again(ledger: Ledger, curators: Mapping[str, Curator], asker: str, identity: str, *, is_free: bool = False) -> Answer:
    """An answer that ``asker`` has had, as they had it when it was bought, or when it was free; raises MissingError if they have
    not. ``curators`` are of the tables that are open."""
    found = shown(ledger, asker, identity, is_free=is_free)
    curator = curators.get(found.table)  # without it bins are shown without widths
    widths = {} if curator is None else _widths(found.question, curator.facts)
    answer = answer_as_shown(
        found.document, found.table, found.question, widths, id=found.id, cost=found.cost,
        budget=ledger.state(found.table, asker_named(asker)), replayed=not found.is_bought, receipt=found.receipt,
    )  # fmt: skip
    return replace(answer, paid=found.paid, warnings=(*answer.warnings, *missed(found.document, found.wish)))


def _widths(question: str, facts: Facts) -> Mapping[str, float]:
    """How wide bins are, by the question, which a later version of the table may not know any more."""
    try:
        return bin_widths(read_sql(question, facts))
    except DiscreetError:
        return {}
