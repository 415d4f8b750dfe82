"""Every rule about facts, broken once in a file that is sound otherwise: what is said, where, and what to write instead."""

import pytest
from tests.facts.documents import SOUND, spoilt

from discreet.facts.file import check_facts, parse_facts

ROWS_ABOUT = ("rows = 994", "rows_about = 994")
ADD_REMOVE = ('"change_one"', '"add_remove"')
BY_COLUMN = ('unit = "row"', 'unit = { column = "household", max_rows = 10, max_groups = 3 }')
PER_UNIT = ("number", "integer", "boolean", "date", "timestamp", "text")
NO_PARTITION = ('partition = "UrbanRural"\n', "")
NO_CSV = ("[csv]\ndelimiter = \";\"\nquote = \"'\"\nheader = true\nencoding = \"latin-1\"\n", "")
RHO = ("epsilon = 2.2\ndelta = 1e-6", "rho = 1")
NO_PER_ANALYST = ('per_analyst = { epsilon = 1.1, delta = "1/2000000" }\n', "")

TABLE = [
    (('name = "ce_book"\n', ""), "table.name", "name is missing", "write name ="),
    (('"ce_book"', '"ce-book"'), "table.name", "'ce-book', not a plain name", "letters, digits and _"),
    (('"ce_book"', '"2017"'), "table.name", "not a plain name", "no digit first"),
    (('"ce_book"', "7"), "table.name", "name is 7, not a text", 'write "7", in quotes'),
    (('source = "data/ce_book.csv"\n', ""), "table.source", "source is missing", "write source ="),
    (("ce_book.csv", "ce_book.xlsx"), "table.source", "kind is not known", ".parquet"),
    (("data/ce_book.csv", "https://example.org/x.csv"), "table.source", "unknown kind, 'https'", "postgresql://"),
    (("data/ce_book.csv", "data/ce.duckdb"), "table.source", "no table in it", "data/ce.duckdb#table"),
    (("data/ce_book.csv", "~/ce.csv"), "table.source", "starts with ~", "whole path"),
    (("data/ce_book.csv", ""), "table.source", "not a place", "write a .csv"),
    (('"2017Q1"', "2017"), "table.version", "version is 2017, not a text", 'write "2017"'),
    (('"2017Q1"', "2017-01-31"), "table.version", "not a text", 'write "2017-01-31"'),
    (('"2017Q1"', '" x"'), "table.version", "not a name", "without space"),
    (('unit = "row"\n', ""), "table.unit", "unit is missing", 'write unit = "row"'),
    (('"row"', '"rows"'), "table.unit", "unit is 'rows'", 'write unit = "row"'),
    (('"row"', "1"), "table.unit", "unit is 1, not a table of keys", "write unit"),
    (('"row"', "{ max_rows = 3 }"), "table.unit.column", "column is missing", "write unit = { column"),
    (('neighbours = "change_one"\n', ""), "table.neighbours", "neighbours is missing", '"add_remove"'),
    (('"change_one"', '"change-one"'), "table.neighbours", "not add_remove or change_one", "write change_one"),
    (("rows = 994", "rows = 0"), "table.rows", "rows is 0", "at least 1"),
    (("rows = 994", "rows = 9.5"), "table.rows", "rows is 9.5, not a whole number", "9 or 10"),
    (("rows = 994", "rows = true"), "table.rows", "rows is true, not a number", "write a number"),
    (("rows = 994", "units = 994"), "table.units", "units does not go with a unit of row", "write rows"),
    (("rows = 994", "rows = 994\nrows_about = 900"), "table.rows_about", "beside rows", "take rows_about out"),
    (("rows = 994", "rows_about = 0"), "table.rows_about", "rows_about is 0", "at least 1"),
    (('"consumers"', '""'), "table.people", "not a name", "1 to 128"),
    (('"consumer units"', "[]"), "table.description", "a list, not a text", "in quotes"),
    (("rows = 994", "row = 994"), "table.row", "row is not known in [table]", "write rows"),
    (("rows = 994", "epsilon = 1"), "table.epsilon", "epsilon is not known in [table]", "under [budget]"),
    (("rows = 994", "colour = 1"), "table.colour", "not known", "write name, source"),
]
CSV = [
    (('";"', '";;"'), "csv.delimiter", "not a single mark", "one character"),
    (('";"', '"e"'), "csv.delimiter", "not a single mark", "one character"),
    (('";"', "\"'\""), "csv.quote", "the same mark", "write quote"),
    (("header = true", 'header = "yes"'), "csv.header", "not true or false", "write header = true"),
    (("header = true", "header = false"), "csv.names", "names is missing", "all columns in order"),
    (("header = true", 'names = ["a"]'), "csv.names", "beside a header", "header = false"),
    (("header = true", 'header = false\nnames = ["a", "A"]'), "csv.names", "the same name twice", "another name"),
    (("header = true", 'header = false\nnames = ["a", 1]'), "csv.names[1]", "item 2 of names is 1, not a text", "in quotes"),
    (('"latin-1"', '"UTF8"'), "csv.encoding", "not utf-8, utf-16, latin-1", "write utf-8"),
    (("quote =", "quotes ="), "csv.quotes", "quotes is not known in [csv]", "write quote"),
    (("ce_book.csv", "ce_book.parquet"), "csv", "does not go with a source of kind parquet", "take [csv] out"),
    (("[csv]", "csv = 3\n[csvx]"), "table.csv", "csv is not known in [table]", "write"),
]
BUDGET = [
    (("epsilon = 2.2\n", ""), "budget.epsilon", "epsilon is missing", "write how much"),
    (("epsilon = 2.2", "epsilon = 0"), "budget.epsilon", "epsilon is 0, not above 0", "above 0"),
    (("epsilon = 2.2", "epsilon = -0.5"), "budget.epsilon", "epsilon is -0.5, not above 0", "above 0"),
    (("epsilon = 2.2", "epsilon = inf"), "budget.epsilon", "epsilon is inf, not a finite number", "write a number"),
    (("epsilon = 2.2", "epsilon = nan"), "budget.epsilon", "epsilon is nan, not a finite number", "write a number"),
    (("epsilon = 2.2", 'epsilon = "a lot"'), "budget.epsilon", "'a lot', not a finite number", "write a number"),
    (("epsilon = 2.2", "epsilon = true"), "budget.epsilon", "epsilon is true, not a number", "write a number"),
    (("epsilon = 2.2", "epsilon = 1e9999999999"), "budget.epsilon", "not a finite number", "write a number"),
    (("delta = 1e-6", "delta = 1"), "budget.delta", "delta is 1, not between 0 and 1", "1e-6"),
    (("delta = 1e-6", "delta = -1e-6"), "budget.delta", "not between 0 and 1", "1e-6"),
    (("delta = 1e-6", "rho = 0.5"), "budget.epsilon", "epsilon stands beside rho", "rho alone"),
    (('"concentrated"', '"zcdp"'), "budget.accounting", "'zcdp', not basic or concentrated", "write basic or concentrated"),
    (('"UrbanRural"', '"Income"'), "budget.partition", "'Income', not a category", "UrbanRural"),
    (('"UrbanRural"', '"UrbanRual"'), "budget.partition", "not a declared column", "write UrbanRural"),
    (("1.1, ", "2.3, "), "budget.per_analyst", "epsilon above that of the cap", "at most 2.2"),
    (('1.1, delta = "1/2000000"', "1.1"), "budget.per_analyst", "another kind of loss", "epsilon = …, delta = …"),
    (("epsilon = 1.1", "eps = 1.1"), "budget.per_analyst.eps", "not known in per_analyst", "write epsilon"),
    (("epsilon = 1.1", "epsilons = 1.1"), "budget.per_analyst.epsilons", "not known in per_analyst", "write epsilon"),
    (("question = 0.5", "question = 0"), "budget.max_epsilon_per_question", "not above 0", "above 0"),
    (("epsilon = 1.1", "epsilon = 0"), "budget.per_analyst.epsilon", "not above 0", "write an epsilon above 0"),
    (("2030-12-31", '"soon"'), "budget.expires", "expires is 'soon', not a day", "write expires = 2017-01-31"),
    (("2030-12-31", "2030-12-31T00:00:00"), "budget.expires", "not a day", "without quotes or time"),
    (("accounting", "acounting"), "budget.acounting", "acounting is not known in [budget]", "write accounting"),
]
COLUMNS = [
    (('type = "number"\n', ""), "columns.Income.type", "type is missing", "number, integer"),
    (('"number"', '"quaternion"'), "columns.Income.type", "type is 'quaternion'", "number, integer"),
    (('"number"', '"float"'), "columns.Income.type", "type is 'float'", "write number"),
    (('"number"', '"string"'), "columns.Income.type", "type is 'string'", "write text"),
    (('"number"', '"int"'), "columns.Income.type", "type is 'int'", "write integer"),
    (('"number"', '"Number"'), "columns.Income.type", "type is 'Number'", "write number"),
    (("lower = 0", "lower = 1_000_000.5"), "columns.Income.upper", "not above lower, which is 1000000.5", "above 1000000.5"),
    (("lower = 0", "lower = 2e6"), "columns.Income.upper", "upper is 1000000.5, not above lower", "above 2000000"),
    (("lower = 0", "lower = 1000000.49999999999999"), "columns.Income.upper", "so close to lower", "further apart"),
    (("1_000_000.5", "1e400"), "columns.Income.upper", "beyond ±1e300", "float64"),
    (("1_000_000.5", "+inf"), "columns.Income.upper", "+inf, not a finite number", "write a number"),
    (("lower = 0", "lower = false"), "columns.Income.lower", "lower is false, not a number", "write a number"),
    (("lower = 0", "lower = [0]"), "columns.Income.lower", "lower is a list, not a finite number", "write a number"),
    (("null = 0.1", "null = -0.1"), "columns.Income.null", "null is -0.1, outside the bounds 0 to 1000000.5", 'null = "drop"'),
    (("null = 0.1", "null = 1e7"), "columns.Income.null", "outside the bounds", "inside the bounds"),
    (("null = 0.1", 'null = "dorp"'), "columns.Income.null", "'dorp', not a finite number", 'null = "drop"'),
    (("lower = 0", "low = 0"), "columns.Income.low", "low is not known in a number column", "write lower"),
    (("lower = 0", "values = [1]"), "columns.Income.values", "not known in a number column", "write"),
    (("lower = -1", "lower = -1.5"), "columns.Kids.lower", "lower is -1.5, not a whole number", "-2 or -1"),
    (("lower = -1", "lower = -9223372036854775809"), "columns.Kids.lower", "within 64 bits", "within 64 bits"),
    (("lower = -1", "lower = 10"), "columns.Kids.upper", "upper is 10, not above lower, which is 10", "above 10"),
    (('null = "drop"', "null = 11"), "columns.Kids.null", "null is 11, outside the bounds -1 to 10", 'null = "drop"'),
    (("values = [1, 2]\n", ""), "columns.UrbanRural.values", "values is missing", "every value"),
    (("values = [1, 2]", "values = []"), "columns.UrbanRural.values", "values is empty", "at least one"),
    (("values = [1, 2]", "values = 2"), "columns.UrbanRural.values", "values is 2, not a list", "values = ["),
    (("values = [1, 2]", "values = [1, 1]"), "columns.UrbanRural.values[1]", "1 is twice in values", "once"),
    (("values = [1, 2]", 'values = [1, "2"]'), "columns.UrbanRural.values[1]", "mixes", "all of them in quotes, or none"),
    (("values = [1, 2]", "values = [0, true]"), "columns.UrbanRural.values[1]", "item 2 of values is true", "write values"),
    (("values = [1, 2]", "values = [1, 2.0]"), "columns.UrbanRural.values[1]", "is 2.0, not a whole number or a text", "1 or"),
    (("values = [1, 2]", "values = [1, 0x8000000000000000]"), "columns.UrbanRural.values[1]", "64 bits", "64 bits"),
    (('"single"', '"?"'), 'columns."Marital Status".values[1]', "'?', which is read as NULL", "other = true"),
    (('"single"', '""'), 'columns."Marital Status".values[1]', "which is read as NULL", "leave it out"),
    (('["Urban", "Rural"]', '["Urban"]'), "columns.UrbanRural.labels", "1 labels for 2 values", "one label for each"),
    (('["Urban", "Rural"]', '["Urban", 2]'), "columns.UrbanRural.labels[1]", "not a text", "in quotes"),
    (("other = true", "other = 1"), "columns.UrbanRural.other", "other is 1, not true or false", "other = true"),
    (("null = false", "null = 0"), "columns.Owns.null", "null is 0, not true or false", 'null = "drop"'),
    (("1900-01-01", '"1900-02-30"'), "columns.Born.lower", "not a day", "write lower = 2017-01-31"),
    (("1900-01-01", "2018-01-01"), "columns.Born.upper", "not above lower, which is 2018-01-01", "above 2018-01-01"),
    (("1900-01-01", "1900"), "columns.Born.lower", "lower is 1900, not a day", "without quotes"),
    (("2017-01-01T00:00:00", "2017-01-01T00:00:00Z"), "columns.Seen.lower", "has a time zone", "time zone"),
    (("2017-01-01T00:00:00", "2017-01-01"), "columns.Seen.lower", "not a day with a time", "T12:00:00"),
    (('decimal = ","', 'decimal = ";"'), "columns.Income.decimal", "decimal is ';', not . or ,", "write . or ,"),
    (('decimal = ","', 'decimal = "."'), "columns.Income.thousands", "thousands and decimal are both '.'", "write ',' for one"),
    (('thousands = "."', 'thousands = "x"'), "columns.Income.thousands", "thousands is 'x'", "write ,"),
    (('true = ["Y", "ja", 1]\n', ""), "columns.Owns.false", "false stands without true", "write true ="),
    (('false = ["N", 2]\n', ""), "columns.Owns.true", "true stands without false", "what is in neither is NULL"),
    (('["N", 2]', "[]"), "columns.Owns.false", "false has 0 words", "write 1 to 100"),
    (('["N", 2]', '["y"]'), "columns.Owns.false", "'y' is in true and in false", "leave it out of one"),
    (('["N", 2]', '["N "]'), "columns.Owns.false[0]", "'N ', not a word", "no space around"),
    (('["N", 2]', '["?"]'), "columns.Owns.false[0]", "'?', which is read as NULL", "leave it out"),
    (('["N", 2]', "[false]"), "columns.Owns.false[0]", "false, not a whole number or a text", "write values such as"),
    (('["N", 2]', '"N"'), "columns.Owns.false", "'N', not a list", "write false = ["),
    (('"%d.%m.%Y"', '"dd.mm.yyyy"'), "columns.Born.format", "which has no codes", '"%d/%m/%Y"'),
    (('"%d.%m.%Y"', '"%d.%m.%A"'), "columns.Born.format", "%A, which is not read", "%Y %y %m"),
    (('"%d.%m.%Y"', '"%d.%m.%"'), "columns.Born.format", "%, which is not read", "%% for %"),
    (('"%d.%m.%Y"', '"%d.%d.%Y"'), "columns.Born.format", "%d twice", "once"),
    (('"%d.%m.%Y"', '"%d.%m"'), "columns.Born.format", "no code for a year", "write %Y or %y"),
    (('"%d.%m.%Y"', '"%Y-%m"'), "columns.Born.format", "no code for a day", "write %d"),
    (('"%d.%m.%Y"', '"%d.%m.%b %Y"'), "columns.Born.format", "%m beside %b", "one of the two"),
    (('"%d.%m.%Y"', '"%d.%m.%Y %M"'), "columns.Born.format", "%M without %H or %I", "write %H too"),
    (('"%d.%m.%Y"', '"%d.%m.%Y %I"'), "columns.Born.format", "%I without %p", "write %p too"),
    (('"%d.%m.%Y"', '"%d.%m.%Y %z"'), "columns.Born.format", "%z without", "take %z out"),
    (('"%d.%m.%Y"', "7"), "columns.Born.format", "format is 7, not a text", "in quotes"),
    (('"%d.%m.%Y"', '"%d.%m.%Y\\n"'), "columns.Born.format", "not a short text", "write a format"),
    (('"Europe/Berlin"', '"Europe/Berln"'), "columns.Seen.zone", "a time zone that is not known here", 'write "Europe/Berlin"'),
    (('"Europe/Berlin"', '"europe/berlin"'), "columns.Seen.zone", "not known here", 'write "Europe/Berlin"'),
    (('"Europe/Berlin"', '"Europe"'), "columns.Seen.zone", "not known here", "write"),
    (('"Europe/Berlin"', '"localtime"'), "columns.Seen.zone", "not the name of a time zone", "Europe/Berlin"),
    (('"Europe/Berlin"', '"../../etc/passwd"'), "columns.Seen.zone", "not the name of a time zone", "Europe/Berlin"),
    (('"Europe/Berlin"', '"+02:00"'), "columns.Seen.zone", "not the name of a time zone", "Europe/Berlin"),
    (("max_length = 40", "max_length = 40\nper_unit = 1"), "columns.Name.per_unit", "not true or false", "per_unit = true"),
    (("max_length = 40", "max_length = 40\nper_unit = true"), "columns.Name.per_unit", "each row is one", "take per_unit out"),
    (("max_length = 40", "max_length = 0"), "columns.Name.max_length", "max_length is 0", "between 1 and"),
    (("[columns.Kids]", '[columns." Kids"]'), 'columns." Kids"', "not a name", "without space"),
    (("[columns.Kids]", '[columns.""]'), 'columns.""', "not a name", "printable"),
    (("[columns.Kids]", "[columns.INCOME]"), "columns.INCOME", "only in capitals", "rename one"),
    (("[columns.Kids]", "[columns]\nAge = 3\n[columns.Kids]"), "columns.Age", "Age is 3, not a table", "write Age"),
    (("[columns.Kids]", "[colums.Kids]"), "colums", "colums is not known in a facts file", "write columns"),
    (("[columns.Kids]", "[join.zip]\nsource = \"z.csv\"\n[columns.Kids]"), "join.zip.key", "key is missing", "write key"),
]


