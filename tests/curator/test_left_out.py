"""What no interval covers is said wherever an answer is: caps, clamping, missing values, rows in no group. Rules 25 and 28."""

import json

import pytest

from discreet.curator import curator_in_memory, office
from discreet.engines.reference.engine import Reference
from discreet.errors import QuestionError
from discreet.facts import parse_facts
from discreet.publishing.publish import publish

FACTS = """
[table]
name = "sales"
source = "sales.csv"
unit = { column = "household", max_rows = 1000, max_groups = 12 }
neighbours = "add_remove"
[budget]
epsilon = 1000000000000
delta = 0.01
[columns.week]
type = "integer"
null = "drop"
lower = 1
upper = 53
[columns.spent]
type = "number"
null = "drop"
lower = 0
upper = 100
[columns.items]
type = "integer"
lower = 0
upper = 9
null = 1
[columns.home]
type = "category"
null = "drop"
values = ["own", "rent"]
per_unit = true
[columns.kind]
type = "category"
values = ["a", "b"]
other = true
[columns.shop]
type = "text"
"""
CAPPED = (
    "each household counts for at most 1 000 rows and in at most 12 of the 53 values of week; "
    "the ± does not cover what is cut or has no household; "
    "AT_CAPS(week), in a question without GROUP BY, asks for the share of units that are cut"
)
BY_WEEK = "SELECT week, COUNT(*) AS n FROM sales GROUP BY week"


def rows(households=40):
    """Households that shop in every week of a year: a cap of twelve weeks leaves less than a quarter of their rows."""
    return [{"household": f"h{h}", "week": week, "spent": 30.0 * (h % 5) if h % 7 else None, "home": ["own", None, "tent"][h % 3]}
            for h in range(households) for week in range(1, 54)]  # fmt: skip


def sales(made=None):
    facts = parse_facts(FACTS, "sales.toml")
    return curator_in_memory(facts, Reference(facts, rows() if made is None else made))


def said_of(question, **price):
    price = price or {"epsilon": 1}
    return sales([]).quote(question, **price).left_out


def test_a_cap_that_cuts_a_count_to_a_quarter_is_named_wherever_the_count_is():
    """The first point of a review with real households: a count cut to a third, and quote, answer and page were silent."""
    curator = sales()
    quote, answer = (ask(BY_WEEK, epsilon=10**6) for ask in (curator.quote, curator.ask))
    assert sum(row["n"] for row in answer.rows) == pytest.approx(40 * 12, abs=20)  # of 40 x 53
    again = curator.ask(BY_WEEK, epsilon=10**6)
    assert again.replayed
    for each in (quote, answer, again):
        assert each.left_out[0] == each.to_dict()["left_out"][0] == CAPPED
        assert CAPPED in repr(each)
        assert CAPPED in each._repr_html_()
    assert answer.receipt["left_out"] == list(answer.left_out) == list(quote.left_out)
    assert json.loads(json.dumps(answer.to_dict()))["left_out"] == list(answer.left_out)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("SELECT COUNT(*) AS n FROM sales", "each household counts for at most 1 000 rows; "),
        ("SELECT home, COUNT(*) AS n FROM sales GROUP BY home", "each household counts for at most 1 000 rows; "),
        ("SELECT week, COUNT_UNITS(*) AS n FROM sales GROUP BY week",
         "each household counts in at most 12 of the 53 values of week; "),
        (f"{BY_WEEK} PER UNIT 1 ROW", "for at most 1 row of one group and in at most 1 of the 53 values of week; "),
        (f"{BY_WEEK} PER UNIT 60 GROUPS, 3 ROWS PER GROUP", "each household counts for at most 3 rows of one group; "),
        ("SELECT week, kind, AVG(spent) AS m FROM sales GROUP BY week, kind", "in at most 12 of the 159 groups; "),
        ("SELECT MEDIAN(spent) AS m FROM sales PER UNIT 7 ROWS", "each household counts for at most 7 rows; "),
        ("SELECT COUNT_UNITS(*) AS n FROM sales", None),
        ("SELECT ROWS_PER_UNIT(0.9) AS n FROM sales", None),
    ],
)
def test_those_caps_are_named_that_can_cut_what_is_asked(question, said):
    found = [sentence for sentence in said_of(question) if "what is cut" in sentence]
    assert [said in sentence for sentence in found] == ([] if said is None else [True])


