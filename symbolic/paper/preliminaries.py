"""Privacy loss, noise reduction and Brownian motion as Section 2 and the start of Section 3 define them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import sympy as sp

from nrverify.ledger import derivation, holds, misprint, refuted
from nrverify.ledger.assumptions import BROWNIAN, DENSITIES, GAUSSIAN
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.gaussian_paths import covariance, motion


def normal_tail(x: Expr) -> Expr:
    """Q(x) = P(Z > x) for a standard normal Z."""
    return sp.erfc(x / sp.sqrt(2)) / 2


def common_densities(p: Expr, q: Expr) -> tuple[Expr, Expr]:
    """Densities of both laws against their sum."""
    return p / (p + q), q / (p + q)


def separate_densities(p: Expr, q: Expr) -> tuple[Expr, Expr]:
    """A wrong pair: each law against itself."""
    return sp.S.One, sp.S.One


@derivation(
    {"P02": holds},
    rejects={
        "each law against its own reference": {"densities": separate_densities},
        "the ratio upside down": {"log_ratio": lambda p, q: sp.log(q) - sp.log(p)},
    },
    assumes=(DENSITIES,),
)
def reference_measure(
    proof: Proof,
    densities: Callable[..., tuple[Expr, Expr]] = common_densities,
    log_ratio: Callable[..., Expr] = lambda p, q: sp.log(p) - sp.log(q),
) -> None:
    """The loss log p/q does not depend on the reference measure, and μ_x + μ_x' is always one."""
    p, q, weight = sp.symbols("p q h", positive=True)
    first, second = densities(p, q)
    proof.note("Setting", "p, q densities of μ_x, μ_x' against some reference; μ_x + μ_x' then has density p + q")
    proof.equal("dμ_x = (p/(p+q)) d(μ_x + μ_x')", first * (p + q), p)
    proof.equal("dμ_x' = (q/(p+q)) d(μ_x + μ_x')", second * (p + q), q)
    proof.equal("Both are densities at most 1, as they add to 1: the sum dominates both laws", first + second, 1)
    by_sum = sp.expand_log(log_ratio(first, second), force=True)
    proof.equal("The ratio against the sum is p/q", by_sum, sp.log(p) - sp.log(q))
    rescaled = sp.expand_log(log_ratio(p / weight, q / weight), force=True)
    proof.equal("Any other reference, of density h, gives the same", rescaled, sp.log(p) - sp.log(q))
    proof.equal("Change of measure: p e^{−loss} = q", p * sp.exp(-log_ratio(p, q)), q)
    vanishing = sp.limit(sp.exp(-log_ratio(p, q)), q, 0, "+")
    proof.equal("Where q = 0 < p the loss is +∞: e^{−loss} = 0", vanishing, 0)


@derivation(
    {"P03": holds, "P01": holds},
    rejects={
        "e^ε left out": {"factor": lambda epsilon: sp.S.One},
        "probabilistic privacy as an equivalent": {"reclaimed": lambda epsilon: sp.S.Zero},
    },
    uses=("preliminaries.reference_measure",),
    assumes=(DENSITIES,),
)
def probabilistic_privacy(
    proof: Proof,
    factor: Callable[..., Expr] = sp.exp,
    reclaimed: Callable[..., Expr] = lambda epsilon: sp.exp(epsilon) * normal_tail(sp.Rational(1, 2) + epsilon),
) -> None:
    """P(L > ε) ≤ δ implies (ε, δ)-differential privacy; the Gaussian mechanism shows that the converse fails."""
    epsilon, q = sp.symbols("epsilon q", positive=True)
    m = sp.Symbol("m", nonnegative=True)
    proof.note("Split", "P(A ∈ E) = P(A ∈ E, L ≤ ε) + P(A ∈ E, L > ε); the second part is at most P(L > ε) ≤ δ")
    proof.note("Where L ≤ ε", "the density under x is p = e^ε q/(1+m) with m ≥ 0, q that under x'")
    below = q * sp.exp(epsilon) / (1 + m)
    proof.nonnegative("e^ε q − p ≥ 0 there, so the first part is at most e^ε P(A' ∈ E)", factor(epsilon) * q - below)

    level, loss = sp.Symbol("l", real=True), sp.Rational(1, 2)
    proof.note("Converse", "Gaussian mechanism, Δ = σ = 1: L ~ N(1/2, 1) under x and N(−1/2, 1) under x'")
    tilted = -((level - loss) ** 2) / 2 - level
    proof.equal("e^{−l} φ(l − 1/2) = φ(l + 1/2)", tilted, -((level + loss) ** 2) / 2)
    above = q * sp.exp(epsilon) * (1 + m)
    proof.nonnegative("Where L > ε, p − e^ε q ≥ 0: the worst event is {L > ε}", above - sp.exp(epsilon) * q)
    proof.note("So the smallest δ", "δ(ε) = P(L > ε) − e^ε P'(L > ε) = Q(ε − 1/2) − e^ε Q(ε + 1/2)")
    one = sp.S.One
    smallest = normal_tail(one - loss) - reclaimed(one)
    proof.positive(
        "At ε = 1 the mechanism is (ε, δ)-private with a δ below P(L > ε)", normal_tail(one - loss) - smallest
    )
    proof.positive("and that δ is a probability", smallest)


