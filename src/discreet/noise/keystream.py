"""The only door to randomness.

Bits come from AES-256 in counter mode under a key that the operating system's generator chose. Every release takes a
fresh key, a long one takes another key in time, and a child of ``fork`` never continues its parent's stream. The bits
are as good as AES-256: a distinguisher against one key's at most 2^24 blocks has advantage about 2^-81.
"""

import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

__all__ = ["Entropy", "Keystream", "bits", "fresh", "source"]

_CHUNK = bytes(1 << 18)  # zeros to encrypt: what comes out is the bare keystream
_BYTES_PER_KEY = 1 << 28  # 2^24 blocks of 16 bytes


class Entropy(Protocol):
    """Something that can fill an array of 64-bit words with independent fair bits."""

    def fill(self, words: NDArray[np.uint64]) -> None:
        """Overwrite every word of the contiguous array ``words``."""


class _Forks:
    """How many forks lie between the first process and this one."""

    count = 0

    @classmethod
    def passed(cls) -> None:
        cls.count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Forks.passed)


class Keystream:
    """A stream of fair bits for one release; not shared between threads."""

    __slots__ = ("_cipher", "_forks", "_left", "_next_key")

    def __init__(self, next_key: Callable[[int], bytes] = os.urandom) -> None:
        self._next_key = next_key
        self._rekey()

    def _rekey(self) -> None:
        self._cipher: CipherContext = Cipher(algorithms.AES256(self._next_key(32)), modes.CTR(self._next_key(16))).encryptor()
        self._left = _BYTES_PER_KEY
        self._forks = _Forks.count

    def fill(self, words: NDArray[np.uint64]) -> None:
        """Overwrite every word of the contiguous array ``words`` with keystream."""
        if not words.size:
            return
        place = words.data.cast("B")  # fails on an array with gaps, where a copy would be filled
        for start in range(0, len(place), len(_CHUNK)):
            piece = place[start : start + len(_CHUNK)]
            if self._left < len(piece) or self._forks != _Forks.count:
                self._rekey()
            self._left -= len(piece)
            self._cipher.update_into(_CHUNK[: len(piece)], piece)


source: ContextVar[Callable[[], Entropy]] = ContextVar("source", default=Keystream)
"""What ``fresh`` calls. Only ``discreet.testing`` ever sets it; a curator of a registered table checks that it is Keystream."""


def fresh() -> Entropy:
    """New entropy under a new key, for one release."""
    return source.get()()


def bits(entropy: Entropy, count: int) -> int:
    """``count`` fair bits as an integer in [0, 2^count)."""
    words = np.empty(-(-count // 64), np.uint64)
    entropy.fill(words)
    return int.from_bytes(words.tobytes(), "little") >> (-count % 64)
