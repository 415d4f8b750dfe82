"""Every form of a question on PostgreSQL and on Spark: neighbours stay as near as planned, with the integers of the reference."""

import importlib.util
from contextlib import ExitStack

import pytest
from tests.engines.spark_tables import beside, connected
from tests.laws import test_private_joins as private
from tests.laws import units_at_random as by_unit
from tests.laws.engines_of_laws import opened
from tests.laws.observing import budgeted, judged_releases, planned

from discreet.errors import Refused
from discreet.releasing.stages import released_from

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
CAPS = {"max_rows": 3, "max_groups": 2}
FORMS = {
    "keys by CASE": "SELECT CASE WHEN x > 0 THEN 'p' WHEN y > 50 THEN 'q' END AS g, SUM(k) AS s FROM t GROUP BY g",
    "values per unit": "SELECT AVG(CLAMP(s, -3, 20)) AS v FROM (SELECT who, AVG(y) AS s FROM t GROUP BY who)",
    "ranges per unit": "SELECT c, SUM(k - 3) PER UNIT BETWEEN -4 AND 9 AS v FROM t GROUP BY c",
    "at caps": "SELECT AT_CAPS(c) AS n FROM t",
    "quantiles": "SELECT QUANTILE(y, 0.25) AS q, MEDIAN(x, INTERVAL) AS m FROM t",
    "modes": "SELECT MODE(s) AS v FROM t",
    "unknown keys": "SELECT name, COUNT(*) AS n FROM t GROUP BY name",
    "dates": "SELECT DATE_TRUNC('week', d) AS g, COUNT(DISTINCT who) AS n FROM t WHERE EXTRACT(ISOYEAR FROM d) > 1 GROUP BY g",
    "texts": "SELECT COUNT(*) AS n FROM t WHERE name LIKE 'A%\\' OR UPPER(SUBSTR(name, 2, 2)) = 'LI' OR CAST(name AS DOUBLE) > 1",
    "extremes": "SELECT AVG(CLAMP(1e300 * x / y, -5, 5)) AS v, COUNT(*) FILTER (WHERE x % 1e-300 > 0) AS r FROM t",
    "powers": "SELECT SUM(CLAMP(POWER(y, 31) * POWER(GREATEST(y, 1), -30.5), 0, 9)) AS v, AVG(EXP(LEAST(x, 3))) AS e FROM t",
}  # fmt: skip
EXTREME = {"x": 1e308, "y": 5e-324, "k": 2**63 - 1, "c": 2, "s": "?", "b": "x", "name": "A\\", "d": "9999-12-31"}
ODD = {"x": "1e400", "y": "-1e-400", "k": "4.5", "c": "9", "s": None, "b": None, "name": "Alice", "d": "0001-01-01"}
ZERO = {"x": "-0", "y": float("nan"), "k": -(2**63), "c": 1, "s": "a", "b": "no", "name": "7", "d": "2020-02-29"}
OTHERS = [{**row, "who": f"p{place % 3}"} for place, row in enumerate([ODD, ZERO, ODD, ZERO, {**ODD, "x": "3", "y": "60"}])]
TABLES = [*OTHERS, *({**EXTREME, "who": "anna", "c": c} for c in (1, 2, 3, 3))], OTHERS


@pytest.fixture(scope="module", params=["postgres", "spark"])
def engines(request):
    """The two tables on a server, opened once, beside the reference."""
    facts = by_unit.facts_for("add_remove")
    with ExitStack() as held:
        if request.param == "postgres":
            found = [held.enter_context(opened("postgres", facts, rows)) for rows in TABLES]
        else:
            if importlib.util.find_spec("pyspark") is None:
                pytest.skip("missing part: the Python package pyspark, which `make test` installs")
            session = connected()
            found = [beside(session, facts, rows) for rows in TABLES]
        yield facts, found
        for each in found:
            each.close()


@pytest.mark.parametrize("form", FORMS)
def test_neighbours_with_extreme_rows_stay_as_near_as_planned_in_every_form(form, engines):
    facts, held = engines
    price = {"epsilon": "0.5", **({"delta": "0.01"} if form == "unknown keys" else {})}
    caps = None if form in ("values per unit",) else {**CAPS, "max_rows_per_group": None}
    try:
        plan = planned(budgeted(facts, price), FORMS[form], price, caps)
    except Refused as refused:
        raise AssertionError(f"{form} is refused: {refused}") from None
    before = [each.asked.total() for each in held]
    if form == "unknown keys":  # what is told of them has a law of its own: here it is the integers
        for each in held:
            released_from(plan, each)
    else:
        assert all(moved <= allowed for moved, allowed in judged_releases(plan, held))
    for each, asked in zip(held, before, strict=True):
        assert each.asked.total() > asked
        assert not each.differences, f"two engines differ about {each.differences[0]}"


def test_joins_on_spark_of_neighbours_have_the_integers_of_the_reference():
    facts = private.facts_for("add_remove")
    lookups = {
        "names": [{"name": "Alice", "w": "1", "r": "a"}],
        "codes": [{"code": n, "v": str(10.0**n), "g": n} for n in range(3)],
        "visits": [{"whom": who, "w": "1e308", "r": "a"} for who in ("anna", "anna", "p1", None)],
    }
    session = connected()
    pair = [beside(session, facts, rows, lookups) for rows in TABLES]
    plan = planned(facts, "SELECT COUNT(*) AS n FROM t JOIN visits ON t.who = visits.whom", {"epsilon": "0.5"}, {"max_rows": 3})
    for moved, allowed in judged_releases(plan, pair):
        assert moved <= allowed
    for each in pair:
        assert not each.differences
        each.close()
