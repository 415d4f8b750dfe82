"""The ledger at length: kills at random instants across reserve, run and settle, and images of lost power."""

import pytest
from tests.ledger.killing import check_the_end, killing, registered
from tests.ledger.power import losses
from tests.ledger.test_streams import filled, measured

from discreet.ledger.sqlite import database

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


def test_verifying_and_exporting_185_000_entries_takes_less_than_200_megabytes(tmp_path):
    filled(tmp_path / "short", 100)
    filled(tmp_path / "long", 185_000)
    ok, entries, lines, before, after = measured(tmp_path)
    print(f"\n  {before:.0f} MB, then {after:.0f} MB")
    assert (ok, entries, lines) == (True, 185_001, 185_001)
    assert after < 200
    assert after - before < 16
