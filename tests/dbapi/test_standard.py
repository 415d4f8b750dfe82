"""What PEP 249 asks of a module, a connection and a cursor, as far as it applies where nothing can be written."""

import datetime as dt
import gc
import inspect
from decimal import Decimal
from fractions import Fraction

import pytest

import discreet as dc
from discreet import dbapi
from discreet.dbapi.binding import bound, table_in

pytestmark = pytest.mark.slow
BY_TOWN = "SELECT town, COUNT(*) AS n, AVG(age) AS m FROM people GROUP BY town"
COUNT = "SELECT COUNT(*) AS n FROM people"


# ---- the module


def test_the_module_says_what_it_is():
    assert (dbapi.apilevel, dbapi.threadsafety, dbapi.paramstyle) == ("2.0", 2, "qmark")
    assert callable(dbapi.connect)


def test_the_exceptions_are_a_tree_as_the_standard_draws_it(connection):
    assert issubclass(dbapi.Warning, Exception)
    assert issubclass(dbapi.Error, Exception)
    assert issubclass(dbapi.InterfaceError, dbapi.Error)
    assert issubclass(dbapi.DatabaseError, dbapi.Error)
    for name in ("DataError", "OperationalError", "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"):
        assert issubclass(getattr(dbapi, name), dbapi.DatabaseError)
        assert getattr(connection, name) is getattr(dbapi, name)


def test_types_and_constructors_are_there():
    kinds = [dbapi.STRING, dbapi.BINARY, dbapi.NUMBER, dbapi.DATETIME, dbapi.ROWID]
    assert len({id(each) for each in kinds}) == 5
    assert dbapi.Date(2020, 1, 2) == dt.date(2020, 1, 2)
    assert dbapi.Time(1, 2, 3) == dt.time(1, 2, 3)
    assert dbapi.Timestamp(2020, 1, 2, 3, 4, 5) == dt.datetime(2020, 1, 2, 3, 4, 5)  # noqa: DTZ001
    ticks = 1_600_000_000
    assert dbapi.DateFromTicks(ticks) == dbapi.TimestampFromTicks(ticks).date()
    assert dbapi.TimeFromTicks(ticks) == dbapi.TimestampFromTicks(ticks).time()
    assert dbapi.Binary(b"x") == b"x"


# ---- connections


def test_a_connection_has_all_that_the_standard_names(connection):
    assert all(callable(getattr(connection, name)) for name in ("close", "commit", "rollback", "cursor"))
    connection.commit()
    with pytest.raises(dbapi.NotSupportedError, match="stays charged"):
        connection.rollback()


def test_what_is_closed_stays_closed(home, service):
    connection = dbapi.connect(service.address, home.bob, epsilon=1)
    cursor = connection.cursor()
    connection.close()
    connection.close()
    for verb in (connection.commit, connection.rollback, connection.cursor, lambda: cursor.execute(COUNT)):
        with pytest.raises(dbapi.InterfaceError):
            verb()


# ---- cursors


def test_a_cursor_has_all_that_the_standard_names(connection):
    cursor = connection.cursor()
    for name in ("close", "execute", "executemany", "fetchone", "fetchmany", "fetchall", "setinputsizes", "setoutputsize"):
        assert callable(getattr(cursor, name))
    assert (cursor.description, cursor.rowcount, cursor.arraysize, cursor.rownumber) == (None, -1, 1, None)
    cursor.setinputsizes([1])
    cursor.setoutputsize(10, 0)
    assert "parameters" in inspect.signature(cursor.execute).parameters
    for verb in (cursor.fetchone, cursor.fetchmany, cursor.fetchall):
        with pytest.raises(dbapi.Error):
            verb()
    with pytest.raises(dbapi.NotSupportedError):
        cursor.executemany(COUNT, [(), ()])


def test_description_and_rows_are_as_the_standard_says(connection):
    with connection.cursor() as cursor:
        cursor.execute(BY_TOWN)
        assert [len(each) for each in cursor.description] == [7, 7, 7]
        assert [each[0] for each in cursor.description] == ["town", "n", "m"]
        assert [each[1] for each in cursor.description] == [dbapi.STRING, dbapi.NUMBER, dbapi.NUMBER]
        assert cursor.rowcount == len(cursor.answer.rows) >= 2
        first = cursor.fetchone()
        assert isinstance(first, tuple)
        cursor.arraysize = 2
        rest = [*cursor.fetchmany(), *cursor.fetchall()]
        assert [first, *rest] == [tuple(row.values()) for row in cursor.answer.rows]
        assert (cursor.fetchone(), cursor.fetchmany(5), cursor.fetchall()) == (None, [], [])
        assert cursor.rownumber == cursor.rowcount
        assert cursor.execute(BY_TOWN).fetchmany(1) == [first]
        assert len(list(cursor)) == cursor.rowcount - 1
    with pytest.raises(dbapi.InterfaceError):
        cursor.fetchone()


