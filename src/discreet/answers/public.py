"""What is public about a table, line by line, for text and for pages."""

from discreet.facts.joins import joined
from discreet.facts.model import Boolean, ByColumn, Category, Column, Date, Facts, Integer, Number, Text, Timestamp
from discreet.plots.lettering import clean, shortened
from discreet.plots.numerals import grouped, read_column

__all__ = ["about", "columns_of"]

_MOST_VALUES = 6


def about(facts: Facts) -> list[str]:
    """Name, version, size, and what one unit is."""
    found = [clean(facts.name)]
    if facts.version != "1":
        found.append(f"version {clean(facts.version)}")
    if facts.rows is not None:
        found.append(f"{grouped(facts.rows)} rows")
    elif facts.rows_about is not None:
        found.append(f"about {grouped(facts.rows_about)} rows")
    return [*found, _protected(facts)]


def _protected(facts: Facts) -> str:
    unit = f"all rows of one {clean(facts.unit.column)}" if isinstance(facts.unit, ByColumn) else "each row"
    how = "added or removed" if facts.neighbours == "add_remove" else "changed"
    return f"protects {unit}, {how}"


def columns_of(facts: Facts) -> list[tuple[str, str, str, str, str]]:
    """For each column, those of what may be joined too: name, type, values, what becomes of missing ones, description."""
    columns = joined(facts, (join.name for join in facts.joins)).columns
    return [(c.name, _type(c), _values(c), _missing(c), shortened(clean(c.description), 60)) for c in columns]


def _type(column: Column) -> str:
    return type(column).__name__.casefold()


def _values(column: Column) -> str:
    match column:
        case Number(lower=lower, upper=upper) | Integer(lower=lower, upper=upper):
            return _range(*(None if end is None else _figure(float(end)) for end in (lower, upper)))
        case Date(lower=lower, upper=upper, zone=zone) | Timestamp(lower=lower, upper=upper, zone=zone):
            clocks = f", {zone}" if zone else ""
            return _range(*(None if end is None else str(end) for end in (lower, upper))) + clocks
        case Category(values=values, labels=labels, other=other):
            texts = [f"{v} {t}" for v, t in zip(values, labels, strict=False)] if labels else [str(v) for v in values]
            return _some([*texts, *(["other"] if other else [])])
        case Boolean():
            return "true, false"
        case Text(max_length=length):
            return f"up to {grouped(length)} letters"


def _range(lower: str | None, upper: str | None) -> str:
    return "no bounds" if lower is None and upper is None else f"{lower or '−∞'} … {upper or '∞'}"


def _figure(end: float) -> str:
    return read_column([end], [(end, end)])[0].value


def _some(texts: list[str]) -> str:
    if len(texts) <= _MOST_VALUES:
        return ", ".join(texts)
    return f"{', '.join(texts[: _MOST_VALUES - 1])}, … {grouped(len(texts) - _MOST_VALUES + 1)} more"


def _missing(column: Column) -> str:
    match column:
        case Number(null=null) | Integer(null=null) if null is not None:
            return f"missing is {_figure(float(null))}"
        case Boolean(null=null) if null is not None:
            return f"missing is {str(null).casefold()}"
        case _:
            return ""
