"""What every ledger promises: charged first, all or none, replays free, one answer for each charge, faults final."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from threading import Event

import numpy as np
import pytest
from tests.ledger.made import made_facts, request

import discreet as dc
from discreet.answers import Allowance
from discreet.ledger import failures, owners, registry
from discreet.ledger.entries.charges import Granted, Stored
from discreet.ledger.records import ChargeRecord
from discreet.ledger.verify import verify

RELEASED = (np.array([[[41, -(2**70)]]], dtype=object), np.array([[[7]]], dtype=np.int64))


def settle(ledger, granted, released=RELEASED):
    return ledger.settle(granted, released, {"question": granted.request.question})


def spent(ledger, table="t"):
    return ledger.state(table).spent.epsilon


def answered(ledger, what="q", epsilon="1/10", **more):
    """Charged and settled."""
    (granted,) = ledger.reserve([request(what, epsilon, **more)])
    assert isinstance(granted, Granted)
    return settle(ledger, granted)


@pytest.fixture
def dead(monkeypatch):
    """Until called, everybody lives; then every worker so far is dead."""

    def dies():
        monkeypatch.setattr(owners, "is_dead", lambda who, lease, clock: True)

    return dies


def test_a_charge_stands_before_its_answer_and_without_it(ledger):
    ledger.reserve([request()])
    assert spent(ledger) == Fraction(1, 10)
    assert ledger.known([request()]) == [None]


def test_a_settled_answer_comes_back_as_it_was_for_the_same_or_a_lower_price_and_costs_nothing(ledger):
    first = answered(ledger)
    for epsilon in ("1/10", "1/20"):
        (again,) = ledger.reserve([request("q", epsilon, analyst="bob")])
        assert isinstance(again, Stored)
        assert (again.id, again.receipt) == (first.id, first.receipt)
        assert [vector.tolist() for vector in again.released] == [vector.tolist() for vector in RELEASED]
    assert spent(ledger) == Fraction(1, 10)


def test_the_most_precise_stored_answer_is_the_one_that_comes_back(ledger):
    answered(ledger, epsilon="1/10")
    best = answered(ledger, epsilon="3/10")
    answered(ledger, what="other", epsilon="1/2")
    assert ledger.reserve([request("q", "1/10")])[0].id == best.id
    assert spent(ledger) == Fraction(9, 10)


@pytest.mark.parametrize("change", [{"epsilon": "1/5"}, {"what": "p"}])
def test_a_higher_price_or_another_question_is_a_new_charge(ledger, change):
    answered(ledger)
    (granted,) = ledger.reserve([request(**({"what": "q"} | change))])
    assert isinstance(granted, Granted)


def test_pure_and_approximate_answers_do_not_stand_for_each_other(empty_ledger):
    registry.register(empty_ledger, made_facts(budget="epsilon = 10\ndelta = 0.001"), [])
    answered(empty_ledger, epsilon="1")
    (granted,) = empty_ledger.reserve([request(epsilon="1/2", delta="1e-6")])
    assert isinstance(granted, Granted)
    settle(empty_ledger, granted)
    assert isinstance(empty_ledger.reserve([request(epsilon="1/2", delta="1e-7")])[0], Stored)
    assert isinstance(empty_ledger.reserve([request(epsilon="1/2", delta="1e-5")])[0], Granted)
    assert empty_ledger.state("t").spent == dc.Approximate(epsilon=2, delta=Fraction(11, 10**6))


def test_a_batch_is_charged_whole_or_not_at_all(ledger):
    with pytest.raises(dc.BudgetError):
        ledger.reserve([request("a", "3/5"), request("b", "3/5")])
    assert spent(ledger) == 0
    first, second, third = ledger.reserve([request("a", "2/5"), request("b", "3/5"), request("a", "2/5")])
    assert (first.charge, spent(ledger)) == (third.charge, 1)
    assert first.charge != second.charge


def test_one_question_at_two_prices_in_a_batch_is_refused(ledger):
    with pytest.raises(dc.ParameterError, match="twice"):
        ledger.reserve([request("a", "1/5"), request("a", "1/10")])
    assert spent(ledger) == 0


def test_the_cap_can_be_spent_to_exactly_zero_in_thirds_and_not_beyond(ledger):
    for what in "abc":
        ledger.reserve([request(what, "1/3")])
    assert ledger.state("t").remaining == dc.Pure(epsilon=0)
    with pytest.raises(dc.BudgetError, match="epsilon 0 is left"):
        ledger.reserve([request("d", "0.000000000001")])
    assert spent(ledger) == 1


def test_forty_decimals_are_counted_exactly(ledger):
    tiny = "0." + "0" * 9 + "1234567890123456789012345678901"
    left = "0." + "9" * 9 + "8765432109876543210987654321099"
    ledger.reserve([request("a", tiny)])
    assert spent(ledger) == Fraction(tiny)
    with pytest.raises(dc.BudgetError):
        ledger.reserve([request("b", left[:-1] + "99")])
    ledger.reserve([request("c", left)])
    assert ledger.state("t").remaining == dc.Pure(epsilon=0)


@pytest.mark.slow
def test_prices_with_ever_new_denominators_never_count_for_less_and_their_sum_stays_short(empty_ledger):
    registry.register(empty_ledger, made_facts(budget="epsilon = 100"), [])
    total = Fraction(0)
    primes = [n for n in range(10**9, 10**9 + 4000) if all(n % k for k in range(2, 4000))][:60]
    for place, prime in enumerate(primes):
        total += Fraction(1, prime)
        empty_ledger.reserve([request(str(place), f"1/{prime}")])
    kept = spent(empty_ledger)
    assert total <= kept <= total + Fraction(1, 10**50)
    assert kept.denominator.bit_length() < 1200
    assert verify(empty_ledger).ok


# ---- who is working on it


def test_only_the_running_attempt_settles_and_the_late_one_gets_the_stored_answer(ledger, dead):
    (first,) = ledger.reserve([request()])
    dead()
    (second,) = ledger.reserve([request()])
    assert (second.charge, second.attempt, second.is_resumed) == (first.charge, 2, True)
    stored = settle(ledger, second, (np.array([[[5]]], dtype=object),))
    late = settle(ledger, first, (np.array([[[999]]], dtype=object),))
    assert (late.id, late.released[0].item()) == (stored.id, 5)
    assert spent(ledger) == Fraction(1, 10)
    assert verify(ledger).ok


def test_a_late_attempt_gives_up_when_nobody_is_left_to_wait_for(ledger, dead):
    (first,) = ledger.reserve([request()])
    dead()
    ledger.reserve([request()])
    with pytest.raises(dc.LedgerFault, match="taken over"):
        settle(ledger, first)


def test_a_late_attempt_waits_for_the_one_that_took_over(ledger, monkeypatch):
    (first,) = ledger.reserve([request()])
    with monkeypatch.context() as patch:
        patch.setattr(owners, "is_dead", lambda *words: True)
        (second,) = ledger.reserve([request()])
    with ThreadPoolExecutor() as pool:
        late = pool.submit(settle, ledger, first)
        time.sleep(0.1)
        assert not late.done()
        stored = settle(ledger, second)
        assert late.result(60).id == stored.id


def test_the_same_question_waits_while_it_is_being_worked_on(ledger):
    (granted,) = ledger.reserve([request()])
    begun = Event()

    def second():
        begun.set()
        return ledger.reserve([request("q", "1/20")])[0]

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(second)
        begun.wait(60)
        time.sleep(0.1)
        assert not waiting.done()
        stored = settle(ledger, granted)
        assert waiting.result(60).id == stored.id
    assert spent(ledger) == Fraction(1, 10)


def test_a_charge_is_resumed_three_times_and_then_given_up(ledger, dead):
    (granted,) = ledger.reserve([request()])
    dead()
    for attempt in (2, 3, 4):
        (again,) = ledger.reserve([request()])
        assert (again.charge, again.attempt) == (granted.charge, attempt)
    assert spent(ledger) == Fraction(1, 10)
    (new,) = ledger.reserve([request()])
    assert (new.charge != granted.charge, new.attempt) == (True, 1)
    assert spent(ledger) == Fraction(1, 5)
    assert verify(ledger).ok


def test_a_charge_with_a_key_that_crashed_too_often_is_not_charged_again(ledger, dead):
    ledger.reserve([request(key="k")])
    dead()
    for _ in range(3):
        ledger.reserve([request(key="k")])
    with pytest.raises(dc.LedgerFault, match="another key"):
        ledger.reserve([request(key="k")])
    assert spent(ledger) == Fraction(1, 10)


def test_recovering_charges_nothing_and_writes_off_what_was_tried_too_often(ledger, dead):
    ledger.reserve([request("a"), request("b", "1/5")])
    dead()
    for attempt in (2, 3, 4):
        assert [each.fingerprint for each in ledger.abandoned("t")] == ["a", "b"]
        assert [each.attempt for each in ledger.taken_over("t")] == [attempt, attempt]
    assert ledger.abandoned("t") == []
    assert ledger.taken_over("t") == []
    assert ledger.taken_over("t") == []
    assert spent(ledger) == Fraction(3, 10)
    assert verify(ledger).ok


def test_what_a_crash_left_is_recovered_although_a_dearer_answer_is_stored_and_its_asker_frozen(ledger, dead):
    ledger.reserve([request("a", "1/10", analyst="alice")])
    answered(ledger, "a", "1/5")
    registry.freeze(ledger, "t", "a test", analyst="alice")
    dead()
    (granted,) = ledger.taken_over("t")
    settle(ledger, granted)
    assert ledger.taken_over("t") == []


def test_an_expired_lease_is_a_crash_and_a_renewed_one_is_not(monkeypatch):
    now = 1000.0
    assert not owners.is_dead(owners.owner(), now + 1, now)
    assert owners.is_dead(owners.owner(), now - 1, now)
    node, boot, process, started = owners.owner().split("|")
    assert owners.is_dead(f"{node}|{boot}|{process}|another start", now + 1, now)
    assert owners.is_dead(f"{node}|another boot|{process}|{started}", now + 1, now)
    assert not owners.is_dead(f"elsewhere|{boot}|{process}|{started}", now + 1, now)
    assert owners.is_dead(f"elsewhere|{boot}|{process}|{started}", now - 1, now)


def test_the_lease_of_everything_at_work_is_renewed(ledger, monkeypatch):
    granted = ledger.reserve([request("a"), request("b")])
    monkeypatch.setattr(owners, "LEASE", 0.02)
    with ledger.store.writing() as transaction:
        for charge in list(transaction.each(ChargeRecord)):
            transaction.put(replace(charge, lease=0.0))
    with ledger.working(*granted):
        until = time.monotonic() + 60
        leases = [0.0]
        while min(leases) == 0 and time.monotonic() < until:
            with ledger.store.reading() as snapshot:
                leases = [charge.lease for charge in snapshot.each(ChargeRecord)]
    assert min(leases) > 0


# ---- what fails


def test_what_failed_is_charged_and_never_resumed(ledger, dead):
    (granted,) = ledger.reserve([request()])
    ledger.fail(granted, dc.Fault())
    dead()
    assert ledger.abandoned("t") == []
    with pytest.raises(dc.LedgerFault):
        settle(ledger, granted)
    registry.unfreeze(ledger, "t", "looked at it")
    (new,) = ledger.reserve([request()])
    assert new.charge != granted.charge
    assert spent(ledger) == Fraction(1, 5)


def test_a_failure_that_could_not_be_written_down_is_written_before_anything_else(ledger, monkeypatch):
    (granted,) = ledger.reserve([request()])

    def locked(*words):
        raise dc.LedgerFault("the ledger cannot be written")

    with monkeypatch.context() as patch:
        patch.setattr(failures, "write_fault", locked)
        with pytest.raises(dc.LedgerFault):
            ledger.fail(granted, dc.Fault())
        with pytest.raises(dc.LedgerFault):
            ledger.reserve([request("other")])
        assert spent(ledger) == Fraction(1, 10)
    with pytest.raises(dc.AccessError, match="frozen"):
        ledger.reserve([request("other")])
    registry.unfreeze(ledger, "t", "looked at it")
    ledger.reserve([request("other")])
    with pytest.raises(dc.LedgerFault, match="taken over"):
        settle(ledger, granted)
    assert verify(ledger).ok


# ---- keys, analysts, versions


def test_a_key_is_one_request_whatever_became_of_it(ledger):
    first = answered(ledger, key="k", analyst="alice")
    assert ledger.reserve([request(key="k", analyst="alice")])[0].id == first.id
    for change in ({"what": "p"}, {"epsilon": "1/5"}, {"epsilon": "1/20"}):
        with pytest.raises(dc.ParameterError, match="key"):
            ledger.reserve([request(**({"what": "q", "key": "k", "analyst": "alice"} | change))])
    assert isinstance(ledger.reserve([request("p", key="k", analyst="bob")])[0], Granted)      # keys are each analyst's own
    (granted,) = ledger.reserve([request("f", key="failing")])
    ledger.fail(granted, failure := dc.Fault(freezes=False))
    with pytest.raises(dc.LedgerFault, match="failed before") as again:
        ledger.reserve([request("f", key="failing")])
    assert again.value.reference == failure.reference
    assert spent(ledger) == Fraction(3, 10)


def test_the_cap_covers_all_analysts_and_each_has_a_limit_on_top(empty_ledger):
    registry.register(empty_ledger, made_facts(budget="epsilon = 1\nper_analyst = 0.4"), [])
    for who in ("alice", "bob"):
        empty_ledger.reserve([request(f"{who} 1", "0.4", analyst=who)])
        with pytest.raises(dc.BudgetError, match=f"epsilon 0 is left for {who}"):
            empty_ledger.reserve([request(f"{who} 2", "0.01", analyst=who)])
    with pytest.raises(dc.BudgetError, match=r"0\.2 is left"):                                 # together they get no further
        empty_ledger.reserve([request("carol", "0.3", analyst="carol")])
    empty_ledger.reserve([request("the data holder", "0.2", is_holders=True)])
    state = empty_ledger.state("t")
    assert state.remaining == dc.Pure(epsilon=0)
    nothing, limit = dc.Pure(epsilon=0), dc.Pure(epsilon="0.4")
    assert state.analysts == {who: Allowance(who, limit, nothing, limit) for who in ("alice", "bob")}
    assert (empty_ledger.state("t", "bob").asker, empty_ledger.state("t", "bob").analysts) == (state.analysts["bob"], {})


def test_no_more_is_left_for_an_analyst_than_there_is_for_all(empty_ledger):
    registry.register(empty_ledger, made_facts(budget="epsilon = 1\nper_analyst = 0.4"), [])
    empty_ledger.reserve([request("the data holder", "0.7", is_holders=True)])
    empty_ledger.reserve([request("alice", "0.1", analyst="alice")])
    for who, left in (("alice", "0.2"), ("anonymous", "0.2")):
        assert empty_ledger.state("t", who).asker.remaining == dc.Pure(epsilon=left)


def test_cells_cost_their_largest_and_under_change_one_their_two_largest(empty_ledger):
    budget = 'epsilon = 1\npartition = "place"'
    registry.register(empty_ledger, made_facts(budget=budget), [])
    registry.register(empty_ledger, made_facts(name="u", budget=budget, neighbours="change_one", more="rows = 60"), [])
    for table, cost in (("t", "0.4"), ("u", "0.7")):
        empty_ledger.reserve([request("a", "0.4", table=table, cells=("1",))])
        empty_ledger.reserve([request("b", "0.3", table=table, cells=("2",), analyst="bob")])
        empty_ledger.reserve([request("c", "0.1", table=table, cells=("other",))])
        assert spent(empty_ledger, table) == Fraction(cost)
    cells = {cell: loss.epsilon for cell, loss in empty_ledger.state("t").cells.items()}
    assert cells == {"1": Fraction(4, 10), "2": Fraction(3, 10), "other": Fraction(1, 10)}
    spent_by = {name: str(each.spent.epsilon) for name, each in empty_ledger.state("u").analysts.items()}
    assert spent_by == {"anonymous": "1/2", "bob": "3/10"}
    assert verify(empty_ledger).ok


def test_a_concentrated_ledger_adds_rho_and_says_the_largest_epsilon_left(empty_ledger):
    registry.register(empty_ledger, made_facts(budget="rho = 0.5"), [])
    empty_ledger.reserve([request("a", rho="0.3")])
    empty_ledger.reserve([request("b", "0.2")])                                                # costs 0.2² / 2
    state = empty_ledger.state("t")
    assert (state.spent, state.remaining) == (dc.Concentrated(rho="0.32"), dc.Concentrated(rho="0.18"))
    assert state.affordable == Fraction(6, 10)
    with pytest.raises(dc.BudgetError):
        empty_ledger.reserve([request("c", "0.600001")])
    empty_ledger.reserve([request("c", "0.6")])
    assert empty_ledger.state("t").remaining == dc.Concentrated(rho=0)


def test_an_old_version_is_not_asked_any_more(ledger):
    registry.new_version(ledger, made_facts(version="2"), [], "new rows", no_unit_in_both=False)
    with pytest.raises(dc.AccessError, match="version 2"):
        ledger.reserve([request()])
    with pytest.raises(dc.FactsError, match="is or was in use"):
        registry.new_version(ledger, made_facts(version="1"), [], "back", no_unit_in_both=False)


def test_a_version_whose_limit_counts_in_another_money_is_refused_and_the_table_stays_usable(ledger):
    wrong = made_facts(version="2", budget="rho = 1\nper_analyst = { rho = 0.1 }")
    with pytest.raises(dc.FactsError, match="keeps its kind"):
        registry.new_version(ledger, wrong, [], "another accounting", no_unit_in_both=False)
    ledger.reserve([request()])
    assert verify(ledger).ok


def test_everything_is_there_when_the_ledger_is_opened_again(ledger, open_again):
    stored = answered(ledger)
    again = open_again()
    assert again.receipt(stored.id) == stored.receipt
    assert spent(again) == Fraction(1, 10)
    assert again.reserve([replace(request(), analyst="other")])[0].id == stored.id
