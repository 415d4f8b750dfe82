"""Attacks at length: fifty reconstructions, and ten thousand repetitions of one question."""

from contextlib import closing

import numpy as np
import pytest

from discreet.attacks.averaging import clinic, rewrites
from discreet.attacks.reconstruction import exact_counts, groups, hidden_bits, majority, noisy_counts, rebuilt, table_of

pytestmark = pytest.mark.soak
RUNS, COUNTS = 50, 200


def test_exact_counts_give_everybody_away_and_the_budgets_counts_do_not():
    found = np.array([run() for _ in range(RUNS)])
    bare, ours, baseline = found.mean(axis=0)
    print(f"\n  {RUNS} runs of {COUNTS} counts about 100 people: {bare:.3f} of the bits from exact counts, "
          f"{ours:.3f} for epsilon 1, {baseline:.3f} by the more frequent bit")
    assert bare >= 0.95
    assert abs(ours - baseline) <= 0.05


def run() -> tuple[float, float, float]:
    """The share of right bits from exact counts, from what epsilon 1 buys, and by the more frequent bit."""
    secret, asked = hidden_bits(), groups(COUNTS)
    with table_of(secret) as where:
        bare, ours = (rebuilt(asked, counts(where, asked)) for counts in (exact_counts, noisy_counts))
    return float((bare == secret).mean()), float((ours == secret).mean()), majority(secret)


def test_ten_thousand_repetitions_are_one_answer_at_one_price():
    with clinic(0) as where, closing(where.curator()) as curator:
        first = curator.ask(rewrites(1)[0], epsilon="0.1")
        again = {(answer.id, answer.value, answer.replayed) for answer in
                 (curator.ask(rewrites(1)[0], epsilon="0.1") for _ in range(10_000))}
        print(f"\n  10 000 repetitions of a question at epsilon 0.1: {len(again)} answer, {curator.budget!r}")
        assert again == {(first.id, first.value, True)}
        assert curator.budget.to_dict()["spent"] == {"epsilon": "0.1"}
