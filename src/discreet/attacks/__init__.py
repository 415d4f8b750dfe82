"""Attacks: each succeeds on an unprotected target and fails on discreet, on made-up rows.

Nothing that answers a question imports this room. An attacker here knows all that the literature grants: every row but one, two
possible values of a secret, the code. Discreet is asked through its curator, so that charges and refusals play their part.
"""

from discreet.attacks.outcome import Line, Outcome, Rate
from discreet.attacks.picture import picture, save_picture
from discreet.attacks.shelf import ATTACKS, attack

__all__ = ["ATTACKS", "Line", "Outcome", "Rate", "attack", "picture", "save_picture"]
