"""The running totals against rules 11, 13 and 14 read out loud: try every way a unit may have been in the versions."""

from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.ledger.entries.amounts import Amount, Money, rank
from discreet.ledger.entries.books import Books, Standing
from discreet.privacy.losses import Approximate, Concentrated, Pure

TABLES, CELLS, ANALYSTS = ("t", "u"), ("1", "2", "other"), ("", "alice", "bob")
AMOUNTS = st.builds(
    lambda first, delta: Amount(Fraction(first, 60), Fraction(delta, 10**6)), st.integers(0, 60), st.sampled_from([0, 0, 1, 5])
)
CHARGES = st.tuples(
    st.sampled_from(TABLES),
    st.none() | st.lists(st.sampled_from(CELLS), min_size=1, max_size=3, unique=True),
    AMOUNTS,
    st.sampled_from(ANALYSTS),
)
VERSIONS = st.tuples(st.sampled_from(TABLES), st.booleans())                # True: no unit of it was there before
ACTS = st.lists(st.one_of(CHARGES, CHARGES, VERSIONS), max_size=14)


class History:
    """Everything that happened, version by version, and nothing added up."""

    def __init__(self, touched):
        self.touched = touched
        self.versions = {table: [(False, [])] for table in TABLES}         # per version: all its units are new; its charges

    def version(self, table, is_new):
        self.versions[table].append((is_new, []))

    def charge(self, table, cells, amount, analyst):
        self.versions[table][-1][1].append((cells, amount, analyst))

    def spent(self, analyst, now=None):
        """The most that a unit can have lost, part by part."""
        return tuple(sum(self._worst(table, analyst, part, table == now) for table in TABLES) for part in (0, 1))

    def _worst(self, table, analyst, part, must_be_in_the_last):
        versions = self.versions[table]
        costs = [self._of_version(charges, analyst, part) for _, charges in versions]
        places = range(len(versions))
        ways = chain.from_iterable(combinations(places, size) for size in range(len(versions) + 1))
        possible = [way for way in ways if all(not versions[place][0] for place in way[1:])]    # new units were in none before
        if must_be_in_the_last:
            possible = [way for way in possible if places[-1] in way]
        return max(sum((costs[place] for place in way), start=Fraction(0)) for way in possible)

    def _of_version(self, charges, analyst, part):
        mine = [(cells, (amount.first, amount.delta)[part]) for cells, amount, who in charges if analyst in ("", who)]
        whole = sum((value for cells, value in mine if cells is None), start=Fraction(0))
        by_cell = {cell: sum((v for cells, v in mine if cells and cell in cells), start=Fraction(0)) for cell in CELLS}
        ways = combinations(CELLS, self.touched)                            # the cells that one unit leaves and enters
        return whole + max(sum((by_cell[cell] for cell in way), start=Fraction(0)) for way in ways)


@pytest.mark.slow
@settings(max_examples=150)
@given(ACTS, st.sampled_from([1, 2]))
def test_spent_is_the_most_that_a_unit_can_have_lost(acts, touched):
    books = Books({table: Standing("1", 1, touched) for table in TABLES})
    history = History(touched)
    for number, act in enumerate(acts, start=2):
        if len(act) == 4:
            books.charge(*act)
            history.charge(*act)
        else:
            table, is_new = act
            was = books.tables[table]
            books.move(table, Standing(str(number), was.epoch + is_new, touched))
            history.version(table, is_new)
        for analyst in ANALYSTS:
            for now in (None, *TABLES):
                found = books.spent(analyst, now=now)
                assert (found.first, found.delta) == history.spent(analyst, now)


def charged(*acts, touched=1):
    """Each act is a charge of 1 to a cell (or None), or the flag of a new version."""
    books = Books({"t": Standing("1", 1, touched)})
    for number, act in enumerate(acts, start=2):
        if isinstance(act, bool):
            books.move("t", Standing(str(number), books.tables["t"].epoch + act, touched))
        else:
            books.charge("t", None if act is None else [act], Amount(Fraction(1)))
    return books.spent().first


