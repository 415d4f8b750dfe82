"""What ``choice`` mixes, as SQL: the number of a unit or of a key, and the order of a unit's groups that comes of both."""

from sqlglot import exp

from discreet.engines.choice import DIGITS, FACTOR, MOST_DIGITS, PRIME, STEP
from discreet.engines.dialects import Dialect
from discreet.engines.layout import Stored
from discreet.engines.sheet import Sheet
from discreet.engines.terms import as_text, between, cases, infix, tried, whole_literal
from discreet.engines.values import SAFE

__all__ = ["added", "mixed", "numbered", "ordered"]


def added(rows: str, *columns: str) -> str:
    """The rows with more columns."""
    return f"(SELECT s.*, {', '.join(columns)} FROM {rows}) AS s"


def mixed(stored: Stored, key: int, sheet: Sheet) -> str:
    """h of the unit in w_u."""
    return f"({numbered('w_u', stored, sheet)} * {FACTOR} + {key}) % {PRIME}"


def numbered(name: str, stored: Stored, sheet: Sheet) -> str:
    """The number of what is in a column, from 0 to PRIME - 1."""
    number = sheet.text(_number(exp.column(name), stored, sheet.dialect))
    return f"((({number} % {PRIME}) + {PRIME}) % {PRIME})"


def ordered(rows: str, h: str) -> str:
    """The rows with w_order, where w_cell is in the order of the groups of their unit."""
    rows = added(rows, f"({h} + (w_cell + 1) * {STEP}) % {PRIME} AS w_z")
    rows = added(rows, f"(w_z * w_z) % {PRIME} AS w_zz")
    return added(rows, f"((((w_zz * w_zz) % {PRIME}) * w_z) % {PRIME}) >> 15 AS w_order")


def _number(of: exp.Expr, stored: Stored, dialect: Dialect) -> exp.Expr:
    words = of if stored == "text" else as_text(of)
    start = exp.func("SUBSTRING", exp.MD5(this=words), whole_literal(1), whole_literal(15))
    digest = tried(exp.DPipe(this=exp.Literal.string("0x"), expression=start, safe=True), "BIGINT")
    match stored:
        case "text":
            is_whole = dialect.matches(of, DIGITS)
        case "real":
            small = between(of, whole_literal(-SAFE), whole_literal(SAFE))
            is_whole = infix(exp.And, small, infix(exp.EQ, of, exp.Floor(this=of)))
        case _:
            is_whole = between(of, whole_literal(-MOST_DIGITS), whole_literal(MOST_DIGITS))
    return cases((is_whole, tried(of, "BIGINT")), otherwise=digest)
