"""The remainder of two float64 in PostgreSQL, which has none: exact, from their bits.

A float64 is m * 2^e with whole m below 2^53. Times 2^1074 it is a whole number, which NUMERIC holds, and MOD of two such numbers
is exact. What it gives is again m' * 2^e' with m' below 2^53, so that powers of two bring it back without rounding: those that
float64 holds together with m', one for each size that the number may have.
"""

__all__ = ["remainder"]

_BITS = "CAST(CAST('x' || ENCODE(FLOAT8SEND({x}), 'hex') AS BIT(64)) AS BIGINT)"
_EXPONENT, _MANTISSA = f"(({_BITS} >> 52) & 2047)", f"({_BITS} & {2**52 - 1})"
_SCALED = (
    f"CASE WHEN {_EXPONENT} = 0 THEN CAST({_MANTISSA} AS NUMERIC) "
    f"ELSE ({_MANTISSA} + {2**52}) * POWER(CAST(2 AS NUMERIC), {_EXPONENT} - 1) END"
)
_SIZES = ((1000, 0, -1074), (1900, 947, -127), (None, 1847, 773))  # below 2^a: divided by 2^b, then times 2^c


def remainder(x: str, y: str) -> str:
    """x % y with the sign of x: x itself if y is infinite, NaN if x is or y is 0; NULL where one of them is."""
    whens = [_size(*size) for size in _SIZES]
    sizes = f"CASE {' '.join(whens)} END"
    found = f"(SELECT {sizes} FROM (SELECT MOD({_SCALED.format(x=x)}, {_SCALED.format(x=y)}) AS r OFFSET 0) AS q)"
    lost = f"WHEN ABS({x}) = {_real('Infinity')} OR {y} = {_real('0')} THEN {_real('NaN')}"
    return f"CASE {lost} WHEN ABS({y}) = {_real('Infinity')} THEN {x} WHEN {x} < {_real('0')} THEN -{found} ELSE {found} END"


def _size(below: int | None, over: int, times: int) -> str:
    test = "r IS NOT NULL" if below is None else f"r < POWER(CAST(2 AS NUMERIC), {below})"
    part = f"DIV(r, POWER(CAST(2 AS NUMERIC), {over}))" if over else "r"
    return f"WHEN {test} THEN CAST({part} AS DOUBLE PRECISION) * {_real(repr(2.0**times))}"


def _real(digits: str) -> str:
    return f"CAST('{digits}' AS DOUBLE PRECISION)"
