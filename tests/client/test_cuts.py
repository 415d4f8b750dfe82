"""A connection that is cut at every byte of a request and of a response: charged once, answered once.

What a service does is the same for any client, so connections to it are plain sockets. What a client does with a part of a
response is tried on what a service has said, byte for byte, without one.
"""

import asyncio
from contextlib import contextmanager
from itertools import pairwise
from uuid import uuid4

import pytest
from tests.client.cutting import (
    COUNT,
    PRICE,
    Repeating,
    Wished,
    answers_to_cut_requests,
    answers_to_cut_responses,
    is_part_of,
    new_key,
    read,
)
from tests.service.conftest import made_home
from tests.service.listening import Listening

import discreet as dc
from discreet.client.wire import Wire
from discreet.curator.folder import Folder
from discreet.errors import MissingError
from discreet.service.settings import Limits

pytestmark = pytest.mark.slow
QUESTIONS = 100  # that share the bytes of a response: after so many of them every one says which answer it is


@pytest.fixture(scope="module")
def wished(tmp_path_factory):
    home = made_home(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Folder, "_is_paced", False)  # thousands of questions: how long each takes is another test's business
        with Listening(home.folder, limits=Limits(requests_per_minute=10**6)) as service:
            yield Wished(service.address, home.alice)


@contextmanager
def charged_once(wished):
    """Every answer that is added inside is one of its own, is paid for once, and is in the history; and nothing else is."""
    answers = []
    with dc.connect(f"{wished.address}/people", token=wished.token) as table:
        spent, known = table.budget.spent.epsilon, {each["id"] for each in history(table)}
        yield answers
        assert table.budget.spent.epsilon == spent + PRICE * len(answers)
        kept = [each["id"] for each in history(table) if each["id"] not in known]
    assert sorted(kept) == sorted(each["id"] for each in answers)
    assert len(set(kept)) == len(kept)


def history(table):
    """What was delivered to them, newest first."""
    found, before = [], None
    while page := table.history(100, before=before):
        found, before = [*found, *page], page[-1]["id"]
    assert all(one["at"] >= other["at"] for one, other in pairwise(found))
    return found


def test_a_request_that_is_cut_at_every_byte_is_charged_once_and_answered_once(wished):
    with charged_once(wished) as answers:
        answers.extend(answers_to_cut_requests(wished, range(len(wished.sent(new_key())) + 1)))


def test_a_response_that_is_cut_at_every_byte_is_charged_once_and_told_again(wished):
    said = asyncio.run(wished.whole(new_key()))
    assert said.index(read(said)["id"].encode()) + 12 < QUESTIONS
    with charged_once(wished) as answers:
        answers.extend(answers_to_cut_responses(wished, range(len(said) + 1), QUESTIONS))


def test_a_client_whose_response_is_cut_at_every_byte_sends_the_same_request_again(wished):
    said = asyncio.run(wished.whole(new_key()))
    with Repeating(asyncio.run(wished.table()), said, range(len(said))) as service:
        check_sent_again(service, read(said), len(said))


def check_sent_again(service, answer, times):
    with dc.connect(f"{service.address}/people", token="dsc_any") as table:
        for _ in range(times):
            table.close()  # so that the question has a connection of its own
            assert table.ask(COUNT, epsilon=PRICE).id == answer["id"]
    assert len(service.heard) == 2 * times
    assert service.heard[::2] == service.heard[1::2]
    assert len(set(service.heard)) == times


def test_a_service_that_forgets_keys_is_found_to_charge_twice(wished, monkeypatch):
    taken_in = Folder.take_in
    monkeypatch.setattr(Folder, "take_in", lambda self, *words, key, **more: taken_in(self, *words, key=uuid4().hex, **more))
    with pytest.raises(AssertionError), charged_once(wished) as answers:
        answers.extend(answers_to_cut_requests(wished, [len(wished.sent(new_key()))]))
    with pytest.raises(AssertionError):
        answers_to_cut_responses(wished, [1000], 1)


def test_a_service_that_loses_answers_is_found_out(wished, monkeypatch):
    def lost(*_):
        raise MissingError("there is no such answer")

    monkeypatch.setattr(Folder, "answer", lost)
    with pytest.raises(AssertionError):
        answers_to_cut_responses(wished, range(0, 2000, 100), 1)


def test_a_client_with_a_key_for_every_attempt_is_found_out(wished, monkeypatch):
    send = Wire._exchange
    monkeypatch.setattr(Wire, "_exchange", lambda self, method, path, sent, headers:
                        send(self, method, path, sent, headers | {"Idempotency-Key": uuid4().hex}))
    said = asyncio.run(wished.whole(new_key()))
    with Repeating(asyncio.run(wished.table()), said, [500]) as service, pytest.raises(AssertionError):
        check_sent_again(service, read(said), 1)


def test_another_answer_is_told_apart_by_its_first_bytes(wished):
    one, other = asyncio.run(wished.whole(new_key())), asyncio.run(wished.whole(new_key()))
    assert is_part_of(one[:90], one)
    assert not is_part_of(other[:QUESTIONS], one)
