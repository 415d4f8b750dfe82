"""The ledger at length: kills at random instants across reserve, run and settle, and images of lost power."""

import pytest
from tests.ledger.killing import check_the_end, killing, registered
from tests.ledger.power import losses

from discreet.ledger import database

pytestmark = pytest.mark.soak


def test_two_thousand_kills_lose_no_charge_and_deliver_one_answer_each(tmp_path):
    file = registered(tmp_path)
    check_the_end(file, killing(file, 2000))


def test_five_hundred_images_of_lost_power_hold_all_that_was_told(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_LONGEST_LOG", 200_000)
    hits = {}
    for seed in range(5):
        lost, hit = losses(tmp_path / str(seed), questions=30, images=100, seed=seed)
        hits |= {what: hits.get(what, 0) + many for what, many in hit.items()}
        assert lost == 0
    print(f"\n  {hits}")
