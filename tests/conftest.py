"""Hypothesis: the same examples every time in CI, new ones on every run elsewhere; a cold or busy machine is no failure."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("here", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
