"""What is remembered of charges is used by all threads of a service: what one of them has just seen, another may push out."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from discreet.curator.remembered import Remembered


@pytest.fixture(autouse=True)
def hasty() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_what_others_push_out_meanwhile_is_found_out_again() -> None:
    remembered: Remembered[int] = Remembered(3)

    def hammer(seed: int) -> bool:
        numbers = Random(seed).choices(range(6), k=20_000)
        return all(remembered.of(number, lambda each: each * 7) == number * 7 for number in numbers)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(hammer, range(8)))


def test_the_first_that_came_goes_first_and_what_is_known_is_not_looked_for() -> None:
    remembered: Remembered[str] = Remembered(2)
    looked: list[int] = []

    def find(number: int) -> str:
        looked.append(number)
        return str(number)

    assert [remembered.of(number, find) for number in (1, 2, 1, 2, 3, 2, 1)] == list("1212321")
    assert looked == [1, 2, 3, 1]
    assert remembered.get(2) is None
    assert remembered.get(3) == "3"


def test_to_remember_a_number_again_pushes_nothing_out() -> None:
    remembered: Remembered[str] = Remembered(2)
    for number, what in ((1, "one"), (2, "two"), (2, "two again")):
        assert remembered.keep(number, what) == what
    assert [remembered.get(number) for number in (1, 2)] == ["one", "two again"]


def test_false_is_remembered_as_well() -> None:
    remembered: Remembered[bool] = Remembered(2)
    assert not remembered.keep(1, what=False)
    assert remembered.of(1, lambda number: pytest.fail(f"{number} is known")) is False
