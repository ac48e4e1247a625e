"""How many examples hypothesis tries: 40 of a property, the same in every run, or as HYPOTHESIS_PROFILE=thorough says.

A run of CI is about the change that it tries: an example that nobody has seen yet is found by the long run, which draws
anew each time, and not by the next person's change.
"""

import os

from hypothesis import HealthCheck, settings

QUICK = settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", QUICK)
settings.register_profile("thorough", QUICK, max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

FEW = settings(max_examples=settings().max_examples * 3 // 5)