@pytest.mark.parametrize(
    ("acts", "cost"),
    [
        (("urban", "rural"), 1),                                            # one unit is in one cell
        (("urban", False, "rural"), 2),                                     # it may have moved between versions (rule 13)
        (("urban", True, "rural"), 1),                                      # no unit is in both (rule 14)
        ((None, True, None, False, None), 2),                               # but an ordinary version may bring old units back
        ((None, True, False, None), 2),
        ((None, None, True, None, False, None), 3),
        ((None, True, None, None, True, None), 2),
    ],
)
def test_versions_and_cells_by_example(acts, cost):
    assert charged(*acts) == cost


def test_where_a_unit_can_move_two_cells_count():
    assert charged("urban", "rural", "other", touched=2) == 2
    assert charged("urban", "rural", False, "urban", "rural", touched=2) == 4


@pytest.mark.slow
@given(st.lists(st.fractions(min_value=0, max_value=10**6), min_size=2, max_size=8))
def test_sums_are_exact_or_rounded_up_and_never_down(numbers):
    total = Amount(Fraction(0))
    for number in numbers:
        total = total.plus(Amount(number / (2**300 + 1), number))
    exact = sum(numbers, start=Fraction(0)) / (2**300 + 1)
    assert exact <= total.first <= exact + Fraction(len(numbers), 10**60)
    assert total.delta >= sum(numbers, start=Fraction(0))


@given(st.integers(0, 10**30))
def test_the_affordable_epsilon_is_affordable_and_hardly_more_is(digits):
    left = Fraction(digits, 10**20)
    found = Money("rho", has_delta=True).affordable(Amount(left))
    assert found**2 / 2 <= left < (found + Fraction(1, 10**12)) ** 2 / 2
    assert Money("epsilon", has_delta=False).affordable(Amount(left)) == left


def test_an_amount_is_shown_as_the_loss_it_counts():
    amount = Amount(Fraction(1, 2), Fraction(1, 10**6))
    assert Money("epsilon", has_delta=True).loss(amount) == Approximate(epsilon="0.5", delta="1e-6")
    assert Money("epsilon", has_delta=False).loss(amount) == Pure(epsilon="0.5")
    assert Money("rho", has_delta=True).loss(amount) == Concentrated(rho="0.5")


def test_prices_are_sorted_exactly_where_no_float_tells_them_apart():
    near, far = Fraction(1, 10), Fraction(10**400)
    numbers = [Fraction(0), Fraction(1, 10**400), near, near + Fraction(1, 10**30), far, far + 1]
    assert [ranked for _, ranked in sorted(rank(str(number)) for number in reversed(numbers))] == numbers


@given(ACTS, st.integers(0, 14), st.sampled_from([1, 2]))
@settings(max_examples=300, deadline=None)
def test_after_the_end_was_lost_no_unit_has_borne_more_than_counts(acts, kept, touched):
    """``kept`` acts are in a copy; a witness has seen the total of all of them; whatever comes then is charged beside."""
    whole, copy = made_of(acts, touched), made_of(acts[:kept], touched)
    copy.lose(whole.spent(), whole=False)
    assert whole.spent().fits(copy.spent())
    for table in TABLES:
        assert whole.spent(now=table).fits(copy.spent(now=table))
    later = Amount(Fraction(1, 2))
    for cell in CELLS:                                                        # a cell that was not the dearest when it was lost
        copy.charge("t", [cell], later)
        whole.charge("t", [cell], later)
        assert whole.spent().fits(copy.spent())


def made_of(acts, touched):
    """Books after some acts."""
    books, label = Books({table: Standing("0", 1, touched) for table in TABLES}), 0
    for act in acts:
        if len(act) == 2:
            table, is_new = act
            label += 1
            books.move(table, Standing(str(label), books.tables[table].epoch + is_new, touched))
        else:
            books.charge(*act)
    return books
