"""Tables beside a table on Spark: public lookups are sent there once, other confidential tables are joined where they are."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.engines.spark.dialect import SPARK
from discreet.engines.sql.joining import Stored
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.names import UNIT, safe_name
from discreet.engines.sql.reading import is_whole, kind_of
from discreet.engines.sql.settled import is_settled, settled_layout, to_settled
from discreet.engines.sql.writer import to_read
from discreet.errors import FactsError
from discreet.facts.model import Column, Companion, Facts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["beside_companion", "sent_lookups", "sent_values", "with_settled"]

_MOST_ROWS = 1_000_000
_TYPES = {"number": "DOUBLE", "text": "STRING", "truth": "BOOLEAN", "day": "DATE", "moment": "TIMESTAMP_NTZ"}


def with_settled(facts: Facts, layout: Layout) -> Layout:
    """The layout, with another for questions about what is constant per unit."""
    if is_settled(facts):
        return layout
    settled = settled_layout(facts, layout, layout.table)
    return replace(layout, settled=replace(settled, relation=f"({to_settled(facts, layout, SPARK)})"))


def beside_companion(join: Companion, layout: Layout) -> Stored:
    """Another confidential table, whose columns are read before any row of it is left out."""
    theirs = join.facts
    layout = layout.settled or layout
    assert layout.unit is not None
    names = {column.name: safe_name(number) for number, column in enumerate(theirs.columns)}
    fields = {name: Field(safe, "read") for name, safe in names.items()}
    rows = f"({to_read(theirs, layout, names, SPARK)})"
    return Stored(layout.table, join, Layout(layout.table, fields, unit=Field(UNIT, layout.unit.stored), relation=rows))


def sent_lookups(session: "SparkSession", facts: Facts, given: Mapping[str, object], prefix: str) -> dict[str, Stored]:
    """Public lookups, read as everywhere, in views of the session. Raises FactsError if one cannot be read, or is too long."""
    from discreet.engines.duckdb.lookup_rows import public_lookups

    found = {}
    for place, (name, public) in enumerate(public_lookups(facts, given, _MOST_ROWS).items()):
        if len(public.rows) > _MOST_ROWS:
            raise FactsError(f"the lookup {name} has more than {_MOST_ROWS:,} rows", hint="leave out what questions do not need",
                             key=f"join.{name}")  # fmt: skip
        types = [*map(_type, public.columns), _TYPES[kind_of(public.key)]]
        view = f"{prefix}_lookup{place}"
        _send(session, view, public.names, types, [tuple(row) for row in public.rows])
        found[name] = Stored(view, public.join)
    return found


def sent_values(session: "SparkSession", view: str, column: Column, values: list[str] | list[float]) -> None:
    """The values that a category declares, each once, in a view."""
    whole = is_whole(column)
    rows = [tuple[object, ...]([int(value) if whole and isinstance(value, float) else value]) for value in values]
    _send(session, view, ["value"], [_type(column)], rows)


def _type(column: Column) -> str:
    return "BIGINT" if is_whole(column) else _TYPES[kind_of(column)]


def _send(session: "SparkSession", view: str, names: list[str], types: list[str], rows: list[tuple[object, ...]]) -> None:
    schema = ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))
    session.createDataFrame(rows, schema).createOrReplaceTempView(view)