def test_null_is_none(connection):
    cursor = connection.cursor().execute("SELECT town, COUNT(*) AS n FROM people GROUP BY town ORDER BY n DESC")
    other = [town for town, _ in cursor.fetchall()]
    assert set(other) >= {"north", "south"}
    empty = connection.cursor().execute("SELECT COUNT(*) / (COUNT(*) - COUNT(*)) AS r FROM people")
    assert empty.fetchall() == [(None,)]


def test_intervals_are_further_columns_if_wished(home, service, connection):
    cursor = connection.cursor().execute(COUNT, intervals=True)
    assert [each[0] for each in cursor.description] == ["n", "n_low", "n_high"]
    ((n, low, high),) = cursor.fetchall()
    assert low <= n <= high
    with dbapi.connect(service.address, home.bob, epsilon="0.5", intervals=True) as wide:
        assert wide.cursor().execute(COUNT).fetchone() == (n, low, high)


# ---- prices, parameters, errors


def test_a_price_is_the_connections_or_that_of_one_question(home, service, connection):
    first = connection.cursor().execute("SELECT COUNT(*) AS n FROM others WHERE age > 30")
    assert first.answer.cost.epsilon == dc.Pure(epsilon="0.5").epsilon
    dear = connection.cursor().execute("SELECT COUNT(*) AS n FROM others WHERE age > 31", epsilon=2)
    assert dear.answer.cost.epsilon == 2
    wished = connection.cursor().execute("SELECT COUNT(*) AS n FROM others WHERE age > 32", within=10)
    low, high = wished.answer.interval
    assert (high - low) / 2 <= 10
    spent = wished.answer.budget.spent
    grouped = "SELECT town, AVG(age) AS m FROM others GROUP BY town"
    first, again = (connection.cursor().execute(grouped, within="0.5", assuming=5000) for _ in range(2))
    assert (first.answer.replayed, again.answer.replayed) == (False, True)
    assert again.answer.budget.spent == first.answer.budget.spent != spent
    with dbapi.connect(service.address, home.bob) as none, pytest.raises(dbapi.ProgrammingError, match="price"):
        none.cursor().execute("SELECT COUNT(*) AS n FROM people WHERE age > 3")


@pytest.mark.parametrize(("sql", "parameters", "same"), [
    ("SELECT COUNT(*) AS n FROM people WHERE age > ?", [40], "age > 40"),
    ("SELECT COUNT(*) AS n FROM people WHERE town = ? AND age > ?", ["north", 20.5], "town = 'north' AND age > 20.5"),
    ("SELECT COUNT(*) AS n /* ? */ FROM people WHERE town IN (?, ?) -- why?", ["south", "north"], "town IN ('south', 'north')"),
    ("SELECT COUNT(*) AS n FROM people WHERE age > ?", [1e-5], "age > 0.00001"),
])  # fmt: skip
def test_parameters_stand_where_the_marks_are_and_nowhere_else(connection, sql, parameters, same):
    cursor = connection.cursor().execute(sql, parameters)
    with connection.cursor() as again:
        assert again.execute(f"SELECT COUNT(*) AS n FROM people WHERE {same}").fetchall() == cursor.fetchall()
        assert again.answer.replayed


def test_values_are_written_so_that_they_read_as_themselves():
    assert bound("? ? ? ?", [None, True, "o'x? --", dt.date(2020, 1, 2)]) == "NULL TRUE 'o''x? --' '2020-01-02'"
    assert bound("'?' \"a?\" -- ?\n/* ? */ ?", [Decimal("1e-7")]) == "'?' \"a?\" -- ?\n/* ? */ 0.0000001"
    assert bound("? ?", [Fraction(1, 8), -3]) == "0.125 -3"


def test_a_value_stays_apart_from_what_stands_beside_it():
    assert bound("age > 5 -? AND town = 'x'", [-3]) == "age > 5 - -3 AND town = 'x'"  # and no comment to the end of the line
    assert bound("town = 'a'? AND(?)", ["b", "c"]) == "town = 'a' 'b' AND('c')"  # refused, and not one text
    assert bound("??", [1, 2]).split() == ["1", "2"]


def test_comments_may_stand_in_comments():
    assert bound("a /* ? /* ? */ ? */ ? -- ?", [1]) == "a /* ? /* ? */ ? */ 1 -- ?"


