"""No statement for PostgreSQL or Spark can fail, whatever golden, random and extreme questions make of it."""

import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from tests.engines.statements import Record, Written
from tests.engines.test_total_sql import GOLDEN, ROOT, about, declared, work_off
from tests.laws import joins_at_random as joined
from tests.laws import questions_at_random as at_random
from tests.laws import test_extremes as law
from tests.laws import test_private_joins as private
from tests.laws import units_at_random as by_unit
from tests.laws import values_at_random as of_units
from tests.laws.engines_of_laws import Compared
from tests.questions.conftest import gaps, keyed, members, people  # noqa: F401 - the facts that golden questions are about

import discreet as dc
from discreet.facts.make import facts_for_table
from discreet.questions.algebra import Caps

pytestmark = pytest.mark.slow
MANY = settings(max_examples=40, suppress_health_check=list(HealthCheck), database=None, deadline=None)


@pytest.fixture(params=["postgres", "spark"])
def record(request):
    return Record(request.param)


def all_total(record, least):
    """Nothing was found, and not because nothing was looked at."""
    assert not record.problems, f"{len(record.problems)} of {record.statements}, such as {record.problems[0]}"
    assert record.statements >= least


@pytest.mark.parametrize("name", GOLDEN)
def test_statements_of_golden_questions_are_total(name, request, record):
    facts = request.getfixturevalue(name)
    questions = re.findall(r"^=> (.*)$", (ROOT / "golden" / GOLDEN[name]).read_text(encoding="utf-8"), flags=re.MULTILINE)
    engine = Written(record, facts, [{column.name: "1" for column in facts.columns}])
    keys = ("Name,", '"Home Town",', "Children,", "Debt,")
    answered = 0
    for sql in questions:
        needs_delta = sql.startswith(tuple(f"SELECT {key}" for key in keys))
        answered += work_off(engine, facts, sql, epsilon="0.5", **({"delta": "0.01"} if needs_delta else {}))
    assert answered >= 0.9 * len(questions)
    all_total(record, answered)


def test_statements_of_random_questions_are_total(record):
    facts = at_random.facts_for("add_remove", 3)
    engine = Written(record, facts, [])

    @MANY
    @given(at_random.questions())
    def total_for_rows(sql):
        work_off(engine, facts, sql)

    total_for_rows()
    work_off(engine, facts, "SELECT name, COUNT(*) AS n, AVG(y) AS m FROM t GROUP BY name", epsilon=1, delta="0.01")
    all_total(record, 40)


@pytest.mark.parametrize("per_unit", [(), by_unit.PER_UNIT], ids=["any", "constant"])
def test_statements_about_units_are_total(record, per_unit):
    facts = by_unit.facts_for("add_remove", per_unit=per_unit)
    engine = Written(record, facts, [])
    values_of_units = of_units.questions() | of_units.questions_by_moving_keys()

    @MANY
    @given(by_unit.questions(), by_unit.questions_about_constants(), values_of_units, by_unit.CAPS)
    def total_for_units(sql, about_constants, about_values, caps):
        said = Caps(caps.get("max_rows"), caps.get("max_groups"), caps.get("max_rows_per_group"))
        work_off(engine, facts, about_constants if per_unit else sql, said)
        work_off(engine, facts, about_values)

    total_for_units()
    sizes = ("ROWS_PER_UNIT(0.5)", "GROUPS_PER_UNIT(0.5, BIN(x, 0.5))", "GROUPS_PER_UNIT(0.9, c)")
    for size in (*sizes, "AT_CAPS()", "AT_CAPS(BIN(x, 0.5))"):
        assert work_off(engine, facts, f"SELECT {size} AS n FROM t WHERE x > 0", Caps(2**31 - 1, 2, 3))
    for each in by_unit.BOUNDED:
        for groups in (1, 2, 100):
            assert work_off(engine, facts, f"SELECT c, {each} AS v FROM t GROUP BY c", Caps(2**31 - 1, groups, 3))
    work_off(engine, facts, "SELECT name, COUNT(*) AS n FROM t GROUP BY name PER UNIT 2 GROUPS", epsilon=1, delta="0.01")
    all_total(record, 40)


def test_statements_of_joins_are_total(record):
    facts = private.facts_for("add_remove")
    columns = {"names": ["name", "w", "r"], "codes": ["code", "v", "g"], "visits": ["whom", "w", "r"]}
    engine = Written(record, facts, [], {name: [dict.fromkeys(some, "1")] for name, some in columns.items()})

    @MANY
    @given(private.questions(), joined.joined(by_unit.questions()), by_unit.CAPS)
    def total_for_joins(two_tables, with_lookups, caps):
        said = Caps(caps.get("max_rows", 3), caps.get("max_groups"), caps.get("max_rows_per_group"))
        work_off(engine, facts, two_tables, said)
        work_off(engine, facts, with_lookups, said)

    total_for_joins()
    all_total(record, 50)


