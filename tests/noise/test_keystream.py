"""The one door to randomness: what it fills, when it changes keys, and who may stand in for it."""

import contextvars
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.noise.replay import ALL_ONES, Replay
from tests.statistics.fit import FALSE_ALARM, binomial_fit

from discreet.noise import discrete_laplace
from discreet.noise.keystream import Keystream, bits, fresh, source
from discreet.testing import repeatable, seeded


def words(stream, *shape):
    filled = np.zeros(shape, np.uint64)
    stream.fill(filled)
    return filled


class Keys:
    """Hands out keys 1, 2, 3, … and remembers what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, size):
        self.asked.append(size)
        return len(self.asked).to_bytes(size, "little")


def reference(key, start, size):
    """AES-256 in counter mode over zeros, in one go."""
    encryptor = Cipher(algorithms.AES256(key.to_bytes(32, "little")), modes.CTR(start.to_bytes(16, "little"))).encryptor()
    return encryptor.update(bytes(size))


# ---- filling


@pytest.mark.parametrize("shape", [(1,), (7,), (2, 3), (3, 4, 5), (1 << 15,), ((1 << 15) + 1,), (100_003,)])
def test_every_bit_of_every_word_is_filled(shape):
    stream, ever, always = Keystream(), np.zeros(shape, np.uint64), np.full(shape, ALL_ONES, np.uint64)
    for _ in range(100):  # a fair bit is the same a hundred times in a row once in 2^99
        drawn = words(stream, *shape)
        ever |= drawn
        always &= drawn
    assert (ever == ALL_ONES).all()
    assert not always.any()


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0)])
def test_filling_nothing_draws_nothing(shape):
    stream, other = Keystream(Keys()), Keystream(Keys())
    stream.fill(np.empty(shape, np.uint64))
    assert (words(stream, 4) == words(other, 4)).all()


@pytest.mark.parametrize("gaps", [np.zeros(8, np.uint64)[::2], np.zeros((4, 4), np.uint64)[:, :2], np.zeros((4, 4), np.uint64).T])
def test_an_array_with_gaps_is_not_silently_left_as_it_was(gaps):
    with pytest.raises((TypeError, ValueError)):
        Keystream().fill(gaps)


def test_the_words_are_the_key_stream_of_aes_in_order():
    stream = Keystream(Keys())
    sizes = (1, 2, 3, 5, 70_000, 1, 9)  # across whole chunks and within blocks
    drawn = b"".join(words(stream, size).tobytes() for size in sizes)
    assert drawn == reference(1, 2, len(drawn))


def test_ones_and_zeros_are_equally_likely_and_not_3_percent_apart():
    ones = int(np.bitwise_count(words(Keystream(), 1 << 16)).sum())
    assert binomial_fit(ones, 1 << 22, 0.5) > FALSE_ALARM
    assert binomial_fit(ones, 1 << 22, 0.515) < FALSE_ALARM
    assert binomial_fit(ones, 1 << 22, 0.485) < FALSE_ALARM


# ---- keys


def test_a_new_key_is_taken_after_two_to_the_24_blocks_and_not_before():
    keys = Keys()
    stream, chunk = Keystream(keys), np.empty(1 << 15, np.uint64)  # 2^14 blocks
    for _ in range(1 << 10):
        stream.fill(chunk)
    assert keys.asked == [32, 16]
    before = chunk.copy()
    stream.fill(chunk)
    assert keys.asked == [32, 16, 32, 16]
    assert (before != chunk).any()
    assert chunk.tobytes() == reference(3, 4, chunk.nbytes)


def test_pieces_that_do_not_divide_a_key_never_stretch_it():
    keys = Keys()
    stream, piece = Keystream(keys), np.empty((1 << 15) - 1, np.uint64)
    for _ in range(1 << 10):
        stream.fill(piece)
    assert keys.asked == [32, 16]
    stream.fill(piece)  # would be 2^24 blocks and 2^13 less 1025 words
    assert keys.asked == [32, 16, 32, 16]


def test_every_release_has_a_key_of_its_own():
    drawn = {words(fresh(), 4).tobytes() for _ in range(100)}
    assert len(drawn) == 100


@pytest.mark.fresh_noise
def test_the_key_comes_from_the_operating_system():
    assert Keystream.__init__.__defaults__ == (os.urandom,)


FORK = """
import os, sys
import numpy as np
from discreet.noise.keystream import Keystream

