"""The ledger at length: a thousand kills at random instants across reserve, run and settle."""

import pytest
from tests.ledger.killing import check_the_end, killing, registered


@pytest.mark.soak
def test_a_thousand_kills_lose_no_charge_and_deliver_one_answer_each(tmp_path):
    file = registered(tmp_path)
    check_the_end(file, killing(file, 1000))
