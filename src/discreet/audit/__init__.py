"""Attempts to refute a claim of privacy: ours or anyone's. Proof: docs/proofs/audit.md.

``dc.audit(one, other, epsilon=1)`` samples two functions, a mechanism on two neighbouring tables (the black box);
``dc.audit.question(facts, sql, epsilon=1)`` follows a question through made-up neighbouring tables call by call (the grey box);
``dc.audit.one_run(…)`` judges guesses about many canaries after a single run. Nothing in the flow imports this room.
"""

import sys
from types import ModuleType
from typing import Any

from discreet.audit.black import audit
from discreet.audit.claims import Mu
from discreet.audit.foreign import Command, command, foreign
from discreet.audit.grey import GreyAudit, question
from discreet.audit.one_run import OneRun, one_run, one_run_from_scores
from discreet.audit.report import Audit, Finding

__all__ = [
    "Audit",
    "Command",
    "Finding",
    "GreyAudit",
    "Mu",
    "OneRun",
    "audit",
    "command",
    "foreign",
    "one_run",
    "one_run_from_scores",
    "question",
]


class _Callable(ModuleType):
    """This room, called as the function of its name."""

    def __call__(self, *arguments: Any, **words: Any) -> Audit:
        return audit(*arguments, **words)


sys.modules[__name__].__class__ = _Callable
