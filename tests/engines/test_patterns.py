"""LIKE has the answers of the reference engine on long texts that are all but what it looks for, and soon, on every engine."""

import pandas as pd
import pytest
from tests import postgres_server as pg
from tests.engines.spark_tables import connected
from tests.engines.test_total_sql import work_off
from tests.laws.engines_of_laws import Compared

import discreet as dc
from discreet.engines import faults, open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.engine import Spark
from discreet.facts.make import facts_for_table

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
LONGEST = 256
TEXTS = [
    "a" * LONGEST, "a" * (LONGEST - 1) + "b", "bob", "", "ab\nab", "a\U0001f600b", "\U0001f600" * 3, "a.b*c\\d", "[(a)]", None,
]  # fmt: skip
MANY = [f"{'%a' * k}{end}" for k in (2, 3, 7, 20) for end in ("", "%", "%b", "%_b", "b%")]
OTHERS = [
    "%_" * 20 + "%b", "a%a%a", "%a%\n%b", "a_%b%", "_%_%_", "%\U0001f600%\U0001f600%", "%a.b%*%", "%\\%d%", "%[%)%]%",
    "%%%a%%b%%%", "_%__%", "%a___%b_", "", "%", "%%", "___", "%" * 60 + "a", "%" + "_" * 200 + "%a%", "_" * (LONGEST + 1),
    "a" * 300 + "%",
]  # fmt: skip


def opened(stored, facts):
    if stored == "duckdb":
        return open_engine(facts, pd.DataFrame({"name": TEXTS}, dtype=object))
    if stored == "postgres":
        return pg.opened(facts, pg.stored({"name": "text"}, [(each,) for each in TEXTS]))
    return Spark(facts, connected().createDataFrame([(each,) for each in TEXTS], "name STRING"))


@pytest.mark.parametrize("stored", ["duckdb", *(pytest.param(each, marks=pytest.mark.slow) for each in ("postgres", "spark"))])
def test_no_text_makes_a_pattern_take_long(stored, monkeypatch):
    monkeypatch.setattr(faults, "MOST_SECONDS", 60.0)
    columns = {"name": dc.text(max_length=LONGEST)}
    facts = facts_for_table(name="t", columns=columns, unit="row", neighbours="add_remove", budget={"epsilon": 10**6})
    compared = Compared(opened(stored, facts), Reference(facts, [{"name": each} for each in TEXTS]))
    filters = [f"COUNT(*) FILTER (WHERE {'NOT ' * no}name LIKE '{pattern}') AS n{place}{no}"
               for place, pattern in enumerate([*MANY, *OTHERS]) for no in (0, 1)]  # fmt: skip
    for start in range(0, len(filters), 24):
        assert work_off(compared, facts, f"SELECT {', '.join(filters[start : start + 24])} FROM t")
    assert not compared.differences
    compared.close()


def test_patterns_of_one_place_stay_as_they_are_on_spark():
    """Spark has something quicker for these than patterns of Java."""
    from sqlglot import exp

    def written(pattern):
        return SPARK.generator().generate(SPARK.like(exp.column("x"), exp.Literal.string(pattern)))

    assert [written(each) for each in ("a%", "%a", "%a%", "a%b")] == [f"(x LIKE '{each}')" for each in ("a%", "%a", "%a%", "a%b")]
    assert written("%%%a") == "(x LIKE '%a')"
    assert written("%a%b") == r"REGEXP_LIKE(x, '(?s)\\A(?>.*?a).*b\\z')"
