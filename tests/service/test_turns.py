"""Lines that take turns, buckets that fill, and times that are public."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Event

import pytest

from discreet.answers.odds import guesses_in_100
from discreet.curator.pace import due_after
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.service.failures import Turned
from discreet.service.fair import Lines
from discreet.service.rates import Rates
from discreet.service.room import Room
from discreet.service.settings import Limits


def test_lines_take_turns_between_analysts_whoever_has_more_waiting():
    async def run() -> list[str]:
        lines, order = Lines(1, 100, 100), []

        async def one(who: str) -> None:
            async with lines.place(who, 0.0):
                order.append(who)
                await asyncio.sleep(0)

        async with lines.place("first", 0.0):
            tasks = [asyncio.create_task(one(who)) for who in ["many"] * 5 + ["few"] * 2]
            await asyncio.sleep(0.01)
            tasks[1].cancel()                                              # who has gone holds up nobody
        await asyncio.gather(*tasks, return_exceptions=True)
        assert lines.waiting == 0
        async with lines.place("last", 0.0):                               # and no place was lost
            return order

    assert asyncio.run(run()) == ["many", "few", "many", "few", "many", "many"]


def test_what_waits_for_something_else_than_a_place_counts_among_what_waits():
    async def run() -> None:
        lines = Lines(1, 3, 2)
        with lines.aside("a"), lines.aside("a"):
            with pytest.raises(Turned, match="rate"):
                lines.check_room("a")
            lines.check_room("b")
            with lines.aside("b"), pytest.raises(Turned, match="busy"):
                lines.check_room("c")
            assert lines.waiting == 2
            assert lines.expected("a", 1.0) == 1.0                             # it is in nobody's way
        assert lines.waiting == 0
        lines.check_room("a")

    asyncio.run(run())


def test_whether_it_takes_long_follows_from_public_times_alone():
    async def run() -> None:
        lines, now = Lines(2, 3, 2), [100.0]
        asyncio.get_running_loop().time = lambda: now[0]
        assert lines.expected("d", 4.0) == 4.0
        async with lines.place("a", 20.0), lines.place("b", 10.0):
            assert lines.expected("d", 4.0) == 19.0
            now[0] += 12.0
            assert lines.expected("d", 4.0) == 8.0
            waiting = [asyncio.create_task(_held(lines, who)) for who in ("c", "c", "d")]
            await asyncio.sleep(0)
            with pytest.raises(Turned, match="rate"):
                lines.check_room("c")
            with pytest.raises(Turned, match="busy"):
                lines.check_room("e")
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(run())


async def _held(lines: Lines, who: str) -> None:
    async with lines.place(who, 1.0):
        pass


async def _begun(lines: Lines, who: str, seconds: float, let_go: asyncio.Event, many: int = 20) -> list[asyncio.Task]:
    """Those of many questions that have a place, held until they are let go."""
    begun = []

    async def one() -> None:
        async with lines.place(who, seconds):
            begun.append(who)
            await let_go.wait()

    tasks = [asyncio.create_task(one()) for _ in range(many)]
    await asyncio.sleep(0.01)
    return [*tasks[: len(begun)]]


def test_long_questions_of_one_leave_places_to_others_and_those_of_all_leave_one_to_short_ones():
    async def run() -> None:
        lines, let_go = Lines(16, 1000, 100, 1.0), asyncio.Event()
        held = [len(await _begun(lines, who, 128.0, let_go)) for who in "abcdef"]
        assert held == [8, 4, 2, 1, 0, 0]
        assert lines.expected("f", 128.0) > 250.0                          # told before, by public times
        assert lines.expected("f", 1.0) == 1.0
        assert len(await _begun(lines, "f", 1.0, let_go)) == 1             # even one who has long ones waiting
        assert lines.waiting == 12 + 16 + 18 + 19 + 20 + 20 + 19
        let_go.set()
        while lines.waiting:
            await asyncio.sleep(0)
        assert len(await _begun(lines, "a", 128.0, asyncio.Event(), 20)) == 8   # no place was lost

    asyncio.run(run())


def test_short_questions_of_one_may_have_all_places_and_long_ones_get_their_turn_among_them():
    async def run() -> list[str]:
        lines, order, let_go = Lines(4, 1000, 100, 1.0), [], asyncio.Event()
        assert len(await _begun(lines, "many", 0.5, let_go, 4)) == 4

        async def one(who: str, seconds: float) -> None:
            async with lines.place(who, seconds):
                order.append(who)
                await asyncio.sleep(0)

        tasks = [asyncio.create_task(one("many", 0.5)) for _ in range(20)]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(one("long", 100.0)))
        await asyncio.sleep(0)
        let_go.set()
        await asyncio.gather(*tasks)
        return order

    assert "long" in asyncio.run(run())[:2]


def test_one_place_is_for_long_questions_too():
    async def run() -> None:
        lines, let_go = Lines(1, 1000, 100, 1.0), asyncio.Event()
        assert len(await _begun(lines, "a", 128.0, let_go, 2)) == 1
        let_go.set()
        await asyncio.sleep(0.01)
        assert lines.waiting == 0

    asyncio.run(run())


def test_where_nothing_is_known_to_be_short_others_have_places_as_well():
    async def run() -> None:
        lines, let_go = Lines(16, 1000, 100), asyncio.Event()
        assert [len(await _begun(lines, who, 0.0, let_go)) for who in "abcdef"] == [8, 4, 2, 1, 1, 0]
        let_go.set()

    asyncio.run(run())


def test_large_answers_have_room_in_the_order_in_which_they_come_and_small_ones_always():
    room, inside, let_go = Room(10, 2), [], Event()

    def held(numbers):
        with room.held(numbers):
            inside.append(numbers)
            assert numbers <= 2 or let_go.wait(30)

    with ThreadPoolExecutor(8) as threads:
        first = threads.submit(held, 7)
        while not inside:
            time.sleep(0.001)
        second = waiting(room, 1, threads.submit(held, 10**9))
        third = waiting(room, 2, threads.submit(held, 3))                     # there would be room, and it came later
        assert threads.submit(held, 1).result(30) is None
        assert inside == [7, 1]
        let_go.set()
        for each in (first, second, third):
            each.result(30)
    assert inside == [7, 1, 10**9, 3]


def waiting(room, many, task):
    """A task, as soon as so many wait for room."""
    while len(room._waiting) < many:
        time.sleep(0.001)
    return task


def test_buckets_fill_with_time():
    now = [0.0]
    rates = Rates(60, clock=lambda: now[0])
    assert [rates.take("a") for _ in range(61)][:60] == [0.0] * 60
    assert rates.take("a") == pytest.approx(1.0)
    assert rates.wait("b") == rates.take("b") == 0.0
    now[0] += 1.0
    assert rates.take("a") == 0.0
    assert rates.take("a") > 0
    assert rates.take("c", 50) == 0.0
    assert rates.take("c", 20) == pytest.approx(10.0)
    assert rates.take("c", 10) == 0.0
    assert rates.take("d", 1000) == 0.0                                    # all that there is
    assert rates.take("d") > 0


def test_what_is_late_waits_for_the_next_doubling():
    assert [due_after(0.125, taken) for taken in (0.0, 0.124, 0.125, 0.126, 0.3, 1.1)] == [0.125, 0.125, 0.125, 0.25, 0.5, 2.0]


def test_public_numbers_are_divided_between_workers_and_none_becomes_nothing():
    share = Limits().of_one(7)
    assert share.requests_per_minute * 7 >= Limits().requests_per_minute > share.requests_per_minute
    assert share.body_bytes == Limits().body_bytes
    assert min(value for value in Limits(wrong_tokens_per_minute=1).of_one(64).to_dict().values()) >= 1


def test_odds_are_rounded_up_and_grow_with_the_loss():
    assert [guesses_in_100(Pure(epsilon=each)) for each in (0, Fraction(1, 1000), 1, 3, 100)] == [50, 51, 74, 96, 100]
    assert guesses_in_100(Approximate(epsilon=1, delta="1e-6")) == 74
    assert guesses_in_100(Approximate(epsilon=1, delta="0.1")) == 76       # 0.7311 + 0.1 / 3.718 = 0.758
    assert [guesses_in_100(Concentrated(rho=each)) for each in ("0", "0.03", "0.6", "8")] == [50, 57, 78, 100]


def test_a_table_that_is_served_takes_its_public_time_and_a_local_one_does_not(tmp_path):
    from tests.service.conftest import made_home

    from discreet.curator import open_table
    from discreet.curator.folder import Folder

    home = made_home(tmp_path)
    folder = Folder(home.folder)
    account = folder.account(home.alice)
    curator, taken = folder.curator("people", account), []
    for number in range(3):
        start = time.monotonic()
        curator.ask(f"SELECT COUNT(*) AS n FROM people WHERE age > {number}", epsilon="0.1", analyst=account)
        taken.append(time.monotonic() - start)
    assert min(taken) >= 0.125
    folder.close()
    local = open_table(home.folder / "people.toml")
    local.ask("SELECT COUNT(*) AS n FROM people WHERE age > 50", epsilon="0.1")
    assert not local.desk.is_paced
    local.close()
