"""Simulate the harm gate: experiences that fail at a known rate, followed again and again.

    python -m tests.quality.measure_harm [--runs 2000] [--horizon 50]

Each simulated experience is followed up to `horizon` times; each time the run fails at the given
rate. `suspended` is the share taken out of use within the horizon, `after` the mean number of
followed runs until then. A rate of 0.1 is a good one (runs also fail for reasons of their own):
there every suspension is wrong. Only the gate is measured, not whether outcomes are seen rightly.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from hindsight_cli.experiences.credits import Counts

RATES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--horizon", type=int, default=50)
    options = parser.parse_args(arguments)
    print(f"{'fails':>6}{'suspended':>11}{'after':>8}{'in 10':>8}")
    for rate in RATES:
        chance = random.Random(7)
        ends = [followed_until(rate, options.horizon, chance) for _ in range(options.runs)]
        gone = [end for end in ends if end]
        after = sum(gone) / len(gone) if gone else 0.0
        early = sum(end <= 10 for end in gone) / len(ends)
        print(f"{rate:6.2f}{len(gone) / len(ends):11.3f}{after:8.1f}{early:8.3f}")


def followed_until(rate: float, horizon: int, chance: random.Random) -> int:
    """How many followed runs it takes until the gate suspends; 0 for never."""
    success = failure = 0
    for run in range(1, horizon + 1):
        fails = chance.random() < rate
        failure += fails
        success += not fails
        if Counts(success=success, failure=failure).harm:
            return run
    return 0


if __name__ == "__main__":
    main()
