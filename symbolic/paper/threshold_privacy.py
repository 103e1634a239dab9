"""The privacy of ReducedAboveThreshold, step by step (Algorithm rat, Theorem rat and its proof in Appendix C)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import derivation, holds, proof_wrong, supports
from nrverify.ledger.assumptions import DENSITIES, FUBINI
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.paper.laplace_bridge import log_atom, log_density, log_forward, log_marginal

LEVEL, SENSITIVITY = sp.symbols("epsilon Delta", positive=True)
S, T = sp.symbols("s t", positive=True)
FREQUENCY = sp.Symbol("lambda", real=True)
ROOM = sp.Symbol("k", nonnegative=True)
NOTHING = sp.Integer(0)
QUARTER = sp.Rational(1, 4)
"""What a query costs of its ε: Δ over the query scale 4Δ/ε."""


def threshold_scale(level: Expr) -> Expr:
    """2Δ/ε: the time at which the Laplace process is read."""
    return 2 * SENSITIVITY / level


def query_scale(level: Expr) -> Expr:
    """4Δ/ε: the scale of the noise on the utility."""
    return 4 * SENSITIVITY / level


def laplace_cf(scale: Expr) -> Expr:
    """The characteristic function 1/(1 + λ²t²) of Lap(t)."""
    return 1 / (1 + FREQUENCY**2 * scale**2)


def noise_kept(s: Expr, t: Expr) -> Expr:
    """P(Z_t = Z_s) = (s/t)²."""
    return (s / t) ** 2


def at_the_threshold(rounds: int, ratio: Expr) -> Expr:
    """P(0^{n−1}1) for u = τ and one threshold noise: ∫ Lap_b(z)·G(z)^{n−1}·(1 − G(z)) dz, G the cdf of Lap(ratio·b)."""
    y = sp.Symbol("y", positive=True)
    small = sp.exp(-y / ratio) / 2
    density = sp.exp(-y) / 2
    above = density * (1 - small) ** (rounds - 1) * small
    below = density * small ** (rounds - 1) * (1 - small)
    return sp.integrate(sp.expand(above + below), (y, 0, sp.oo))


def redrawn_each_round(rounds: int, ratio: Expr) -> Expr:
    """A wrong reading: fresh threshold noise in every round, so that each round is a fair coin at u = τ."""
    return sp.Rational(1, 2) ** rounds


@derivation(
    {"R02": holds},
    rejects={
        "threshold noise redrawn in every round": {"law": redrawn_each_round},
        "query noise on the scale of the threshold noise": {"query": lambda level: 2 * SENSITIVITY / level},
        "the process jumps with probability (s/t)²": {"kept": lambda s, t: 1 - (s / t) ** 2},
    },
    uses=("laplace_process.clock_gives_the_walk",),
)
def constant_level(
    proof: Proof,
    law: Callable[[int, Expr], Expr] = at_the_threshold,
    query: Callable[[Expr], Expr] = query_scale,
    kept: Callable[[Expr, Expr], Expr] = noise_kept,
) -> None:
    """With ε_n = ε one threshold noise Lap(2Δ/ε) serves all rounds and query noise is fresh: AboveThreshold."""
    step = kept(S, T) + (1 - kept(S, T)) * laplace_cf(T)
    proof.equal(
        "From time s to t the process stays with probability (s/t)² and else adds Lap(t): Z_t ~ Lap(t)",
        laplace_cf(S) * step,
        laplace_cf(T),
        sp.cancel,
    )
    time = threshold_scale(LEVEL)
    proof.equal("At a constant level every round reads Z at the same time: it stays", kept(time, time), 1)
    proof.equal("and its increment has characteristic function 1: it is 0", step.subs(S, T), 1)
    proof.nonnegative("ε ≤ ε_max = ε + k puts this time in the range t ≥ η", time - threshold_scale(LEVEL + ROOM))
    proof.equal("A threshold moved by Δ under Lap(2Δ/ε) costs ε/2", SENSITIVITY / time, LEVEL / 2)
    proof.equal("A utility moved by 2Δ under Lap(4Δ/ε) costs ε/2", 2 * SENSITIVITY / query(LEVEL), LEVEL / 2)
    ratio = query(LEVEL) / time
    for rounds, expected in ((1, sp.Rational(1, 2)), (2, sp.Rational(5, 24)), (3, sp.Rational(5, 48))):
        proof.equal(f"P(halt in round {rounds}) when every utility is the threshold", law(rounds, ratio), expected)


@derivation(
    {"R03": holds},
    rejects={
        "utilities shifted the wrong way": {"sign": 1},
        "a threshold that depends on the database": {"leak": sp.Symbol("g", real=True)},
    },
    assumes=(DENSITIES,),
)
def varying_thresholds(proof: Proof, sign: int = -1, leak: Expr = NOTHING) -> None:
    """Thresholds τ_n and utilities u_n(Alg_{1:n}, ·) are the one-threshold algorithm with u_n − τ_n + τ."""
    tau, own, noise, zeta = sp.symbols("tau tau_n xi_n zeta_n", real=True)
    u, neighbour = sp.symbols("u_n(x) u_n(x')", real=True)

    def shifted(utility: Expr, threshold: Expr) -> Expr:
        return utility + sign * (threshold - tau)

    printed_one = u + noise - (own + zeta)
    proof.equal("Round n halts in both for the same noise", shifted(u, own) + noise - (tau + zeta), printed_one)
    moved = shifted(u, own) - shifted(neighbour, own + leak)
    proof.equal("Between neighbours the shifted utility moves as the utility does: sensitivity Δ", moved, u - neighbour)
    proof.note(
        "Given Alg_{1:n}(x) = y_{1:n}",
        "u_n(y_{1:n}, ·), τ_n and ε_n are fixed and the same for x and x': the proof of the theorem does not see how "
        "they depend on y_{1:n}",
    )
    released, given, other, also = sp.symbols("p(y) p(bits|y) p'(y) p'(bits|y)", positive=True)
    total = sp.expand_log(sp.log(released * given / (other * also)))
    parts = sp.expand_log(sp.log(released / other)) + sp.expand_log(sp.log(given / also))
    proof.equal("Loss = loss of the releases + loss of the bits given the releases", total, parts)
    unit = sp.Symbol("Delta(y)", positive=True)
    proof.equal(
        "In particular a public unit Δ(y_{1:n}) may divide both: the test has the same sign",
        unit * (u / unit + noise / unit - own / unit - zeta / unit),
        printed_one,
    )


@derivation(
    {"R04": holds},
    rejects={
        "levels at least ε_max": {"room": -ROOM},
        "jumps at rate 2/u²": {"rate": lambda u: 2 / u**2},
    },
    uses=("laplace_process.times_from_eta_or_from_zero",),
)
def largest_level(
    proof: Proof,
    room: Expr = ROOM,
    rate: Callable[[Expr], Expr] = lambda u: 2 / u,
) -> None:
    """ε_n ≤ ε_max keeps the times at or above η = 2Δ/ε_max; the process itself goes on to every t > 0."""
    eta = 2 * SENSITIVITY / (LEVEL + room)
    proof.nonnegative("T_n − η with ε_max = ε_n + k", sp.cancel(threshold_scale(LEVEL) - eta))
    u, size, gap_ = sp.symbols("u j h", positive=True)
    staying = sp.exp(-sp.integrate(rate(u), (u, S, S + gap_)))
    proof.equal("Jumps at rate 2/u give P(no jump in (s, t]) = (s/t)²", staying, noise_kept(S, S + gap_))
    mean = 2 * sp.integrate(size * sp.exp(-size / u) / (2 * u), (size, 0, sp.oo))
    proof.equal("A jump at time u has mean size u", mean, u)
    total = sp.integrate(rate(u) * mean, (u, 0, T))
    proof.equal("All jumps in (0, t] together have mean size 2t: they sum, and no ε_max is needed", total, 2 * T)


def tail(x: Expr, above_centre: bool) -> Expr:
    """P(Lap(1) ≥ x), by the side of 0 on which x lies."""
    return sp.exp(-x) / 2 if above_centre else 1 - sp.exp(x) / 2


@derivation(
    {"R07": holds, "R05": supports},
    rejects={
        "e^{ε/4} for the last round": {"price": lambda level: level / 4},
        "a first inequality without the shift by Δ": {"shift": NOTHING},
    },
)
def standard_inequalities(
    proof: Proof,
    price: Callable[[Expr], Expr] = lambda level: level / 2,
    shift: Expr = SENSITIVITY,
) -> None:
    """With thresholds raised by Δ a neighbour prints 0 no less likely, and 1 less likely by at most e^{ε/2}."""
    change = SENSITIVITY * (1 - ROOM) / (1 + ROOM)
    proof.note("Neighbours", "u(x') − u(x) = Δ(1 − k)/(1 + k), k ≥ 0: any number in (−Δ, Δ], with −Δ as the limit")
    slack = sp.factor(shift - change)
    proof.nonnegative("(1) s + Δ − u_i(x') lies at or right of s − u_i(x); a cdf does not decrease", slack)
    proof.note("(2) Units", "x in units of 4Δ/ε; the threshold of ξ_n moves right by m = (Δ + u_n(x) − u_n(x'))/(4Δ/ε)")

    x, y, m, grown = sp.symbols("x y m E", positive=True)
    proof.equal("(2) Both right of 0: exactly a factor e^m", tail(x, True), sp.exp(m) * tail(x + m, True))
    across = (sp.exp(x + y) * tail(y, True) - tail(-x, False)).subs(x, sp.log(grown))
    squared = sp.expand(2 * grown * sp.simplify(across))
    proof.equal("(2) From −x across 0 to y, m = x + y and E = e^x: 2E times the difference", squared, (grown - 1) ** 2)
    extra, rest = sp.symbols("e r", nonnegative=True)
    left = sp.exp(m) * tail(-x, False) - tail(-x - m, False)
    in_powers = sp.simplify(left.subs({m: sp.log(1 + extra), x: sp.log(1 + rest)}))
    proof.nonnegative("(2) Both left of 0, from −x − m to −x, with e^m = 1 + e and e^x = 1 + r", in_powers)
    furthest = 2 * SENSITIVITY / query_scale(LEVEL)
    proof.nonnegative("(2) m is at most 2Δ/(4Δ/ε), and this is paid for", price(LEVEL) - furthest)


@derivation(
    {"R08": proof_wrong("a density relative to Lebesgue measure on Rⁿ, as printed"), "R05": supports},
    rejects={
        "a density relative to Lebesgue measure on Rⁿ, as printed": {"atom": lambda s, t: sp.Integer(0)},
        "the price of the first round's noise": {"price": lambda first, last: first / 2},
    },
    uses=("laplace_bridge.reverse_kernel",),
    assumes=(DENSITIES,),
)
def common_shift(
    proof: Proof,
    atom: Callable[[Expr, Expr], Expr] = noise_kept,
    price: Callable[[Expr, Expr], Expr] = lambda first, last: last / 2,
) -> None:
    """Relative to ds_n·∏(δ_{s_{m+1}} + Lebesgue)(ds_m), a shift of all noisy thresholds by Δ costs the last ε_n/2."""
    jump = sp.Symbol("j", positive=True)
    moved = 2 * sp.integrate(sp.exp(log_forward(jump, S, T)), (jump, 0, sp.oo))
    proof.equal("Z_t − Z_s has a density off 0, of mass 1 − (s/t)²", moved, 1 - S**2 / T**2)
    proof.equal("and what is missing sits at 0: s_m = s_{m+1} has positive probability", moved + atom(S, T), 1)

    x, y, delta = sp.symbols("s_m s_{m+1} Delta", real=True)
    shifted = log_forward((x + delta) - (y + delta), S, T) - log_forward(x - y, S, T)
    proof.equal("The step from s_{m+1} to s_m depends on their difference only: a common shift leaves it", shifted, 0)
    tau = sp.Symbol("tau", real=True)
    reverse = log_density(y - tau, x - tau, S, T)
    joint = log_marginal(x - tau, T) + reverse
    kept = log_marginal(y - tau, S) + log_forward(x - y, S, T)
    proof.equal(
        "Induction: density of s_{1:n+1} = density of s_{1:n} × reverse kernel = p_{T_{n+1}}(s_{n+1} − τ) × steps",
        sp.expand_log(joint),
        sp.expand_log(kept),
        sp.expand,
    )
    on_diagonal = log_marginal(x - tau, T) + log_atom(x - tau, S, T) - log_marginal(x - tau, S)
    proof.equal(
        "The same where s_{m+1} = s_m, the step being the atom (s/t)²",
        sp.expand_log(on_diagonal),
        sp.expand_log(sp.log(noise_kept(S, T))),
        sp.expand,
    )
    proof.note("Hence", "g(s_1..s_n)/g(s_1+Δ..s_n+Δ) = p_{T_n}(s_n − τ)/p_{T_n}(s_n + Δ − τ)")
    last, first, a, b = sp.symbols("epsilon_n epsilon_1 a b", positive=True)
    scale = threshold_scale(last)
    right = log_marginal(a, scale) - log_marginal(a + SENSITIVITY, scale)
    proof.equal("s_n right of τ: the ratio is e^{Δ/T_n} = e^{ε_n/2}", sp.expand(right), price(first, last))
    across = log_marginal(-a, scale) - log_marginal(b, scale)
    proof.equal("s_n left of τ by a, s_n + Δ right by b: e^{(b−a)/T_n}", sp.expand(across), (b - a) / scale)
    proof.positive("which is less, as b − a < a + b = Δ", sp.expand((a + b) / scale - (b - a) / scale))
    left = log_marginal(-a - SENSITIVITY, scale) - log_marginal(-a, scale)
    proof.equal("both left: the ratio is e^{−ε_n/2}", sp.expand(left), -last / 2)


@derivation(
    {"R05": supports, "R10": supports, "X11": holds},
    rejects={
        "ε_i/8 for each round": {"share": sp.Rational(1, 8)},
        "ε_n/4 after zeros": {"zeros": lambda level: level / 4},
        "ε_n/2 for a halt": {"halt": lambda level: level / 2},
    },
    uses=(
        "threshold_privacy.standard_inequalities",
        "threshold_privacy.common_shift",
        "threshold_privacy.varying_thresholds",
    ),
    assumes=(FUBINI,),
)
def both_bounds(
    proof: Proof,
    share: Expr = QUARTER,
    zeros: Callable[[Expr], Expr] = lambda level: level / 2,
    halt: Callable[[Expr], Expr] = lambda level: level,
) -> None:
    """A halt in round n costs at most min(ε_n, ¼Σε_i) on top of the releases, n zeros at most min(ε_n/2, ¼Σε_i)."""
    proof.note("Given Z", "P(bits | Z) = ∏_{i<n} P(u_i + ξ_i < τ + Z_i) · P(u_n + ξ_n ≥ τ + Z_n): independent ξ_i")
    moved = SENSITIVITY / query_scale(LEVEL)
    proof.nonnegative("u_i moves by at most Δ: a factor moves by at most e^{Δ/(4Δ/ε_i)}", share * LEVEL - moved)
    f, g, alpha, beta = sp.symbols("F_n f_{n+1} alpha beta", nonnegative=True)
    proof.note("Induction", "e^{K_n}F'_n = F_n + α for n factors, e^{ε_{n+1}/4}f' = f + β for the next, with α, β ≥ 0")
    product = sp.expand((f + alpha) * (g + beta) - f * g)
    proof.nonnegative("n + 1 factors move by at most e^{K_n + ε_{n+1}/4}, so that K_n = ¼Σ_{i≤n} ε_i", product)
    proof.note("Z is drawn without the database", "integrating over its law keeps the factor: the bound ¼Σε_i")
    proof.note(
        "Common shift",
        "s becomes s + Δ in the integral over the noisy thresholds (R08); R07 bounds the rounds",
    )
    shift = SENSITIVITY / threshold_scale(LEVEL)
    proof.nonnegative("All zeros: the thresholds pay Δ/(2Δ/ε_n), the rounds nothing", zeros(LEVEL) - shift)
    last = 2 * SENSITIVITY / query_scale(LEVEL)
    proof.nonnegative("A halt in round n: the last round pays 2Δ/(4Δ/ε_n) more", halt(LEVEL) - shift - last)
