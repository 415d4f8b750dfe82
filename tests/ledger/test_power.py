"""The power goes at any moment: nothing that was told is lost. Five hundred images are in tests/soak/test_ledger.py."""

import pytest
from tests.ledger.power import losses

from discreet.ledger.sqlite import database

pytestmark = pytest.mark.slow


def test_forty_images_of_lost_power_hold_all_that_was_told(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_LONGEST_LOG", 200_000)                  # the log is emptied now and then
    lost, hit = losses(tmp_path, questions=15, images=40, seed=1)
    print(f"\n  {dict(hit)}")
    assert lost == 0
    assert hit["write ledger.db-wal"] >= 3


def test_images_of_a_ledger_that_does_not_wait_for_the_disk_are_found_to_have_lost_something(tmp_path, monkeypatch):
    careless = [each.replace("synchronous = FULL", "synchronous = OFF") for each in database._SETTINGS]
    monkeypatch.setattr(database, "_SETTINGS", careless)
    monkeypatch.setattr(database, "_LONGEST_LOG", 200_000)
    lost, _ = losses(tmp_path, questions=15, images=40, seed=1)
    print(f"\n  {lost} of 40")
    assert lost >= 10
