"""Bets that sequences of innovations follow themselves at a distance, over all distances at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.fft import irfft, rfft
from numpy.typing import NDArray

from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.wealth import EFFECT_ENERGIES, EFFECT_SIZES

Floats = NDArray[np.float64]

LAGS = 4096
"""The largest distance."""
LOG_WEIGHTS: Floats = -np.log(np.arange(1, LAGS + 1)) - np.log((1 / np.arange(1, LAGS + 1)).sum())
"""Weights 1/k: near ones are likelier, and far ones lose no more than the logarithm of their distance."""


def _zeros() -> Floats:
    return np.zeros(LAGS)


@dataclass
class LagWealth(Additive):
    """Bets that E[Z_i | past] = θZ_{i−k}, averaged over the lags k: θΣZ_{i−k}Z_i − θ²ΣZ²_{i−k}/2 for each."""

    cross: Floats = field(default_factory=_zeros)
    energy: Floats = field(default_factory=_zeros)

    def bet(self, z: Floats, present: NDArray[np.bool_]) -> None:
        """Takes in sequences (n, m) of innovations down the columns, N(0, 1) given the rows before; 0 where absent."""
        n = len(z)
        lags = min(n - 1, LAGS)
        if lags < 1 or z.shape[1] == 0:
            return
        size = _fast_length(n + lags)
        ahead = rfft(z, size, axis=0)
        self.cross[:lags] += _summed(ahead.conj() * ahead, size)[1 : lags + 1]
        squares = z * z
        if present.all():
            whole = squares.sum(axis=1)
            self.energy[:lags] += np.cumsum(whole)[::-1][1 : lags + 1]
        else:
            both = rfft(squares, size, axis=0).conj() * rfft(present.astype(float), size, axis=0)
            self.energy[:lags] += np.maximum(_summed(both, size)[1 : lags + 1], 0.0)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return float(np.logaddexp.reduce(LOG_WEIGHTS + self._of_lags()))

    @property
    def lag(self) -> int:
        """The distance that stands out most."""
        return int(np.argmax(LOG_WEIGHTS + self._of_lags())) + 1

    def estimate(self) -> Estimate:
        """The correlation at the distance that stands out most."""
        lag = self.lag
        energy = float(self.energy[lag - 1])
        slope = float(self.cross[lag - 1]) / energy if energy else float("nan")
        return Estimate(Measure.CORRELATION, 0.0, slope, energy**-0.5 if energy > 0 else None, numbers={"lag": lag})

    def _of_lags(self) -> Floats:
        """log e-value of each lag: 0 where nothing was seen."""
        found = np.zeros(LAGS)
        seen = np.flatnonzero(self.energy)
        grid = EFFECT_SIZES[:, None] * self.cross[seen] - EFFECT_ENERGIES[:, None] * self.energy[seen]
        if seen.size:
            largest = grid.max(axis=0)
            grid -= largest
            found[seen] = largest + np.log(np.exp(grid, out=grid).mean(axis=0))
        return found


@lru_cache(maxsize=1024)
def _fast_length(n: int) -> int:
    """The smallest product of powers of 2, 3 and 5 that is at least n: Fourier transforms of such lengths are fast."""
    odd: list[int] = [3**b * 5**c for b in range(n.bit_length()) for c in range(n.bit_length())]
    return min(one << max(0, (-(-n // one) - 1).bit_length()) for one in odd)


def _summed(spectrum: NDArray[np.complex128], size: int) -> Floats:
    """The correlations behind a spectrum, summed over the columns."""
    return np.asarray(irfft(spectrum.sum(axis=1), size))
