"""What is said of a header that lacks a column."""

import pytest

from discreet.engines.duckdb.lines import places_of
from discreet.errors import FactsError


@pytest.mark.parametrize(("header", "hint"), [
    (["Region;Name"], "its header was read as one column, with ';' inside: write csv = { delimiter = \";\" }"),
    (["Region\tName"], "its header was read as one column, with '\\t' inside: write csv = { delimiter = \"\\t\" }"),
    (["Name", "Zip;Code"], "correct the name in the facts, or take the column out"),
])
def test_a_header_that_another_delimiter_parts_is_known_by_it(header, hint):
    with pytest.raises(FactsError) as refused:
        places_of(["Region"], header)
    assert refused.value.hint == hint
