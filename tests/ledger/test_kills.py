"""Sudden death at any instant: nothing that was delivered is without its charge, and nothing is charged or answered twice.

Two thousand kills are in tests/soak/test_ledger.py.
"""

import pytest
from tests.ledger.killing import check_the_end, killing, registered


@pytest.mark.slow
def test_forty_kills_lose_no_charge_and_deliver_one_answer_each(tmp_path):
    file = registered(tmp_path)
    check_the_end(file, killing(file, 40))
