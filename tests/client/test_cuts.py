"""A connection that is cut on the way: charged once, answered once. tests/soak/test_cuts.py cuts it at every byte."""

from itertools import pairwise

import pytest
from tests.client.cutting import cut_at, served, sizes

import discreet as dc

__all__ = ["served"]  # a fixture


@pytest.mark.slow
def test_a_connection_cut_on_the_way_is_charged_once_and_answered_once(served):
    request, response = sizes(served)
    cuts = [*range(0, request, 7), request - 1, request]
    cut_at(served, "request", cuts)
    told = [*range(0, response, 31), *range(response - 3, response)]
    cut_at(served, "response", told)
    assert served[1].cuts == len(cuts) + len(told)
    with dc.connect(f"{served[1].address}/people", token=served[0].alice) as table:
        kept, before = [], None
        while page := table.history(100, before=before):
            kept, before = [*kept, *page], page[-1]["id"]
        assert len({each["id"] for each in kept}) == served[1].asked
        assert all(one["at"] >= other["at"] for one, other in pairwise(kept))
