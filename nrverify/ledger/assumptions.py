"""Facts of the literature that derivations take over: named once, printed with every derivation that assumes them."""

from __future__ import annotations

BROWNIAN = "B is a Brownian motion: independent Gaussian increments and continuous paths"
GAUSSIAN = "jointly Gaussian variables that are uncorrelated are independent"
STRONG_MARKOV = "the strong Markov property of Brownian motion"
OPTIONAL_STOPPING = "optional stopping of a nonnegative martingale at bounded times"
DOOB = "Doob's inequality for nonnegative submartingales"
ITERATED_LOGARITHM = "the law of the iterated logarithm"
INVERSION = "s·B(1/s) is a Brownian motion if B is"
HEAT_EQUATION = (
    "the density of Brownian motion killed on a curve is the one solution of the heat equation that vanishes on it"
)
CONVERGENCE = "monotone or dominated convergence: limits and expectations may be exchanged"
FUBINI = "Fubini's theorem: expectations of nonnegative functions may be exchanged"
DENSITIES = "measure theory: densities and conditional laws exist (Radon–Nikodym, standard Borel spaces)"
CHARACTERISTIC = "a law is determined by its characteristic function"
POISSON = "a Poisson process has independent Poisson counts on disjoint intervals"
MARKOV_INEQUALITY = "Markov's inequality"
UNION_BOUND = "the union bound"
POST_PROCESSING = "a function of the output, and a random choice that does not see the data, lose nothing"
STRONG_CONVEXITY = "a λ-strongly convex function has one minimum, where its gradient vanishes"
SPECTRAL = "spectral theory: a killed diffusion decays at the rate of its first eigenfunction"
