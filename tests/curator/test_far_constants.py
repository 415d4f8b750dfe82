"""Extreme public constants tell nothing: two neighbouring tables are both refused, in the same words, or both answered."""

import pandas as pd
import pytest

import discreet as dc
from discreet.errors import Refused

PEOPLE = [{"x": float(n % 10), "i": n % 10, "s": f"p{n}", "who": f"u{n % 7}"} for n in range(20)]
VICTIM = {"x": 4.0, "i": 4, "s": "victim", "who": "v"}
COLUMNS = {"x": dc.number(0, 10, null="drop"), "i": dc.integer(0, 10, null="drop"), "s": dc.text()}
BY_COLUMN = {"column": "who", "max_rows": 3}


def table_of(rows, unit):
    frame = pd.DataFrame(rows)
    return dc.table(frame, name="t", columns=COLUMNS, unit=unit, neighbours="add_remove", budget="1e9")


def outcome(rows, unit, sql, **said):
    """What an asker sees of a table, but for the noise."""
    try:
        answer = table_of(rows, unit).ask(sql, **{"epsilon": "0.000000000001", **said})
    except Refused as refused:
        return type(refused), str(refused)
    assert str(answer)
    return "answered", [column.name for column in answer.columns], len(answer.rows)


FAR = {
    "a far origin": "SELECT BIN(x, 1, 1e19) AS b, COUNT(*) AS n FROM t WHERE s = 'victim' GROUP BY b",
    "a value by bisection": "SELECT BIN(x, 1, 1e19) AS b, COUNT(*) AS n FROM t WHERE s = 'victim' AND x < 5 GROUP BY b",
    "a median per bin": "SELECT BIN(x, 1, 1e19) AS b, MEDIAN(x) AS m FROM t WHERE s = 'victim' GROUP BY b",
    "a running count": "SELECT BIN(x, 1, 1e19) AS b, RUNNING_COUNT(*) AS n FROM t WHERE s = 'victim' GROUP BY b",
    "a shift": "SELECT BIN(x + 1e25, 10000) AS b, COUNT(*) AS n FROM t WHERE s = 'victim' GROUP BY b",
    "steps beyond 2^51": "SELECT BIN(x, 3, 1e17) AS b, COUNT(*) AS n FROM t GROUP BY b",
    "an origin of 1e300": "SELECT BIN(i, 1, 1e300) AS b, COUNT(*) AS n FROM t GROUP BY b",
    "a width of 1e-300": "SELECT BIN(GREATEST(LEAST(x, 1e-299), 0), 1e-300) AS b, COUNT(*) AS n FROM t GROUP BY b",
    "a far value": "SELECT SUM(BIN(x, 1, 1e19)) AS n FROM t WHERE s = 'victim'",
    "a far filter": "SELECT COUNT(*) FILTER (WHERE BIN(x, 1, 1e19) > 1e18) AS n FROM t WHERE s = 'victim'",
    "a far average": "SELECT AVG(x * 1e300) AS n FROM t WHERE s = 'victim'",
}
OF_UNITS = {
    "groups of units": "SELECT GROUPS_PER_UNIT(0.5, BIN(x, 1, 1e19)) AS n FROM t WHERE s = 'victim'",
    "units in far bins": "SELECT BIN(x, 1, 1e19) AS b, COUNT(DISTINCT who) AS n FROM t WHERE s = 'victim' GROUP BY b",
}


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["row", BY_COLUMN], ids=["row", "column"])
@pytest.mark.parametrize("sql", FAR.values(), ids=FAR)
def test_constants_that_are_far_away_do_not_tell_whether_anybody_is_there(sql, unit):
    assert outcome([*PEOPLE, VICTIM], unit, sql) == outcome(PEOPLE, unit, sql)


@pytest.mark.parametrize("sql", OF_UNITS.values(), ids=OF_UNITS)
def test_nor_do_they_where_units_have_many_rows(sql):
    assert outcome([*PEOPLE, VICTIM], BY_COLUMN, sql) == outcome(PEOPLE, BY_COLUMN, sql)


@pytest.mark.parametrize("sql", ["BIN(x, 1, 1e19)", "BIN(x + 1e25, 10000)", "BIN(x, 3, 1e17)", "BIN(i, 1, 1e300)"])
def test_bins_that_float64_cannot_count_are_refused_while_planning(sql):
    with pytest.raises(Refused, match="bins"):
        table_of(PEOPLE, "row").quote(f"SELECT {sql} AS b, COUNT(*) AS n FROM t GROUP BY b", epsilon=1)


@pytest.mark.parametrize("origin", [2**40, -(2**40), 2**50, -(2**50)])
def test_bins_that_are_just_near_enough_hold_the_rows_that_they_say(origin):
    answer = table_of(PEOPLE, "row").ask(f"SELECT BIN(x, 1, {origin}) AS b, COUNT(*) AS n FROM t GROUP BY b", epsilon=1000)
    assert {row["b"]: row["n"] for row in answer.rows} == {**dict.fromkeys(range(10), 2), 10: 0}


def units(number):
    return [{"x": 1.0, "i": 1, "s": "", "who": f"u{n}"} for n in range(number)]


@pytest.mark.parametrize(
    "sql", ["SUM(i - 2251799813685248)", "SUM(2251799813685248 - i)", "COUNT(*)", "COUNT(*), SUM(i - 2251799813685248)"]
)
@pytest.mark.slow
@pytest.mark.parametrize("caps", [{"max_rows": 2**31 - 1}, {"max_rows": 2**31 - 1, "max_groups": 1}], ids=str)
def test_the_sum_of_large_units_does_not_tell_how_many_there_are(sql, caps):
    one, other = (
        outcome(units(number), BY_COLUMN, f"SELECT {sql} FROM t", epsilon="0.000001", **caps) for number in (8192, 8193)
    )
    assert one == other


@pytest.mark.slow
def test_sums_of_large_units_are_answered_up_to_the_cap_that_the_refusal_names():
    refused, said = outcome(units(3), BY_COLUMN, "SELECT SUM(i - 2251799813685248) AS s FROM t", max_rows=2**31 - 1)
    assert issubclass(refused, Refused)
    most = int(said.partition("at ")[2].partition(" or fewer")[0].replace(",", ""))
    assert most >= 2**10
    for number in (8192, 8193):
        table = table_of(units(number), BY_COLUMN)
        answer = table.ask("SELECT SUM(i - 2251799813685248) AS s FROM t", epsilon="1000000", max_rows=most)
        exact = number * (1 - 2251799813685248)
        assert abs(answer.value - exact) < 1e-4 * abs(exact)
