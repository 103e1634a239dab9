"""The Laplace process for a kernel: ordered integrals for all n, and transcripts with atoms."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import sympy as sp

from nrverify.laws.laplace import Laplace
from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.ledger.proof import Expr
from nrverify.symbolic.kernel import PAPER
from nrverify.symbolic.paper.laplace_bridge import log_atom, log_density
from nrverify.symbolic.paper.laplace_process import FREQUENCY, characteristic, log_factor, squared_ratio

S, T = sp.symbols("s t", positive=True)
F, U, W, Y, Z = sp.symbols("f u w y z", real=True)
NAMES = {FREQUENCY: F}
POSITIVE = ("0 < s", "0 < t")

DISTANCE = "rewrite (Rabs_minus_sym z y); align Rabs; same"
"""sympy writes |y − z| for |z − y|."""


@kernel(
    dict.fromkeys(("N01", "N04", "N09", "N11", "N12"), supports),
    rejects={
        "stays with probability s/t": {"stay": lambda s, t: s / t},
        "log g without the factor t²/eᵘ": {"factor": lambda u, end: log_factor(u, end) + u - end},
        "the characteristic function of scale t²": {"cf": lambda scale: characteristic(scale**2)},
    },
    source=PAPER / "laplace_process.v",
    theorems=("ordered_integral", "ordered_series", "increment", "walk_step", "printed_sign_is_wrong"),
    unsaid=(
        "it is about characteristic functions: that they determine laws is not proved",
        "that arrivals of a Poisson clock give these integrals is modelling",
        "N04 and N12 also need independent increments, which are not in it",
    ),
)
def ordered_arrivals(
    kernel: Kernel,
    stay: Callable[..., Expr] = squared_ratio,
    factor: Callable[..., Expr] = log_factor,
    cf: Callable[[Expr], Expr] = characteristic,
) -> None:
    """The integrals over n ordered arrivals are (log g)ⁿ/n! for every n, and their series takes φ_s to φ_t."""
    kernel.equal("stays", "s t", stay(S, T), squared_ratio(S, T), {}, POSITIVE)
    kernel.equal("log_factor", "f w u", factor(U, W), log_factor(U, W), NAMES)
    kernel.equal("characteristic", "f t", cf(T), characteristic(T), NAMES, proof="f_equal; ring")
    for s, t in ((0.5, 2.0), (1.5, 1.75)):
        kernel.agrees("stays", (s, t), float(Laplace().forward(s, t, 0.0).atom))


@kernel(
    dict.fromkeys(("N08", "R08"), supports),
    rejects={
        "no normalisation by the density of Z_t": {
            "density": lambda y, z, s, t: log_density(y, z, s, t) - sp.Abs(z) / t
        },
        "atom (s/t)² as in the forward kernel": {"atom": lambda z, s, t: log_atom(z, s, t) + sp.log(s / t)},
    },
    source=PAPER / "laplace_bridge.v",
    theorems=("bayes_density", "bayes_atom", "laplace_telescopes", "laplace_loss", "common_shift"),
    unsaid=(
        "the joint density is, by definition, the product of the reverse kernels that the sampler draws from",
        "that the reverse kernel has mass 1, and that the process has it, is not proved",
        "R08: the chain of thresholds is that of the forward walk, by definition",
    ),
)
def transcripts(
    kernel: Kernel,
    density: Callable[..., Expr] = log_density,
    atom: Callable[..., Expr] = log_atom,
) -> None:
    """n adaptive looks with atoms, for every n and dimension, lose at most ‖ν − μ‖₁/T of the last, with certainty."""
    right = sp.exp(log_density(Y, Z, S, T)), sp.exp(log_atom(Z, S, T))
    wanted = sp.exp(density(Y, Z, S, T)), sp.exp(atom(Z, S, T))
    kernel.equal("reverse_density", "y z s t", wanted[0], right[0], {}, POSITIVE, ("stays",), DISTANCE)
    kernel.equal("reverse_atom", "z s t", wanted[1], right[1], {}, POSITIVE)
    for s, t, z in ((0.5, 2.0, 1.0), (1.5, 1.75, -0.25)):
        bridge = Laplace().bridge(s, t, z)
        kernel.agrees("reverse_atom", (z, s, t), float(bridge.atom))
        for y in (-0.5, 0.75):
            kernel.agrees("reverse_density", (y, z, s, t), exp(float(bridge.logpdf(y))), ("stays",))
