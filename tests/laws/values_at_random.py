"""Random questions about values per unit: a subquery that gives one row for each unit, and a question around it."""

from hypothesis import strategies as st
from tests.laws import questions_at_random as at_random
from tests.laws import units_at_random as units

KEYS = ("c", "s", "b", "k")
VALUES = ("SUM(x)", "SUM(k - 3)", "SUM(y)", "COUNT(*)", "COUNT(y)", "AVG(y)", "AVG(x * 2)", "MIN(x)", "MAX(k)", "MAX(y)",
          "SUM(CASE WHEN b THEN 1 ELSE 0 END)")  # fmt: skip
ENDS = st.sampled_from([("0", "8"), ("-3", "20"), ("5", "5"), ("-0.1", "150.5"), ("10", "100"), ("-1e6", "1e6")])
STATISTICS = ("SUM({v})", "AVG({v})", "COUNT({v})", "VARIANCE({v})", "MEDIAN({v})", "MAX({v})", "QUANTILE({v}, 0.9)",
              "MEDIAN({v}, INTERVAL)")  # fmt: skip


@st.composite
def questions(draw):
    """SQL over the units of the table t."""
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True))
    inner_where = f" WHERE {draw(at_random.CONDITIONS)}" if draw(st.booleans()) else ""
    only = f" FILTER (WHERE {draw(at_random.CONDITIONS_SIMPLE)})" if draw(st.integers(0, 3)) == 0 else ""
    named = [f"{value}{only if not place else ''} AS v{place}" for place, value in enumerate(values)]
    inner = f"SELECT {', '.join(['who', *keys, *named])} FROM t{inner_where} GROUP BY {', '.join(['who', *keys])}"
    return _around(draw, inner, keys, len(values))


def _around(draw, inner, keys, values):
    group = [key for key in keys if draw(st.booleans())]
    low, high = draw(ENDS)
    clamped = [draw(st.sampled_from([f"CLAMP(v{place}, {low}, {high})", f"GREATEST(LEAST(v{place}, {high}), {low})"]))
               for place in range(values)]  # fmt: skip
    group += [f"BIN({clamped[0]}, 50)"] if draw(st.integers(0, 4)) == 0 and high != "1e6" else []
    some = [draw(st.sampled_from(STATISTICS)).format(v=each) for each in clamped] + ["COUNT(*)"] * draw(st.integers(0, 1))
    conditions = ["v0 > 1", "v0 IS NOT NULL", *(f"{key} IS NULL" for key in keys)]
    outer_where = draw(st.sampled_from(["", "", *(f" WHERE {each}" for each in conditions)]))
    named = [f"{key} AS g{place}" for place, key in enumerate(group)] + [f"{each} AS w{place}" for place, each in enumerate(some)]
    by = f" GROUP BY {', '.join(group)}" if group else ""
    if draw(st.booleans()):
        return f"WITH one AS ({inner}) SELECT {', '.join(named)} FROM one{outer_where}{by}"
    return f"SELECT {', '.join(named)} FROM ({inner}) AS one{outer_where}{by}"


def facts_for(relation, number=None, per_unit=units.PER_UNIT):
    """The facts of the table t, with columns that are constant per unit unless ``per_unit`` says otherwise."""
    return units.facts_for(relation, number, per_unit)


@st.composite
def questions_by_moving_keys(draw):
    """The same where keys may differ between the rows of a unit; often with a cap on the groups that it is in."""
    sql = draw(questions().filter(lambda each: "GROUP BY who, " in each))
    return f"{sql}{draw(st.sampled_from(['', ' PER UNIT 1 GROUPS', ' PER UNIT 2 GROUPS', ' PER UNIT 3 GROUPS']))}"
