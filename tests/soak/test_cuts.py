"""A connection that is cut at every byte of a request and of a response: charged once, answered once."""

import pytest
from tests.client.cutting import cut_at, served, sizes

pytestmark = pytest.mark.soak
__all__ = ["served"]  # a fixture


def test_a_connection_cut_at_every_byte_is_charged_once_and_answered_once(served):
    request, response = sizes(served)
    cut_at(served, "request", range(request + 1))
    cut_at(served, "response", range(response + 1))
    print(f"cut at every byte of {request} of a request and {response} of a response")
