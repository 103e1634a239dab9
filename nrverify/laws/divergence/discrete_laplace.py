"""The loss of discrete Laplace noise: a lattice of losses, summed exactly for any number of coordinates.

The loss of one coordinate moved by k is (k - 2i)/t with weight p^i/(1+p) times 1 at i = 0 and i = k, 1-p between. In
d coordinates the losses are (N - 2i)/t, N = Σk, with weights p^i m_i/(1+p)^d; m is the convolution of the sequences
1, 1-p, …, 1-p, 1.
"""

from __future__ import annotations

import numpy as np

from nrverify.laws.divergence.exact_gaps import gaps
from nrverify.laws.validation.times import Floats

_LARGEST_LATTICE = 2**22
"""Losses on the lattice; more need more than 100 MB."""
_LARGEST_WORK = 2**32
"""Losses times coordinates: some ten seconds."""


class DiscreteLaplaceLosses:
    """The pair of discrete Laplace laws with the given |shifts|, all above 0."""

    def __init__(self, shifts: list[int], time: float) -> None:
        self.time, self.total = time, sum(shifts)
        self.shifts = shifts
        with np.errstate(over="ignore", under="ignore"):
            self.p = float(np.exp(-1 / np.float64(time)))
            self.move = float(-np.expm1(-1 / np.float64(time)))
        if len(shifts) > 1 and (self.total > _LARGEST_LATTICE or self.total * len(shifts) > _LARGEST_WORK):
            raise ValueError(
                f"shift has {len(shifts)} coordinates of sum {self.total}, which must not exceed {_LARGEST_LATTICE}, "
                f"nor {_LARGEST_WORK} times the coordinates; ask for fewer coordinates or smaller shifts"
            )

    def hockey_stick(self, epsilons: Floats) -> Floats:
        """One coordinate: ((1 - e^{-(k-J-εt)/t}) + p(1 - p^J))/(1+p), J the last i with k - 2i > εt."""
        if len(self.shifts) > 1:
            return self._summed(epsilons, excess=True)
        gap = gaps(np.asarray(float(self.total)), epsilons, self.time)
        last = np.ceil(np.maximum(gap, 0.0) / 2) - 1
        # k - J - εt with the exact gap at J, then J added: both parts are positive.
        inner = gaps(self.total - 2 * last, epsilons, self.time) + last
        with np.errstate(over="ignore", under="ignore"):
            parts = -np.expm1(-inner / self.time) - self.p * np.expm1(-last / self.time)
        return np.where(gap > 0, parts / (1 + self.p), 0.0)

    def loss_tail(self, epsilons: Floats) -> Floats:
        """One coordinate: 1 - p^{J+1}/(1+p)."""
        if len(self.shifts) > 1:
            return self._summed(epsilons, excess=False)
        gap = gaps(np.asarray(float(self.total)), epsilons, self.time)
        last = np.ceil(np.maximum(gap, 0.0) / 2) - 1
        with np.errstate(over="ignore", under="ignore"):
            tail = 1 - np.exp(-(last + 1) / self.time) / (1 + self.p)
        return np.where(gap > 2.0 * self.total, 1.0, np.where(gap > 0, tail, 0.0))

    def _summed(self, epsilons: Floats, excess: bool) -> Floats:
        log_weights = self._log_weights()
        losses: Floats = self.total - 2.0 * np.arange(log_weights.size, dtype=np.float64)
        answers = np.empty(epsilons.shape)
        for index, epsilon in enumerate(epsilons.tolist()):
            gap = gaps(losses, np.asarray(epsilon), self.time)
            above = gap > 0
            with np.errstate(over="ignore", under="ignore", divide="ignore"):
                weights = np.exp(log_weights[above])
                terms = weights * -np.expm1(-gap[above] / self.time) if excess else weights
            answers[index] = terms[::-1].sum()
        return answers

    def _log_weights(self) -> Floats:
        """log P(L = (N-2i)/t), i = 0, …, N: sums of positive terms only."""
        m, log_scale = np.ones(1), 0.0
        for k in self.shifts:
            m = _flat_convolution(m, k, self.move)
            top = float(m.max())
            m, log_scale = m / top, log_scale + float(np.log(top))
        i = np.arange(m.size)
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(np.log(m) + log_scale - i / self.time - len(self.shifts) * np.log1p(self.p))


def _flat_convolution(x: Floats, k: int, inner: float) -> Floats:
    """The convolution of x with 1, inner, …, inner, 1 of length k + 1; windows are sums of sums of halves."""
    result = np.zeros(x.size + k)
    result[: x.size] += x
    result[k:] += x
    width = k - 1
    if width and inner > 0:
        # Σ_{j=1}^{k-1} x[i-j]: windows of length 2^b of x padded with zeros, put together by the bits of the width.
        window = np.concatenate([np.zeros(k), x, np.zeros(k)])
        total, start, length = np.zeros(result.size), 1, 1
        while True:
            if width & length:
                total += window[start : start + result.size]
                start += length
            if 2 * length > width:
                break
            window = window[:-length] + window[length:]
            length *= 2
        result += inner * total
    return result