def corrected_definition(log_density: Callable[..., Expr], f: Expr, g: Expr, noise: Expr) -> Expr:
    """log p^{f(x)}(M(x)) − log p^{f(x')}(M(x))."""
    return log_density(f + noise - f) - log_density(f + noise - g)


def printed_definition(log_density: Callable[..., Expr], f: Expr, g: Expr, noise: Expr) -> Expr:
    """The printed p^{f(x)}(M(x)) / p^{f(x')}(M(x')), with one noise path and no logarithm."""
    return sp.exp(log_density(f + noise - f) - log_density(g + noise - g))


def without_log(log_density: Callable[..., Expr], f: Expr, g: Expr, noise: Expr) -> Expr:
    """The right argument, still no logarithm."""
    return sp.exp(corrected_definition(log_density, f, g, noise))


def other_release(log_density: Callable[..., Expr], f: Expr, g: Expr, noise: Expr) -> Expr:
    """The logarithm of the printed ratio."""
    return log_density(f + noise - f) - log_density(g + noise - g)


@derivation(
    {"P07": refuted("the printed ratio")},
    rejects={
        "the printed ratio": {"definition": printed_definition},
        "the ratio at M_n(x) without the logarithm": {"definition": without_log},
        "the logarithm of the ratio with M_n(x')": {"definition": other_release},
    },
)
def noise_reduction(proof: Proof, definition: Callable[..., Expr] = corrected_definition) -> None:
    """One Gaussian or Laplace look satisfies the definition only with log p^{f(x)}(M(x)) / p^{f(x')}(M(x))."""
    t = sp.Symbol("t", positive=True)
    f, g, noise = sp.symbols("f f' B", real=True)

    def gaussian(z: Expr) -> Expr:
        return -(z**2) / (2 * t) - sp.log(2 * sp.pi * t) / 2

    proof.note(
        "Printed form", "with one noise path M_n(x) − f(x) = M_n(x') − f(x'): the printed ratio is identically 1"
    )
    loss = definition(gaussian, f, g, noise)
    target = (f - g) ** 2 / (2 * t) + (f - g) * noise / t
    proof.equal("One Brownian look: the loss of def. ploss is v²/2t + vB/t, v = f(x) − f(x')", loss, target, sp.expand)
    tilted = sp.expand(gaussian(noise) - loss)
    proof.equal("E_x[e^{−L}; ·] is the law under x', centred at −v", tilted, sp.expand(gaussian(noise + f - g)))

    shift, z = sp.symbols("v z", positive=True)

    def laplace(x: Expr) -> Expr:
        return -sp.Abs(x) / t - sp.log(2 * t)

    beyond = definition(laplace, shift, sp.S.Zero, z)
    proof.equal("One Laplace look beyond both values: the loss is v/t", beyond, shift / t)


