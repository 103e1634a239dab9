"""The reverse kernel of the Laplace process and the ex-post guarantee that rests on it (Proposition lnr)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import derivation, needs, supports
from nrverify.ledger.assumptions import DENSITIES
from nrverify.ledger.proof import Expr, Proof

S, T, Z, A, RATE, KAPPA = sp.symbols("s t z a g kappa", positive=True)
"""0 < s < t; the noisier value z > 0, and a > 0 a distance. With 1/t = g and 1/s = g + κ sympy knows that s < t."""

Y, W, VALUE = sp.symbols("y w f", real=True)


def log_marginal(x: Expr, scale: Expr) -> Expr:
    """log of the Lap(scale) density."""
    return -sp.Abs(x) / scale - sp.log(2 * scale)


def log_forward(jump: Expr, s: Expr, t: Expr) -> Expr:
    """log density of the part of Z_t that jumps, given Z_s, as a function of the jump alone."""
    return sp.log(1 - s**2 / t**2) + log_marginal(jump, t)


def log_density(y: Expr, z: Expr, s: Expr, t: Expr) -> Expr:
    """log of (1 − s²/t²)(1/2s) exp(−|y|/s − |z−y|/t + |z|/t)."""
    return sp.log(1 - s**2 / t**2) - sp.log(2 * s) - sp.Abs(y) / s - sp.Abs(z - y) / t + sp.Abs(z) / t


def log_atom(z: Expr, s: Expr, t: Expr) -> Expr:
    """log of (s/t) exp(−|z|(1/s − 1/t))."""
    return sp.log(s / t) - sp.Abs(z) * (1 / s - 1 / t)


@derivation(
    {"N06": supports, "N08": supports, "N04": supports},
    rejects={
        "no normalisation by the density of Z_t": {
            "density": lambda y, z, s, t: log_density(y, z, s, t) - sp.Abs(z) / t
        },
        "atom (s/t)² as in the forward kernel": {"atom": lambda z, s, t: log_atom(z, s, t) + sp.log(s / t)},
        "s and t exchanged in the atom's exponent": {
            "atom": lambda z, s, t: sp.log(s / t) + sp.Abs(z) * (1 / s - 1 / t)
        },
    },
    uses=("laplace_process.clock_gives_the_walk",),
    assumes=(DENSITIES,),
)
def reverse_kernel(
    proof: Proof,
    density: Callable[..., Expr] = log_density,
    atom: Callable[..., Expr] = log_atom,
) -> None:
    """Bayes' rule turns the forward kernel into the reverse one: an atom at z and a density around it, of mass 1."""
    proof.note("Forward", "Z_t = Z_s with probability (s/t)², else Z_s + Lap(t), with Z_s ~ Lap(s)")
    proof.equal(
        "Off the diagonal: p_t(z)·k(y|z) = p_s(y)·F(z−y), for all real y, z",
        sp.expand_log(log_marginal(W, T) + density(Y, W, S, T)),
        sp.expand_log(log_marginal(Y, S) + log_forward(W - Y, S, T)),
        sp.expand,
    )
    proof.equal(
        "On the diagonal y = z: p_t(z)·atom(z) = p_s(z)·(s/t)²",
        sp.expand_log(log_marginal(W, T) + atom(W, S, T)),
        sp.expand_log(log_marginal(W, S) + 2 * sp.log(S / T)),
        sp.expand,
    )
    rate, kappa, b = RATE, KAPPA, sp.Symbol("b", positive=True)
    early, late = 1 / (rate + kappa), 1 / rate
    proof.note("Rates", "1/t = g and 1/s = g + κ: κ = 1/s − 1/t and κ₊ = 1/s + 1/t = κ + 2g; y = −a, b or z + a")
    weight = (1 - early**2 / late**2) / (2 * early)
    fall = {-A: -A * (kappa + 2 * rate), b: -b * kappa, Z + A: -Z * kappa - A * (kappa + 2 * rate)}
    placed = log_density(-A, Z, early, late), log_density(Z + A, Z, early, late)
    proof.equal("log density below 0", placed[0], sp.log(weight) + fall[-A], _of_logs)
    proof.equal("log density beyond z", placed[1], sp.log(weight) + fall[Z + A], _of_logs)
    inside = log_density(b, b + A, early, late)
    proof.equal("log density between 0 and z = b + a", inside, sp.log(weight) + fall[b], _of_logs)
    masses = (
        weight * sp.integrate(sp.exp(fall[-A]), (A, 0, sp.oo)),
        weight * sp.integrate(sp.exp(fall[b]), (b, 0, Z)),
        weight * sp.exp(-Z * kappa) * sp.integrate(sp.exp(-A * (kappa + 2 * rate)), (A, 0, sp.oo)),
    )
    held = sp.exp(sp.expand(atom(Z, early, late)))
    proof.equal("Mass below 0, between 0 and z, beyond z, and at z: 1", sum(masses) + held, 1, sp.cancel)
    unmoved = sp.integrate(sp.powsimp(rate * sp.exp(-Z * rate) * held), (Z, 0, sp.oo))
    proof.equal("Averaged over z the atom weighs (s/t)², the share of equal releases", unmoved, (early / late) ** 2)