def draw():
    words = np.zeros(8, np.uint64)
    stream.fill(words)
    return words.tobytes().hex()

def in_child(act):
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, act().encode())
        os._exit(0)
    os.close(writing)
    os.wait()
    with os.fdopen(reading) as pipe:
        return pipe.read()

stream = Keystream()
print(draw())
print(in_child(draw))
print(in_child(draw))
print(in_child(lambda: in_child(draw)))
print(in_child(lambda: draw() + " " + in_child(draw)))
print(draw())
print(in_child(draw))
"""


def test_a_child_never_continues_the_stream_of_its_parent():
    if not hasattr(os, "fork"):
        pytest.skip("missing part: an operating system that forks")
    run = subprocess.run([sys.executable, "-W", "error", "-c", FORK], capture_output=True, text=True, check=True)
    drawn = run.stdout.split()
    assert [len(each) for each in drawn] == [128] * 8
    assert len(set(drawn)) == 8


# ---- bits


@pytest.mark.parametrize("count", [0, 1, 5, 63, 64, 65, 127, 128, 129, 200])
def test_bits_are_a_number_of_so_many_binary_digits(count):
    stream = Keystream()
    drawn = [bits(stream, count) for _ in range(200)]
    assert all(0 <= each < 1 << count for each in drawn)
    ever = always = drawn[0]
    for each in drawn:
        ever, always = ever | each, always & each
    assert ever == (1 << count) - 1
    assert always == 0


def test_bits_use_whole_words_and_keep_the_first_digits():
    replay = Replay([0b101 << 61, 7, ALL_ONES, 9])
    assert bits(replay, 3) == 0b101
    assert bits(replay, 0) == 0
    assert bits(replay, 128) == ALL_ONES << 64 | 7
    assert replay.rest() == [9]


# ---- standing in


def test_noise_comes_from_the_keystream_unless_a_test_says_otherwise():
    assert contextvars.Context().run(source.get) is Keystream
    assert source.get() is Keystream
    assert isinstance(fresh(), Keystream)


def draws():
    return [discrete_laplace(1000) for _ in range(5)]


def test_seeded_draws_repeat_and_differ_from_seed_to_seed_and_from_release_to_release():
    with seeded(1):
        first = draws()
    with seeded(1):
        again = draws()
    with seeded(2):
        other = draws()
    assert first == again != other
    assert len(set(first)) > 1


def test_what_is_seeded_ends_with_the_block_even_if_it_fails():
    with seeded(1), seeded(2):
        inner = draws()
    with seeded(2):
        assert draws() == inner
    with pytest.raises(ZeroDivisionError), seeded(1):
        _ = 1 / 0
    assert source.get() is Keystream


def test_a_block_inside_a_block_does_not_disturb_the_outer_one():
    with seeded(1):
        whole = draws() + draws()
    with seeded(1):
        before = draws()
        with seeded(3):
            draws()
        assert before + draws() == whole


def test_other_threads_never_see_the_seed():
    seen = []
    with seeded(1):
        thread = threading.Thread(target=lambda: seen.append(source.get()))
        thread.start()
        thread.join()
    assert seen == [Keystream]


def test_repeatable_streams_follow_from_their_label_alone():
    assert (words(repeatable("a"), 9) == words(repeatable("a"), 9)).all()
    assert (words(repeatable("a"), 9) != words(repeatable("b"), 9)).any()
