"""What one session tells of another: measured where they disturb each other, nothing where they do not."""

import numpy as np
import pytest

from nrverify.auditing.core.effects import Effect
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.diagnosis.measured_sessions import measured_sessions
from nrverify.auditing.sampling.clock import Clock
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.describe import describe


class Host:
    """Two sessions, the first of which releases a share of the other's value."""

    seconds = 0.0

    def __init__(self, share):
        self.description = describe({"mechanism": "brownian", "methods": ["open"]})
        self._share = share

    def ask(self, request):
        rng = np.random.default_rng(list(request.seeds))
        noise = np.sqrt(request.policy.schedule)[:, None] * rng.standard_normal((2, 2, 1))
        values = np.array([self._share * request.value[1], request.value[1]])
        return values[:, None] + noise, None


@pytest.mark.parametrize(("share", "leaks"), [(0.0, False), (1.0, True), (0.1, True)])
def test_what_a_release_tells_of_another_session(share, leaks):
    host = Host(share)
    drawer = Drawer(host, Settings())
    found = measured_sessions(drawer, host.description, knob_of(host.description), 1, 1e-6, Clock(host, 60.0))
    assert (found is not None) == leaks
    if leaks:
        assert (found.effect, found.claim) == (Effect.LEAK, 0.0)
        assert "where it must tell nothing: a leak" in found.words