def test_keys_that_no_list_names_have_no_number():
    found = said_of("SELECT shop, COUNT_UNITS(*) AS n FROM sales GROUP BY shop", epsilon=1, delta="1e-6")
    assert "each household counts in at most 12 values of shop; " in found[0]
    assert found[1] == "rows whose shop is missing are in no group"
    one = said_of("SELECT shop, COUNT_UNITS(*) AS n FROM sales GROUP BY shop PER UNIT 1 GROUP", epsilon=1, delta="1e-6")
    assert "each household counts in at most 1 value of shop; " in one[0]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("SELECT AVG(spent) AS m FROM sales", ["spent outside 0 … 100 counts as the nearest bound",
                                               "rows without a readable value of spent are left out of its statistics"]),
        ("SELECT SUM(items) AS s FROM sales", ["items outside 0 … 9 counts as the nearest bound", "missing items counts as 1"]),
        ("SELECT CORR(spent, items) AS r FROM sales", [
            "values count as the nearest bound: items outside 0 … 9, spent outside 0 … 100",
            "rows without a readable value of spent are left out of its statistics; missing items counts as 1"]),
        ("SELECT COUNT(spent) AS n FROM sales", []),
        ("SELECT AT_BOUNDS(items) AS s FROM sales",
         ["rows without a readable value of items are left out of its statistics"]),
        ("SELECT home, COUNT(*) AS n FROM sales GROUP BY home",
         ["rows whose home is missing or none of its 2 declared values are in no group"]),
        ("SELECT kind, COUNT(*) AS n FROM sales GROUP BY kind", []),
        (BY_WEEK, ["week outside 1 … 53 counts as the nearest bound", "rows whose week is missing are in no group"]),
        (f"{BY_WEEK} ORDER BY week LIMIT 3", ["week outside 1 … 53 counts as the nearest bound",
                                             "rows whose week is missing are in no group"]),
        ("SELECT kind, COUNT(*) AS n FROM sales GROUP BY kind HAVING COUNT(*) > 5",
         ["which groups are shown was decided by their noisy numbers, and the ± of each does not cover that"]),
        ("SELECT kind, COUNT(*) AS n FROM sales GROUP BY kind ORDER BY n LIMIT 1",
         ["which groups are shown was decided by their noisy numbers, and the ± of each does not cover that"]),
    ],
)  # fmt: skip
def test_clamping_missing_values_and_rows_in_no_group_take_a_sentence_each(question, said):
    assert [sentence for sentence in said_of(question) if "what is cut" not in sentence and "by itself" not in sentence] == said


def test_totals_that_are_cut_each_by_itself_are_told_apart_from_means_and_shares():
    """Of 500 people with 100 rows each, a fifth of them big, 20 rows count: the quotient of both counts came to 1.00 ± 0.01."""
    alone = "what a unit has is cut in each statistic by itself, so that a quotient of two is no mean and no share: "
    counts = said_of("SELECT COUNT(*) FILTER (WHERE week < 9) AS few, COUNT(*) AS n FROM sales")
    assert counts[0].startswith("each household counts for at most 1 000 rows that meet FILTER and 1 000 rows; ")
    assert counts[1] == f"{alone}AVG(condition) asks for that"
    share = said_of("SELECT COUNT(*) FILTER (WHERE week < 9) / COUNT(*) AS s FROM sales")  # planned as the mean that it is
    assert share[0].startswith("each household counts for at most 1 000 rows; ")
    assert not any("by itself" in sentence for sentence in share)
    total = said_of("SELECT SUM(items) AS s FROM sales")
    assert total[0].startswith("each household counts for at most 1 000 rows' worth of items; ")
    assert total[1] == f"{alone}AVG(items) asks for that"
    mean = said_of("SELECT AVG(CASE WHEN week < 9 THEN 1 ELSE 0 END) AS s, SUM(items) AS t FROM sales")
    assert mean[0].startswith("each household counts for at most 1 000 rows; ")
    assert not any("by itself" in sentence for sentence in mean)


LACKING = "rows whose {} is missing or unreadable do not meet what {} says of it"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("SELECT COUNT(*) AS n FROM sales WHERE spent > 120", [
            "conditions see spent outside 0 … 100 as the nearest bound, so that no row meets spent > 120",
            LACKING.format("spent", "WHERE")]),
        ("SELECT COUNT(*) FILTER (WHERE spent = 100) AS n FROM sales", [
            "conditions see spent outside 0 … 100 as the nearest bound", LACKING.format("spent", "FILTER")]),
        ("SELECT COUNT(*) AS n FROM sales WHERE spent >= 100 AND spent > 0 AND spent <= 99", [LACKING.format("spent", "WHERE")]),
        ("SELECT COUNT(*) AS n FROM sales WHERE spent >= 0", [
            "conditions see spent outside 0 … 100 as the nearest bound", LACKING.format("spent", "WHERE")]),
        ("SELECT COUNT(*) AS n FROM sales WHERE 53 < week OR week IN (60)", [
            "conditions see week outside 1 … 53 as the nearest bound, so that no row meets week = 60 or week > 53",
            LACKING.format("week", "WHERE")]),
        ("SELECT COUNT(*) AS n FROM sales WHERE kind <> 'a'", [
            ("rows whose kind is missing or none of its 2 declared values do not meet what WHERE says of it; "
             "kind IS NULL finds them")]),
        ("SELECT AVG(CASE WHEN items > 3 THEN 1 ELSE 0 END) AS m FROM sales WHERE shop LIKE 'a%'", [
            "rows whose shop is missing, or whose items is missing or unreadable, do not meet what WHERE or CASE says of it"]),
        ("SELECT COUNT(*) AS n FROM sales WHERE spent IS NULL OR spent > 3", []),
        ("SELECT COUNT(*) AS n FROM sales WHERE COALESCE(spent, 0) > 3", []),
        ("SELECT COUNT(*) AS n FROM sales WHERE kind = 'a' AND home IN ('own')", []),
    ],
)  # fmt: skip
def test_conditions_say_what_they_see_of_values_beyond_their_bounds_and_of_missing_ones(question, said):
    assert [sentence for sentence in said_of(question) if "what is cut" not in sentence and "constant" not in sentence] == said


