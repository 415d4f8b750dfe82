"""What is refused names what the text calls it, and what the hint says is answered."""

import pytest

import discreet as dc

HOMES = "(SELECT who, SUM(spent) AS total, COUNT(*) AS visits FROM t GROUP BY who)"


@pytest.fixture(scope="module")
def t():
    rows = [{"who": n % 50, "g": "ab"[n % 2], "spent": None if n % 11 == 0 else n % 7, "y": 1.0, "far": 10**15 + n % 9,
             "under": -(10**15) - n % 9} for n in range(400)]  # fmt: skip
    columns = {"g": dc.category("a", "b", null="drop"), "spent": dc.number(0, 10), "y": dc.number(),
               "far": dc.number(10**15, 10**15 + 10), "under": dc.number(-(10**15) - 10, -(10**15))}  # fmt: skip
    unit = {"column": "who", "max_rows": 8, "max_groups": 2}
    with dc.table(rows, columns=columns, unit=unit, neighbours="add_remove", budget=10**4) as t:
        yield t


def test_names_of_days_days_of_moments_rows_and_ranks_of_unlisted_keys_lead_to_what_is_answered():
    rows = [{"at": f"2013-01-{1 + n % 28:02}T10:00:00", "dest": "abc"[n % 3], "x": n % 10} for n in range(90)]
    columns = {"at": dc.timestamp("2013-01-01T00:00:00", "2013-02-01T00:00:00"), "dest": dc.text(), "x": dc.integer(0, 10)}
    price = {"epsilon": 1, "delta": "1e-6"}
    mended = [
        ("SELECT DAYNAME(at) AS d, COUNT(*) AS n FROM t GROUP BY d", "EXTRACT(ISODOW FROM x)",
         "SELECT EXTRACT(ISODOW FROM at) AS d, COUNT(*) AS n FROM t GROUP BY d"),
        ("SELECT at::date AS d, COUNT(*) AS n FROM t GROUP BY d", "DATE_TRUNC('day', at)",
         "SELECT DATE_TRUNC('day', at) AS d, COUNT(*) AS n FROM t GROUP BY d"),
        ("SELECT x * 2 AS y FROM t LIMIT 5", "AVG(x * 2)", "SELECT AVG(x * 2) AS y FROM t LIMIT 5"),
        ("SELECT dest, MEDIAN(x) AS m FROM t GROUP BY dest", "CASE WHEN x = 'a' THEN 'a' ELSE 'others' END",
         "SELECT CASE WHEN dest = 'a' THEN 'a' ELSE 'others' END AS d, MEDIAN(x) AS m FROM t GROUP BY d"),
    ]  # fmt: skip
    budget = {"epsilon": 9, "delta": "1e-5"}
    with dc.table(rows, columns=columns, unit="row", neighbours="add_remove", budget=budget) as t:
        for refused, said, instead in mended:
            with pytest.raises(dc.QuestionError) as caught:
                t.quote(refused, **price)
            assert said in caught.value.hint
            assert t.quote(instead, epsilon=1).columns