@pytest.fixture
def of_extremes(record, monkeypatch):
    """The world of extreme constants, on the dialect of the record."""

    @cache
    def engine_for(unit, relation, table, stored="frame"):
        facts = law.worlds.facts_for(unit, relation, table)
        lookups = {join.name: law.worlds.BESIDE[join.name] for join in facts.joins}
        return Counted(Written(record, facts, law.worlds.rows_of(table), lookups))

    monkeypatch.setattr(law.worlds, "engine_for", engine_for)


class Counted(Compared):
    """An engine that counts what it is asked, as the law wants it."""

    def __init__(self, engine):
        super().__init__(engine, engine, compares=False)


def test_statements_of_extreme_questions_are_total(record, of_extremes):
    for number in range(120):
        asked, _ = law.asked_on(f"elsewhere {number}")
        law.outcome(asked, "bounds")
    for unit, sql, said in law.CHOSEN:
        law.outcome(law.extremes.Asked("chosen", unit, "add_remove", "", sql, {"epsilon": "0.001", **said}), "bounds")
    all_total(record, 100)


# ---- every stored type

TEXTS = {
    "words": "text", "numeral": "number", "dated": "date", "timed": "timestamp", "said": "boolean", "named": "category",
    "marked": "marked", "worded": "worded", "formed": "formed", "formed_day": "formed_day", "clock": "clock",
}  # fmt: skip
STORED = {
    "postgres": {
        "small": ("int2", "integer"), "whole": ("int4", "integer"), "big": ("int8", "integer"), "real": ("float8", "number"),
        "single": ("float4", "number"), "money": ("numeric(9,2)", "number"), "exact": ("numeric(18,0)", "integer"),
        "long": ("numeric(300,3)", "number"), "any": ("numeric", "number"), "any_whole": ("numeric", "integer"),
        "truth": ("bool", "boolean"), "day": ("date", "date"), "moment": ("timestamp", "timestamp"),
        "zoned": ("timestamptz", "timestamp"), "clock_at": ("timestamptz", "clock"), "clock_day": ("timestamptz", "clock_day"),
        "counted": ("int4", "category"), "many": ("int4", "many"), "flag": ("int4", "boolean"), "coded": ("float8", "worded"),
        "day_of": ("timestamp", "date"), "at": ("date", "timestamp"), "key": ("uuid", "text"), "padded": ("bpchar", "text"),
    },
    "spark": {
        "tiny": ("tinyint", "integer"), "small": ("smallint", "integer"), "whole": ("int", "integer"),
        "big": ("bigint", "integer"), "real": ("double", "number"), "single": ("float", "number"),
        "money": ("decimal(9,2)", "number"), "exact": ("decimal(18,0)", "integer"), "long": ("decimal(38,3)", "number"),
        "truth": ("boolean", "boolean"), "day": ("date", "date"), "moment": ("timestamp_ntz", "timestamp"),
        "zoned": ("timestamp", "timestamp"), "clock_at": ("timestamp", "clock"), "clock_day": ("timestamp", "clock_day"),
        "counted": ("int", "category"), "many": ("int", "many"), "flag": ("int", "boolean"), "coded": ("double", "worded"),
        "day_of": ("timestamp_ntz", "date"), "at": ("date", "timestamp"), "padded": ("char(5)", "text"),
    },
}  # fmt: skip


@pytest.mark.parametrize("unit", ["row", "words", "big", "day", "money"])
def test_statements_on_every_stored_type_are_total(record, unit):
    stored = {name: ("text" if record.rules.name == "postgres" else "string", kind) for name, kind in TEXTS.items()}
    stored |= STORED[record.rules.name]
    columns = {
        name: dc.category("1", "2") if name == "named" else declared(kind) for name, (_, kind) in stored.items() if name != unit
    }
    by = unit if unit == "row" else {"column": unit, "max_rows": 3, "max_groups": 2}
    facts = facts_for_table(name="t", columns=columns, unit=by, neighbours="add_remove", budget={"epsilon": 1000, "delta": "0.1"})
    engine = Written(record, facts, [], stored={name: kind for name, (kind, _) in stored.items()})
    answered = sum(
        work_off(engine, facts, sql) for name, (_, kind) in stored.items() if name != unit for sql in about(name, kind)
    )
    assert answered >= 60
    all_total(record, answered)
