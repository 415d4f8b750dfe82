"""The laws of neighbours at length: as in `make test`, but thirty times as many examples, on DuckDB beside the reference."""

import pytest
from tests.laws import (
    engines_of_laws,
    test_joins,
    test_neighbouring_bounds,
    test_neighbouring_keys,
    test_neighbours,
    test_private_joins,
    test_units,
)

pytestmark = pytest.mark.soak
TIMES = 30
RELATIONS = ["add_remove", "change_one"]
LAWS = [
    test_neighbours.test_exact_aggregates_of_neighbours_differ_by_no_more_than_the_planned_sensitivity,
    test_units.test_statistics_of_tables_that_differ_in_one_unit_differ_by_no_more_than_the_planned_sensitivity,
    test_units.test_columns_declared_constant_per_unit_move_nothing_further_than_planned_where_the_rows_say_otherwise,
    test_joins.test_joined_tables_that_differ_in_one_row_differ_by_no_more_than_the_planned_sensitivity,
    test_joins.test_joined_tables_that_differ_in_one_unit_differ_by_no_more_than_the_planned_sensitivity,
    test_private_joins.test_two_joined_tables_that_differ_in_one_unit_differ_by_no_more_than_the_planned_sensitivity,
    test_neighbouring_keys.test_rows_move_one_count_or_two,
]


@pytest.fixture(autouse=True)
def at_length(monkeypatch):
    monkeypatch.setattr(engines_of_laws, "TIMES", TIMES)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__.removeprefix("test_"))
def test_the_law_holds_at_length(law, relation):
    law(relation, "both")


@pytest.mark.parametrize("relation", RELATIONS)
def test_laws_of_keys_and_bounds_hold_at_length(relation):
    for groups in (1, 2):
        test_neighbouring_keys.test_all_rows_of_one_unit_move_as_many_counts_as_it_may_have_keys(relation, groups, "both")
    for rows_of_unit in (1, 3):
        law = test_neighbouring_bounds.test_choices_of_bounds_differ_by_one_unit_and_given_the_same_bounds_so_does_all_else
        law(relation, rows_of_unit, "both")
