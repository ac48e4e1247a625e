"""Two thousand mutated logs, a quarter of them by default: the product keeps its promises over all of them.

`python -m tests.robustness.fuzz --trials 100000 --seed N` tries more, and `--trial` shows one that failed.
"""

import pytest

from tests.robustness.fuzz.groups import again
from tests.robustness.fuzz.trial import trial
from tests.robustness.fuzz.workers import carried_out
from tests.support.thorough import one_of

SEED = 0
TRIALS, IN_ONE_TEST = 2000, 50


@pytest.mark.parametrize(
    "first", [pytest.param(first, marks=one_of(20, first // IN_ONE_TEST)) for first in range(0, TRIALS, IN_ONE_TEST)]
)
def test_mutated_logs_break_no_promise(first: int) -> None:
    told = []
    for number in range(first, first + IN_ONE_TEST):
        done = carried_out(SEED, number)
        told += [f"{kind}: {place}\n  {again(SEED, number)}\n  {what[-600:]}" for kind, place, what in done.failures]
    assert not told, "\n".join(["", *told])


def test_a_trial_is_the_same_every_time() -> None:
    for number in range(200):
        one, other = trial(SEED, number), trial(SEED, number)
        assert (one.files, one.did, one.choices, one.more) == (other.files, other.did, other.choices, other.more)
