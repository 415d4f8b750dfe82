"""One column: from its entries in a facts file to the model, and back."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from numbers import Integral
from typing import TypeVar, assert_never

from discreet.errors import ParameterError
from discreet.exact import shown
from discreet.facts.formats import format_text
from discreet.facts.model import Boolean, Category, Column, Date, Integer, Number, Text, Timestamp
from discreet.facts.sections import Section
from discreet.facts.values import INT64, Reader, day, moment, number, one_of, said, text, truth, whole
from discreet.facts.vocabulary import COLUMN, DECIMAL, THOUSANDS, listed
from discreet.facts.zones import zone_name

__all__ = ["column_entries", "read_column"]

T = TypeVar("T")
Bound = TypeVar("Bound", Fraction, int, date, datetime)

_MOST_VALUES = 1_000_000
_MOST_CHARACTERS = 65_536
_MOST_WORDS = 100
_LONGEST_WORD = 40


def read_column(name: str, section: Section) -> Column | None:
    """The column that the entries declare. What is wrong is noted in the section."""
    column = _read_column(name, section)
    return None if column is None else _with_null_group(column, section)


def _with_null_group(column: Column, section: Section) -> Column:
    """The column with what becomes of rows without a value where it makes groups. Rule 4."""
    drop, label = section.entries.get("null") == "drop", section.read("null_label", text) or ""
    words = ("true", "false") if isinstance(column, Boolean) else ()
    taken = [*getattr(column, "values", ()), *getattr(column, "labels", ()), *words]
    if label and ("null" in section.entries or getattr(column, "other", False)):
        beside = "null" if "null" in section.entries else "other"
        section.wrong("null_label", f"null_label stands beside {beside}, by which rows without a value are no group of their own",
                      hint="take one of them out")
    elif label in map(str, taken):
        section.wrong("null_label", f"null_label is {said(label)}, which is a value or a label of one", "write another word")
    return replace(column, drop=drop, null_label=label)


def _read_column(name: str, section: Section) -> Column | None:
    kind = section.read("type", one_of(*COLUMN), needed=f'write type = "…": {listed(COLUMN)}')
    if kind is None:
        return None
    section.only(COLUMN[kind], f"a {kind} column")
    about = section.read("description", text) or "", section.read("per_unit", truth) or False
    match kind:
        case "number":
            lower, upper = _bounds(section, number)
            return Number(name, lower, upper, _null(section, number, lower, upper), *about, *_marks(section))
        case "integer":
            least, most = _bounds(section, whole())
            return Integer(name, least, most, _null(section, whole(), least, most), *about, *_marks(section))
        case "category":
            return _category(name, section, *about)
        case "boolean":
            return Boolean(name, section.read("null", _or_drop(truth)), *about, *_words(section))
        case "date":
            section.read("null", one_of("drop"))
            return Date(name, *_bounds(section, day), *about, *_clock(section))
        case "timestamp":
            section.read("null", one_of("drop"))
            return Timestamp(name, *_bounds(section, moment), *about, *_clock(section))
        case _:
            section.read("null", one_of("drop"))
            length = section.read("max_length", whole(1, _MOST_CHARACTERS))
            found = Text(name, description=about[0], per_unit=about[1])
            return found if length is None else replace(found, max_length=length)


def _bounds(section: Section, reader: Reader[Bound]) -> tuple[Bound | None, Bound | None]:
    lower, upper = section.read("lower", reader), section.read("upper", reader)
    if lower is not None and upper is not None:
        if not lower < upper:
            section.wrong("upper", f"upper is {_bound(upper)}, not above lower, which is {_bound(lower)}",
                          hint=f"write an upper above {_bound(lower)}")
        elif isinstance(lower, Fraction) and float(lower) == float(upper):
            section.wrong("upper", "upper is so close to lower that a float64 cannot tell them apart",
                          hint="write bounds further apart")
    return lower, upper


def _null(section: Section, reader: Reader[Bound], lower: Bound | None, upper: Bound | None) -> Bound | None:
    """What stands for a missing value; None drops it."""
    null = section.read("null", _or_drop(reader))
    if null is not None and ((lower is not None and null < lower) or (upper is not None and null > upper)):
        low, high = (_bound(bound) if bound is not None else "…" for bound in (lower, upper))
        section.wrong("null", f"null is {_bound(null)}, outside the bounds {low} to {high}",
                      hint='write a value inside the bounds, or null = "drop"')
    return null


def _marks(section: Section) -> tuple[str, str]:
    """What stands before decimals and between thousands in texts."""
    decimal = section.read("decimal", one_of(*DECIMAL)) or DECIMAL[0]
    thousands = section.read("thousands", lambda value, key: one_of(*THOUSANDS)(_as_space(value), key)) or ""
    if decimal == thousands:
        other = said(DECIMAL[decimal == DECIMAL[0]])
        section.wrong("thousands", f"thousands and decimal are both {said(decimal)}", f"write {other} for one, or leave it out")
    return decimal, thousands


def _as_space(value: object) -> object:
    return " " if value in ("\u00a0", "\u202f") else value


def _clock(section: Section) -> tuple[str, str]:
    """How texts write dates and times, and in which time zone these count."""
    return section.read("format", format_text) or "", section.read("zone", zone_name) or ""


def _words(section: Section) -> tuple[tuple[int | str, ...], tuple[int | str, ...]]:
    """What is read as true and as false; both are empty where nothing is said."""
    yes, no = section.items("true", _word), section.items("false", _word)
    for key, words, other in (("true", yes, "false"), ("false", no, "true")):
        if words is not None and other not in section.entries:
            section.wrong(key, f"{key} stands without {other}", f'write {other} = ["…"] too: what is in neither is NULL')
        elif words is not None and not 0 < len(words) <= _MOST_WORDS:
            section.wrong(key, f"{key} has {len(words)} words", f"write 1 to {_MOST_WORDS} of them")
    if yes and no and (both := {str(word).lower() for word in yes} & {str(word).lower() for word in no}):
        section.wrong("false", f"{said(min(both))} is in true and in false, and capitals do not count", "leave it out of one")
    return yes or (), no or ()


def _word(value: object, key: str) -> int | str:
    found = _value(value, key)
    if isinstance(found, str) and (not found.isprintable() or found != found.strip() or len(found) > _LONGEST_WORD):
        raise ParameterError(f"{key} is {said(found)}, not a word", hint=f"write 1 to {_LONGEST_WORD} letters, no space around")
    return found


def _or_drop(reader: Reader[T]) -> Reader[T | None]:
    def read(value: object, key: str) -> T | None:
        try:
            return None if value == "drop" else reader(value, key)
        except ParameterError as error:
            raise ParameterError(error.message, hint=f'{error.hint}, or {key} = "drop"') from None

    return read


def _bound(value: Fraction | int | date) -> str:
    return value.isoformat() if isinstance(value, date) else shown(Fraction(value))


def _category(name: str, section: Section, description: str, per_unit: bool) -> Category:
    # a lookup's may be left out, and the makers do not know yet whose column it is
    needed = 'write values = [ … ] with every value, such as [1, 2] or ["a", "b"]'
    values = section.items("values", _value, needed=needed if section.path[:1] == ("columns",) else "")
    labels = section.items("labels", text)
    if "values" not in section.entries and labels is not None:
        section.wrong("labels", "labels stand without values", "write values = [ … ] too, in the same order")
    if values is not None:
        _check_values(section, values)
        if labels is not None and len(labels) != len(values):
            section.wrong("labels", f"there are {len(labels)} labels for {len(values)} values",
                          hint="write one label for each value, in the same order")
    other = section.read("other", truth) or False
    null = section.read("null", _or_drop(_value))
    if other and "null" in section.entries:
        section.wrong("null", "null stands beside other, which holds what is missing too", "take one of them out")
    if null is not None and null not in (values or ()):
        section.wrong("null", f"null is {said(null)}, none of values", 'write one of values, or null = "drop"')
    return Category(name, values or (), labels or (), other, description, per_unit, null)


def _value(value: object, key: str) -> int | str:
    if isinstance(value, bool) or not isinstance(value, Integral | str):
        raise ParameterError(f"{key} is {said(value)}, not a whole number or a text", hint='write values such as 1 or "a"')
    if isinstance(value, Integral):
        return whole(*INT64)(value, key)
    if value in ("", "?"):
        raise ParameterError(f"{key} is {value!r}, which is read as NULL", hint="leave it out; other = true gives NULL a cell")
    return str(value)


def _check_values(section: Section, values: tuple[int | str, ...]) -> None:
    if not values:
        section.wrong("values", "values is empty", "write at least one value")
    if len(values) > _MOST_VALUES:
        section.wrong("values", f"there are {len(values)} values", f"write at most {_MOST_VALUES}")
    seen: set[int | str] = set()
    for place, value in enumerate(values):
        if type(value) is not type(values[0]):
            section.wrong(("values", place), "values mixes whole numbers and texts", "write all of them in quotes, or none")
            return
        if value in seen:
            section.wrong(("values", place), f"{said(value)} is twice in values", "write each value once")
            return
        seen.add(value)


def column_entries(column: Column) -> dict[str, object]:
    """The entries of a facts file that declare ``column``; a number is an int or a Fraction, a list a tuple."""
    entries: dict[str, object] = {}
    match column:
        case Number():
            entries = {"type": "number", "lower": column.lower, "upper": column.upper, **_written(column)}
        case Integer():
            entries = {"type": "integer", "lower": column.lower, "upper": column.upper, **_written(column)}
        case Category():
            lists = {"values": column.values or None, "labels": column.labels or None}
            entries = {"type": "category", **lists, "other": column.other}
        case Boolean():
            entries = {"type": "boolean", "true": column.true or None, "false": column.false or None}
        case Date():
            entries = {"type": "date", "lower": column.lower, "upper": column.upper, **_timed(column)}
        case Timestamp():
            entries = {"type": "timestamp", "lower": column.lower, "upper": column.upper, **_timed(column)}
        case Text():
            entries = {"type": "text", "max_length": column.max_length}
        case _:
            assert_never(column)
    null = getattr(column, "null", None)
    entries |= {"null": "drop" if column.drop else null, "null_label": column.null_label or None}
    entries |= {"description": column.description, "per_unit": column.per_unit or None}
    return {key: value for key, value in entries.items() if value is not None}


def _written(column: Number | Integer) -> dict[str, object]:
    return {"decimal": column.decimal if column.decimal != DECIMAL[0] else None, "thousands": column.thousands or None}


def _timed(column: Date | Timestamp) -> dict[str, object]:
    return {"format": column.format or None, "zone": column.zone or None}
