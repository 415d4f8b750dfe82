"""Exceptions as PEP 249 has them, and which of ours each stands for: the original is the ``__cause__``.

    Exception
    ├── Warning
    └── Error
        ├── InterfaceError          a closed cursor, a result that is not there
        └── DatabaseError
            ├── DataError
            ├── OperationalError    no budget, no access, no connection, too much at once
            ├── IntegrityError
            ├── InternalError       a fault: a reference, and nothing else
            ├── ProgrammingError    a wrong question, price or parameter
            └── NotSupportedError   whatever is no question
"""

from collections.abc import Iterator
from contextlib import contextmanager

from discreet.errors import AccessError, BudgetError, DiscreetError, Fault, ServiceFault

__all__ = [
    "DataError", "DatabaseError", "Error", "IntegrityError", "InterfaceError", "InternalError", "NotSupportedError",
    "OperationalError", "ProgrammingError", "Warning", "as_the_standard_says",
]  # fmt: skip


class Warning(Exception):  # noqa: A001 - as the standard calls it
    """Something to know; never raised here."""


class Error(Exception):
    """The root of all that is raised."""


class InterfaceError(Error):
    """The interface was used wrongly."""


class DatabaseError(Error):
    """Something about the database."""


class DataError(DatabaseError):
    """A value cannot be written."""


class OperationalError(DatabaseError):
    """It cannot be answered now: no budget, no access, no connection."""


class IntegrityError(DatabaseError):
    """Never raised: nothing is written."""


class InternalError(DatabaseError):
    """A fault inside."""


class ProgrammingError(DatabaseError):
    """A wrong question, price or parameter."""


class NotSupportedError(DatabaseError):
    """Something that is no question."""


@contextmanager
def as_the_standard_says() -> Iterator[None]:
    """Inside, errors of ours become those of the standard."""
    try:
        yield
    except (BudgetError, AccessError, ServiceFault) as error:
        raise OperationalError(str(error)) from error
    except Fault as error:
        raise InternalError(str(error)) from error
    except DiscreetError as error:
        raise ProgrammingError(str(error)) from error