def _of_logs(difference: Expr) -> Expr:
    """A difference of logarithms of rational functions, combined."""
    return sp.simplify(sp.logcombine(sp.expand(difference), force=True))


def cdf_below(y: Expr, z: Expr, s: Expr, t: Expr) -> Expr:
    """y ≤ 0: ((t−s)/2t) e^{yκ₊}."""
    return (t - s) / (2 * t) * sp.exp(y * (1 / s + 1 / t))


def cdf_between(y: Expr, z: Expr, s: Expr, t: Expr) -> Expr:
    """0 ≤ y < z: 1 − ((t+s)/2t) e^{−yκ}."""
    return 1 - (t + s) / (2 * t) * sp.exp(-y * (1 / s - 1 / t))


def cdf_beyond(y: Expr, z: Expr, s: Expr, t: Expr) -> Expr:
    """y ≥ z: 1 − ((t−s)/2t) e^{2z/t − yκ₊}."""
    return 1 - (t - s) / (2 * t) * sp.exp(2 * z / t - y * (1 / s + 1 / t))


@derivation(
    {"N06": supports},
    rejects={
        "rate κ below 0": {"below": lambda y, z, s, t: (t - s) / (2 * t) * sp.exp(y * (1 / s - 1 / t))},
        "(t−s) for (t+s) between 0 and z": {
            "between": lambda y, z, s, t: 1 - (t - s) / (2 * t) * sp.exp(-y * (1 / s - 1 / t))
        },
        "z/t for 2z/t beyond z": {
            "beyond": lambda y, z, s, t: 1 - (t - s) / (2 * t) * sp.exp(z / t - y * (1 / s + 1 / t))
        },
    },
    uses=("laplace_bridge.reverse_kernel",),
)
def reverse_distribution(
    proof: Proof,
    below: Callable[..., Expr] = cdf_below,
    between: Callable[..., Expr] = cdf_between,
    beyond: Callable[..., Expr] = cdf_beyond,
) -> None:
    """Its distribution function has three exponential pieces and a jump at z, each with an explicit inverse."""
    y, q = sp.Symbol("y", real=True), sp.Symbol("q", positive=True)
    s, t = 1 / (RATE + KAPPA), 1 / RATE
    fast = KAPPA + 2 * RATE
    proof.note("Rates", "1/t = g, 1/s = g + κ, κ₊ = κ + 2g, and a = (t−s)/2t the mass below 0")
    signs = {"below 0": (below, -y, Z - y), "between 0 and z": (between, y, Z - y), "beyond z": (beyond, y, y - Z)}
    for place, (piece, size, distance) in signs.items():
        density = (1 - s**2 / t**2) / (2 * s) * sp.exp(sp.expand(-size / s - distance / t + Z / t))
        proof.equal(f"Its derivative is the density {place}", sp.diff(piece(y, Z, s, t), y), density, _of_exponentials)
    proof.equal("It starts from 0", sp.limit(below(-A, Z, s, t), A, sp.oo), 0)
    proof.equal("No jump at 0", below(0, Z, s, t), between(0, Z, s, t), sp.cancel)
    jump = beyond(Z, Z, s, t) - between(Z, Z, s, t)
    proof.equal("The jump at z is the atom", jump, sp.exp(log_atom(Z, s, t)), _of_exponentials)
    missing = (1 - beyond(Z, Z, s, t)) * sp.exp(-A * fast)
    proof.equal(
        "It ends at 1: beyond z what is missing falls like e^{−κ₊}",
        1 - beyond(Z + A, Z, s, t),
        missing,
        _of_exponentials,
    )
    a = (t - s) / (2 * t)
    proof.equal("Inverse below 0: log(q/a)/κ₊", below(sp.log(q / a) / fast, Z, s, t), q)
    middle = -sp.log((1 - q) / (1 - a)) / KAPPA
    proof.equal("Inverse between 0 and z: −log((1−q)/(1−a))/κ", between(middle, Z, s, t), q)
    over = sp.log(a / (1 - q)) - Z * KAPPA
    level = 1 - (1 - beyond(Z, Z, s, t)) * sp.exp(-over)
    proof.equal("Inverse beyond: z + (log(a/(1−q)) − zκ)/κ₊", level, q, _of_exponentials)


