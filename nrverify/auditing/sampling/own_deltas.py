"""The curve that a subject claims: what its own delta_of says of an ε, checked to be one that privacy can have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.requests import ScalarRequest

Floats = NDArray[np.float64]


class OwnDeltas:
    """The δ's of a subject by ε, each asked for once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.known: dict[float, float] = {}

    def __call__(self, epsilons: Floats) -> dict[float, float]:
        """All δ's known so far; `SubjectFailed` where one is outside [0, 1], or a larger ε has a larger δ."""
        unknown = [at for at in np.unique(epsilons).tolist() if at not in self.known]
        if unknown:
            self.known.update(zip(unknown, self._host.ask(ScalarRequest("delta_of", unknown)).tolist(), strict=True))
        before = 0.0, 1.0
        for epsilon, delta in sorted(self.known.items()):
            if not 0 <= delta <= 1:
                raise SubjectFailed(f"delta_of({epsilon!r}) is {delta!r}: it must be between 0 and 1")
            if delta > before[1]:
                raise SubjectFailed(
                    f"delta_of({epsilon!r}) is {delta!r}: it must not be above delta_of({before[0]!r}), which is "
                    f"{before[1]!r}, as what is private at an ε is private at every larger one"
                )
            before = epsilon, delta
        return self.known
