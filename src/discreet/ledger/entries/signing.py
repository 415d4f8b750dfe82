"""The signing key of a ledger (Ed25519): what it signs is in ``signatures``."""

import hmac
from base64 import b64decode, b64encode
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from discreet.errors import LedgerFault, ParameterError
from discreet.noise.keystream import bits, fresh

__all__ = ["SigningKey", "is_signed", "name_of", "read_public_key"]

_PEM, _RAW = serialization.Encoding.PEM, serialization.Encoding.Raw


class SigningKey:
    """Signs. Will not print."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._public = key.public_key()

    @classmethod
    def new(cls) -> "SigningKey":
        """A key from the one door to entropy."""
        return cls(Ed25519PrivateKey.from_private_bytes(bits(fresh(), 256).to_bytes(32, "little")))

    @classmethod
    def read(cls, file: Path) -> "SigningKey":
        """The key in a PEM file."""
        try:
            key = serialization.load_pem_private_key(file.read_bytes(), password=None)
        except PermissionError:
            hint = "the folder .discreet and what is in it must be readable and writable"
            raise LedgerFault("the signing key cannot be read", hint=hint) from None
        except (OSError, ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise LedgerFault("the signing key is gone or damaged", hint="restore .discreet/key.pem from a backup")
        return cls(key)

    def to_pem(self) -> bytes:
        """The private key."""
        return self._key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def public_pem(self) -> bytes:
        """The public key, for whoever verifies."""
        return self._key.public_key().public_bytes(_PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def secret(self, purpose: str) -> bytes:
        """A key for another purpose, which follows from the private key and tells nothing about it."""
        private = self._key.private_bytes(_RAW, serialization.PrivateFormat.Raw, serialization.NoEncryption())
        return hmac.digest(private, f"discreet {purpose}".encode(), "sha256")

    @cached_property
    def name(self) -> str:
        """The first digits of the hash of the public key."""
        return name_of(self.public)

    @property
    def public(self) -> Ed25519PublicKey:
        """The public key, to verify with."""
        return self._public

    def sign(self, text: str) -> str:
        """The signature of a text, in base64. The text begins with what it is: see ``signatures``."""
        return b64encode(self._key.sign(text.encode())).decode()

    def __repr__(self) -> str:
        return f"SigningKey({self.name})"


def read_public_key(pem: bytes) -> Ed25519PublicKey:
    """A public key from the text of a PEM file."""
    try:
        key = serialization.load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ParameterError("this is not a public key of a ledger", hint="give the file .discreet/public.pem")
    return key


def name_of(key: Ed25519PublicKey) -> str:
    """The first digits of the hash of a public key."""
    return sha256(key.public_bytes(_RAW, serialization.PublicFormat.Raw)).hexdigest()[:16]


def is_signed(text: str, signature: object, key: Ed25519PublicKey) -> bool:
    """Whether ``signature`` is one of ``text`` by ``key``."""
    if not isinstance(signature, str):
        return False
    try:
        key.verify(b64decode(signature, validate=True), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True
