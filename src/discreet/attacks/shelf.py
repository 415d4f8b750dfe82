"""The attacks by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from discreet.attacks.averaging import averaging
from discreet.attacks.conditional_error import conditional_error
from discreet.attacks.differencing import differencing
from discreet.attacks.float_sum import float_sum
from discreet.attacks.key_leak import key_leak
from discreet.attacks.low_bits import low_bits
from discreet.attacks.membership import membership
from discreet.attacks.named_person import named_person
from discreet.attacks.outcome import Outcome
from discreet.attacks.precision import precision
from discreet.attacks.reconstruction import reconstruction
from discreet.errors import ParameterError

__all__ = ["ATTACKS", "attack"]

ATTACKS: Mapping[str, tuple[Callable[[], Outcome], str]] = MappingProxyType(
    {
        "differencing": (differencing, "everybody, less everybody else"),
        "averaging": (averaging, "the same question until the noise is gone"),
        "reconstruction": (reconstruction, "everybody's secret from counts alone"),
        "membership": (membership, "who was in the study"),
        "named_person": (named_person, "a malicious question about one person"),
        "key_leak": (key_leak, "a group that is there because of one person"),
        "conditional_error": (conditional_error, "a question that fails because of one person"),
        "low_bits": (low_bits, "noise that gives itself away"),
        "precision": (precision, "how fine a float is tells where it came from"),
        "float_sum": (float_sum, "a rounding error as large as a secret"),
    }
)


def attack(name: str) -> Outcome:
    """Carry out the attack called ``name``, on made-up rows, with fresh randomness."""
    if name not in ATTACKS:
        raise ParameterError(f"there is no attack called {name!r}", hint=f"choose one of {', '.join(ATTACKS)}")
    return ATTACKS[name][0]()
