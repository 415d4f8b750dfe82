"""Drafts of facts files: sound TOML whatever the names, refused until completed, and nothing in them but names and types."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.facts.draft import Drafted, draft_facts, table_name, unusable
from discreet.facts.file import check_facts
from discreet.facts.model import CsvFormat

GUESSES = ("number", "integer", "boolean", "date", "timestamp", "text")
columns = st.lists(st.builds(Drafted, st.text(max_size=12), st.sampled_from(GUESSES)), min_size=1, max_size=6)


@pytest.mark.slow
@given(columns, st.text(min_size=1, max_size=10))
def test_whatever_the_names_a_draft_is_sound_toml_with_the_usable_ones(found, source):
    document = tomllib.loads(draft_facts("t", source, found, check="t.toml"))
    skipped = unusable(found)
    assert list(document.get("columns", {})) == [column.name for place, column in enumerate(found) if place not in skipped]
    assert document["table"]["source"] == source


@pytest.mark.slow
@given(columns)
def test_a_draft_is_refused_at_each_place_that_a_person_has_to_fill_and_nowhere_else(found):
    text = draft_facts("t", "t.csv", found, check="t.toml")
    lines = text.splitlines()
    expected = [place for place, line in enumerate(lines, 1) if '= "TODO"' in line]
    problems = check_facts(text, "t.toml")
    names = [problem for problem in problems if "'TODO'" not in problem.message and "columns" not in problem.message]
    assert names == []
    assert [problem.line for problem in problems if "'TODO'" in problem.message] == expected
    assert len(expected) >= 3


@given(st.text(max_size=80))
def test_a_table_s_name_is_always_one_that_sql_needs_no_quotes_for(stem):
    assert table_name(stem).isidentifier()
    assert len(table_name(stem)) <= 63


@pytest.mark.parametrize(
    ("stem", "name"), [("people", "people"), ("Census 2020", "census_2020"), ("2020", "t_2020"), ("é", "t"), ("", "t")]
)
def test_names_of_tables_follow_the_file(stem, name):
    assert table_name(stem) == name


def test_comments_are_given_once():
    text = draft_facts("t", "t.csv", [Drafted(name, "number") for name in "abc"], check="t.toml")
    assert text.count("known without") == 1
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_how_a_file_is_written_is_said_only_where_it_is_unusual():
    plain = draft_facts("t", "t.csv", [Drafted("a", "text")], check="t.toml")
    assert "csv" not in tomllib.loads(plain)
    form = CsvFormat(delimiter="\t", encoding="latin-1", header=False, names=("a", 'b"c'))
    odd = tomllib.loads(draft_facts("t", "t.tsv", [Drafted("a", "text")], check="t.toml", csv=form))
    assert odd["csv"] == {"delimiter": "\t", "encoding": "latin-1", "header": False, "names": ["a", 'b"c']}