def test_a_value_that_other_stands_for_is_found_by_is_null_and_the_refusal_says_so():
    with pytest.raises(QuestionError, match="there are: 'a', 'b'; kind IS NULL finds what is none of them"):
        said_of("SELECT COUNT(*) AS n FROM sales WHERE kind = 'other'")


def test_a_question_with_no_group_left_is_refused_before_the_charge_and_its_quote_says_so():
    """Umsatz > 3000, of at most 2000, by bins of it: an empty table was sold for ε 1."""
    curator = sales()
    question = "SELECT week, COUNT(*) AS n FROM sales WHERE week > 53 GROUP BY week"
    quote = curator.quote(question, epsilon=1)
    assert quote.cells == 0
    assert "groups" in repr(quote)
    assert "0: no row that meets WHERE can be in one" in repr(quote)
    with pytest.raises(QuestionError, match="no group is left: no value of week meets WHERE"):
        curator.ask(question, epsilon=1)
    assert not curator.budget.spent.epsilon


def test_twenty_columns_take_one_line_each_about_bounds_and_missing_values():
    facts = parse_facts("[table]\nname = 't'\nsource = 't.csv'\nunit = 'row'\nneighbours = 'add_remove'\n[budget]\nepsilon = 1\n"
                        + "".join(f"[columns.x{i}]\ntype = 'number'\nlower = 0\nupper = {i + 1}\n" for i in range(20)), "t.toml")
    curator = curator_in_memory(facts, Reference(facts, []))
    found = curator.quote(f"SELECT {', '.join(f'AVG(x{i}) AS m{i}' for i in range(20))} FROM t", epsilon=1).left_out
    assert len(found) == 2
    assert all("… 15 more" in sentence and len(sentence) < 200 for sentence in found)


def test_what_is_said_follows_from_question_and_facts_alone():
    question = "SELECT home, AVG(spent) AS m, SUM(items) AS s FROM sales GROUP BY home"
    told = sales().quote(question, epsilon=1).left_out
    assert {sales(made).ask(question, epsilon=1).left_out for made in ([], rows(1), rows())} == {told}


def test_public_numbers_leave_nothing_out():
    facts = parse_facts(FACTS.replace("add_remove", "change_one").replace("[budget]", "units = 40\n[budget]", 1), "sales.toml")
    curator = curator_in_memory(facts, Reference(facts, rows()))
    answer = curator.ask("SELECT COUNT_UNITS(*) AS n FROM sales", epsilon=1)
    assert (answer.value, answer.left_out) == (40, ())
    assert "(public)" in repr(answer)


@pytest.mark.slow
def test_a_published_page_names_what_its_tables_leave_out_and_calls_no_charged_number_public(tmp_path):
    """The first and the fourth point of the review: at a price without reason an interval has no width, and is paid for."""
    lines = [f"{each['household']},{each['week']},{each['spent'] or ''},,{each['home'] or ''},a,s" for each in rows(3)]
    (tmp_path / "sales.csv").write_text("household,week,spent,items,home,kind,shop\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "sales.toml").write_text(FACTS, encoding="utf-8")
    office.register(tmp_path / "sales.toml")
    price = "epsilon = 100000000000\n"
    asked = {"weeks": BY_WEEK, "homes": "SELECT home, COUNT(*) AS n, AVG(spent) AS m FROM sales GROUP BY home"}
    (tmp_path / "release.toml").write_text(
        '[release]\ntitle = "Sales"\ntable = "sales.toml"\n'
        + "".join(f'[[question]]\nname = "{name}"\nsql = "{sql}"\n{price}' for name, sql in asked.items())
        + '[[derived]]\nname = "same"\nconfidence = 0.95\nsql = "SELECT week, n, n_low, n_high FROM weeks"\n', encoding="utf-8",
    )  # fmt: skip
    quote = publish(tmp_path / "release.toml", tmp_path / "out", dry_run=True)
    assert f"  weeks: {CAPPED}" in str(quote)
    assert [CAPPED in each["left_out"] for each in quote.to_dict()["questions"]] == [True, False]
    publish(tmp_path / "release.toml", tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    sections = {name: page[page.index(f'<section id="table-{name}"') :].split("</section>")[0] for name in (*asked, "same")}
    assert CAPPED in sections["weeks"]
    assert "rows whose home is missing or none of its 2 declared values" in sections["homes"]
    for section in sections.values():
        assert '<span class="spread">± &lt; 1</span>' in section
        assert '"spread">public' not in section
