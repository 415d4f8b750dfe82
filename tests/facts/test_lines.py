"""The line finder against texts whose lines can be counted by eye, and against tomllib itself."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.facts.lines import key_text, line_of, lines_of

TEXT = '''\
# a comment with [brackets] and a = "b"
top = 1

[table]
name = "ce"                # = 3
description = """
[not.a.table]
lower = 9
"""
unit = { column = "h", max_rows = 10,
         "max groups" = 3 }

[columns."Marital Status"]
values = [   # one
  "a # b",
  "c, ]", 'd',

  "e"
]
[columns.Income]
bounds.lower = 0
bounds . "upp\\"er" = 1.5
when = 2017-01-31 12:00:00
nested = [[1, 2],
          [3, { deep = [
             4] }]]
'''

LINES = {
    (): 1,
    ("top",): 2,
    ("table",): 4,
    ("table", "name"): 5,
    ("table", "description"): 6,
    ("table", "unit"): 10,
    ("table", "unit", "column"): 10,
    ("table", "unit", "max_rows"): 10,
    ("table", "unit", "max groups"): 11,
    ("columns",): 13,
    ("columns", "Marital Status"): 13,
    ("columns", "Marital Status", "values"): 14,
    ("columns", "Marital Status", "values", 0): 15,
    ("columns", "Marital Status", "values", 1): 16,
    ("columns", "Marital Status", "values", 2): 16,
    ("columns", "Marital Status", "values", 3): 18,
    ("columns", "Income"): 20,
    ("columns", "Income", "bounds"): 21,
    ("columns", "Income", "bounds", "lower"): 21,
    ("columns", "Income", "bounds", 'upp"er'): 22,
    ("columns", "Income", "when"): 23,
    ("columns", "Income", "nested"): 24,
    ("columns", "Income", "nested", 0): 24,
    ("columns", "Income", "nested", 0, 0): 24,
    ("columns", "Income", "nested", 0, 1): 24,
    ("columns", "Income", "nested", 1): 25,
    ("columns", "Income", "nested", 1, 0): 25,
    ("columns", "Income", "nested", 1, 1): 25,
    ("columns", "Income", "nested", 1, 1, "deep"): 25,
    ("columns", "Income", "nested", 1, 1, "deep", 0): 26,
}


def paths(value, path=()):
    """Every key path of a document that tomllib read."""
    found = {path}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found |= paths(inner, (*path, key))
    return found


def test_every_key_is_found_on_its_line():
    assert lines_of(TEXT) == LINES


def test_the_finder_knows_the_same_keys_as_tomllib():
    one_line = TEXT.replace("max_rows = 10,\n", "max_rows = 10,")  # TOML 1.0 keeps an inline table on one line
    assert paths(tomllib.loads(one_line)) == set(lines_of(one_line))


def test_a_missing_key_is_looked_for_in_what_it_would_stand_in():
    lines = lines_of(TEXT)
    assert line_of(lines, ("columns", "Income", "upper")) == 20
    assert line_of(lines, ("columns", "Age", "upper")) == 13
    assert line_of(lines, ("budget", "epsilon")) == 1


def test_keys_are_shown_as_toml_writes_them():
    assert key_text(("columns", "Income", "upper")) == "columns.Income.upper"
    assert key_text(("columns", "Marital Status", "values", 2)) == 'columns."Marital Status".values[2]'
    assert key_text(("a", 'b"c\\')) == 'a."b\\"c\\\\"'
    assert key_text(()) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a = """one\ntwo"""\nkey = 1', 3),
        ("a = '''one\ntwo\\'''\nkey = 1", 3),
        ('a = """"two" quotes"""""\nkey = 1', 2),
        ('a = "\\""\nkey = 1', 2),
        ("a = [ # ]\n]\nkey = 1", 3),
        ("a = []\n\n\n'key' = 1", 4),
        ('"k\\u0065y" = 1', 1),
        ("[[a]]\nb = 1\n[[a]]\nb = 2\n[x]\n[key]", 6),
    ],
)
def test_strings_comments_and_brackets_do_not_lead_astray(text, line):
    tomllib.loads(text)
    assert lines_of(text)[("key",)] == line


@given(st.text(alphabet="ab.=[]{}\"'\\#,\n 1", max_size=40))
def test_any_text_at_all_comes_to_an_end(text):
    lines = lines_of(text)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
    try:
        document = tomllib.loads(text)
    except ValueError:
        return
    if not re.search(r"^ *\[\[", text, re.MULTILINE):  # the items of a [[repeated]] table are not told apart
        assert paths(document) == set(lines)


def test_items_of_repeated_tables_are_told_apart():
    text = '[a]\nx = 1\n[[q]]\nname = 1\n[q.in]\ny = 2\n[[q]]\nname = 3\n[[q.deep]]\nz = 4\n[[q.deep]]\nz = 5\n[[r]]\n'
    found = lines_of(text)
    assert [line_of(found, path) for path in (("q",), ("q", 0), ("q", 0, "name"), ("q", 0, "in", "y"))] == [3, 3, 4, 6]
    assert [line_of(found, path) for path in (("q", 1), ("q", 1, "name"), ("q", 1, "missing"))] == [7, 8, 7]
    assert [line_of(found, path) for path in (("q", 1, "deep", 0, "z"), ("q", 1, "deep", 1, "z"), ("r", 0))] == [10, 12, 13]
