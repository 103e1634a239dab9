"""What the last bits of a transcript may betray: each feature sorts transcripts into a few bins.

A feature is a function of the transcript, of the two values and of the public times, never of the label. That is all
that the bets need in order to be valid; whether a feature has anything to do with the sampler decides their power only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.numerics.reachable import (
    EXPONENTS,
    TRAILING,
    ZERO_CLASSES,
    Bins,
    Flags,
    pattern,
    reachable_by_product,
    reachable_by_sum,
    zero_bits,
)
from nrverify.auditing.numerics.samplers import ANSWERS, by_logarithm, laplace_uniform, normal_uniform, on_lattice

Floats = NDArray[np.float64]
Sorted = tuple[Bins, int]
"""The bin of each transcript, and how many bins there are."""

LATTICES = {"2^-33": 2.0**33, "1/(2^31-1)": 2.0**31 - 1, "1/(2^32-1)": 2.0**32 - 1}
"""Of generators with 24 to 32 bits, also when half a step is added; and of those divided by their largest number."""


@dataclass(frozen=True)
class Transcripts:
    """Releases (n, k, d) of either of two values (d,), NaN after the end of a session; times (n, k) where known."""

    releases: Floats
    low: Floats
    """The value with label 0."""
    high: Floats
    """The value with label 1."""
    times: Floats | None = None
    noise: str = ""
    """"brownian" or "laplace", where samplers of that noise are looked for."""

    @property
    def values(self) -> tuple[Floats, Floats]:
        """Both values, by label."""
        return self.low, self.high

    @cached_property
    def axis(self) -> int:
        """The coordinate in which the values are farthest apart."""
        return int(np.argmax(np.abs(self.high - self.low)))

    @property
    def first(self) -> Floats:
        """The first release of that coordinate."""
        return self.releases[:, 0, self.axis]

    @cached_property
    def last(self) -> Floats:
        """The last release of that coordinate."""
        present = np.isfinite(self.releases[:, :, self.axis])
        last = np.maximum(present.sum(axis=1) - 1, 0)
        return np.asarray(self.releases[np.arange(len(present)), last, self.axis])

    @property
    def scale(self) -> Floats:
        """The scale of the noise of the first release."""
        assert self.times is not None
        return np.asarray(np.sqrt(self.times[:, 0]) if self.noise == "brownian" else self.times[:, 0])


def sums(drawn: Transcripts, value: Floats) -> Flags:
    """Whether every release is a sum of the value and some double."""
    return np.asarray(reachable_by_sum(value, drawn.releases).all(axis=(1, 2)))


def bridged_sums(drawn: Transcripts, value: Floats) -> Flags:
    """Whether the first release is such a sum, and each later one the sum of a double and the mean of the bridge."""
    assert drawn.times is not None
    found = reachable_by_sum(value, drawn.releases[:, 0]).all(axis=1)
    kept = (drawn.times[:, 1:] / drawn.times[:, :-1])[:, :, None]
    mean = value + (drawn.releases[:, :-1] - value) * kept
    later = reachable_by_sum(mean, drawn.releases[:, 1:]) | (kept >= 1)
    return np.asarray(found & later.all(axis=(1, 2)))


@dataclass(frozen=True)
class Feature:
    """One way to sort transcripts by their last bits."""

    name: str
    weight: float
    """Of the average: those that need no knowledge of a sampler come first."""
    cause: str
    """What makes such bits, where this feature leads."""
    event: str
    """What a transcript of one value has that those of the other have not."""
    sort: Callable[[Transcripts], Sorted]
    needs_times: bool = True
    noise: tuple[str, ...] = ("brownian", "laplace")
    releases: int = 1
    """The fewest that it needs."""
    reachable: bool = False
    """Whether its bins say which values can give the transcript: 0 neither, 1 label 1, 2 label 0 alone, 3 both."""

    def certain_odds(self, bins: int) -> Floats | None:
        """Where its bins say it, +1 for those only label 1 can give, −1 for label 0, else 0; None for others."""
        return np.array([0.0, 1.0, -1.0, 0.0]) if self.reachable and bins == 4 else None

    def fits(self, drawn_times: bool, noise: str, releases: int) -> bool:
        """Whether it can be asked of such transcripts."""
        return ((drawn_times and noise in self.noise) or not self.needs_times) and releases >= self.releases


def _both(of: Callable[[Transcripts, Floats], Flags]) -> Callable[[Transcripts], Sorted]:
    """A yes or no for each value: bin 0 neither, 1 label 1 alone, 2 label 0 alone, 3 both; a worker can send it."""
    return partial(_sorted_by, of)


def _sorted_by(of: Callable[[Transcripts, Floats], Flags], drawn: Transcripts) -> Sorted:
    low, high = (of(drawn, value) for value in drawn.values)
    return 2 * low.astype(np.int64) + high, 4


def _product(drawn: Transcripts, value: Floats) -> Flags:
    return reachable_by_product(value[drawn.axis], drawn.first, drawn.scale)


def _logarithm(drawn: Transcripts, value: Floats) -> Flags:
    return by_logarithm(value[drawn.axis], drawn.first, drawn.scale)


def _zeros(drawn: Transcripts) -> Sorted:
    low, high = (zero_bits(value[drawn.axis], drawn.last) for value in drawn.values)
    return low * ZERO_CLASSES + high, ZERO_CLASSES**2


def _pattern(drawn: Transcripts) -> Sorted:
    size = max(abs(float(value[drawn.axis])) for value in drawn.values)
    return pattern(size, drawn.last), 2 * EXPONENTS * TRAILING


def _lattice(points: float) -> Callable[[Transcripts], Sorted]:
    return partial(_sorted_on_lattice, points)


def _sorted_on_lattice(points: float, drawn: Transcripts) -> Sorted:
    low, high = (on_lattice(*_uniform(drawn, float(value[drawn.axis])), points) for value in drawn.values)
    return low * ANSWERS + high, ANSWERS**2


def _uniform(drawn: Transcripts, value: float) -> tuple[NDArray[np.longdouble], NDArray[np.longdouble]]:
    if drawn.noise == "laplace":
        return laplace_uniform(value, drawn.first, drawn.scale)
    assert drawn.times is not None
    pair = (drawn.first, drawn.releases[:, 1, drawn.axis])
    return normal_uniform(value, pair, (drawn.times[:, 0], drawn.times[:, 1]))


ADD = Feature(
    "add",
    8.0,
    "a floating-point sum of the value and the noise is the last step",
    "a release that no double added to {other} can give",
    _both(sums),
    needs_times=False,
    reachable=True,
)
"""Twice the weight of any other: most samplers end so."""
BRIDGED = Feature(
    "add, then bridge",
    8.0,
    "the bridge recurses on the release in floating-point arithmetic",
    "a release that no double added to {other}, or then to the mean of its bridge, can give",
    _both(bridged_sums),
    noise=("brownian",),
    releases=2,
    reachable=True,
)
"""As heavy: it is the same sum where two releases are seen."""
FEATURES = (
    ADD,
    BRIDGED,
    Feature(
        "log53",
        4.0,
        "the noise is a scale times the logarithm of a 53-bit uniform, as in numpy's laplace",
        "a first release that {other} plus a logarithm of a 53-bit uniform cannot give",
        _both(_logarithm),
        noise=("laplace",),
        reachable=True,
    ),
    *(
        Feature(
            f"uniforms on {name}",
            1.0,
            "the noise is a transform of uniforms of at most 32 bits",
            "releases that undo to a point of the generator's lattice about this value and not about {other}",
            _lattice(points),
            noise=noise,
            releases=releases,
        )
        for name, points in LATTICES.items()
        for noise, releases in ((("laplace",), 1), (("brownian",), 2))
    ),
    Feature(
        "zeros",
        1.0,
        "the noise is in single precision, or on a grid of its own, before it is added",
        "a last release whose difference to {other} has other trailing zero bits",
        _zeros,
        needs_times=False,
    ),
    Feature(
        "bits",
        1.0,
        "the noise is in single precision, or on a grid of its own, before it is added",
        "a last release with other trailing bits than {other} gives at that size",
        _pattern,
        needs_times=False,
    ),
    Feature(
        "scale",
        2.0,
        "the noise is a scale times a double",
        "a first release that {other} plus the scale times a double cannot give",
        _both(_product),
        reachable=True,
    ),
)
"""In the order of their generality; one that leads an attack names the likely cause."""


def features_for(times_known: bool, noise: str, releases: int) -> dict[str, Feature]:
    """The features that can be asked, by their names."""
    return {one.name: one for one in FEATURES if one.fits(times_known, noise, releases)}
