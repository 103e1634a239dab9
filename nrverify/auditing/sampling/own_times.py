"""The times behind what was asked: itself, or what the subject's own time_of says of an ε."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.limits import TIMES, within
from nrverify.subjects.requests import ScalarRequest

Floats = NDArray[np.float64]


class OwnTimes:
    """The times of a subject, each asked for once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.known: dict[float, float] = {}

    def __call__(self, asked: Floats) -> Floats | None:
        """The times, NaN where nothing was asked; None where the noise behind an ε is not known."""
        if self._host.description.knob == "time":
            return asked
        if "time_of" not in self._host.description.methods:
            return None
        different, where = np.unique(asked, return_inverse=True)
        unknown = [at for at in different.tolist() if np.isfinite(at) and at not in self.known]
        if unknown:
            times = self._host.ask(ScalarRequest("time_of", unknown))
            for at, t in zip(unknown, times.tolist(), strict=True):
                if not (np.isfinite(t) and t > 0):
                    raise SubjectFailed(f"time_of({at!r}) is {t!r}: it must be a positive finite time")
                within(f"time_of({at!r})", t, TIMES)
            self.known.update(zip(unknown, times.tolist(), strict=True))
        return np.array([self.known.get(at, np.nan) for at in different.tolist()])[where].reshape(asked.shape)
