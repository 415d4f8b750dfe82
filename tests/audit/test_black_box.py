"""The black box flags what is wrong, stays silent about what is right, and says how much it can see."""

import math

import numpy as np
import pytest
from tests.audit import broken, correct

import discreet as dc
from discreet.audit import foreign
from discreet.audit.black import findings_of
from discreet.audit.events import Event, happened
from discreet.audit.features import Feature, Sample
from discreet.testing import seeded

ALPHA = "0.001"


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", broken.BATCHES, ids=lambda each: each.__name__)
def test_a_broken_mechanism_is_flagged_by_what_is_broken_about_it(mechanism):
    with seeded(1):
        found = dc.audit(*mechanism(), epsilon=1, batch=True, samples=broken.SAMPLES.get(mechanism, 300_000), alpha=ALPHA)
    assert found.verdict == "violation"
    assert any(each.event.startswith(broken.BATCHES[mechanism]) and each.at_least > 1 for each in found.findings), found


@pytest.mark.parametrize("mechanism", broken.CALLS, ids=lambda each: each.__name__)
def test_what_leaks_through_something_else_than_a_number_is_flagged(mechanism):
    with seeded(1):
        found = dc.audit(*mechanism(), epsilon=1, samples=500, alpha=ALPHA)
    assert found.verdict == "violation"
    assert any(each.event.startswith(broken.CALLS[mechanism]) and each.at_least > 1 for each in found.findings), found


@pytest.mark.slow
@pytest.mark.parametrize("name", correct.BATCHES)
def test_a_correct_mechanism_is_not_flagged_and_most_of_its_loss_is_seen(name):
    claim, one, other = correct.BATCHES[name]
    with seeded(2):
        found = dc.audit(one, other, claim, batch=True, samples=200_000, alpha=ALPHA)
    assert found.verdict == "no violation found"
    assert "is private" not in repr(found)
    assert found.at_least > 0.4 * dc.audit.claims.size(found.claim)


@pytest.mark.slow
@pytest.mark.parametrize("name", correct.CALLS)
def test_a_correct_selection_is_not_flagged(name):
    claim, one, other = correct.CALLS[name]
    with seeded(3):
        found = dc.audit(one, other, claim, samples=1500, alpha=ALPHA)
    assert found.verdict == "no violation found"
    assert found.at_least > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "one_event", "ten_events"), [("1", 0.99, 0.98), ("0.1", 0.09, 0.085)])
def test_a_million_samples_show_nearly_all_of_a_laplace_loss(epsilon, one_event, ten_events):
    noise, size = dc.Laplace(epsilon=epsilon, sensitivity=1), 1_000_000
    with seeded(4):
        one, other = (Sample(noise.release(np.full(size, value))) for value in (1, 0))
    best = Event(Feature("number", "value"), at_least=1.0)
    others = [Event(Feature("number", "value"), at_least=float(t)) for t in range(-4, 6) if t != 1]
    claim = dc.Pure(epsilon=epsilon)
    alone, among_ten = findings_of([best], one, other, claim, 0.05), findings_of([best, *others], one, other, claim, 0.001)
    assert float(epsilon) >= alone[0].at_least >= one_event
    assert len(among_ten) == 10
    assert float(epsilon) >= among_ten[0].at_least >= ten_events


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "least"), [("1", 0.98), ("0.1", 0.085)])
def test_events_that_were_chosen_show_as_much_as_the_best_one(epsilon, least):
    noise = dc.Laplace(epsilon=epsilon, sensitivity=1)
    with seeded(5):
        found = dc.audit(*foreign(lambda value, n: noise.release(np.full(n, value)), 1, 0), epsilon=epsilon, batch=True,
                         alpha=ALPHA)  # fmt: skip
    assert found.samples == 1_000_000
    assert float(epsilon) >= found.at_least >= least