LONG = "(SELECT who, SUM(CASE WHEN spent > 3 THEN spent ELSE 0 END) AS total FROM t GROUP BY who)"
CLAMPED = "CLAMP(total, 0, 1000)"
SHORT, FAR = "GREATEST(LEAST(y, 100), 0)", "x - 1000000000000000"
MENDED = [  # what is refused, what the hint says, and the question with that in it
    (f"SELECT AVG(total) AS m FROM {HOMES}", CLAMPED, f"SELECT AVG({CLAMPED}) AS m FROM {HOMES}"),
    (f"SELECT AVG(total) AS m FROM {LONG}", CLAMPED, f"SELECT AVG({CLAMPED}) AS m FROM {LONG}"),
    (f"SELECT MEDIAN(total) AS m FROM {HOMES}", CLAMPED, f"SELECT MEDIAN({CLAMPED}) AS m FROM {HOMES}"),
    (f"SELECT AVG(total / 2) AS m FROM {HOMES}", CLAMPED, f"SELECT AVG({CLAMPED} / 2) AS m FROM {HOMES}"),
    (f"SELECT CORR(CLAMP(total, 0, 9), visits) AS m FROM {HOMES}", "CLAMP(visits, 0, 1000)",
     f"SELECT CORR(CLAMP(total, 0, 9), CLAMP(visits, 0, 1000)) AS m FROM {HOMES}"),
    (f"WITH w AS {HOMES} SELECT BIN(total, 10) AS b, COUNT(*) AS n FROM w GROUP BY b", CLAMPED,
     f"WITH w AS {HOMES} SELECT BIN({CLAMPED}, 10) AS b, COUNT(*) AS n FROM w GROUP BY b"),
    ("SELECT AVG(y) AS m FROM t", SHORT, f"SELECT AVG({SHORT}) AS m FROM t"),
    ("SELECT AVG(2 * y) AS m FROM t", SHORT, f"SELECT AVG(2 * {SHORT}) AS m FROM t"),
    ("SELECT AVG(far) AS m FROM t", FAR, "SELECT AVG(far - 1000000000000000) AS m FROM t"),
    ("SELECT MEDIAN(far) AS m FROM t", FAR, "SELECT MEDIAN(far - 1000000000000000) AS m FROM t"),
    ("SELECT g, STDDEV(far) AS m FROM t GROUP BY g", FAR, "SELECT g, STDDEV(far - 1000000000000000) AS m FROM t GROUP BY g"),
    ("SELECT SUM(under) AS m FROM t", "x + 1000000000000010", "SELECT SUM(under + 1000000000000010) AS m FROM t"),
]


@pytest.mark.parametrize(("refused", "said", "mended"), MENDED)
def test_a_number_without_bounds_that_help_is_called_as_in_the_text_and_what_is_said_is_answered(t, refused, said, mended):
    with pytest.raises(dc.QuestionError) as caught:
        t.quote(refused, epsilon=1)
    assert said in caught.value.hint
    assert "pay more" not in caught.value.hint
    assert '"' not in caught.value.message
    assert t.quote(mended, epsilon=1).columns


def test_a_sum_over_the_count_of_all_rows_is_the_mean_that_it_is_where_values_may_be_missing_too(t):
    mean = t.quote("SELECT AVG(COALESCE(spent, 0)) AS m FROM t", epsilon=1)
    ratio = t.quote("SELECT SUM(spent) / COUNT(*) AS m FROM t", epsilon=1)
    assert [part.what for part in ratio.parts] == ["AVG(COALESCE(spent, 0))"]
    assert [each.plus_minus for each in ratio.columns] == [each.plus_minus for each in mean.columns]
    beside = t.quote("SELECT SUM(spent) / COUNT(*) AS m, COUNT(*) AS n FROM t", epsilon=1)
    assert len(beside.parts) == 1  # one pair of sums tells both
    both = t.quote("SELECT SUM(spent) AS s, SUM(spent) / COUNT(*) AS m, COUNT(*) AS n FROM t", epsilon=1)
    assert [part.what for part in both.parts] == ["SUM(spent)", "COUNT(*)"]  # both are bought anyway
    answer = t.ask("SELECT g, SUM(spent) / COUNT(*) AS m FROM t GROUP BY g", epsilon=1000)
    for row in answer.rows:
        place = "ab".index(row["g"])
        mine = [0 if n % 11 == 0 else n % 7 for n in range(400) if n % 2 == place]
        assert row["m"] == pytest.approx(sum(mine) / len(mine), abs=0.05)


@pytest.mark.parametrize("joined", ["t, zips", "t CROSS JOIN zips", "t JOIN (SELECT 1) ON 1 = 1", "t NATURAL JOIN zips",
                                    "t JOIN zips() ON 1 = 1"])  # fmt: skip
def test_hints_about_joins_have_an_example(t, joined):
    with pytest.raises(dc.QuestionError) as caught:
        t.quote(f"SELECT COUNT(*) FROM {joined}", epsilon=1)
    assert "FROM t JOIN zips ON t.zip = zips.code" in caught.value.hint
    with pytest.raises(dc.QuestionError, match="no lookup zips") as caught:
        t.quote("SELECT COUNT(*) FROM t JOIN zips ON t.g = zips.g", epsilon=1)
    assert '[join.zips] with source = "zips.csv" and key = { zip = "code" }' in caught.value.hint
