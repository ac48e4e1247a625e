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
# Gaps of DeepSeek Harness that are known. In both, nothing of a log is lost.
KNOWN = {
    # A packed row whose members are no lists is counted in another way after its neighbors were numbered again.
    ("nothing_to_report", "dsh: The output was discarded, because it differed from the plan when it was read again"),
    # A prompt that lost its blocks is left as it is: whether a provider refuses it was not tried with the agent.
    ("healthy_is_accepted", "dsh: turn …: empty or odd content"),
}


@pytest.mark.parametrize(
    "first", [pytest.param(first, marks=one_of(8, first // IN_ONE_TEST)) for first in range(0, TRIALS, IN_ONE_TEST)]
)
def test_mutated_logs_break_no_promise(first: int) -> None:
    told = []
    for number in range(first, first + IN_ONE_TEST):
        done = carried_out(SEED, number)
        told += [
            f"{kind}: {place}\n  {again(SEED, number)}\n  {what[-600:]}"
            for kind, place, what in done.failures
            if (kind, place) not in KNOWN
        ]
    assert not told, "\n".join(["", *told])


def test_a_trial_is_the_same_every_time() -> None:
    for number in range(200):
        one, other = trial(SEED, number), trial(SEED, number)
        assert (one.files, one.did, one.choices, one.more) == (other.files, other.did, other.choices, other.more)
