"""How many examples hypothesis tries: 100 of a property, or as many as HYPOTHESIS_PROFILE=thorough says."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("default", max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

FEW = settings(max_examples=settings().max_examples * 3 // 5)
