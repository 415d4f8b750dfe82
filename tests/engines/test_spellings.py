"""What texts spell: numbers, words for true and false, days and moments, with formats, offsets and zones; on both engines."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.engines import open_engine
from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.rules.values import read
from discreet.engines.sql.writer import to_read
from discreet.facts.make import facts_for_table

SOME = settings(max_examples=15, suppress_health_check=list(HealthCheck), deadline=None)


def facts_of(column):
    return facts_for_table(name="t", columns={"c": column}, unit="row", neighbours="add_remove", budget=1)


def by_duckdb(column, source):
    """The values of a stored column, as every question gets them."""
    facts = facts_of(column)
    engine = open_engine(facts, source)
    layout = engine._read()
    found = engine._connection.execute(to_read(facts, layout, {"c": "found"}, DUCKDB)).fetchall()
    engine.close()
    return [value for (value,) in found]


def by_rules(column, raws):
    declared = facts_of(column).columns[0]
    return [read(declared, raw) for raw in raws]


def told(column, raws):
    """What both engines read."""
    found = by_duckdb(column, pa.table({"c": pa.array(raws, pa.string())}))
    assert found == by_rules(column, raws)
    return found


# ---- offsets and zones


def at(text):
    return datetime.fromisoformat(text)


OFFSETS = {
    "2013-01-01T10:00:00Z": "2013-01-01T10:00",
    "2013-01-01 10:00:00+00": "2013-01-01T10:00",
    "2013-01-01T10:00:00+01:00": "2013-01-01T09:00",
    "2013-01-01T10:00-0530": "2013-01-01T15:30",
    "2013-01-01 10:00:00.1234567 +05:30": "2013-01-01T04:30:00.123456",
    "2013-01-01 00:30:00 UTC": "2013-01-01T00:30",
    "2013-01-01T00:30:00GMT": "2013-01-01T00:30",
    "2013-01-01T00:30:00+02:00": "2012-12-31T22:30",
    "2013-01-01T10:00:00": "2013-01-01T10:00",
    "0001-01-01T00:00:00+14:00": "0001-01-01T00:00",
    "9999-12-31T23:30:00-01:00": "9999-12-31T23:59:59.999999",
}
NO_MOMENTS = ["2013-01-01Z", "2013-01-01+01:00", "2013-01-01T10:00:00+24:00", "2013-01-01T10:00:00+1", "2013-02-30T10:00Z",
              "2013-01-01T10:00:00+01:60", "2013-01-01T10:00:00  Z", "2013-01-01T10:00:00ZZ", "2013-01-01T24:00Z"]  # fmt: skip


def test_offsets_are_applied_and_never_ignored():
    found = told(dc.timestamp(), [*OFFSETS, *NO_MOMENTS])
    assert found == [*map(at, OFFSETS.values()), *[None] * len(NO_MOMENTS)]


def test_what_has_an_offset_is_told_by_the_clocks_of_the_zone_and_what_has_none_is_so_already():
    new_york = dc.timestamp(zone="America/New_York")
    assert told(new_york, ["2013-01-01T10:00:00Z", "2013-07-01T10:00:00Z", "2013-07-01T10:00:00+02:00", "2013-07-01 10:00"]) == [
        at("2013-01-01T05:00"), at("2013-07-01T06:00"), at("2013-07-01T04:00"), at("2013-07-01T10:00"),
    ]  # fmt: skip


@pytest.mark.parametrize("bounds", [(None, None), (at("2013-01-01"), at("2013-12-31"))], ids=["any year", "one year"])
def test_daylight_saving_begins_and_ends_at_its_second(bounds):
    berlin = dc.timestamp(*bounds, zone="Europe/Berlin")
    begins = ["2013-03-31T00:59:59Z", "2013-03-31T01:00:00Z", "2013-03-31T02:00:00+01:00"]
    assert told(berlin, begins) == [at("2013-03-31T01:59:59"), at("2013-03-31T03:00"), at("2013-03-31T03:00")]
    ends = ["2013-10-27T00:30:00Z", "2013-10-27T01:30:00Z", "2013-10-27T02:30:00+02:00", "2013-10-27T02:30:00+01:00"]
    assert told(berlin, ends) == [at("2013-10-27T02:30")] * 4  # an hour that clocks show twice
    assert told(dc.timestamp(), ends[2:]) == [at("2013-10-27T00:30"), at("2013-10-27T01:30")]  # and UTC once


def test_a_date_is_the_day_of_its_moment_in_its_zone():
    texts = ["2013-07-01", "2013-07-01T23:30:00", "2013-07-01T23:30:00-05:00", "2013-07-01T23:30:00Z"]
    assert told(dc.date(), texts) == [date(2013, 7, 1), date(2013, 7, 1), date(2013, 7, 2), date(2013, 7, 1)]
    assert told(dc.date(zone="Asia/Tokyo"), texts) == [date(2013, 7, 1), date(2013, 7, 1), date(2013, 7, 2), date(2013, 7, 2)]


ZONES = ["America/New_York", "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"]
instants = st.datetimes(datetime(1900, 1, 2), datetime(2099, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@SOME
@given(st.sampled_from(ZONES), st.lists(instants, max_size=8), st.integers(-14 * 60, 14 * 60))
def test_zones_are_those_of_the_time_zone_database(zone, moments, minutes):
    offset = timezone(timedelta(minutes=minutes))
    texts = [moment.astimezone(offset).isoformat() for moment in moments]
    assert told(dc.timestamp(zone=zone), texts) == [moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for moment in moments]


@SOME
@given(
    st.sampled_from(ZONES),
    st.lists(st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=9))])), max_size=5),
    st.tuples(st.datetimes(), st.datetimes()).map(sorted),
)
def test_bounds_do_not_change_what_a_zone_makes_of_values_inside(zone, moments, bounds):
    lower, upper = bounds
    if lower == upper:
        return
    wide = by_rules(dc.timestamp(zone=zone), moments)
    narrow = told(dc.timestamp(lower, upper, zone=zone), [moment.isoformat() for moment in moments])
    assert narrow == [min(max(moment, lower), upper) for moment in wide]


def test_stored_moments_with_a_zone_are_moved_too(tmp_path):
    file = tmp_path / "t.parquet"
    raws = [datetime(2013, 7, 1, 10, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC), None]
    pq.write_table(pa.table({"c": pa.array(raws, pa.timestamp("us", tz="Asia/Tokyo"))}), file)
    for column in (dc.timestamp(zone="America/New_York"), dc.timestamp(), dc.date(zone="Pacific/Apia")):
        assert by_duckdb(column, file) == by_rules(column, raws)
    assert by_duckdb(dc.timestamp(zone="America/New_York"), file)[0] == at("2013-07-01T06:00")


# ---- formats

FORMATS = {
    "%d/%m/%Y": {"07/01/2013": "2013-01-07", "7/1/2013": "2013-01-07", "31/02/2013": None, "2013-01-07": None, "07/01/13": None},
    "%m/%d/%y": {"07/01/13": "2013-07-01", "7/1/69": "1969-07-01", "7/1/68": "2068-07-01"},
    "%Y%m%d": {"20130701": "2013-07-01", "2013701": None},
    "%d.%m.%Y %H:%M": {"01.07.2013 9:05": "2013-07-01T09:05", "01.07.2013 24:00": None, "01.07.2013": None},
    "%d %B %Y": {"1 july 2013": "2013-07-01", "01 Jul 2013": None, "1 Juli 2013": None},
    "%d-%b-%y": {"01-JUL-13": "2013-07-01", "01-Jun-13": "2013-06-01"},
    "%b %d, %Y %I:%M:%S.%f %p": {
        "Jul 1, 2013 12:00:00.5 AM": "2013-07-01T00:00:00.5", "Jul 1, 2013 12:00:00.123456789 pm": "2013-07-01T12:00:00.123456",
        "Jul 1, 2013 1:00:00.0 PM": "2013-07-01T13:00", "Jul 1, 2013 13:00:00.0 PM": None, "Jul 1, 2013 0:00:00.0 AM": None,
    },
    "%d/%b/%Y:%H:%M:%S %z": {"10/Oct/2000:13:55:36 -0700": "2000-10-10T20:55:36", "10/Oct/2000:13:55:36 ": None},
    "100%% %Y-%m-%dT%H%z": {"100% 2013-07-01T10+02": "2013-07-01T08:00", "100% 2013-07-01T10Z": "2013-07-01T10:00"},
    "(%Y) [%m] ^%d$": {"(2013) [7] ^1$": "2013-07-01", "2013 7 1": None},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_formats_read_what_they_say_and_nothing_else(form):
    texts = FORMATS[form]
    expected = [None if text is None else at(text) for text in texts.values()]
    assert told(dc.timestamp(format=form), list(texts)) == expected
    assert told(dc.date(format=form), list(texts)) == [None if moment is None else moment.date() for moment in expected]


KNOWN = [text for some in FORMATS.values() for text in some]
NASTY = st.text(st.sampled_from(list("0123456789/.-:, TZ+%AaPpMmJjuUlL\u0661\u00a0")), max_size=24)


@SOME
@given(st.sampled_from([*FORMATS, ""]), st.lists(NASTY | st.sampled_from(KNOWN), max_size=20), st.sampled_from(["", *ZONES[:2]]))
def test_any_text_is_the_same_moment_on_both_engines(form, texts, zone):
    said = {"zone": zone or None, "format": form or None}
    told(dc.timestamp(**said), texts)
    told(dc.date(date(2000, 1, 1), date(2013, 6, 30), **said), texts)


# ---- numbers and words

NUMERALS = st.text(st.sampled_from(list("0123456789.,' _\u2019\u00a0\u202f+-eE")), max_size=14)
MARKS = [(".", None), (",", None), (",", "."), (".", ","), (".", " "), (",", " "), (".", "'"), (",", "_")]


@SOME
@given(st.sampled_from(MARKS), st.lists(NUMERALS, max_size=30))
def test_any_text_is_the_same_number_on_both_engines(marks, texts):
    decimal, thousands = marks
    told(dc.number(-1000, 10**9, decimal=decimal, thousands=thousands), texts)
    told(dc.integer(-1000, 10**9, decimal=decimal, thousands=thousands), texts)


def test_decimals_and_thousands_as_offices_write_them():
    office = dc.number(decimal=",", thousands=".")
    assert told(office, ["1.234,50", "1234,5", "-,5", "12.34.567"]) == [1234.5, 1234.5, -0.5, 1234567]
    assert told(office, ["1.5", "1,234.5", "1.2345", "1.234."]) == [None] * 4
    assert told(dc.integer(thousands=" "), ["1 200", "1\u00a0200", "1\u202f200", "1200", "12 00"]) == [*[1200] * 4, None]


def test_words_for_true_and_false(tmp_path):
    words = dc.boolean(true=["Y", "ja", "a.b", 1], false=["n", "(no)", 2])
    assert told(words, ["y", " JA ", "1", "A.B", "axb"]) == [True, True, True, True, None]
    assert told(words, ["N", "(No)", "2", "yes", "true", "0", "1.0", "", "?"]) == [False, False, False, *[None] * 6]
    for kind in (pa.int64(), pa.float64()):
        table = pa.table({"c": pa.array([1, 2, 0, 3, None], kind)})
        assert by_duckdb(words, table) == by_rules(words, table["c"].to_pylist()) == [True, False, None, None, None]
        assert by_duckdb(dc.boolean(true=["y"], false=["n"]), table) == [None] * 5
        assert by_duckdb(dc.boolean(), table) == [True, None, False, None, None]


@SOME
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6), max_size=20))
def test_any_text_is_the_same_truth_on_both_engines(texts):
    words = dc.boolean(true=["ok", "ß", "İ", "k*", "\\d"], false=["no", "|", "^$"])
    told(words, [*texts, "o\u212a", "OK", "i\u0307", "5", "\\D"])


# ---- neighbours

FORMS = [
    (dc.timestamp(zone="Europe/Berlin"), [*OFFSETS, *NO_MOMENTS[:3], "x"]),
    (dc.date(format="%d/%m/%Y"), [*FORMATS["%d/%m/%Y"], ""]),
    (dc.number(0, 10, decimal=",", thousands="."), ["1,5", "1.234", "x", "inf", ""]),
    (dc.boolean(true=["y"], false=["n"]), ["Y", "n", "x", "", "1"]),
]


@pytest.mark.parametrize(("column", "texts"), FORMS, ids=["zone", "format", "marks", "words"])
def test_a_row_that_comes_or_goes_changes_how_no_other_is_read(column, texts):
    found = told(column, texts)
    for gone in range(len(texts)):
        kept = [*texts[:gone], *texts[gone + 1 :]]
        assert told(column, kept) == [*found[:gone], *found[gone + 1 :]]


# ---- objects


def test_objects_among_texts_are_read_as_they_are_and_texts_as_declared():
    found = by_duckdb(dc.number(decimal=",", thousands="."), pd.DataFrame({"c": [1.5, "1,5", "1.500", None, 7]}, dtype=object))
    assert found == [1.5, 1.5, 1500.0, None, 7.0]
    moments = [datetime(2013, 7, 1, 10, tzinfo=UTC), "01/07/2013 10:00", date(2013, 7, 1), None]
    zoned = dc.timestamp(format="%d/%m/%Y %H:%M", zone="Europe/Berlin")
    expected = [at("2013-07-01T12:00"), at("2013-07-01T10:00"), at("2013-07-01"), None]
    assert by_duckdb(zoned, pd.DataFrame({"c": moments}, dtype=object)) == expected
    assert by_duckdb(dc.boolean(true=["y"], false=["n"]), pd.DataFrame({"c": [True, "N", "true", 1]}, dtype=object)) == [
        True, False, None, None,
    ]  # fmt: skip
