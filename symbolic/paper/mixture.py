"""Mixtures of the exponential martingale: the curve of Lemma "mixture inequality" and its one-sided crossing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds, refuted, supports
from nrverify.ledger.assumptions import FUBINI, ITERATED_LOGARITHM, OPTIONAL_STOPPING
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure, certainly
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import cdf_ball, normal_cdf, normal_density, same_infinity

RATE, X = sp.symbols("lambda B", real=True)
T, RHO, DELTA = sp.symbols("t rho delta", positive=True)


def normal_mixture(x: Expr, t: Expr, rho: Expr) -> Expr:
    """√(ρ/(t+ρ)) e^{x²/2(t+ρ)}."""
    return sp.sqrt(rho / (t + rho)) * sp.exp(x**2 / (2 * (t + rho)))


def half_normal_mixture(x: Expr, t: Expr, rho: Expr) -> Expr:
    """2√(ρ/(t+ρ)) e^{u²/2} Φ(u), u = x/√(t+ρ)."""
    return 2 * normal_mixture(x, t, rho) * normal_cdf(x / sp.sqrt(t + rho))


def heat_defect(martingale: Callable[[Expr, Expr, Expr], Expr]) -> Expr:
    """(∂_t + ½∂_xx) M over √(ρ/(t+ρ)) e^{x²/2(t+ρ)}, in τ = t + ρ; zero when M(t, B_t) is a martingale."""
    total = sp.Symbol("tau", positive=True)
    value = martingale(X, total - RHO, RHO)
    defect = sp.diff(value, total) + sp.diff(value, X, 2) / 2
    return sp.expand(sp.powsimp(sp.expand(defect / normal_mixture(X, total - RHO, RHO))))


def _integral_over_rates(one_sided_rates: bool) -> Expr:
    """∫ e^{λB − λ²t/2} N(0, 1/ρ)(dλ), or twice that over λ > 0, over e^{B²/2(t+ρ)}: λ = (B/√(t+ρ) + z)/√(t+ρ)."""
    z, centre = sp.symbols("z v", real=True)
    gaussian = sp.integrate(sp.exp(-(z**2) / 2), (z, -centre if one_sided_rates else -sp.oo, sp.oo))
    scaled = sp.sqrt(RHO / (2 * sp.pi)) * gaussian / sp.sqrt(T + RHO) * (2 if one_sided_rates else 1)
    return scaled.subs(centre, X / sp.sqrt(T + RHO))


@derivation(
    {"M05": supports, "M06": supports, "B08": supports},
    rejects={
        "mixing with N(0, ρ) for N(0, 1/ρ)": {"normal": lambda x, t, rho: normal_mixture(x, t, 1 / rho)},
        "the square root forgotten": {"normal": lambda x, t, rho: normal_mixture(x, t, rho) * sp.sqrt(rho / (t + rho))},
        "half-normal without the factor 2": {"half": lambda x, t, rho: half_normal_mixture(x, t, rho) / 2},
        "half-normal with Φ(−u)": {"half": lambda x, t, rho: half_normal_mixture(-x, t, rho)},
    },
    uses=("martingales.mixtures_of_exponential_martingales",),
    assumes=(FUBINI,),
)
def mixture_martingales(
    proof: Proof,
    normal: Callable[[Expr, Expr, Expr], Expr] = normal_mixture,
    half: Callable[[Expr, Expr, Expr], Expr] = half_normal_mixture,
) -> None:
    """The N(0, 1/ρ) and half-normal mixtures of e^{λB−λ²t/2} in closed form, and the heat equation they solve."""
    exponent = RATE * X - RATE**2 * T / 2 - RHO * RATE**2 / 2
    centred = X**2 / (2 * (T + RHO)) - (T + RHO) * (RATE - X / (T + RHO)) ** 2 / 2
    proof.equal("complete the square in λ", exponent, centred, simplify=sp.cancel)
    peak = sp.exp(X**2 / (2 * (T + RHO)))
    for name, one_sided_rates, martingale in (
        ("∫ Y^λ N(0, 1/ρ)(dλ) = √(ρ/(t+ρ)) e^{B²/2(t+ρ)}", False, normal),
        ("∫ Y^λ over the half-normal law = 2√(ρ/(t+ρ)) e^{U²/2} Φ(U), U = B/√(t+ρ)", True, half),
    ):
        proof.equal(
            name,
            _integral_over_rates(one_sided_rates),
            martingale(X, T, RHO) / peak,
            simplify=lambda e: sp.expand(sp.expand(e).rewrite(sp.erf)),
        )
        proof.equal("which solves (∂_t + ½∂_xx) M = 0", heat_defect(martingale), 0)
        proof.equal("and starts at 1", martingale(X, T, RHO).subs({X: 0, T: 0}), 1)


def mixture_curve(t: Expr, rho: Expr, odds: Expr) -> Expr:
    """√((t+ρ)(2ℓ + log(1+t/ρ))), the printed √(2(t+ρ) log(δ⁻¹√((t+ρ)/ρ))) with ℓ = log(1/δ)."""
    return sp.sqrt((t + rho) * (2 * odds + sp.log((t + rho) / rho)))


def two_sided(x: Expr, curve: Expr) -> Expr:
    """|x| ≥ curve."""
    return sp.Abs(x) - curve


def one_sided(x: Expr, curve: Expr) -> Expr:
    """x ≥ curve, as printed."""
    return x - curve


@derivation(
    {"M06": refuted("the printed one-sided event")},
    rejects={
        "the printed one-sided event": {"reaches": one_sided},
        "the curve with log(1+t/ρ) doubled": {
            "curve": lambda t, rho, odds: sp.sqrt((t + rho) * (2 * odds + 2 * sp.log((t + rho) / rho)))
        },
    },
    uses=(
        "mixture.mixture_martingales",
        "martingales.exactly_delta",
        "martingales.ville",
    ),
    assumes=(
        OPTIONAL_STOPPING,
        ITERATED_LOGARITHM,
    ),
)
def mixture_inequality(
    proof: Proof,
    reaches: Callable[[Expr, Expr], Expr] = two_sided,
    curve: Callable[[Expr, Expr, Expr], Expr] = mixture_curve,
) -> None:
    """P(∃t: |B_t| ≥ curve) = δ; the one-sided event of the lemma has δ/2 < p ≤ δ/(2Φ(√(2ℓ))) < δ."""
    odds, height = sp.symbols("ell c", positive=True)
    printed = sp.sqrt(2 * (T + RHO) * sp.log(sp.exp(odds) * sp.sqrt((T + RHO) / RHO)))
    proof.equal("the curve squared, ℓ = log(1/δ)", sp.expand_log(printed**2, force=True), curve(T, RHO, odds) ** 2)
    at_curve = sp.log(normal_mixture(height, T, RHO)).subs(height, curve(T, RHO, odds))
    proof.equal(
        "the mixture M equals 1/δ on the curve", sp.expand_log(at_curve, force=True), odds, simplify=_expanded_logs
    )
    proof.positive("M increases in |B|", sp.diff(normal_mixture(height, T, RHO), height))
    proof.equal("M is even in B", normal_mixture(-X, T, RHO), normal_mixture(X, T, RHO))
    for side in (1, -1):
        proof.nonnegative(
            f"so M ≥ 1/δ at B = {'+' if side > 0 else '−'}c belongs to the event", reaches(side * height, height)
        )
    _vanishes_on_paths_that_never_cross(proof)
    proof.note("Ville with equality", "M_0 = 1, M is continuous and M_∞ = 0 off the event: P(event) = δ")
    mean_phi, p = sp.symbols("E[Phi(u_tau)] p", positive=True)
    on_curve = half_normal_mixture(height, T, RHO) / normal_mixture(height, T, RHO)
    proof.equal(
        "one-sided: the half-normal mixture is (1/δ)·2Φ(u_τ) on the curve",
        on_curve,
        2 * normal_cdf(height / sp.sqrt(T + RHO)),
    )
    stopped = sp.solve(sp.Eq(p * 2 * mean_phi / DELTA, 1), p)[0]
    proof.equal("optional stopping gives p = δ/(2E[Φ(u_τ)])", stopped, DELTA / (2 * mean_phi))
    elapsed = sp.Symbol("v", nonnegative=True)
    level_squared = 2 * odds + sp.log(1 + elapsed)
    proof.equal("u_τ² = 2ℓ + log(1+τ/ρ)", sp.expand((curve(T, RHO, odds) ** 2) / (T + RHO)), level_squared_at())
    proof.nonnegative("so u_τ ≥ √(2ℓ), and p ≤ δ/(2Φ(√(2ℓ)))", level_squared - 2 * odds)
    phi, tail = sp.symbols("Phi Q", positive=True)
    proof.equal("δ/2Φ − δ/2 = δ(1 − Φ)/2Φ", DELTA / (2 * phi) - DELTA / 2, DELTA * (1 - phi) / (2 * phi))
    proof.positive("which is positive, Q = 1 − Φ > 0: p > δ/2 always", DELTA * tail / (2 * phi))
    beyond_half = erf_positive(proof)
    proof.positive("Φ(√(2ℓ)) > ½, so p < δ", DELTA - DELTA / (1 + beyond_half))


def erf_positive(proof: Proof) -> Expr:
    """A positive symbol for erf(x), x > 0: it starts at 0 and rises (sympy knows its sign only from 1.14 on)."""
    x = sp.Symbol("x", positive=True)
    proof.equal("erf(0) = 0", sp.erf(sp.Integer(0)), 0)
    proof.positive("erf rises: so erf(x) > 0 at x > 0", sp.diff(sp.erf(x), x))
    return sp.Symbol("erf_x", positive=True)


def level_squared_at() -> Expr:
    """2ℓ + log((t+ρ)/ρ)."""
    return 2 * sp.Symbol("ell", positive=True) + sp.log((T + RHO) / RHO)


def _expanded_logs(expression: Expr) -> Expr:
    return sp.simplify(sp.expand_log(sp.expand(expression), force=True))


def _vanishes_on_paths_that_never_cross(proof: Proof) -> None:
    growth = sp.Symbol("L", positive=True)
    # with L = log(t+ρ): by the iterated logarithm B² ≤ 4 t log log t for large t, so B²/2(t+ρ) ≤ 2 log L
    log_m = -growth / 2 + 2 * sp.log(growth)
    proof.equal(
        "M → 0: by the iterated logarithm log M ≤ ½log ρ − L/2 + 2 log L, L = log(t+ρ)",
        sp.limit(log_m, growth, sp.oo),
        -sp.oo,
        same_infinity,
    )


@certificate(
    {"M06": supports, "B08": supports},
    rejects={
        "one-sided probability as large as δ": {"upper": lambda odds: arb(1)},
        "half of δ reached": {"upper": lambda odds: arb(1) / 2},
    },
)
def one_sided_factor(
    enclosure: Enclosure,
    upper: Callable[[Ball], Ball] = lambda odds: 1 / (2 * cdf_ball((2 * odds).sqrt())),
) -> None:
    """For every δ from 10⁻¹² to 0.9 the one-sided probability is in (δ/2, δ): nearly a factor 2 is given away."""

    def strictly_between(parameters: Sequence[Ball]) -> bool | None:
        factor = upper(parameters[0])
        return certainly(bool(arb(0.5) < factor and factor < 1), bool(factor >= 1 or factor <= arb(0.5)))

    with ctx.workprec(PRECISION):
        enclosure.everywhere("δ/2 < δ/(2Φ(√(2ℓ))) < δ for ℓ in a box", [(0.1053, 27.64)], strictly_between)
        millionth = upper(arb(10).log() * 6)
        enclosure.less(
            "at δ = 10⁻⁶ the bound exceeds δ/2 by less than 7.4e-8 of itself", millionth * 2, 1 + arb("7.4e-8")
        )
        enclosure.less("and by more than 7.3e-8", 1 + arb("7.3e-8"), millionth * 2)


@derivation(
    {"B08": supports, "M06": supports, "X09": holds},
    rejects={
        "mixing over all rates, where the event is two-sided": {"mixture": normal_mixture},
        "half-normal without the factor 2": {"mixture": lambda x, t, rho: half_normal_mixture(x, t, rho) / 2},
    },
    uses=(
        "mixture.mixture_martingales",
        "martingales.exactly_delta",
    ),
    assumes=(
        OPTIONAL_STOPPING,
        ITERATED_LOGARITHM,
    ),
)
def half_normal_curve_is_exact(proof: Proof, mixture: Callable[[Expr, Expr, Expr], Expr] = half_normal_mixture) -> None:
    """The curve that solves 2√(ρ/(t+ρ))e^{u²/2}Φ(u) = 1/δ is crossed from below with probability exactly δ."""
    u, odds = sp.symbols("u ell", positive=True)
    start = mixture(sp.Integer(0), sp.Integer(0), RHO)
    proof.equal("the martingale starts at 1", start, 1)
    v, y = sp.symbols("v y", real=True)
    total = sp.Symbol("tau", positive=True)
    height, time = v * sp.sqrt(total), total - RHO
    slope = sp.expand(sp.diff(mixture(height, time, RHO), v) / normal_mixture(height, time, RHO))
    mean_excess = v * normal_cdf(v) + normal_density(v, 1)
    proof.equal(
        "with τ = t + ρ, its slope in v = B/√τ is 2(vΦ(v) + φ(v)) times the normal mixture",
        slope,
        2 * mean_excess,
        simplify=lambda e: sp.expand(sp.expand(e).rewrite(sp.erf)),
    )
    antiderivative = v * normal_cdf(y - v) - normal_density(y - v, 1)
    integrand = y * normal_density(y - v, 1)
    proof.equal("yφ(y−v) has the antiderivative vΦ(y−v) − φ(y−v)", sp.diff(antiderivative, y), integrand)
    proof.equal(
        "so vΦ(v) + φ(v) = ∫ yφ(y−v) dy over y > 0, which is positive",
        v - antiderivative.subs(y, 0),
        mean_excess,
        simplify=lambda e: sp.expand(sp.expand(e).rewrite(sp.erf)),
    )
    proof.note("one event, one side", "M increases in B alone: {M ≥ 1/δ} = {B ≥ curve}, and M → 0 elsewhere: P = δ")
    excess = 2 * odds + sp.log((T + RHO) / RHO)
    on_paper_curve = sp.log(2 * normal_cdf(u))
    proof.positive("on the paper's curve M exceeds 1/δ by the factor 2Φ(u) > 1", erf_positive(proof))
    proof.equal(
        "2Φ(u) = 1 + erf(u/√2)",
        sp.exp(on_paper_curve),
        1 + sp.erf(u / sp.sqrt(2)),
        simplify=lambda e: sp.simplify(e.rewrite(sp.erf)),
    )
    proof.note("so the half-normal curve lies strictly below the paper's", f"u² < {excess} at every t")
