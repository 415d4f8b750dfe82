"""By whose public time a charge is settled, and what the log says of what takes longer."""

import logging
from fractions import Fraction
from types import SimpleNamespace

import pytest

from discreet.curator import orders, pace
from discreet.errors import Fault


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_charge_that_is_gone_on_with_is_settled_at_its_own_public_time(is_resumed):
    """Else whoever finds a dead worker's long question by a short one would see how long it really took."""
    its, finders, paced = SimpleNamespace(question=1), SimpleNamespace(question=2), []

    def settled(*_):
        raise Fault("of the engine")

    desk = SimpleNamespace(
        pace=lambda plan: paced.append(plan) or (lambda: None), settled=settled, failed=lambda _, fault: fault,
        stock=SimpleNamespace(purchase_of=lambda _: SimpleNamespace(plan=its)),
    )  # fmt: skip
    granted = SimpleNamespace(is_resumed=is_resumed, request="r", charge=1)
    order = SimpleNamespace(desk=desk, plan=finders, confidence=Fraction(1, 2), simultaneous=False)
    with pytest.raises(Fault):
        orders._run([orders._Work(granted, order, SimpleNamespace(plan=finders))], lambda _: None)
    assert paced == [its if is_resumed else finders]


@pytest.mark.parametrize(("taken", "level"), [(0.5, None), (1.5, "INFO"), (2.5, "WARNING")])
def test_one_doubling_of_the_public_time_is_nothing_to_be_warned_of(monkeypatch, caplog, taken, level):
    clock = iter((0.0, taken, taken))
    monkeypatch.setattr(pace, "monotonic", lambda: next(clock))
    monkeypatch.setattr(pace, "sleep", lambda _: None)
    monkeypatch.setattr(pace, "public_seconds", lambda _: 1.0)
    with caplog.at_level(logging.INFO, "discreet.curator"):
        pace.Pace(None).wait()
    assert [each.levelname for each in caplog.records] == ([] if level is None else [level])