def test_numbers_of_numpy_and_moments_of_pandas_are_values_or_refused(part):
    numpy, pandas = part("numpy"), part("pandas")
    values = [numpy.float64(3.5), numpy.float32(0.5), numpy.int64(-2), numpy.bool_(True), pandas.Timestamp("2024-03-01 12:30")]
    assert bound("? ? ? ? ?", values) == "3.5 0.5 -2 TRUE '2024-03-01T12:30:00'"
    for none in (pandas.NaT, numpy.float64("nan")):
        with pytest.raises(dbapi.DataError, match="a parameter cannot be"):
            bound("?", [none])


def test_the_table_is_the_first_after_from_that_is_one():
    tables = ["people", "Ce Book", "été"]
    assert table_in("SELECT COUNT(*) FROM Été", tables) == "été"
    assert table_in("SELECT COUNT(*) FROM People", tables) == "people"
    assert table_in("SELECT COUNT(*) FROM /* others */ \"ce book\" WHERE a = 'FROM people'", tables) == "Ce Book"
    assert table_in("WITH u AS (SELECT unit, SUM(x) AS s FROM people GROUP BY unit) SELECT AVG(s) FROM u", tables) == "people"
    assert table_in("SELECT EXTRACT(YEAR FROM d) AS y, COUNT(*) FROM people GROUP BY y", tables) == "people"


@pytest.mark.parametrize(("parameters", "error"), [
    ([], dbapi.ProgrammingError), ([1, 2], dbapi.ProgrammingError), ([b"x"], dbapi.DataError), ([float("nan")], dbapi.DataError),
    ({"a": 1}, dbapi.ProgrammingError), ("4", dbapi.ProgrammingError), ([object()], dbapi.DataError),
    (["'; DROP TABLE people --"], dbapi.ProgrammingError),
])  # fmt: skip
def test_wrong_parameters_are_refused(connection, parameters, error):
    with pytest.raises(error):
        connection.cursor().execute("SELECT COUNT(*) AS n FROM people WHERE age > ?", parameters)


@pytest.mark.parametrize(("sql", "words", "error", "cause"), [
    ("SELECT age FROM people", {}, dbapi.ProgrammingError, dc.QuestionError),
    ("SELECT COUNT(*) AS n FROM people WHERE age > 77", {"epsilon": 5000}, dbapi.OperationalError, dc.BudgetError),
    ("SELECT COUNT(*) AS n FROM people", {"epsilon": -1}, dbapi.ProgrammingError, dc.ParameterError),
    ("SELECT COUNT(*) AS n FROM strangers", {}, dbapi.ProgrammingError, type(None)),
    ("DELETE FROM people", {}, dbapi.ProgrammingError, dc.QuestionError),
    ("", {}, dbapi.ProgrammingError, type(None)),
])  # fmt: skip
def test_errors_are_those_of_the_standard_and_say_what_ours_say(connection, sql, words, error, cause):
    with pytest.raises(error) as raised:
        connection.cursor().execute(sql, **words)
    assert isinstance(raised.value.__cause__, cause)


@pytest.mark.parametrize("address", ["host.invalid", "ftp://host", "http://data.example"])
def test_what_is_no_address_of_a_service_is_told_how_one_is_written(address):
    with pytest.raises(dbapi.ProgrammingError, match="write https://host, and no table") as raised:
        dbapi.connect(address, "dsc_x", epsilon=1)
    assert "TABLE" not in str(raised.value)


@pytest.mark.filterwarnings("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")
def test_a_connection_that_is_forgotten_leaves_no_socket_open(home, service):
    connection = dbapi.connect(service.address, home.bob, epsilon=1)
    (line,) = [each.sock for each in connection.check()._idle]
    del connection
    gc.collect()
    assert line.fileno() == -1


def test_who_may_not_come_in_is_told_so(service):
    with pytest.raises(dbapi.OperationalError, match="token"):
        dbapi.connect(service.address, "dsc_nobody", epsilon=1)
    with pytest.raises(dbapi.OperationalError, match="cannot be reached"):
        dbapi.connect("http://127.0.0.1:9", "dsc_x", epsilon=1)
    with pytest.raises(dbapi.ProgrammingError, match="in the open"):
        dbapi.connect("http://data.example", "dsc_x", epsilon=1)
    with pytest.raises(dbapi.OperationalError, match="write the address of the service alone"):
        dbapi.connect(f"{service.address}/people", "dsc_x", epsilon=1)
    with pytest.raises(TypeError, match="'eps'"):
        dbapi.connect(service.address, "dsc_x", eps=1)