@derivation(
    {"P10": holds},
    rejects={
        "fractional Brownian motion, H = 3/4": {"kernel": lambda s, t: _fractional(s, t)},
        "a stationary kernel": {"kernel": lambda s, t: sp.exp(s - t)},
    },
    assumes=(
        BROWNIAN,
        GAUSSIAN,
    ),
)
def markov_martingale(proof: Proof, kernel: Callable[..., Expr] = lambda s, t: s) -> None:
    """Brownian motion is a martingale and Markov: noisier looks are post-processing of the least noisy one."""
    s, h, k = sp.symbols("s h k", positive=True)
    now, later = s + h, s + h + k
    proof.note("Times", "s < t = s + h < u = t + k; Cov(B_s, B_t) = min(s, t)")
    increment = kernel(s, later) - kernel(s, now)
    proof.equal("B_u − B_t is uncorrelated with B_s, for every s ≤ t", increment, 0)
    proof.equal("also with B_t itself", kernel(now, later) - kernel(now, now), 0)
    proof.note("Hence", "jointly Gaussian: independent of the whole past, so E[B_u | F_t] = B_t, and B is Markov")
    spread = kernel(later, later) - 2 * kernel(now, later) + kernel(now, now)
    proof.equal("Its variance is u − t", spread, k)
    y, x, value = sp.symbols("y_u y_t nu", real=True)
    log_density = -((y - value - (x - value)) ** 2) / (2 * spread)
    proof.equal(
        "Given the release y_t, the noisier release y_u is N(y_t, u − t), free of f(x)", sp.diff(log_density, value), 0
    )


def _fractional(s: Expr, t: Expr) -> Expr:
    power = sp.Rational(3, 2)
    return (s**power + t**power - (t - s) ** power) / 2


@derivation(
    {"P11": refuted("proportional to the variance")},
    rejects={
        "proportional to the variance": {"cost": lambda delta, t, z: t * (delta**2 / 2 + z * delta)},
        "proportional to the deviation": {"cost": lambda delta, t, z: sp.sqrt(t) * (delta**2 / 2 + z * delta)},
    },
    uses=("privacy_loss.loss_at_a_fixed_time",),
)
def loss_falls_with_the_variance(
    proof: Proof,
    cost: Callable[..., Expr] = lambda delta, t, z: delta**2 / (2 * t) + z * delta / sp.sqrt(t),
) -> None:
    """Every upper quantile of the loss at a look of variance t is Δ²/2t + zΔ/√t, decreasing in t."""
    sensitivity, t = sp.symbols("Delta t", positive=True)
    z = sp.Symbol("z", nonnegative=True)
    spread = covariance(motion(t), motion(t)) * (sensitivity / t) ** 2
    quantile = sensitivity**2 / (2 * t) + z * sp.sqrt(spread)
    proof.note("Loss", "L = Δ²/2t + (Δ/t) W_t with W_t ~ N(0, t); z ≥ 0 a normal quantile")
    proof.equal("The quantile is the mean plus z deviations", cost(sensitivity, t, z), quantile)
    proof.positive("It falls as the variance grows", -sp.diff(cost(sensitivity, t, z), t))


Path = dict[int, str]
"""The sign of the noise at each of the two times a finite schedule may ask for."""


@derivation(
    {"P12": holds},
    rejects={"a time that depends on its own release": {"anticipates": True}},
)
def well_posed_recursion(proof: Proof, anticipates: bool = False) -> None:
    """T_1 constant and T_n a function of earlier releases: each noise path gives exactly one transcript."""
    signs, times = ("+", "−"), (2, 1)
    arguments = [("+",), ("−",)]
    proof.note("Induction", "T_1 is a number; once y_1..y_{n−1} are determined, so is T_n, and y_n = f + B at T_n")
    proof.note("Finite model", "times 2 and 1; T_1 = 2; T_2 a function of the sign of the first (or its own) release")
    for path_signs in product(signs, repeat=2):
        path = dict(zip(times, path_signs, strict=True))
        counts = []
        for choice in product(times, repeat=len(arguments)):
            schedule = dict(zip(arguments, choice, strict=True))
            solutions = [t for t in times if schedule[(path[t] if anticipates else path[2],)] == t]
            counts.append(len(solutions))
        name = f"Noise {path[2]} at time 2 and {path[1]} at time 1: transcripts missing or too many, over 4 schedules"
        proof.equal(name, sum(abs(count - 1) for count in counts), 0)


