"""How many examples hypothesis tries of a property: 15, the same in every run; 40 for `python -m tests`, which says
HYPOTHESIS_PROFILE=full; and HYPOTHESIS_PROFILE=thorough tries 2,000.

A run of CI is about the change that it tries: an example that nobody has seen yet is found by the long run, which draws
anew each time, and not by the next person's change.
"""

import os
import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, seed, settings

QUICK = settings(max_examples=15, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", QUICK)
settings.register_profile("full", QUICK, max_examples=40)
settings.register_profile("thorough", QUICK, max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

FEW = settings(max_examples=settings().max_examples * 3 // 5)


def examples_of(name: str) -> Callable[[Any], Any]:
    """Let a property that is tried of many formats draw other examples for each: by itself it would draw the same."""
    return seed(zlib.crc32(name.encode())) if settings().derandomize else lambda test: test
