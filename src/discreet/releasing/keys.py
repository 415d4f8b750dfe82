"""Keys that no public list names: the step at which some of them are chosen. Proof: docs/proofs/keys.md."""

import numpy as np
from numpy.typing import NDArray

from discreet.engines.rules.choice import key_for
from discreet.engines.wanted import Engine, KeysWanted
from discreet.mechanisms.keys import NoisyThreshold
from discreet.mechanisms.observing import observed
from discreet.planning.plan import Plan
from discreet.statistics.keys import Keys, keys_as_integers, law_of

__all__ = ["chosen_keys"]


def chosen_keys(keys: Keys, plan: Plan, engine: Engine) -> NDArray[np.object_]:
    """The keys that were chosen, with their counts where these are released with them, as integers."""
    key, joins, per_unit = plan.question.keys[keys.place], plan.question.joins, plan.wanted.per_unit
    asked = KeysWanted(plan.question.where, key, keys.mechanism.at_least, keys.groups, key_for(plan.facts.name), joins, per_unit)
    of, mechanism = engine.keys(asked).take(), keys.mechanism

    def draw() -> NDArray[np.object_]:
        if isinstance(mechanism, NoisyThreshold):
            places, counts = mechanism.release(of.units)
            return keys_as_integers([of.values[place] for place in places], counts.tolist(), law_of(mechanism))
        return keys_as_integers([of.values[place] for place in mechanism.select(of.units)])

    return observed(mechanism, of, draw)
