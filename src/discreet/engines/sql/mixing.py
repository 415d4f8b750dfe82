"""What ``choice`` mixes, as SQL: the number of a unit or of a key, and the order of a unit's groups that comes of both."""

from sqlglot import exp

from discreet.engines.rules.choice import DIGITS, FACTOR, LONGEST, MOST_DIGITS, PRIME, STEP
from discreet.engines.rules.values import SAFE
from discreet.engines.sql.dialect import Dialect, Tried
from discreet.engines.sql.layout import Stored
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import as_text, between, cases, infix, whole_literal

__all__ = ["added", "mixed", "numbered", "ordered"]


def added(rows: str, *columns: str) -> str:
    """The rows with more columns."""
    return f"(SELECT s.*, {', '.join(columns)} FROM {rows}) AS s"


def mixed(stored: Stored, key: int, sheet: Sheet) -> str:
    """h of the unit in w_u."""
    return f"({numbered('w_u', stored, sheet)} * {FACTOR} + {key}) % {PRIME}"


def numbered(name: str, stored: Stored, sheet: Sheet) -> str:
    """The number of what is in a column, from 0 to PRIME - 1."""
    return f"(({_remainder(name, stored, sheet)} + {PRIME}) % {PRIME})"


def ordered(rows: str, stored: Stored, key: int, sheet: Sheet) -> str:
    """The rows with w_order, where w_cell is in the order of the groups of their unit in w_u.

    z is that of the rules: h is not brought below PRIME by itself, since all of it is below 2^63 for any cell up to PRIME. It is
    met five times below: an engine that merges stages works it out once only behind a fence.
    """
    unit = f"({_remainder('w_u', stored, sheet)} + {PRIME})"
    z = f"({unit} * {FACTOR} + {key} + (w_cell + 1) * {STEP}) % {PRIME} AS w_z"
    rows = f"(SELECT s.*, {z} FROM {rows}{sheet.dialect.fence}) AS s"
    rows = added(rows, f"(w_z * w_z) % {PRIME} AS w_zz")
    return added(rows, f"((((w_zz * w_zz) % {PRIME}) * w_z) % {PRIME}) >> 15 AS w_order")


def _remainder(name: str, stored: Stored, sheet: Sheet) -> str:
    """The number of what is in a column, modulo PRIME, above -PRIME: it has the sign of the number."""
    number = sheet.text(_number(exp.column(name), stored, sheet.dialect))
    return f"({number} % {PRIME})"


def _number(of: exp.Expr, stored: Stored, dialect: Dialect) -> exp.Expr:
    digest = dialect.hashed(of if stored == "text" else as_text(of))
    match stored:
        case "text":
            is_whole = dialect.matches_short(of, DIGITS, LONGEST)
        case "real":
            small = between(of, whole_literal(-SAFE), whole_literal(SAFE))
            is_whole = infix(exp.And, small, infix(exp.EQ, of, dialect.floor(of)))
        case _:
            is_whole = between(of, whole_literal(-MOST_DIGITS), whole_literal(MOST_DIGITS))
    kind: Tried = "text" if stored == "text" else "number" if stored == "real" else "whole"
    return cases((is_whole, dialect.tried(of, kind, "BIGINT")), otherwise=digest)
