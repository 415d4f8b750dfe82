"""Facts written in Python: the same model and the same refusals as from a file."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import FactsError
from discreet.facts import facts_for_table, make, parse_budget, parse_facts
from discreet.facts.columns import column_entries
from discreet.facts.model import Boolean, Budget, ByColumn, Category, Date, EachRow, Integer, Number, Text, Timestamp
from discreet.privacy import Approximate, Concentrated, Pure

COLUMNS = {"Age": make.integer(0, 120), "Race": make.category(1, 2, 3)}
NEEDED = {"unit": "row", "neighbours": "add_remove", "budget": 1}


def test_makers_return_unnamed_columns_with_exact_bounds():
    assert make.number(0.1, "1/3", null=Decimal("0.2")) == Number("", Fraction(1, 10), Fraction(1, 3), Fraction(1, 5))
    assert make.number() == Number("")
    assert make.integer(0, np.int64(120), null=0) == Integer("", 0, 120, 0)
    assert make.integer(0, 120, null="drop", description="years") == Integer("", 0, 120, None, "years", drop=True)
    assert make.category(1, 2, labels=["a", "b"], other=True) == Category("", (1, 2), ("a", "b"), other=True)
    assert make.category(*np.array([3, 4])) == Category("", (3, 4))
    assert all(type(value) is int for value in make.category(*np.array([3, 4])).values)
    assert make.boolean(null=True) == Boolean("", null=True)
    assert make.date("2017-01-31", dt.date(2018, 1, 1)) == Date("", dt.date(2017, 1, 31), dt.date(2018, 1, 1))
    moments = (dt.datetime(2017, 1, 31, 12), dt.datetime(2018, 1, 1))  # noqa: DTZ001
    assert make.timestamp("2017-01-31 12:00", moments[1]) == Timestamp("", *moments)
    assert make.number(decimal=",", thousands="\u00a0") == Number("", decimal=",", thousands=" ")
    assert make.boolean(true=["y", 1], false=("n",)) == Boolean("", true=("y", 1), false=("n",))
    assert make.date(format="%d/%m/%Y", zone="UTC") == Date("", format="%d/%m/%Y")
    assert make.timestamp(zone="Asia/Tokyo") == Timestamp("", zone="Asia/Tokyo")
    assert make.text(max_length=9) == Text("", 9)
    assert make.category("a", "b", null="b") == Category("", ("a", "b"), null="b")
    assert make.category("a", null_label="unknown") == Category("", ("a",), null_label="unknown")
    assert make.date(null="drop") == Date("", drop=True)
    for wrong in ({"null": "c"}, {"null_label": "a"}, {"null_label": "none", "other": True}, {"null": "a", "other": True}):
        with pytest.raises(FactsError):
            make.category("a", "b", **wrong)


@pytest.mark.parametrize(
    ("made", "key", "message"),
    [
        (lambda: make.number(5, 1), "upper", "upper is 1, not above lower, which is 5"),
        (lambda: make.number(0, float("inf")), "upper", "upper is inf, not a finite number"),
        (lambda: make.number(float("nan"), 1), "lower", "lower is nan"),
        (lambda: make.number(True, 2), "lower", "lower is true, not a number"),
        (lambda: make.number(0, 1, null=2), "null", "null is 2, outside the bounds 0 to 1"),
        (lambda: make.integer(0.5, 1), "lower", "not a whole number"),
        (lambda: make.integer(0, 2**63), "upper", "within 64 bits"),
        (lambda: make.category(labels=["a"]), "labels", "labels stand without values"),
        (lambda: make.facts_for_table("t", {"Race": make.category()}, unit="row", neighbours="add_remove", budget=1),
         "columns.Race.values", "values is missing"),
        (lambda: make.category(1, "a"), "values[1]", "mixes"),
        (lambda: make.category(True, False), "values[0]", "is true, not a whole number or a text"),
        (lambda: make.category([1, 2]), "values[0]", "is a list"),
        (lambda: make.category(1, 2, labels="ab"), "labels", "not a list"),
        (lambda: make.category(1, 2, labels=["a"]), "labels", "1 labels for 2 values"),
        (lambda: make.date("31.1.2017"), "lower", "not a day"),
        (lambda: make.timestamp(dt.datetime(2017, 1, 1, tzinfo=dt.UTC)), "lower", "time zone"),
        (lambda: make.text(max_length=0), "max_length", "max_length is 0"),
    ],
)
def test_makers_refuse_what_the_file_refuses(made, key, message):
    with pytest.raises(FactsError, match=r".") as caught:
        made()
    assert (caught.value.key, caught.value.file, caught.value.line) == (key, None, None)
    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("word", "hint"),
    [("eps", "write epsilon"), ("ep", "write epsilon"), ("exp", "write expires"), ("expire", "write expires"),
     ("e", "write epsilon, delta"), ("price", "write epsilon, delta")],
)  # fmt: skip
def test_a_hint_names_a_key_that_is_near_and_else_all_of_them(word, hint):
    with pytest.raises(FactsError, match=f"{word} is not known") as caught:
        facts_for_table("t", COLUMNS, **(NEEDED | {"budget": {word: 1}}))
    assert caught.value.hint.startswith(hint)


def test_a_table_in_memory_takes_its_names_from_the_keys():
    facts = facts_for_table("t", COLUMNS, **NEEDED)
    assert [column.name for column in facts.columns] == ["Age", "Race"]
    assert (facts.source, facts.located, facts.unit, facts.version) == ("", None, EachRow(), "1")
    assert facts.budget == Budget(Pure(epsilon=1))
    assert facts.column("age") == Integer("Age", 0, 120)


def test_a_table_in_memory_may_say_everything_that_a_file_may():
    facts = facts_for_table(
        "t", COLUMNS, unit={"column": "h", "max_rows": 3}, neighbours="change_one", units=9,
        people="p", version="2", description="d", budget={"epsilon": 1, "partition": "Race"},
    )  # fmt: skip
    assert (facts.unit, facts.units, facts.people, facts.version, facts.description) == (ByColumn("h", 3), 9, "p", "2", "d")
    assert facts.budget.partition == "Race"
    again = facts_for_table("t", COLUMNS, unit=facts.unit, neighbours="change_one", budget=facts.budget, rows_about=7)
    assert (again.unit, again.budget, again.rows_about) == (facts.unit, facts.budget, 7)
    assert facts_for_table("t", COLUMNS, unit=EachRow(), neighbours="change_one", budget=1, rows=4).rows == 4


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        ({"unit": None}, "table.unit", "unit is missing"),
        ({"neighbours": None}, "table.neighbours", "neighbours is missing"),
        ({"budget": None}, "budget", "budget is missing"),
        ({"budget": 0}, "budget.epsilon", "epsilon is 0, not above 0"),
        ({"budget": {"epsilon": 1, "partition": "Age"}}, "budget.partition", "not a category"),
        ({"rows": 5}, "table.rows", "rows is private where neighbours is add_remove"),
        ({"name": "my table"}, "table.name", "not a plain name"),
        ({"columns": {}}, "columns", "there are no columns"),
        ({"columns": {"Age": 5}}, "columns.Age", "5 is not a column with a name"),
        ({"columns": {3: make.text()}}, "columns.3", "3 is not a column with a name"),
        ({"columns": {"a": make.text(), "A": make.text()}}, "columns.A", "only in capitals"),
        ({"columns": {"Age": Integer("Age", 9, 3)}}, "columns.Age.upper", "not above lower"),
        ({"columns": {"Age\n": make.text()}}, 'columns."Age\n"', "not a name"),
    ],
)
def test_a_table_in_memory_is_checked_like_a_file(change, key, message):
    given_facts = {"name": "t", "columns": COLUMNS} | NEEDED | change
    with pytest.raises(FactsError, match=r".") as caught:
        facts_for_table(given_facts.pop("name"), given_facts.pop("columns"), **given_facts)
    assert caught.value.key == key
    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("value", "budget"),
    [
        (1, Budget(Pure(epsilon=1))),
        ("0.5", Budget(Pure(epsilon="1/2"))),
        (0.1, Budget(Pure(epsilon="0.1"))),
        (Fraction(1, 3), Budget(Pure(epsilon="1/3"))),
        ({"epsilon": 1, "delta": "1e-6"}, Budget(Approximate(epsilon=1, delta="0.000001"))),
        ({"epsilon": 1, "delta": None}, Budget(Pure(epsilon=1))),
        ({"rho": "0.5"}, Budget(Concentrated(rho="0.5"), "concentrated")),
        (Pure(epsilon=2), Budget(Pure(epsilon=2))),
        (Approximate(epsilon=2, delta="1e-9"), Budget(Approximate(epsilon=2, delta="1e-9"))),
        (Approximate(epsilon=2, delta=0), Budget(Pure(epsilon=2))),
        (Concentrated(rho=1), Budget(Concentrated(rho=1), "concentrated")),
        ({"epsilon": 1, "per_analyst": Pure(epsilon="0.5")}, Budget(Pure(epsilon=1), per_analyst=Pure(epsilon="0.5"))),
        ({"epsilon": 1, "per_analyst": 1}, Budget(Pure(epsilon=1), per_analyst=Pure(epsilon=1))),
        ({"epsilon": 1, "expires": dt.date(2030, 1, 1)}, Budget(Pure(epsilon=1), expires=dt.date(2030, 1, 1))),
    ],
)
def test_a_budget_is_written_in_any_of_these_forms(value, budget):
    assert parse_budget(value) == budget
    assert parse_budget(budget) == budget


@pytest.mark.parametrize(
    "value",
    [
        0, -1, "no", True, None, [], {}, float("nan"), Pure(epsilon=0), Concentrated(rho=0), {"eps": 1}, {"delta": "1e-6"},
        {"epsilon": 1, "rho": 1}, {"epsilon": 1, "per_analyst": 2}, {"epsilon": 1, "delta": 2},
    ],
)  # fmt: skip
def test_what_is_no_budget_is_refused(value):
    with pytest.raises(FactsError, match=r"^budget") as caught:
        parse_budget(value)
    assert caught.value.hint


# ---- there and back: columns made in Python, written as TOML, read again

exact_numbers = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=1000)
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
names = texts.filter(lambda name: name and name.isprintable() and name == name.strip())
scalars = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5, unique=True) | st.lists(
    texts.filter(lambda value: value not in ("", "?")), min_size=1, max_size=5, unique=True
)


def bounded(maker, values):
    return st.lists(values, min_size=3, max_size=3, unique=True).map(sorted).map(maker)


columns = st.one_of(
    bounded(lambda three: make.number(three[0], three[2], null=three[1]), exact_numbers),
    bounded(lambda three: make.integer(three[0], three[2], null=three[1]), st.integers(-(2**63), 2**63 - 1)),
    bounded(lambda three: make.date(three[0], three[2]), st.dates()),
    bounded(lambda three: make.timestamp(three[0], three[2]), st.datetimes()),
    st.builds(lambda values, other, about: make.category(*values, other=other, description=about), scalars, st.booleans(), texts),
    st.builds(lambda null: make.boolean(null=null), st.none() | st.booleans()),
    st.builds(lambda length: make.text(max_length=length), st.integers(1, 65_536)),
)


def as_toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Fraction():
            return f'"{value}"'
        case str():
            return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value) + '"'
        case tuple():
            return "[\n" + "".join(f"  {as_toml(item)},\n" for item in value) + "]"
        case dt.date():
            return value.isoformat()
        case _:
            return str(value)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.dictionaries(names, columns, min_size=1, max_size=4))
def test_columns_made_in_python_read_back_from_a_file(made):
    if len({name.casefold() for name in made}) < len(made):
        return
    lines = ['[table]\nname = "t"\nsource = "t.csv"\nunit = "row"\nneighbours = "add_remove"\n[budget]\nepsilon = 1']
    for name, column in made.items():
        lines.append(f"[columns.{as_toml(name)}]")
        lines += [f"{key} = {as_toml(value)}" for key, value in column_entries(column).items()]
    assert parse_facts("\n".join(lines), "x.toml").columns == facts_for_table("t", made, **NEEDED).columns