def _of_exponentials(difference: Expr) -> Expr:
    """A combination of exponentials with rational coefficients, on a common denominator."""
    return sp.cancel(sp.expand(difference))


def independent_density(x: Expr, y: Expr) -> Expr:
    """Two independent Lap(2) coordinates."""
    return sp.exp(-sp.Abs(x) / 2 - sp.Abs(y) / 2) / 16


def one_coin_density(x: Expr, y: Expr) -> Expr:
    """Two coordinates of the walk from η = 1 to t = 2 with one coin: ¼ Lap(1)⊗Lap(1) + ¾ (Lap(1)∗Lap(2))⊗²."""

    def moved(x: Expr) -> Expr:
        return (2 * sp.exp(-sp.Abs(x) / 2) - sp.exp(-sp.Abs(x))) / 6

    return sp.exp(-sp.Abs(x) - sp.Abs(y)) / 16 + sp.Rational(3, 4) * moved(x) * moved(y)


@derivation(
    {"N08": needs("one coin for both coordinates")},
    rejects={
        "one coin for both coordinates": {"joint": one_coin_density},
        "a kernel centred at 0 instead of the value": {"centre": sp.Integer(0)},
        "the ℓ∞ distance for Δ₁": {"distance": lambda a, b: sp.Max(a, b)},
    },
    uses=("laplace_bridge.reverse_kernel",),
    assumes=(DENSITIES,),
)
def ex_post_privacy(
    proof: Proof,
    joint: Callable[[Expr, Expr], Expr] = independent_density,
    centre: Expr = VALUE,
    distance: Callable[[Expr, Expr], Expr] = lambda a, b: a + b,
) -> None:
    """With independent coordinates the loss of all releases is that of the last, and at most ‖f(x)−f(x')‖₁/T_N."""
    last, release = sp.symbols("y_m y_{m+1}", real=True)
    value = VALUE
    proof.note(
        "Reference",
        "dy₁·∏(δ_{y_m} + Lebesgue)(dy_{m+1}): free of f; T_{m+1} is a function of y₁..y_m, so it is fixed given them",
    )
    proof.note("Hypothesis of the induction", "density of y₁..y_m = p_{T_m}(y_m − f)·C_m with C_m free of f; C₁ = 1")
    moved = log_marginal(last - value, T) + log_density(release - centre, last - centre, S, T)
    fresh = moved - log_marginal(release - value, S)
    proof.equal(
        "Step where y_{m+1} ≠ y_m: C_{m+1}/C_m is the forward density of y_m − y_{m+1}, free of f",
        sp.expand_log(fresh),
        sp.expand_log(log_forward(last - release, S, T)),
        sp.expand,
    )
    stayed = log_marginal(last - value, T) + log_atom(last - centre, S, T) - log_marginal(last - value, S)
    proof.equal(
        "Step where y_{m+1} = y_m: C_{m+1}/C_m = (s/t)², which is 1 for a tie T_{m+1} = T_m",
        sp.expand_log(stayed),
        sp.expand_log(2 * sp.log(S / T)),
        sp.expand,
    )
    proof.note(
        "At N", "on {N = n} the stopped density is p_{1:n}: the ratio of two values is p_{T_n}(y_n−f)/p_{T_n}(y_n−f')"
    )

    near, beside, v = sp.symbols("a b v", nonnegative=True)
    cases = {
        "on the far side of f": (near, near + v),
        "between f and f'": (near, beside),
        "on the far side of f'": (near + v, near),
    }
    for place, (to_value, to_neighbour) in cases.items():
        apart = near + beside if place.startswith("between") else v
        proof.nonnegative(f"|y−f'| − |y−f| ≤ |f−f'|, y {place}", apart - (to_neighbour - to_value))
    attained = log_marginal(near, T) - log_marginal(near + v, T)
    proof.equal("with equality on the far side of f", attained, v / T)
    half = sp.integrate(sp.exp(-A / T) / (2 * T), (A, 0, sp.oo))
    proof.equal("which has probability ½ at a fixed time", half, sp.Rational(1, 2))

    shift = sp.Rational(1, 4)
    zero = sp.Integer(0)
    for name, (first, second) in {"one coordinate": (shift, zero), "both coordinates": (shift, shift)}.items():
        loss = sp.log(joint(zero, zero)) - sp.log(joint(first, second))
        bound = distance(first, second) / 2
        proof.nonnegative(f"Two coordinates, t = 2, release f, f' shifted by ¼ in {name}: Δ₁/t − loss", bound - loss)
