"""A boundary in this process, in place of a subject."""

import numpy as np

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.describe import describe

PACE = 2e-3
"""Seconds that a call is said to take: so slow a subject is scanned with some hundreds of times, which is fast here."""


class CurveHost:
    """Answers epsilon(time) by `psi` and time(epsilon) by `inverse`."""

    timeout = 60.0

    def __init__(self, psi, inverse=None, seconds=0.0, **attributes):
        methods = ("epsilon",) if inverse is None else ("epsilon", "time")
        defaults = {"mechanism": "boundary", "sensitivity": 1.0, "delta": 1e-6, "methods": methods}
        self.description = describe({**defaults, **attributes})
        self.seconds = seconds
        self._methods = {"epsilon": psi, "time": inverse}

    def ask(self, request):
        self.seconds += PACE * len(request.numbers)
        return np.array([self._methods[request.function](number) for number in request.numbers], dtype=float)


def drawer(host):
    return Drawer(host, Settings())
