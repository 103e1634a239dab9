"""One budget for a whole audit of private stopping: what its boundary used is not given to the runs again."""

from types import SimpleNamespace

import numpy as np
import pytest

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.private_stopping.audit import PrivateStoppingMechanism
from nrverify.auditing.sampling import clock
from nrverify.auditing.sampling.audit import SampledAudit
from nrverify.subjects.adapter import Adapter

CALL = 1e-3
"""Seconds that a call of the boundary is said to take."""
RUNS = range(500)
"""A request of runs is said to take as long as so many calls."""


class Slow(Adapter):
    """A host whose seconds are counted, not measured; runs take as long as their boundary."""

    timeout = 60.0

    def __init__(self, subject):
        super().__init__(subject)
        self.seconds = 0.0

    def ask(self, request):
        self.seconds += CALL * len(getattr(request, "numbers", RUNS))
        return super().ask(request)


class Stopping:
    """A right boundary, one quantile at every time, and runs that are cut by the budget before they are judged."""

    mechanism = "private-stopping"
    sensitivity, delta = 1.0, 1e-6
    dimensions = (1,)
    interval = (1.0, 100.0)

    def epsilon(self, time):
        return 0.5 / time + 6.5 / time**0.5

    def run(self, value, schedule, utility, threshold, utility_sensitivity, seed):
        rng = np.random.default_rng(seed)
        return [value + rng.standard_normal(len(value)) for _ in schedule], [0] * len(schedule)


@pytest.mark.parametrize("budget", [1.5, 3.0])
def test_the_boundary_and_the_runs_share_the_budget(budget, monkeypatch):
    host = Slow(Stopping())
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: host.seconds))
    settings = Settings(budget=budget, samples=10**6, keep_going=True)
    run = SampledAudit.of_host(PrivateStoppingMechanism(host, settings), host, settings)
    run.run()
    assert run.stopped == "time"
    largest = 1.0 + len(RUNS) * CALL  # a request of the boundary takes a second at most, one of runs less
    assert budget <= host.seconds < budget + 2 * largest
