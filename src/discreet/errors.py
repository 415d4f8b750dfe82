"""Every error that discreet raises.

    DiscreetError
    ├── Refused             says only what is public: the words asked, the facts, the budget
    │   ├── ParameterError  a mechanism or a price was given something it cannot mean
    │   ├── QuestionError   a question is not in the language, with its place in the text
    │   ├── FactsError      a facts file is wrong, with file, line and key
    │   ├── BudgetError     not enough budget is left
    │   └── AccessError     frozen, expired, or not allowed
    │       ├── BusyError     too much is waiting already
    │       ├── TokenError    nobody's token, or one that has ended
    │       └── MissingError  not there, or not for this account: the two are told alike
    └── Fault               nothing about rows: a public sentence and a reference; the cause goes to the curator's log
        ├── EngineFault
        │   └── SourceFault   the source is gone, or was written to: nobody's question is to blame
        ├── LedgerFault
        ├── ServiceFault    a service cannot be reached, or says what none of ours says
        └── TrialFault      a mistake of discreet's own, found before anything was charged

A message says what was expected and what was found (never data); ``hint`` says what to write instead.
"""

from typing import ClassVar
from uuid import uuid4

__all__ = [
    "AccessError",
    "BudgetError",
    "BusyError",
    "DiscreetError",
    "EngineFault",
    "FactsError",
    "Fault",
    "LedgerFault",
    "MissingError",
    "ParameterError",
    "QuestionError",
    "Refused",
    "ServiceFault",
    "SourceFault",
    "TokenError",
    "TrialFault",
]


class DiscreetError(Exception):
    """The root of the tree. ``code`` is stable and meant for programs."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class Refused(DiscreetError):
    """The request was turned down for a reason that anyone may know."""

    code = "refused"


class ParameterError(Refused):
    """A mechanism, a price or a sensitivity was given something it cannot mean."""

    code = "parameter"


class QuestionError(Refused):
    """The question is outside the language. ``position`` counts characters from 0; ``line`` and ``column`` count from 1."""

    code = "question"

    def __init__(
        self, message: str, *, hint: str = "", position: int | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.position, self.line, self.column = position, line, column

    def __str__(self) -> str:
        place = "" if self.line is None else f" (line {self.line}, column {self.column})"
        return f"{self.message}{place}; {self.hint}" if self.hint else f"{self.message}{place}"


class FactsError(Refused):
    """The facts about a table are missing, contradictory or misspelt; ``file``, ``line`` and ``key`` say where, if known."""

    code = "facts"

    def __init__(
        self, message: str, *, hint: str = "", file: str | None = None, line: int | None = None, key: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.file = file
        self.line = line
        self.key = key

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line is not None else ""
        place = ", ".join(filter(None, [" ".join(filter(None, [self.file, line])), self.key]))
        return f"{place}: {super().__str__()}" if place else super().__str__()


class BudgetError(Refused):
    """The budget does not allow this charge."""

    code = "budget"


class AccessError(Refused):
    """This table may not be asked: frozen, expired, or not granted. ``reference`` is that of the fault that froze, if one did."""

    code = "access"

    def __init__(self, message: str, *, hint: str = "", reference: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reference = reference

    def __str__(self) -> str:
        return f"{super().__str__()} (reference {self.reference})" if self.reference else super().__str__()


class TokenError(AccessError):
    """No account of this folder has that token now."""

    code = "token"


class BusyError(AccessError):
    """Too many questions of whoever asks are waiting already."""

    code = "busy"


class MissingError(AccessError):
    """What was asked for is not there, or is not for whoever asks: nobody learns which."""

    code = "missing"


class Fault(DiscreetError):
    """Something failed inside. The analyst learns a reference number, and what was charged; the log names the kind of cause.

    After a charge it ``freezes`` whoever asked, unless it cannot depend on rows (rule 17).
    """

    code = "fault"

    def __init__(self, message: str = "something failed inside", *, hint: str = "", freezes: bool = True) -> None:
        super().__init__(message, hint=hint)
        self.freezes = freezes
        self.reference = uuid4().hex[:12]
        self.cause = ""  # the kind of what went wrong, for the curator's log
        self.kept = ""  # what was charged for it, in words for whoever asked
        self.told = ""  # the engine's own words: only where whoever holds the data looks at their own source

    def __str__(self) -> str:
        if self.told:
            return f"{self.message}: {self.told}"
        return f"{super().__str__()} (reference {self.reference})"


class EngineFault(Fault):
    """The engine could not produce the exact integers."""


class SourceFault(EngineFault):
    """The source is gone, or was written to while it was read. Nobody's question is to blame."""

    def __init__(self, message: str, *, hint: str = "", cause: str = "") -> None:
        super().__init__(message, hint=hint, freezes=False)
        self.cause = cause


class LedgerFault(Fault):
    """The ledger could not be read or written: its lock, its disk or its file, whatever the rows are."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, freezes=False)


class ServiceFault(Fault):
    """A service cannot be reached, or what is there is none of ours. What it was asked may be charged; asked again it is one."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, freezes=False)
        self.reference = ""  # nothing was written down anywhere

    def __str__(self) -> str:
        return DiscreetError.__str__(self)


class TrialFault(Fault):
    """What would follow a release failed on made-up numbers: a mistake in discreet, found before anything was charged."""

    code = "crash"
