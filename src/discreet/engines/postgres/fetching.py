"""What a statement found, as columns of numpy: whole numbers as int64, or not at all."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["fetched"]

_TYPES: dict[int, type] = {16: np.bool_, 20: np.int64, 21: np.int64, 23: np.int64, 701: np.float64}  # by number in pg_type


def fetched(connection: "Connection[Any]", sql: str) -> dict[str, NDArray[Any]]:
    """The columns of a SELECT by their names; NULL is masked."""
    with connection.cursor(binary=True) as cursor:
        cursor.execute(sql.encode())
        rows = cursor.fetchall()
        described = cursor.description or []
    # one column after the other: a million rows at once are a million arguments
    return {each.name: _column([row[place] for row in rows], _TYPES.get(each.type_code)) for place, each in enumerate(described)}


def _column(values: list[Any], kind: type | None) -> NDArray[Any]:
    if kind is None:
        return np.ma.array(np.array(values, object), mask=[value is None for value in values])
    if None not in values:
        return np.array(values, kind)
    is_null = np.array([value is None for value in values], bool)
    return np.ma.array(np.array([kind(0) if value is None else value for value in values], kind), mask=is_null)
