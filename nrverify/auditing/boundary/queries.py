"""Asking a boundary for its values: many times in one request, each asked once, and nothing improper passed on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.requests import ScalarRequest

Floats = NDArray[np.float64]

FIRST_BATCH = 64
"""Calls in the first requests, from which the pace of the subject is known."""
SECONDS_A_REQUEST = 1.0
"""Later requests hold as many calls as take so long: far within the time limit of a request."""
CLAIMS_NOTHING = 1e100
"""An ε from here on is infinite: e^-ε is zero however it is calculated, and its square is still a number."""


class ImproperValue(Exception):
    """ψ is NaN, zero or negative at a time where it is claimed."""

    def __init__(self, time: float, value: float) -> None:
        super().__init__(f"ε({time:.6g}) = {value!r}")
        self.time, self.value = time, value


class Asker:
    """epsilon(time) and time(epsilon) of a subject, remembered."""

    def __init__(self, drawer: Drawer) -> None:
        self._drawer = drawer
        self._known: dict[str, dict[float, float]] = {"epsilon": {}, "time": {}}
        self._failed: Exception | None = None
        self._pace: float | None = None
        self.raised: Exception | None = None
        """What asking has raised: whoever integrates a curve says only that it has no value somewhere."""

    @property
    def calls(self) -> int:
        """How often the subject was called."""
        return sum(map(len, self._known.values()))

    @property
    def pace(self) -> float:
        """Seconds a call takes, as far as is known."""
        return self._pace or 1e-5

    def epsilon(self, times: ArrayLike) -> Floats:
        """ψ at the times; `ImproperValue` where it is NaN, zero or negative. Infinite values claim nothing and pass."""
        asked = np.atleast_1d(np.asarray(times, dtype=np.float64))
        try:
            values = self._ask("epsilon", asked)
            bad = np.flatnonzero(~(values > 0))
            if bad.size:
                raise ImproperValue(float(asked[bad[0]]), float(values[bad[0]]))
        except Exception as error:
            self.raised = error
            raise
        return values

    def everything(self) -> tuple[Floats, Floats]:
        """All times asked so far in increasing order, and ψ there."""
        known = self._known["epsilon"]
        times = np.array(sorted(known))
        return times, np.array([known[t] for t in times.tolist()])

    def time(self, epsilons: ArrayLike) -> Floats:
        """The subject's own inverse, whatever it answers."""
        return self._ask("time", np.atleast_1d(np.asarray(epsilons, dtype=np.float64)))

    def _ask(self, method: str, arguments: Floats) -> Floats:
        known = self._known[method]
        new = [x for x in np.unique(arguments).tolist() if x not in known]
        while new:
            batch, new = self._split(new)
            answers = self._request(method, batch)
            if method == "epsilon":
                answers = np.where(answers >= CLAIMS_NOTHING, np.inf, answers)
            known.update(zip(batch, answers.tolist(), strict=True))
        return np.array([known[x] for x in arguments.tolist()])

    def _split(self, new: Sequence[float]) -> tuple[list[float], list[float]]:
        size = FIRST_BATCH if self._pace is None else max(1, int(SECONDS_A_REQUEST / self._pace))
        return list(new[:size]), list(new[size:])

    def _request(self, method: str, batch: list[float]) -> Floats:
        """One request. A subject that has failed is not asked again: its late answer would be taken for the next."""
        if self._failed is not None:
            raise self._failed
        self._drawer.in_time()
        host = self._drawer.host
        before = host.seconds
        try:
            answers = host.ask(ScalarRequest(method, batch))
        except SubjectFailed as failure:
            reason = f"{failure}; it was asked at {min(batch):.4g} to {max(batch):.4g}"
            if method == "epsilon":
                reason += ", and a boundary meant for less says so by interval = (t_min, t_max)"
            self._failed = SubjectFailed(reason)
            raise self._failed from None
        if len(batch) >= FIRST_BATCH // 2:
            self._pace = max((host.seconds - before) / len(batch), 1e-7)
        return answers


class Scaled:
    """c(τ) = τψ(Δ²τ) − ½, the curve in units of Δ at time τ = t/Δ², as the crossing probability wants it."""

    def __init__(self, asker: Asker, sensitivity: float, interval: tuple[float, float]) -> None:
        self._asker = asker
        self.square = sensitivity * sensitivity
        self._interval = interval

    def epsilon(self, tau: Floats) -> Floats:
        """ψ(Δ²τ), never asked outside the interval by rounding."""
        return self._asker.epsilon(np.clip(tau * self.square, *self._interval))

    def __call__(self, tau: ArrayLike) -> Floats | float:
        at = np.asarray(tau, dtype=np.float64)
        height = at * self.epsilon(at.ravel()).reshape(at.shape) - 0.5
        return height if at.ndim else float(height)

    def level(self, log_tau: Floats) -> Floats:
        """z = c(τ)/√τ."""
        tau = np.exp(log_tau)
        return np.asarray((tau * self.epsilon(tau) - 0.5) / np.sqrt(tau))

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of τ."""
        return self._interval[0] / self.square, self._interval[1] / self.square


def log_grid(low: float, high: float, count: int) -> Floats:
    """log-times from log(low) to log(high), evenly."""
    return np.linspace(math.log(low), math.log(high), count)
