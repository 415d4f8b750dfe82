"""Questions that take long: what others get meanwhile, and what is written down."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Lock, current_thread

import pytest
from tests.service.conftest import CANARY, Caller, made_home
from tests.service.inside import Inside
from tests.service.test_faults import charges, count_above

from discreet.curator import asking as curating
from discreet.curator import desk
from discreet.curator.folder import Folder
from discreet.ledger import asked, owners
from discreet.releasing import stages
from discreet.service import asking, jobs
from discreet.service.settings import Limits, Settings

LATER = {"Prefer": "respond-async"}


def by_town(age):
    return {"sql": f"SELECT town, COUNT(*) AS n FROM people WHERE age > {age} GROUP BY town", "epsilon": "0.1"}


@pytest.fixture
def home(tmp_path):
    return made_home(tmp_path)


@contextmanager
def reading_forever(monkeypatch) -> Iterator[Event]:
    """Inside, whoever reads rows is as long about it as is wanted; the event says when the first of them has begun."""
    before, begun, let_go = desk.released_parts, Event(), Event()

    def read(*args):
        begun.set()
        let_go.wait(60)
        return before(*args)

    with monkeypatch.context() as patched:
        patched.setattr(desk, "released_parts", read)
        begun.let_go = let_go
        try:
            yield begun
        finally:
            let_go.set()


def test_what_is_free_or_refused_is_told_while_all_places_are_held(home, monkeypatch):
    with Inside(Settings(home.folder, limits=Limits(asks_at_once=2))) as client:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)
        bought = bob.post("/api/tables/people/ask", count_above(1)).json()
        with reading_forever(monkeypatch) as begun:
            sent = [alice.post("/api/tables/people/ask", count_above(age), headers=LATER) for age in (2, 3, 4)]
            assert {each.status_code for each in sent} == {202}
            assert begun.wait(30)
            for headers in ({}, {"Idempotency-Key": "free"}):
                again = bob.post("/api/tables/people/ask", count_above(1), headers=headers)
                assert again.status_code == 200, again.text
                assert again.json()["replayed"]
                assert again.json()["rows"] == bought["rows"]
            both = {"questions": [count_above(1)["sql"]], "epsilon": "0.5"}
            assert bob.post("/api/tables/people/ask_all", both).json()["answers"][0]["rows"] == bought["rows"]
            assert bob.get("/api/me").status_code == 200
        assert {alice.later(each).status_code for each in sent} == {200}
    assert len(charges(home.folder)) == 4


def test_what_waits_for_somebodys_charge_holds_no_place(home, monkeypatch):
    """Two places: one reads; what could use its draws waits outside of the other, alone or among several."""
    with Inside(Settings(home.folder, limits=Limits(asks_at_once=2))) as client:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)
        with reading_forever(monkeypatch) as begun, ThreadPoolExecutor(4) as threads:
            long = alice.post("/api/tables/people/ask", count_above(2), headers=LATER)
            assert begun.wait(30)
            monkeypatch.setattr(desk, "released_parts", stages.released_parts)  # whoever begins from now on reads as usual
            cheaper = count_above(2) | {"epsilon": "0.01"}
            waiting = [threads.submit(alice.post, "/api/tables/people/ask", cheaper) for _ in range(2)]
            both = {"questions": [cheaper["sql"], count_above(3)["sql"]], "epsilon": "0.02"}
            waiting.append(threads.submit(alice.post, "/api/tables/people/ask_all", both))
            lines = client.app.state.house.jobs.lines
            for _ in range(3000):
                if (lines._aside["alice"], lines.waiting) == (3, 3):               # they count as waiting, and in no line
                    break
                Event().wait(0.01)
            else:
                pytest.fail("they do not wait for the charge")
            assert len(client.app.state.house.jobs._awaited) == 1                  # one looks at it, for all of them
            assert bob.post("/api/tables/people/ask", count_above(4)).status_code == 200
            assert not any(each.done() for each in waiting)
            begun.let_go.set()
            assert {each.result(60).status_code for each in waiting} == {200}
            assert alice.later(long).status_code == 200
    assert len(charges(home.folder)) == 3                                      # two that alice has bought, and bob's


def as_a_moment_before(found):
    """What was seen of an order before anybody worked on anything."""
    return replace(found, request=replace(found.request, seen=()))


@pytest.mark.parametrize("when", ["it was looked up", "it was its turn"])
def test_whoever_waits_for_somebodys_charge_is_told_where_to_look_after_a_while(home, monkeypatch, when):
    """Whether somebody began before it was looked up, or only before it was its turn."""
    named = {"Idempotency-Key": "short"}
    with Inside(Settings(home.folder, limits=Limits(seconds_before_202=1.0))) as client:
        alice = Caller(client, home.alice)
        with reading_forever(monkeypatch) as begun:
            long = alice.post("/api/tables/people/ask", count_above(2), headers=LATER)
            assert begun.wait(30)
            if when == "it was its turn":
                before = curating.Curator.looked_up
                monkeypatch.setattr(curating.Curator, "looked_up", lambda *words: as_a_moment_before(before(*words)))
            cheaper = count_above(2) | {"epsilon": "0.01"}
            waiting = [alice.post("/api/tables/people/ask", cheaper, headers=named) for _ in range(2)]
            assert [each.status_code for each in waiting] == [202, 202]
            assert waiting[0].headers["location"] == waiting[1].headers["location"]
        bought, found = alice.later(long), alice.later(waiting[0])
        assert (bought.status_code, found.status_code) == (200, 200)
        assert found.json()["rows"] == bought.json()["rows"]
    assert len(charges(home.folder)) == 1                                      # what it waited for is as good


def test_what_waits_for_room_is_told_where_to_look_after_a_while(home, monkeypatch):
    with Inside(Settings(home.folder, limits=Limits(seconds_before_202=1.0, numbers_at_once=6, numbers_rehearsed=3))) as client:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)
        with reading_forever(monkeypatch) as begun:
            first = alice.post("/api/tables/people/ask", by_town(1), headers=LATER)
            assert begun.wait(30)
            sent = [bob.post("/api/tables/people/ask", by_town(2), headers={"Idempotency-Key": "large"}) for _ in range(2)]
            assert [each.status_code for each in sent] == [202, 202]
            assert len(charges(home.folder)) == 1
        assert [alice.later(first).status_code, bob.later(sent[0]).status_code] == [200, 200]


def test_of_answers_that_are_there_four_are_put_together_at_once_however_they_are_asked_for(home, monkeypatch):
    now, most, guard, real = [0], [0], Lock(), curating.Curator.answer

    def counted(*words, **more):
        with guard:
            now[0] += 1
            most[0] = max(most[0], now[0])
        Event().wait(0.05)
        found = real(*words, **more)
        with guard:
            now[0] -= 1
        return found

    with Inside(Settings(home.folder)) as client:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)
        assert alice.post("/api/tables/people/ask", by_town(1)).status_code == 200
        monkeypatch.setattr(curating.Curator, "answer", counted)
        for more in ({}, {"Idempotency-Key": "{0}"}, LATER):
            with ThreadPoolExecutor(16) as threads:
                sent = [(who, {name: value.format(number) for name, value in more.items()})
                        for number in range(8) for who in (alice, bob)]
                found = list(threads.map(lambda each: each[0].post("/api/tables/people/ask", by_town(1), headers=each[1]), sent))
            assert {each.status_code for each in found} <= {200, 202}
            late = [(who, each) for (who, _), each in zip(sent, found, strict=True) if each.status_code == 202]
            assert {who.later(each).status_code for who, each in late} <= {200}
    assert 1 < most[0] <= 4


@pytest.mark.slow
def test_what_is_thought_about_for_long_is_not_taken_over_and_costs_the_same_when_it_is_sent_again(home, monkeypatch):
    monkeypatch.setattr(owners, "LEASE", 1.0)
    monkeypatch.setattr(asked, "LEASE", 1.0)
    monkeypatch.setattr(jobs, "_LOOK", 0.05)
    placed, taken_over = jobs.placed, []
    monkeypatch.setattr(asking, "placed", lambda *words: (placed(*words), Event().wait(3))[0])
    monkeypatch.setattr(jobs, "placed", lambda *words: taken_over.append(words) or placed(*words))
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        first, again = (alice.post("/api/tables/people/ask", count_above(1), headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert (first.status_code, again.status_code, taken_over) == (200, 200, [])
    assert first.json()["cost"] == again.json()["cost"] != {"epsilon": "0"}


@pytest.mark.slow
def test_questions_that_sleep_are_said_to_be_worked_on_so_that_nobody_takes_them_over(home, monkeypatch):
    monkeypatch.setattr(owners, "LEASE", 1.0)
    monkeypatch.setattr(asked, "LEASE", 1.0)
    monkeypatch.setattr(jobs, "_LOOK", 0.05)
    with Inside(Settings(home.folder, limits=Limits(asks_at_once=1))) as client:
        alice, other = Caller(client, home.alice), Folder(home.folder)
        with reading_forever(monkeypatch) as begun:
            sent = [alice.post("/api/tables/people/ask", count_above(age), headers=LATER) for age in (1, 2)]
            assert begun.wait(30)
            for _ in range(30):
                assert other.left_behind() == []
                Event().wait(0.1)
        assert {alice.later(each).status_code for each in sent} == {200}
        other.close()


def test_whatever_goes_wrong_while_questions_are_looked_after_it_goes_on_and_its_kind_is_logged(home, monkeypatch, caplog):
    monkeypatch.setattr(jobs, "_LOOK", 0.01)
    seen, failed, ended = [], Event(), Event()

    def left_behind(_) -> list[str]:
        seen.append(None)
        if len(seen) <= 3:
            raise (RuntimeError(CANARY), OSError(CANARY), KeyError(CANARY))[len(seen) - 1]
        failed.set()
        return []

    def all_done(*_) -> None:
        ended.set()
        raise RuntimeError(CANARY)

    monkeypatch.setattr(Folder, "left_behind", left_behind)
    monkeypatch.setattr(Folder, "all_done", all_done)
    with caplog.at_level(logging.WARNING, "discreet.service"), Inside(Settings(home.folder)) as client:
        assert failed.wait(30)
        told = Caller(client, home.alice).post("/api/tables/people/ask", count_above(1), headers={"Idempotency-Key": "k"})
        assert told.status_code == 200
        assert ended.wait(30)
        for _ in range(500):
            if not client.app.state.house.jobs._running:
                break
            Event().wait(0.01)
        assert not client.app.state.house.jobs._running                        # so that its lease ends
    assert all(kind in caplog.text for kind in ("RuntimeError", "OSError", "KeyError"))
    assert CANARY not in caplog.text


def test_a_long_question_that_is_sent_again_is_told_where_to_look(home, monkeypatch):
    monkeypatch.setattr(curating, "public_seconds", lambda _: 100.0)
    named = {"Idempotency-Key": "long"}
    with Inside(Settings(home.folder)) as client:
        alice = Caller(client, home.alice)
        with reading_forever(monkeypatch) as begun:
            first = alice.post("/api/tables/people/ask", count_above(1), headers=named)
            assert begun.wait(30)
            again = alice.post("/api/tables/people/ask", count_above(1), headers=named)
            assert (first.status_code, again.status_code) == (202, 202)
            assert again.headers["location"] == first.headers["location"]
        assert alice.later(again).status_code == 200
    assert len(charges(home.folder)) == 1


def test_several_questions_at_once_hold_a_place_for_all_their_public_times(home, monkeypatch):
    monkeypatch.setattr(curating, "public_seconds", lambda _: 100.0)
    both = {"questions": [count_above(1)["sql"], count_above(2)["sql"]], "epsilon": "0.5"}
    with Inside(Settings(home.folder, limits=Limits(asks_at_once=2))) as client, ThreadPoolExecutor(1) as threads:
        alice, lines = Caller(client, home.alice), client.app.state.house.jobs.lines
        with reading_forever(monkeypatch) as begun:
            sent = threads.submit(alice.post, "/api/tables/people/ask_all", both)
            assert begun.wait(30)

            async def expected() -> tuple[float, float]:
                return lines.expected("bob", 100.0), lines.expected("bob", 1.0)

            long, short = client.run(expected())
            assert 250.0 < long <= 300.0
            assert short == 1.0
        assert sent.result().status_code == 200
    assert len(charges(home.folder)) == 2


# ---- what is large


@pytest.mark.parametrize("end", ["/chart.svg", "/receipt", ""])
def test_nobody_is_kept_out_by_what_somebody_else_has_shown_to_them_again(home, monkeypatch, end):
    let_go, many = Event(), 40

    def slowly(verb):
        def found(*args, **kwargs):
            let_go.wait(60)
            return verb(*args, **kwargs)

        return found

    with Inside(Settings(home.folder)) as client, ThreadPoolExecutor(many) as threads:
        alice, bob = Caller(client, home.alice), Caller(client, home.bob)
        answer = alice.post("/api/tables/people/ask", count_above(1)).json()["id"]
        with monkeypatch.context() as patched:
            patched.setattr(Folder, "answer", slowly(Folder.answer))
            sent = [threads.submit(alice.get, f"/api/answers/{answer}{end}") for _ in range(many)]
            try:
                for _ in range(3000):
                    if client.app.state.house._inside["alice"] == many:
                        break
                    Event().wait(0.01)
                else:
                    pytest.fail("they are not all inside")
                assert bob.get("/api/me").status_code == 200
                assert bob.post("/api/tables/people/quote", count_above(2)).status_code == 200
            finally:
                let_go.set()
        assert {each.result().status_code for each in sent} == {200}


def test_what_is_large_is_written_in_a_thread_and_what_is_small_where_it_is(home, monkeypatch):
    where, before = [], asking.answer_body

    def written(answer):
        where.append(current_thread().name)
        return before(answer)

    monkeypatch.setattr(asking, "answer_body", written)
    with Inside(Settings(home.folder)) as client:
        alice, loop = Caller(client, home.alice), client._thread.name
        for headers in ({}, {"Idempotency-Key": "small"}):
            assert alice.post("/api/tables/people/ask", count_above(1 + len(where)), headers=headers).status_code == 200
        assert where == [loop, loop]                                           # no thread more than before
        monkeypatch.setattr(asking, "_LARGE", 0)
        both = {"questions": [count_above(7)["sql"], count_above(8)["sql"]], "epsilon": "0.5"}
        assert alice.post("/api/tables/people/ask_all", both).status_code == 200
        for headers in ({}, {"Idempotency-Key": "large"}):
            told = alice.post("/api/tables/people/ask", count_above(1 + len(where)), headers=headers)
            assert told.status_code == 200
            assert alice.get(f"/api/answers/{told.json()['id']}").status_code == 200
    assert len(where) == 8
    assert loop not in where[2:]
