"""Tokens: what somebody shows to come in. A token is told once; a ledger keeps a keyed hash of it, and entries a seal of that.

A token has 256 bits of entropy, so nobody guesses one from its hash, however fast that is: a slow hash, which passwords need,
would only make every request dear. The key is for something else: what is kept cannot be checked against a token that was found
elsewhere without the ledger's own key. Decision 26.
"""

import hmac
from base64 import urlsafe_b64encode
from functools import lru_cache

from discreet.ledger.entries.signing import SigningKey
from discreet.noise.keystream import Keystream, bits

__all__ = ["PREFIX", "hash_of_token", "is_shaped", "new_token", "seal_of"]

PREFIX = "dsc_"  # so that people, and programs that look for lost secrets, know what it is
_BITS = 256
_LENGTH = len(PREFIX) + 43


def new_token() -> str:
    """A token that nobody has seen, by the system's own entropy whatever tests have put in its place."""
    return PREFIX + urlsafe_b64encode(bits(Keystream(), _BITS).to_bytes(_BITS // 8, "little")).rstrip(b"=").decode()


def is_shaped(token: str) -> bool:
    """Whether this could be a token at all: no more than its form, which is public."""
    return len(token) == _LENGTH and token.startswith(PREFIX) and token.isascii()


def hash_of_token(key: SigningKey, token: str) -> str:
    """What is kept of a token. Whoever sends tokens to be looked up does not choose it: how long a lookup takes tells nothing."""
    return hmac.digest(_secret(key, "tokens"), token.encode(), "sha256").hex()


def seal_of(key: SigningKey, name: str, kept: str) -> str:
    """What an entry says of a token: by it verification knows the kept hash, and nobody else knows anything."""
    return hmac.digest(_secret(key, "seals of tokens"), f"{name}\n{kept}".encode(), "sha256").hex()


@lru_cache(maxsize=16)
def _secret(key: SigningKey, purpose: str) -> bytes:
    return key.secret(purpose)
