"""Spark gives the integers of the reference engine: golden, random and extreme questions, nasty values, units, keys, joins."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.engines import nasty
from tests.engines.spark_tables import beside, connected
from tests.laws import extremes_at_random as extremes
from tests.laws import joins_at_random as joined
from tests.laws import questions_at_random as at_random
from tests.laws import test_extremes as extreme
from tests.laws import test_private_joins as private
from tests.laws import units_at_random as by_unit
from tests.laws import values_at_random as of_units
from tests.laws import worlds_of_extremes as worlds
from tests.laws.observing import judged_releases, planned
from tests.questions.conftest import gaps, keyed, members, people  # noqa: F401 - the facts that golden questions are about

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.spark.engine import Spark
from discreet.engines.spark.sessions import PINNED, own_session
from discreet.engines.wanted import Grid, Measure, Wanted
from discreet.errors import EngineFault, FactsError, Refused, SourceFault
from discreet.facts.make import facts_for_table
from discreet.facts.model import Source
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Apply, Caps, Column, In, Like, Literal
from discreet.questions.caps import with_caps
from discreet.questions.check import checked
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
GOLDEN = {"people": "questions.txt", "keyed": "key_questions.txt", "members": "unit_questions.txt", "gaps": "null_questions.txt"}
ROOT = Path(__file__).resolve().parent.parent


def few(examples):
    """So many examples, none of them tried again: a statement takes tenths of a second."""
    return settings(
        max_examples=examples, suppress_health_check=list(HealthCheck), database=None, phases=[Phase.generate], deadline=None
    )


@pytest.fixture(scope="session")
def spark():
    session = connected()
    yield session
    session.client.close()


def asked(engine, facts, sql, caps=None, **price):
    """Read all that a question needs. Whether it was not refused."""
    try:
        question = read_sql(sql, facts)
        question = question if caps is None else checked(with_caps(question, caps), facts)
        plan = make_plan(question, facts, read_price(**price or {"epsilon": 1}))
    except Refused:
        return False
    if plan.vectors:
        released_from(plan, engine)
    return True


def same(engine, least=1):
    """Both engines said the same, and not because they were not asked."""
    assert not engine.differences, f"two engines differ about {engine.differences[0]}"
    assert sum(engine.asked.values()) >= least
    engine.close()


def rows_at_random(facts, number, words):
    """Texts for every column, some of them nothing like it."""
    random = Random(number)
    names = [column.name for column in facts.columns]
    return [{name: random.choice(words) for name in names} for _ in range(number)]


WORDS = [
    None, "1", "2", "3", "0.5", "-7", "1e400", "nan", "inf", "male", "female", "true", "no", "2020-02-29", "12", "55", "40000",
    "2020-06-01 10:00:00.5", "1999-12-31T23:59:59Z", "", "?", "anna", "Bob", "x" * 300, "é\\%_", "${spark.app.name}",
]  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_questions_have_the_same_integers(name, request, spark):
    facts = request.getfixturevalue(name)
    questions = re.findall(r"^=> (.*)$", (ROOT / "golden" / GOLDEN[name]).read_text(encoding="utf-8"), flags=re.MULTILINE)
    engine = beside(spark, facts, rows_at_random(facts, 60, WORDS))
    keys, answered = ("Name,", '"Home Town",', "Children,", "Debt,"), 0
    for sql in questions:
        needs_delta = sql.startswith(tuple(f"SELECT {key}" for key in keys))
        answered += asked(engine, facts, sql, epsilon="0.5", **({"delta": "0.01"} if needs_delta else {}))
    assert answered >= 0.9 * len(questions)
    same(engine, answered // 2)


def drawn(strategy, number):
    """Some rows of a strategy, the same in every run."""
    found = []

    @seed(number)
    @few(number)
    @given(strategy)
    def draw(row):
        found.append(row)

    draw()
    return found


def test_random_questions_have_the_same_integers(spark):
    facts = at_random.facts_for("add_remove", 40)
    engine = beside(spark, facts, drawn(at_random.ROWS, 40))

    @seed(20)
    @few(30)
    @given(at_random.questions())
    def agree(sql):
        asked(engine, facts, sql)

    agree()
    asked(engine, facts, "SELECT name, COUNT(*) AS n, AVG(y) AS m FROM t GROUP BY name", epsilon=1, delta="0.01")
    same(engine, 20)


@pytest.mark.parametrize("per_unit", [(), by_unit.PER_UNIT], ids=["any", "constant"])
def test_units_have_the_same_integers(spark, per_unit):
    facts = by_unit.facts_for("add_remove", per_unit=per_unit)
    engine = beside(spark, facts, drawn(by_unit.ROWS, 60))
    values_of_units = of_units.questions() | of_units.questions_by_moving_keys()

    @seed(21)
    @few(14)
    @given(by_unit.questions(), by_unit.questions_about_constants(), values_of_units, by_unit.CAPS)
    def agree(sql, about_constants, about_values, caps):
        said = Caps(caps.get("max_rows"), caps.get("max_groups"), caps.get("max_rows_per_group"))
        asked(engine, facts, about_constants if per_unit else sql, said)
        asked(engine, facts, about_values)

    agree()
    bounded = [f"SELECT c, {each} AS v FROM t GROUP BY c" for each in by_unit.BOUNDED]
    sizes = ("ROWS_PER_UNIT(0.5)", "GROUPS_PER_UNIT(0.9, c)", "AT_CAPS()", "AT_CAPS(BIN(x, 0.5))")
    for sql in (*bounded, *(f"SELECT {size} AS n FROM t WHERE x > 0" for size in sizes)):
        for groups in (1, 2):
            asked(engine, facts, sql, Caps(2**31 - 1, groups, 3))
    asked(engine, facts, "SELECT name, COUNT(*) AS n FROM t GROUP BY name PER UNIT 2 GROUPS", epsilon=1, delta="0.01")
    same(engine, 30)


def test_joins_have_the_same_integers(spark):
    facts = private.facts_for("add_remove")
    public = next(each for each in drawn(joined.lookups(), 20) if len(each["codes"]) > 3 and len(each["names"]) > 3)
    lookups = {**public, "visits": drawn(private.OF_VISITS, 30)}
    engine = beside(spark, facts, drawn(by_unit.ROWS, 40), lookups)

    @seed(22)
    @few(10)
    @given(private.questions(), joined.joined(by_unit.questions()), by_unit.CAPS)
    def agree(two_tables, with_lookups, caps):
        said = Caps(caps.get("max_rows", 3), caps.get("max_groups"), caps.get("max_rows_per_group"))
        asked(engine, facts, two_tables, said)
        asked(engine, facts, with_lookups, said)

    agree()
    same(engine, 10)


@pytest.mark.parametrize("unit", ["row", "column"])
def test_extreme_questions_have_the_same_integers(spark, unit):
    facts = worlds.facts_for(unit, "add_remove", "bounds")
    rows = [*worlds.rows_of("bounds"), *worlds.rows_of("odd"), *worlds.rows_of("one"), *worlds.rows_of("many")[:40]]
    engine = beside(spark, facts, rows, {join.name: worlds.BESIDE[join.name] for join in facts.joins})
    chosen = [(sql, said) for of, sql, said in extreme.CHOSEN if of == unit]
    at_random = [extremes.Questions(f"spark {number}").one(unit, "add_remove", "") for number in range(16)]
    answered = 0
    for sql, said in [*chosen, *((each.sql, each.options) for each in at_random)]:
        caps = Caps(said.get("max_rows"), said.get("max_groups"), said.get("max_rows_per_group"))
        price = {"epsilon": "0.001", **({"delta": said["delta"]} if "delta" in said else {})}
        answered += asked(engine, facts, sql, caps if unit == "column" else None, **price)
    assert answered >= 8
    same(engine, 8)


# ---- every stored type


def compared(column, constants, random):
    """Some conditions on a column."""
    found = []
    for _ in range(4):
        constant = Literal(random.choice(constants))
        operation = random.choice(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
        found.append(Apply(operation, (Column(column), constant)))
    found.append(In(Column(column), tuple(Literal(each) for each in random.sample(constants, 2))))
    return found


def test_every_stored_type_is_read_alike_and_no_row_is_lost_on_the_way(spark, tmp_path):
    """From Parquet, where conditions that were pushed down to the file would lose NaN."""
    pq.write_table(nasty.table(), tmp_path / "nasty.parquet")
    table = f"default.nasty_{tmp_path.name}".replace("-", "_")
    spark.sql(f"CREATE TABLE {table} USING parquet LOCATION '{tmp_path}'")
    engine = open_engine(nasty.FACTS, Source("spark", "spark", table))
    reference = Reference(nasty.FACTS, nasty.table().to_pylist())
    random, measures = Random(5), []
    for name, stored in nasty.BY_NAME.items():
        measures += [Measure(0, filter=condition) for condition in compared(name, stored.constants, random)]
        measures.append(Measure(0, Column(name)))
        if type(stored.column).__name__ in ("Number", "Integer") and "free" not in name and "half" not in name:
            grid = Grid(Fraction(1, 1024), 0, 120 * 1024)
            measures += [Measure(power, Column(name), grid) for power in (1, 2)]
    assert len(measures) > 350
    for start in range(0, len(measures), 50):
        wanted = Wanted(None, (), tuple(measures[start : start + 50]))
        found, expected = engine.run(wanted).take().whole(), reference.run(wanted).take().whole()
        wrong = [wanted.measures[place] for place in np.flatnonzero((found != expected).any(axis=1))]
        assert not wrong, wrong[0]
    where = Apply("greater", (Column("number_real"), Literal(Fraction(100))))
    for one in (where, Apply("not", (where,)), Apply("not_equal", (Column("number_real"), Literal(Fraction(3))))):
        wanted = Wanted(one, (), (Measure(0),))
        assert engine.run(wanted).take().whole() == reference.run(wanted).take().whole(), one
    engine.close()
    spark.sql(f"DROP TABLE {table}")


# ---- laws


@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
def test_what_mechanisms_get_from_neighbouring_tables_is_no_further_apart_than_their_noise_is_made_for(relation, spark):
    rows = [row for row in drawn(by_unit.ROWS, 30) if by_unit.unit_of(row) is not None]
    gone = max(map(by_unit.unit_of, rows), key=[by_unit.unit_of(row) for row in rows].count)
    kept = [row for row in rows if by_unit.unit_of(row) != gone]
    others = kept if relation == "add_remove" else [*kept, *({**row, "who": by_unit.NEW} for row in rows[:3])]
    units = len({by_unit.unit_of(row) for row in rows}) if relation == "change_one" else None
    facts = by_unit.facts_for(relation, units)
    engines = [beside(spark, facts, each) for each in (rows, others)]
    moved = 0
    for sql in (
        "SELECT c, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY c",
        "SELECT MEDIAN(y) AS m, COUNT(DISTINCT who) AS u FROM t",
        f"SELECT c, {by_unit.BOUNDED[0]} AS v FROM t GROUP BY c",
    ):
        for caps in ({"max_rows": 2, "max_groups": 1}, {"max_rows_per_group": 2, "max_groups": 2}):
            for apart, allowed in judged_releases(planned(facts, sql, {"epsilon": "0.5"}, caps), engines):
                assert apart <= allowed, sql
                moved += apart > 0
    assert moved >= 6
    for engine in engines:
        same(engine, 6)


# ---- what is refused, and what fails


def facts_of(**more):
    """Facts of a small table."""
    columns = {"x": dc.number(0, 10), "name": dc.text(max_length=40)}
    return facts_for_table(name="t", columns=columns, neighbours="add_remove", **{"unit": "row", "budget": 1, **more})


def test_what_no_integers_can_be_promised_for_is_refused(spark):
    frame = spark.createDataFrame([(1.0, "a", [1])], "x DOUBLE, name STRING, list ARRAY<INT>")
    with pytest.raises(FactsError, match="the unit 'x' is stored as double"):
        Spark(facts_of(unit={"column": "x", "max_rows": 1}), frame)
    with pytest.raises(FactsError, match="the unit 'list' is stored as array"):
        Spark(facts_of(unit={"column": "list", "max_rows": 1}), frame)
    with pytest.raises(FactsError, match="no column 'x'"):
        Spark(facts_of(), frame.withColumnRenamed("x", "X"))
    with pytest.raises(FactsError, match="several columns 'name'"):
        Spark(facts_of(), frame.select("x", "name", "name"))
    with pytest.raises(FactsError, match="declared as number, and the source stores it as true and false"):
        Spark(facts_of(), frame.selectExpr("x > 1 AS x", "name"))
    facts = facts_for_table(name="t", columns={"name": dc.category("a", "b")}, unit="row", neighbours="add_remove",
                            budget={"epsilon": 1, "partition": "name"})  # fmt: skip
    with pytest.raises(FactsError, match="partition needs a source that can be pinned"):
        Spark(facts, frame)


class Stubborn:
    """A session whose administrator lets nobody change one setting."""

    version = "4.3.0"

    def __init__(self, session, fixed):
        self._session, self._fixed, self.conf = session, fixed, self

    def newSession(self):  # noqa: N802 - Spark's name
        return self

    def set(self, name, value):
        if name in self._fixed:
            raise PermissionError(name)

    @property
    def getAll(self):  # noqa: N802 - Spark's name
        return PINNED | self._fixed


def test_a_session_whose_settings_cannot_be_pinned_is_refused(spark):
    assert own_session(Stubborn(spark, {})) is not None
    with pytest.raises(FactsError, match=r"spark.sql.ansi.enabled cannot be true"):
        own_session(Stubborn(spark, {"spark.sql.ansi.enabled": "false"}))
    ours = own_session(spark)
    assert {name: ours.conf.get(name) for name in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")} == {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
    }
    assert ours.session_id != spark.session_id
    ours.client.close()


def test_truth_values_that_are_stored_as_decimals_are_numbers(spark):
    held = "SELECT CAST(x AS {}) AS h FROM VALUES ('1'), ('0'), ('1'), ('2'), (NULL) AS v(x)"
    for kind in ("DECIMAL(10,0)", "DECIMAL(20,0)", "DECIMAL(10,2)", "DECIMAL(38,30)"):
        frame, columns = spark.sql(held.format(kind)), {"h": dc.boolean()}
        table = dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=10**9)
        assert round(table.ask("SELECT COUNT(*) AS n FROM t WHERE h", epsilon=10**6).rows[0]["n"]) == 2, kind
        assert round(table.ask("SELECT COUNT(*) AS n FROM t WHERE NOT h", epsilon=10**6).rows[0]["n"]) == 1, kind
        table.close()


def of_bytes(spark, rows):
    """A frame whose units are these bytes, as they are."""
    values = ", ".join(f"(X'{unit.hex()}', {k}, {c})" for unit, k, c in rows)
    return spark.sql(f"SELECT CAST(who AS STRING) AS who, k, c FROM VALUES {values} AS v(who, k, c)")


def test_units_that_are_not_utf_8_are_told_apart_by_their_bytes(spark):
    columns = {"k": dc.integer(-10, 10, null=0), "c": dc.category(1, 2)}
    unit = {"column": "who", "max_rows": 1, "max_groups": 1}
    facts = facts_for_table(name="t", columns=columns, neighbours="add_remove", unit=unit, budget=10**6)
    one, other = "José".encode("latin-1"), "Josè".encode("latin-1")  # both are Jos\ufffd where they are made valid
    said = b"not UTF-8: " + one.hex().upper().encode()  # nor is any text one of them
    less = [(b"bob", 1, 1), *[(one, -10, 1)] * 3]
    for more in (other, said):
        engines = [Spark(facts, of_bytes(spark, rows)) for rows in ([*less, *[(more, 10, 2)] * 6], less)]
        for sql in ("SELECT c, COUNT(*) AS n FROM t GROUP BY c", "SELECT SUM(k) PER UNIT BETWEEN -10 AND 10 AS v FROM t",
                    "SELECT SUM(CLAMP(s, -10, 10)) AS v FROM (SELECT who, SUM(k) AS s FROM t GROUP BY who)"):  # fmt: skip
            for moved, allowed in judged_releases(planned(facts, sql, {"epsilon": "0.5"}), engines):
                assert moved <= allowed, sql
        units = planned(facts, "SELECT COUNT(DISTINCT who) AS n FROM t", {"epsilon": "0.5"}).wanted
        assert [engine.run(units).take().whole().item() for engine in engines] == [3, 2]
        for engine in engines:
            engine.close()


@pytest.mark.parametrize("made", ["REPEAT('7', {0})", "CAST(UNHEX(REPEAT('E9', {0})) AS STRING)"], ids=["text", "bytes"])
def test_a_unit_that_is_too_long_to_look_into_is_none(made, spark):
    unit = {"column": "who", "max_rows": 1}
    facts = facts_for_table(name="t", columns={"x": dc.number(0, 10)}, neighbours="add_remove", unit=unit, budget=1)
    lengths = (1, 65_536, 65_537, 30_000_000)
    frame = spark.sql(" UNION ALL ".join(f"SELECT {made.format(length)} AS who, 1 AS x" for length in lengths))
    engine = Spark(facts, frame)
    assert engine.run(planned(facts, "SELECT COUNT(*) AS n FROM t", {"epsilon": "0.5"}).wanted).take().whole().item() == 2
    engine.close()


def test_texts_of_a_question_are_texts_whatever_they_look_like(spark):
    """Spark puts its settings in the place of ${…}, in texts too, unless told not to; and a backslash begins something there."""
    odd = ["${spark.app.name}", "${spark.sql.ansi.enabled}", "\\", "\\n", "a\nb", "it's", "%\\_", "x'); --", "\u2028", "{x}", "?"]
    facts = facts_of()
    engine = beside(spark, facts, [{"x": 1.0, "name": each} for each in odd])
    for each in odd:
        for operation in ("equal", "less"):
            wanted = Wanted(Apply(operation, (Column("name"), Literal(each))), (), (Measure(0),))
            engine.run(wanted)
        engine.run(Wanted(Like(Column("name"), each), (), (Measure(0),)))
    same(engine, 33)


def test_an_error_that_quotes_a_row_is_a_fault_without_its_words(spark, capfd, caplog):
    """The frame itself raises on a row: what we write never does."""
    frame = spark.createDataFrame([("CANARY-5150", 1.0)], "name STRING, x DOUBLE")
    engine = Spark(facts_of(), frame.selectExpr("name", "CAST(CAST(name AS INT) AS DOUBLE) AS x"))
    with pytest.raises(EngineFault) as caught:
        engine.run(Wanted(None, (), (Measure(0, Column("x")),)))
    engine.close()
    shown = capfd.readouterr()
    fault = caught.value
    assert not isinstance(fault, SourceFault)
    assert fault.__context__ is None
    assert fault.__cause__ is None
    assert "CANARY" not in f"{fault}{fault.args}{shown.out}{shown.err}{caplog.text}"
    assert caplog.text.count("Spark could not answer") == 1


def test_a_table_that_is_dropped_or_changed_or_loses_a_file_is_a_fault_of_its_source(spark, tmp_path):
    pq.write_table(pa.table({"x": [1.0, 2.0], "name": ["a", "b"]}), tmp_path / "one.parquet")
    table = f"default.dropped_{tmp_path.name}".replace("-", "_")
    spark.sql(f"CREATE TABLE {table} USING parquet LOCATION '{tmp_path}'")
    wanted = Wanted(None, (), (Measure(0, Column("x")),))
    engine = Spark(facts_of(), Source("spark", "spark", table))
    engine.check()
    assert engine.run(wanted).take().whole() == [[2]]
    pq.write_table(pa.table({"x": [3.0], "name": ["c"]}), tmp_path / "two.parquet")
    engine.check()
    assert engine.run(wanted).take().whole() == [[3]], "what is there is what is asked"
    (tmp_path / "one.parquet").unlink()
    with suppress(SourceFault):
        assert engine.run(wanted).take().whole() in ([[1]], [[3]])
    spark.sql(f"DROP TABLE {table}")
    with pytest.raises(SourceFault):
        engine.check()
    with pytest.raises(SourceFault):
        engine.run(wanted)
    spark.sql(f"CREATE TABLE {table} (x STRING, name STRING) USING parquet")
    with pytest.raises(SourceFault):
        engine.check()
    spark.sql(f"DROP TABLE {table}")
    engine.close()
    with pytest.raises(EngineFault):  # there is no connection any more
        engine.run(wanted)


def test_a_charge_is_kept_where_the_table_goes_away_after_it(spark):
    """The frame is there when it is looked at, and fails when it is read."""
    frame = spark.createDataFrame([("a",)], "name STRING").selectExpr("name", "CAST(name AS DOUBLE) AS x")
    facts = facts_of()
    curator = curator_in_memory(facts, Spark(facts, frame))
    with pytest.raises(EngineFault):
        curator.ask("SELECT AVG(x) AS m FROM t", epsilon="0.25")
    assert str(curator.budget.spent) != str(curator.budget.cap)
    assert curator.budget.spent == dc.Pure(epsilon="0.25")
    curator.desk.close()


CLASSIC = """
import logging, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
session = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.memory", "600m")
           .config("spark.sql.shuffle.partitions", "1").config("spark.sql.ansi.enabled", "false").getOrCreate())
import discreet as dc
frame = session.createDataFrame([(float(n), n % 3, f"u{n // 2}") for n in range(100)], "x double, k int, who string")
table = dc.table(frame, columns={"x": dc.number(0, 50), "k": dc.category(0, 1, 2)}, neighbours="add_remove", budget=10**9,
                 unit={"column": "who", "max_rows": 5, "max_groups": 2})
answer = table.ask("SELECT k, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY k", epsilon=10**7)
print([(row["k"], row["n"], round(row["s"])) for row in answer.rows if row["n"] > 1])
print(session.conf.get("spark.sql.ansi.enabled"), len(session.catalog.listTables()))
session.stop()
"""


def test_a_classic_session_is_asked_likewise_and_keeps_its_own_settings(spark, tmp_path):
    del spark  # it is there: so is Java
    env = {name: value for name, value in os.environ.items() if not name.startswith("SPARK")}
    done = subprocess.run([sys.executable, "-c", CLASSIC], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    sums = [(k, len(range(k, 100, 3)), sum(min(n, 50) for n in range(k, 100, 3))) for k in range(3)]
    assert done.stdout.splitlines()[-2:] == [str(sums), "false 0"]
