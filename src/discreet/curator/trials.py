"""What comes after a release, tried on made-up ones before anything is charged: then nothing of it can fail afterwards. Rule 15.

Estimates, intervals, HAVING, ORDER BY, LIMIT, arithmetic, warnings, the receipt's statement, the answer as the ledger keeps it,
and as it leaves: text, JSON, CSV, HTML. Made-up releases follow from the plan alone: what goes wrong says nothing about rows.
"""

import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from discreet.answers import pages
from discreet.answers.answer import Answer, BudgetState
from discreet.curator.results import answer_of, document_of, ranges_of
from discreet.curator.statements import statement_about
from discreet.curator.stock import as_planned
from discreet.errors import TrialFault
from discreet.ledger import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.documents import document_from
from discreet.ledger.entries.kept import kept_as
from discreet.ledger.entries.packed import released_in
from discreet.ledger.folder import log_fault
from discreet.planning.extremes import extreme_releases
from discreet.planning.purchase import Purchase, bought_whole
from discreet.planning.staged import opened
from discreet.statistics.part import Released
from discreet.views.stored import view_of

__all__ = ["Passed", "Trials"]

Passed = dict[tuple[object, ...], None]  # shapes of plans that were tried

_MOST = 256  # plans that are remembered as tried


@dataclass(frozen=True, slots=True)
class Trials:
    """Tries plans of one table; one that differs from an earlier one in WHERE alone is not tried again.

    Nor is one at a price whose noise is of about the same size: everything that follows takes the same way. What
    ``passed`` may be shared with others whose facts say the same.
    """

    ledger: Ledger
    place: Path | None  # of the log of faults
    passed: Passed = field(default_factory=dict)

    def try_out(self, purchase: Purchase, request: Request, confidence: Fraction, simultaneous: bool) -> None:
        """Raises TrialFault if anything that follows a release goes wrong on a made-up one; nothing is charged by then."""
        plan = view_of(purchase).plan
        parts = tuple(each.tried_as for each in plan.vectors)
        shape = (replace(plan.question, where=None), parts, plan.sources, confidence, simultaneous)  # nothing else matters
        if shape in self.passed:
            return
        budget = self.ledger.state(request.table)
        try:
            for few, released in extreme_releases(plan):
                _follow(replace(purchase, plan=few), released, request, confidence, simultaneous, budget)
        except Exception as error:  # whatever it is, it is ours
            fault = _fault(error)
            log_fault(self.place, fault, table=request.table)
            raise fault from error
        if len(self.passed) >= _MOST:
            self.passed.pop(next(iter(self.passed)))
        self.passed[shape] = None


def _follow(
    tried: Purchase, released: Released, request: Request, confidence: Fraction, simultaneous: bool, budget: BudgetState
) -> None:
    """All that happens from a release to an answer that is printed: it leaves as it is kept, and not as it was made."""
    plan, purchase = tried.plan, bought_whole(tried.plan)  # whatever was bought before is made up as well
    document = document_of(purchase, released, confidence, simultaneous)
    statement = canonical(statement_about(replace(tried, plan=opened(plan, released)), request, document.left_out or ()))
    kept = kept_as(released, document)
    stored = zip(plan.vectors, released_in(kept.packed), strict=True)
    answer = answer_of(
        document_from(kept.document or b""), plan,
        id="trial", cost=budget.cap, budget=budget, replayed=False, receipt=json.loads(statement),
    )  # fmt: skip
    _print(replace(answer, ranges=ranges_of(plan, tuple(as_planned(*each) for each in stored), confidence)))


def _print(answer: Answer) -> None:
    """An answer in every form that somebody may want it in."""
    json.dumps(answer.to_dict(), allow_nan=False, default=str)
    answer.to_csv()
    repr(answer)
    pages.answer_as_html(answer)


def _fault(error: Exception) -> TrialFault:
    """The log has all of it: nothing but the plan was looked at."""
    fault = TrialFault("this question cannot be answered, by a mistake in discreet; nothing was charged",
                       hint="tell whoever keeps discreet this reference, and ask in another way")  # fmt: skip
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    fault.cause = f"trial: {type(error).__name__} in {place}: {error}"[:500]
    return fault