@derivation(
    {"P05": misprint("t as the variance of Lap(t)")},
    rejects={"t as the variance of Lap(t)": {"laplace_variance": lambda t: t}},
)
def time_and_variance(proof: Proof, laplace_variance: Callable[..., Expr] = lambda t: 2 * t**2) -> None:
    """The index t is the variance of N(0, t) but not of Lap(t), whose variance is 2t²."""
    t, z = sp.symbols("t z", positive=True)
    gaussian = 2 * sp.integrate(z**2 * sp.exp(-(z**2) / (2 * t)) / sp.sqrt(2 * sp.pi * t), (z, 0, sp.oo))
    proof.equal("∫ z² dN(0, t) = t", gaussian, t)
    laplace = 2 * sp.integrate(z**2 * sp.exp(-z / t) / (2 * t), (z, 0, sp.oo))
    proof.equal("∫ z² e^{−|z|/t}/2t dz = 2t²", laplace, laplace_variance(t))
    proof.positive("which still grows with t: t is a time", sp.diff(laplace, t))


Rule = Callable[[tuple[bool, ...]], int]


def first_success(accurate: tuple[bool, ...]) -> int:
    """The first look that is accurate enough; one past the end if none is."""
    return next((n for n, good in enumerate(accurate, start=1) if good), len(accurate) + 1)


def last_success(accurate: tuple[bool, ...]) -> int:
    """No stopping function: the last look that is accurate enough."""
    return max((n for n, good in enumerate(accurate, start=1) if good), default=len(accurate) + 1)


@derivation(
    {"P13": holds},
    rejects={"the last time the accuracy is reached": {"rule": last_success}},
)
def first_success_is_a_stopping_function(proof: Proof, rule: Rule = first_success) -> None:
    """Stopping at the first accurate look is decided by the looks so far; where that may never come, N = ∞ occurs."""
    length = 5
    sequences = list(product((False, True), repeat=length))
    for n in range(1, length + 1):
        decided = {(sequence[:n], rule(sequence) <= n) for sequence in sequences}
        name = f"Every one of the {2**n} beginnings of {n} looks decides whether N ≤ {n}"
        proof.equal(name, len(decided), 2**n)
    n, chance = sp.Symbol("n", integer=True, positive=True), sp.Symbol("p", positive=True)
    stopped = sp.summation(chance / (1 + chance) * (1 / (1 + chance)) ** (n - 1), (n, 1, sp.oo))
    proof.equal("With a chance p/(1+p) > 0 at every look, P(N < ∞) = 1", sp.simplify(stopped), 1)
    by_look_n = 1 - (1 / (1 + chance)) ** n
    proof.equal("With no chance at all, P(N ≤ n) = 0 for every n: N = ∞", by_look_n.subs(chance, 0), 0)


@derivation(
    {"B07": misprint("a finite value at 0")},
    rejects={"a finite value at 0": {"reciprocal_at_zero": sp.S.One}},
)
def boundaries_at_zero(proof: Proof, reciprocal_at_zero: Expr = sp.S.Zero) -> None:
    """Both privacy boundaries are infinite at t = 0+: they map (0, ∞) to (0, ∞)."""
    t, sensitivity, rho, a, b = sp.symbols("t Delta rho a b", positive=True)
    ell = sp.Symbol("l", positive=True)
    linear = sensitivity / t * (sensitivity / 2 + b) + sensitivity * a
    root = sp.sqrt(2 * (t + rho) * (ell + sp.log(1 + t / rho) / 2))
    mixture = sensitivity**2 / (2 * t) + sensitivity / t * root
    proof.note("Notation", "l = log(1/δ) > 0")
    proof.equal("1/ψ^L(t) → 0 as t → 0", sp.limit(1 / linear, t, 0, "+"), reciprocal_at_zero)
    proof.equal("1/ψ^M(t) → 0 as t → 0", sp.limit(1 / mixture, t, 0, "+"), reciprocal_at_zero)
    proof.positive("ψ^L > 0 on (0, ∞)", linear)
