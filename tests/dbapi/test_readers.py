"""What reads through PEP 249: pandas, polars, SQLAlchemy."""

import warnings

import pytest

pytestmark = pytest.mark.slow
BY_TOWN = "SELECT town, COUNT(*) AS n FROM people GROUP BY town ORDER BY n DESC"


@pytest.fixture
def engine(part, home, service):
    sqlalchemy = part("sqlalchemy")
    sqlalchemy.dialects.registry.register("discreet", "discreet.dbapi.dialect", "DiscreetDialect")
    address = service.address.replace("http://", "discreet://")
    engine = sqlalchemy.create_engine(address, connect_args={"token": home.bob, "epsilon": "0.5"})
    yield engine
    engine.dispose()


def test_pandas_reads_from_it(part, connection):
    pandas = part("pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it has not been tested by pandas
        frame = pandas.read_sql(BY_TOWN, connection)
    assert list(frame.columns) == ["town", "n"]
    assert frame["n"].sum() > 100


def test_polars_reads_from_it(part, connection):
    frame = part("polars").read_database(BY_TOWN, connection)
    assert frame.columns == ["town", "n"]
    assert frame["n"].sum() > 100


def test_an_engine_of_sqlalchemy_reads_from_it(part, engine):
    sqlalchemy, pandas = part("sqlalchemy"), part("pandas")
    with engine.connect() as connection:
        rows = connection.execute(sqlalchemy.text(BY_TOWN)).mappings().all()
        assert {row["town"] for row in rows} >= {"north", "south"}
        named = connection.execute(sqlalchemy.text("SELECT COUNT(*) AS n FROM people WHERE age > :least"), {"least": 40})
        assert named.scalar_one() > 0
    assert list(pandas.read_sql(BY_TOWN, engine).columns) == ["town", "n"]
    assert pandas.read_sql(sqlalchemy.text(BY_TOWN), engine)["n"].sum() > 100
    assert part("polars").read_database(BY_TOWN, engine).columns == ["town", "n"]


def test_tables_are_reflected_and_questions_built_by_sqlalchemy(part, engine):
    sqlalchemy = part("sqlalchemy")
    assert sqlalchemy.inspect(engine).get_table_names() == ["others", "people"]
    people = sqlalchemy.Table("people", sqlalchemy.MetaData(), autoload_with=engine)
    assert [each.name for each in people.columns] == ["age", "town"]
    asked = sqlalchemy.select(people.c.town, sqlalchemy.func.count().label("n")).where(people.c.age >= 40).group_by(people.c.town)
    with engine.connect() as connection:
        found = connection.execute(asked.limit(2)).all()
    assert len(found) == 2


def test_what_is_refused_is_an_error_of_sqlalchemys(part, engine):
    sqlalchemy = part("sqlalchemy")
    with engine.connect() as connection, pytest.raises(sqlalchemy.exc.ProgrammingError, match="agee"):
        connection.execute(sqlalchemy.text("SELECT AVG(agee) AS m FROM people"))


def test_an_address_of_sqlalchemys_holds_the_token_where_a_password_stands_and_words_beside_it(part, engine, home, service):
    sqlalchemy = part("sqlalchemy")
    address = service.address.replace("http://", "discreet://")
    named = sqlalchemy.create_engine(address.replace("//", f"//:{home.bob}@") + "?epsilon=0.5&intervals=false&timeout=20")
    assert home.bob not in repr(named)
    with named.connect() as connection:
        assert list(connection.execute(sqlalchemy.text(BY_TOWN)).keys()) == ["town", "n"]
    named.dispose()
    wrong = sqlalchemy.create_engine(address.replace("//", "//:dsc_nobody@") + "?epsilon=0.5")
    with pytest.raises(sqlalchemy.exc.OperationalError, match="token"):
        wrong.connect()


def test_what_tools_look_for_is_there_or_said_not_to_be(part, engine):
    sqlalchemy = part("sqlalchemy")
    seen = sqlalchemy.inspect(engine)
    assert (seen.get_view_names(), seen.get_schema_names()) == ([], [])
    with pytest.raises(sqlalchemy.exc.NoSuchTableError):
        sqlalchemy.Table("strangers", sqlalchemy.MetaData(), autoload_with=engine)
