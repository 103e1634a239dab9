"""Noise reduction without rounding errors: every release is the ideal process, correctly rounded, from fair bits.

The mechanisms in `nrverify.reference` compute with doubles, whose last bits depend on f(x) (`numerics.last-bits`). Here
f(x) + noise is a real number known to as many bits as its rounding needs, so that what is released is a function of the
ideal release alone. Guarantees that post-processing keeps (pure, (ε, δ), Rényi, zCDP) therefore hold for the release
unchanged. An ex-post claim P(L > ε_N) ≤ δ, δ > 0, of the Brownian mechanism with granularity g in d dimensions needs
the slack g·√d·Δ/t_N, because the loss varies that much over the reals that are rounded to one release.

What is not covered: how long a release takes. It depends on the noise (branches of the Laplace step, rejections of the
discrete one, and with a probability near 2^-100 at granularity 2^-20 a second evaluation); where an observer can time
releases, publish them at fixed moments.
"""

from nrverify.reference.exact.brownian import ExactBrownian
from nrverify.reference.exact.discrete_laplace import ExactDiscreteLaplace
from nrverify.reference.exact.laplace import ExactLaplace

__all__ = ["ExactBrownian", "ExactDiscreteLaplace", "ExactLaplace"]