@pytest.mark.parametrize(("change", "key", "message", "hint"), TABLE + CSV + BUDGET + COLUMNS)
def test_a_broken_rule_is_named_with_file_line_key_and_fix(change, key, message, hint):
    text = spoilt(change)
    found = [problem for problem in check_facts(text, "ce_book.toml") if problem.key == key]
    assert found, check_facts(text, "ce_book.toml")
    [problem] = found
    assert message in problem.message
    assert hint in problem.hint
    assert str(problem.to_error()) == f"ce_book.toml line {problem.line}, {key}: {problem.message}; {problem.hint}"
    # the line is that of the key; of its table, where the key is missing; of the item that was put in
    leaf = key.rpartition(".")[2].partition("[")[0].strip('"')
    section = key.rpartition(".")[0].rpartition(".")[2].strip('"')
    assert any(word in text.split("\n")[problem.line - 1] for word in (leaf, section, change[1]) if word)


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ([ADD_REMOVE], "table.rows", "rows is private where neighbours is add_remove"),
        ([ADD_REMOVE, BY_COLUMN, ("rows = 994", "units = 9")], "table.units", "units is private"),
        ([BY_COLUMN], "table.rows", "rows does not go with a unit of a column"),
        ([BY_COLUMN, ("rows = 994\n", ""), ("max_rows = 10", "max_rows = 0")], "table.unit.max_rows", "max_rows is 0"),
        ([BY_COLUMN, ("rows = 994\n", ""), ("column =", "colum =")], "table.unit.colum", "colum is not known in unit"),
        ([("delta = 1e-6\n", ""), NO_PER_ANALYST], "budget.accounting", "needs a delta"),
        ([("delta = 1e-6", "delta = 0"), NO_PER_ANALYST], "budget.accounting", "needs a delta"),
        ([RHO, ('"concentrated"', '"basic"'), NO_PER_ANALYST], "budget.accounting", "basic, which does not count rho"),
        ([RHO], "budget.per_analyst", "another kind of loss"),
        ([NO_CSV, ("data/ce_book.csv", "postgresql://host/db#s.t")], "budget.partition", "needs a source that can be pinned"),
        ([NO_CSV, ("data/ce_book.csv", "spark:main.ce")], "budget.partition", "needs a source that can be pinned"),
        ([NO_CSV, ("ce_book.csv", "ce_book.tsv")], "csv.delimiter", "'data/ce_book.tsv' does not tell it"),
        ([("header = true", 'header = false\nnames = ["UrbanRural"]')], "columns.Income", "not in the names of [csv]"),
    ],
)
def test_facts_that_contradict_each_other_are_named(changes, key, message):
    found = {problem.key: problem for problem in check_facts(spoilt(*changes), "x.toml")}
    assert message in found[key].message
    assert found[key].hint


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [ROWS_ABOUT],
        [ROWS_ABOUT, ADD_REMOVE],
        [("rows = 994\n", "")],
        [BY_COLUMN, ("rows = 994", "units = 300")],
        [BY_COLUMN, ROWS_ABOUT, ADD_REMOVE],
        [BY_COLUMN, ROWS_ABOUT, *((f'type = "{kind}"', f'type = "{kind}"\nper_unit = true') for kind in PER_UNIT)],
        [("null = 0.1", "null = 0")],
        [("null = 0.1", "null = 1_000_000.5")],
        [("lower = 0\n", "")],
        [("lower = -1\nupper = 10\n", "")],
        [("lower = -1", "lower = -9223372036854775808")],
        [("upper = 10", "upper = 1e1")],
        [("1900-01-01", '"1900-01-01"')],
        [NO_CSV, ("ce_book.csv", "part-*.parquet")],
        [NO_CSV, NO_PARTITION, ("data/ce_book.csv", "postgresql://host/db#s.t")],
        [('encoding = "latin-1"\n', "")],
    ],
)
def test_what_the_rules_allow_is_read(changes):
    text = spoilt(*changes)
    assert check_facts(text, "x.toml") == ()
    assert parse_facts(text, "x.toml").name == "ce_book"


def test_all_problems_are_found_at_once_from_top_to_bottom():
    numbers = [("rows = 994", "rows = 0"), ("epsilon = 2.2", "epsilon = nan"), ("lower = 0", "lower = 2e6")]
    text = spoilt(*numbers, ("null = false", "null = 3"))
    assert [(problem.line, problem.key) for problem in check_facts(text, "x.toml")] == [
        (7, "table.rows"),
        (18, "budget.epsilon"),
        (36, "columns.Income.upper"),
        (37, "columns.Income.null"),
        (56, "columns.Owns.null"),
    ]


def test_an_empty_file_misses_three_tables():
    assert [(problem.key, problem.line) for problem in check_facts("", "x.toml")] == [("table", 1), ("budget", 1), ("columns", 1)]
    without = check_facts(SOUND[: SOUND.index("[columns")] + "[columns]", "x.toml")
    assert "there are no columns" in [problem.message for problem in without]


def test_a_misspelt_key_is_not_called_missing_too():
    [problem] = check_facts(spoilt(("name = ", "nmae = ")), "x.toml")
    assert str(problem.to_error()) == "x.toml line 2, table.nmae: nmae is not known in [table]; write name"
