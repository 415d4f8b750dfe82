"""CAST(x AS …): what each kind of value becomes. What has nothing to become is refused; what does not read is NULL."""

from discreet.questions.algebra import Cast, Expression, Literal, To
from discreet.questions.functions import rounded
from discreet.questions.kinds import NAMES, Type
from discreet.questions.literals import parse_day, parse_moment
from discreet.questions.places import Misfit

__all__ = ["TYPES", "cast_to"]

TYPES: dict[str, To] = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "SMALLINT"), "whole"),
    **dict.fromkeys(("DOUBLE", "FLOAT", "REAL", "DECIMAL", "NUMERIC"), "number"),
    **dict.fromkeys(("TEXT", "VARCHAR", "STRING", "CHAR"), "text"),
    **dict.fromkeys(("BOOLEAN", "BOOL"), "truth"),
    "DATE": "day",
    "TIMESTAMP": "moment",
}

_FROM: dict[To, tuple[Type, ...]] = {  # beside the kind itself
    "number": ("text", "truth", "code"),
    "whole": ("text", "truth", "code"),
    "text": ("number", "code", "truth", "day"),
    "truth": (),
    "day": ("moment", "text"),
    "moment": ("day", "text"),
}
_INSTEAD: dict[To, str] = {
    "number": "write EXTRACT(year FROM x)",
    "whole": "write EXTRACT(year FROM x)",
    "text": "write CAST(CAST(x AS DATE) AS TEXT)",
    "truth": "write a condition, such as x = 'yes'",
    "day": "declare the column as a date",
    "moment": "declare the column as a timestamp",
}


def cast_to(cast: Cast, of: Expression, kind: Type, to: To) -> tuple[Expression, Type]:
    """The value as another kind, simpler where it is one already. Raises Misfit."""
    found: Type = "number" if to == "whole" else to
    if kind == "null":
        return of, kind
    if kind == found:
        return rounded(of) if to == "whole" and not _is_rounded(of) else of, kind
    if kind not in _FROM[to]:
        raise Misfit(cast, f"{NAMES[kind]} cannot be cast to {NAMES[found]}", _INSTEAD[to])
    if to in ("day", "moment") and isinstance(of, Literal) and isinstance(of.value, str):
        return _read(of, of.value, to), found
    return (cast if of is cast.of else Cast(of, to)), found


def _is_rounded(of: Expression) -> bool:
    return isinstance(of, Literal) and getattr(of.value, "denominator", None) == 1


def _read(of: Expression, value: str, to: To) -> Literal:
    read = parse_day(value) if to == "day" else parse_moment(value)
    if read is None:
        example = "'2020-01-31'" if to == "day" else "'2020-01-31 12:00:00'"
        raise Misfit(of, f"{value!r} is no {'date' if to == 'day' else 'timestamp'}", f"write {example}")
    return Literal(read)