@pytest.mark.parametrize("claim", [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-3"}, {"rho": "0.5"}, {"mu": 1}])
def test_every_kind_of_claim_is_refuted_by_noise_a_third_as_wide(claim):
    random = np.random.default_rng(1)
    found = dc.audit(lambda n: random.normal(size=n).round(2) / 3, lambda n: 1 + random.normal(size=n).round(2) / 3, **claim,
                     batch=True, samples=20_000)  # fmt: skip
    assert found.found_violation
    assert found.to_dict()["verdict"] == "violation"


def test_a_rho_claim_is_refuted_by_an_event_that_its_epsilon_curve_allows_but_no_divergence_does():
    event = Event(Feature("number", "value"), at_least=1.0)
    one, other = Sample(np.repeat([0.0, 1.0], [2_000, 8_000])), Sample(np.repeat([0.0, 1.0], [8_000, 2_000]))
    shown = findings_of([event], one, other, dc.Concentrated(rho="0.1"), 0.001)[0].at_least
    kl = 0.6 * math.log(4)
    assert 0.85 * kl < shown  # the divergence of order 1 is one of those that count
    assert shown > findings_of([event], one, other, dc.Concentrated(rho="0.1"), 1e-6)[0].at_least


def test_whether_a_number_is_on_the_claimed_grid_is_looked_at():
    noise = dc.Laplace(epsilon=1, sensitivity=1)
    off = dc.audit(lambda: noise.release(5) + 0.5, lambda: noise.release(5), epsilon=1, samples=300, grid=1)
    assert any(each.event.startswith("value on the grid of 1 is") for each in off.findings)
    assert off.found_violation


def test_time_is_looked_at_only_when_asked_for():
    import time

    one, other = lambda: 1, lambda: time.sleep(0.002)
    assert not any(each.event.startswith("time") for each in dc.audit(one, other, epsilon=1, samples=60).findings)
    assert any(each.event.startswith("time") for each in dc.audit(one, other, epsilon=1, samples=60, timed=True).findings)


def test_an_event_is_a_function_of_one_outcome_and_not_of_the_sample_it_is_in():
    whole, mixed = Sample(np.array([2.0, 4.0])), Sample(np.array([2.0, 4.0, 0.3]))
    event = Event(Feature("lowest bit", "value"), at_least=0.0)
    assert happened(event, whole) == happened(event, mixed) == 2
    missing = Event(Feature("key", "'a'"), one_of=frozenset(["missing"]))
    assert happened(missing, Sample([{"b": 1}, {}])) == 2


def test_lowest_bits_are_those_of_the_float():
    values = np.array([1.0, 0.75, 3.0, 0.1, 0.0, np.nan, np.inf, -2.5, 5e-324, 2.0**60])
    found = Feature("lowest bit", "value").values(Sample(values))
    expected = [0, -2, 0, -55, None, None, None, -1, -1074, 60]
    assert [None if math.isnan(each) else int(each) for each in found] == expected


def test_a_chart_and_json_say_the_same(tmp_path):
    random = np.random.default_rng(1)
    sides = foreign(lambda high, n: random.integers(0, high, n), 2, 3)
    found = dc.audit(*sides, epsilon="0.1", batch=True, samples=2000)
    told = found.to_dict()
    assert told["claim"] == {"epsilon": "0.1"}
    assert [each["event"] for each in told["events"]] == [each.event for each in found.findings]
    chart = found.chart(80)
    assert found.findings[0].event[:20] in chart
    assert max(map(len, chart.splitlines())) <= 80


@pytest.mark.slow
def test_a_chart_is_saved_as_a_picture_and_as_text(part, tmp_path):
    part("vl_convert")
    from discreet.audit.charts import save

    found = dc.audit(lambda: 1, lambda: 2, epsilon=1, samples=50)
    drawn = save(found, tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert all(words in drawn for words in ("violation: ε ≥", "most allowed", "probability of the event"))
    assert save(found, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "violation" in save(found, tmp_path / "a.txt").read_text(encoding="utf-8")
    with pytest.raises(dc.ParameterError, match=r"cannot be saved as \.gif"):
        save(found, tmp_path / "a.gif")
