"""What was checked by hand about each finding on a library: a finding that is not here is not printed as one.

A false accusation is the worst defect an audit can have, so every finding is derived a second time, from the library's
own source or from numbers that do not come from nrverify, before it is published.
"""

from __future__ import annotations

LIMIT = (
    "The last step is a sum of the value and the noise in double precision, so what can be released depends on the "
    "value, the known limit of floating-point noise (Mironov 2012). Checked by hand, without nrverify "
    "(`tests/gallery/last_bits.py`, 20,000 releases of each value at ε = 1): a release within 1/4 of 0 that is no "
    "multiple of 2^-53 cannot come from the value 1. Of the releases of the value 0, {share} were such; of those of "
    "the value 1, none. Whoever reads all digits tells the two values apart by them with certainty, so that as "
    "released the claim fails by δ of at least about {delta}. In real arithmetic the law and the claim are consistent; "
    "releases that are rounded to a coarser grid after the noise do not show it."
)

CHECKED: dict[tuple[str, str], str] = {
    ("DiffprivlibLaplace", "numerics.last-bits"): LIMIT.format(share="15 %", delta="0.14")
    + " `Laplace.randomise` returns `value - scale * standard_laplace`: the four uniform numbers of its sampler hide "
    "the lattice of the logarithm, not that of this sum.",
    ("DiffprivlibGaussian", "numerics.last-bits"): LIMIT.format(share="3.6 %", delta="0.03")
    + " `Gaussian.randomise` returns `value + standard_normal * self._scale`.",
    ("DiffprivlibAnalytic", "numerics.last-bits"): LIMIT.format(share="4.6 %", delta="0.04")
    + " `GaussianAnalytic` uses the same method.",
    ("PydpGaussian", "numerics.last-bits"): LIMIT.format(share="2.6 %", delta="0.02")
    + " `LaplaceMechanism` of the same library rounds to a grid and does not show it: 0 of 4,406 and 0 of 1,923 "
    "releases near 0.",
}
"""By adapter and check."""
