"""The two privacy boundaries: from a crossing to a loss, their inverses and their slopes (Theorem "priv_bound")."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from sympy.logic.inference import satisfiable

from nrverify.ledger import derivation, holds, misprint, refuted, supports
from nrverify.ledger.assumptions import DENSITIES
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import same_infinity

T, RHO, A, B, SENSITIVITY, ODDS = sp.symbols("t rho a b Delta ell", positive=True)
LEVELS = 2 * ODDS + sp.log(1 + T / RHO)
"""λ = 2ℓ + log(1+t/ρ)."""


def mixture_boundary(t: Expr) -> Expr:
    """Δ²/2t + (Δ/t)√((t+ρ)λ)."""
    return SENSITIVITY**2 / (2 * t) + SENSITIVITY / t * sp.sqrt((t + RHO) * LEVELS.subs(T, t))


def linear_boundary(t: Expr) -> Expr:
    """(Δ/t)(Δ/2 + b) + Δa."""
    return SENSITIVITY / t * (SENSITIVITY / 2 + B) + SENSITIVITY * A


@derivation(
    {"B08": holds},
    rejects={
        "Δ²/t for Δ²/2t": {"boundary": lambda t: mixture_boundary(t) + SENSITIVITY**2 / (2 * t)},
        "the curve without Δ²/2t": {"boundary": lambda t: mixture_boundary(t) - SENSITIVITY**2 / (2 * t)},
    },
    uses=(
        "privacy_loss.loss_of_a_release",
        "privacy_loss.loss_bound",
        "mixture.mixture_inequality",
    ),
)
def mixture_boundary_is_a_privacy_boundary(proof: Proof, boundary: Callable[[Expr], Expr] = mixture_boundary) -> None:
    """ψ^M is reached by the loss only where the path reaches the mixture curve: probability at most δ, nearly δ/2."""
    curve = sp.sqrt((T + RHO) * LEVELS)
    _loss_reaches_the_boundary_where_the_path_reaches_the_curve(proof, boundary, curve)
    excess, delta = sp.symbols("q delta", positive=True)
    probability = delta / (2 * (sp.Rational(1, 2) + excess))
    proof.note("the curve is reached with probability", "p = δ/(2E[Φ(u_τ)]) (mixture inequality); write E[Φ] = ½ + q")
    proof.positive("p < δ, as q > 0", sp.factor(delta - probability))
    small = sp.limit(probability / delta, excess, sp.Rational(1, 2))
    proof.equal("p/δ → ½ as δ → 0, where Φ → 1: a factor of nearly 2 is given away", small, sp.Rational(1, 2))


@derivation(
    {"B09": holds},
    rejects={
        "Δb/t without Δ²/2t": {"boundary": lambda t: linear_boundary(t) - SENSITIVITY**2 / (2 * t)},
        "slope a for Δa": {"boundary": lambda t: linear_boundary(t) - SENSITIVITY * A + A},
    },
    uses=(
        "privacy_loss.loss_of_a_release",
        "martingales.line_crossing",
    ),
)
def linear_boundary_is_a_privacy_boundary(proof: Proof, boundary: Callable[[Expr], Expr] = linear_boundary) -> None:
    """ψ^L is reached by the loss exactly where the path reaches at + b: probability e^{−2ab} = δ at ‖Δf‖ = Δ."""
    _loss_reaches_the_boundary_where_the_path_reaches_the_curve(proof, boundary, A * T + B)
    proof.equal("2ab = ℓ makes it δ", sp.exp(-2 * A * B).subs(B, ODDS / (2 * A)), sp.exp(-ODDS))


def _loss_reaches_the_boundary_where_the_path_reaches_the_curve(
    proof: Proof, boundary: Callable[[Expr], Expr], curve: Expr
) -> None:
    shift, value, level = sp.symbols("d W psi", positive=True)
    loss = shift**2 / (2 * T) + shift / T * value
    height = sp.solve(sp.Eq(loss, level), value)[0]
    proof.equal("the loss d²/2t + (d/t)W reaches ψ at W = ψt/d − d/2", height, level * T / shift - shift / 2)
    proof.positive("this height falls as d grows, so ‖Δf‖ = d ≤ Δ is worst at d = Δ", -sp.diff(height, shift))
    at_boundary = height.subs(shift, SENSITIVITY).subs(level, boundary(T))
    proof.equal("and with ψ the boundary and d = Δ it is the curve", sp.simplify(at_boundary - curve), 0)


def any_look(previous: Expr, look: Expr) -> Expr:
    """The union over looks grows by one event."""
    return sp.Or(previous, look)


@derivation(
    {"B10": holds, "B11": holds, "B12": holds},
    rejects={
        "a bound at the first look only": {"grow": lambda previous, look: previous},
        "a bound where all looks cross": {"grow": sp.And},
    },
    uses=(
        "privacy_loss.loss_of_a_release",
        "stopping.stopped_transcripts",
        "boundary_algebra.linear_boundary_is_a_privacy_boundary",
        "boundary_algebra.mixture_boundary_is_a_privacy_boundary",
    ),
    assumes=(DENSITIES,),
)
def uniform_in_time(proof: Proof, grow: Callable[[Expr, Expr], Expr] = any_look) -> None:
    """However N is chosen, {L_N ≥ ψ(T_N)} lies in {∃n: L_n ≥ ψ(T_n)}, and that in {∃t: W_t ≥ curve}: ex-post at δ."""
    chosen, crossed, selected_before, union_before = sp.symbols("N=n A_n E_{n-1} U_{n-1}")
    proof.note("events", "A_n: L_n ≥ ψ(T_n). E_n: some k ≤ n has N = k and A_k. U_n: some k ≤ n has A_k")
    first = sp.Implies(sp.And(chosen, crossed), crossed)
    _tautology(proof, "E_1 implies U_1, whatever N depends on", first)
    step = sp.Implies(
        sp.Implies(selected_before, union_before),
        sp.Implies(sp.Or(selected_before, sp.And(chosen, crossed)), grow(union_before, crossed)),
    )
    _tautology(proof, "E_{n−1} ⊂ U_{n−1} implies E_n ⊂ U_n: N may be anything, not only a stopping time", step)
    at_look, somewhere = sp.symbols("W_{T_n}>=c(T_n) exists_t_W_t>=c(t)")
    limit = sp.Implies(
        sp.And(sp.Implies(at_look, somewhere), sp.Implies(crossed, at_look)), sp.Implies(crossed, somewhere)
    )
    _tautology(proof, "A_n is a crossing at the time T_n, one of all t: U_n lies in {∃t: W_t ≥ c(t)}", limit)
    proof.note("ex-post privacy", "P(L_N ≥ ψ(T_N)) ≤ P(∃t: W_t ≥ c(t)) ≤ δ for every N, also chosen after all looks")


def _tautology(proof: Proof, name: str, statement: Expr) -> None:
    proof.true(name, sp.false if satisfiable(sp.Not(statement)) else sp.true, shown=f"{statement} is a tautology")


@derivation(
    {"B07": misprint("a boundary with a finite value at t = 0")},
    rejects={"a boundary with a finite value at t = 0": {"reciprocal_at_zero": sp.S.One}},
)
def boundaries_start_at_infinity(proof: Proof, reciprocal_at_zero: Expr = sp.S.Zero) -> None:
    """Both boundaries are infinite at 0+, so their domain is (0, ∞)."""
    for name, boundary in (("linear", linear_boundary), ("mixture", mixture_boundary)):
        proof.positive(f"the {name} boundary is above Δ²/2t", boundary(T) - SENSITIVITY**2 / (2 * T))
    proof.equal("1/ψ < 2t/Δ² → 0: ψ(0+) = ∞", sp.limit(2 * T / SENSITIVITY**2, T, 0, "+"), reciprocal_at_zero)


def at_most(excess_is_positive: bool) -> bool:
    """ψ(t) ≤ E."""
    return not excess_is_positive


def at_least(excess_is_positive: bool) -> bool:
    """ψ(t) ≥ E, as printed."""
    return excess_is_positive


@derivation(
    {"B13": refuted("the printed infimum over ψ(t) ≥ E")},
    rejects={"the printed infimum over ψ(t) ≥ E": {"meets": at_least}},
    uses=("boundary_algebra.boundaries_decrease",),
)
def inverse_is_an_infimum_over_smaller_losses(proof: Proof, meets: Callable[[bool], bool] = at_most) -> None:
    """The least noise that meets the level E is inf{t: ψ(t) ≤ E}; the printed inf{t: ψ(t) ≥ E} is 0: no noise."""
    margin, ratio = sp.symbols("e r", positive=True)
    level = SENSITIVITY * A + margin
    solution = SENSITIVITY * (SENSITIVITY / 2 + B) / margin
    proof.equal("ψ^L(t*) = E at t* = Δ(Δ/2+b)/(E − Δa)", linear_boundary(solution), level)
    above = sp.factor(level - linear_boundary(solution * (1 + ratio)))
    below = sp.factor(linear_boundary(solution / (1 + ratio)) - level)
    proof.positive("later than t* the boundary is below E", above)
    proof.positive("earlier than t* it is above E", below)
    sides = ((sp.Interval.open(0, solution), True), (sp.Interval.open(solution, sp.oo), False))
    meeting = [interval for interval, excess_is_positive in sides if meets(excess_is_positive)]
    proof.equal("the infimum of the times that meet the level is t*", sp.Union(*meeting).inf, solution)
    proof.equal("while it is infinite towards t = 0", sp.limit(linear_boundary(T), T, 0, "+"), sp.oo, same_infinity)


@derivation(
    {"B14": refuted("every level has an inverse: the linear boundary falls to 0")},
    rejects={
        "every level has an inverse: the linear boundary falls to 0": {"floor": lambda: sp.Integer(0)},
        "the floor a, without the sensitivity": {"floor": lambda: A},
    },
    uses=("optima.tightest_line",),
)
def floors(proof: Proof, floor: Callable[[], Expr] = lambda: SENSITIVITY * A) -> None:
    """The linear boundary stays above Δa: a level at or below it is never met. The mixture boundary falls to 0."""
    proof.equal("ψ^L → Δa as t → ∞", sp.limit(linear_boundary(T), T, sp.oo), floor())
    proof.positive("and ψ^L > Δa at every t, so no t meets E ≤ Δa", linear_boundary(T) - SENSITIVITY * A)
    odds, tuned = sp.symbols("ell epsilon", positive=True)
    slope = (sp.sqrt(odds**2 + odds * tuned) - odds) / SENSITIVITY
    proof.equal(
        "tuned at ε the floor Δa* = √(ℓ²+ℓε) − ℓ does not depend on Δ", sp.diff(SENSITIVITY * slope, SENSITIVITY), 0
    )
    u = sp.Symbol("u", positive=True)
    squared = (1 + u) * (2 * odds + sp.log(1 + u)) / u**2
    proof.equal("the mixture falls to 0: (curve/t)²ρ = (1+u)λ/u² → 0, u = t/ρ", sp.limit(squared, u, sp.oo), 0)


@derivation(
    {"B15": refuted("strictly increasing, as printed"), "B16": supports},
    rejects={"strictly increasing, as printed": {"direction": 1}},
)
def boundaries_decrease(proof: Proof, direction: int = -1) -> None:
    """ψ^M and ψ^L are strictly decreasing, so that each has an inverse."""
    u, v = sp.symbols("u v", positive=True)
    levels = 2 * ODDS + sp.log(1 + u)
    squared = (1 + u) * levels / (RHO * u**2)
    shown = sp.together((((T + RHO) * LEVELS) / T**2).subs(T, u * RHO))
    proof.equal("with u = t/ρ, h = (curve/t)² = (1+u)λ/ρu²", shown, squared)
    slope = -(u + 2 - u / levels) / (u * (1 + u))
    proof.equal("d log h/du = −(u + 2 − u/λ)/(u(1+u))", sp.diff(squared, u) / squared, slope)
    gap_slope = sp.diff(sp.log(1 + u) - 2 * u / (2 + u), u)
    proof.equal("λ > log(1+u) ≥ 2u/(2+u): equal at 0", (sp.log(1 + u) - 2 * u / (2 + u)).subs(u, 0), 0)
    proof.positive("and the difference grows: its slope is u²/((1+u)(2+u)²)", sp.factor(gap_slope))
    lower = sp.factor(u + 2 - u / (2 * u / (2 + u)))
    proof.positive("so u + 2 − u/λ > (u+2)/2 > 0", lower)
    mixture_slope = slope.subs(levels, 2 * u / (2 + u) + v)
    proof.positive("ψ^M is strictly monotone in the stated direction", sp.factor(direction * mixture_slope))
    proof.positive("and so are Δ²/2t and ψ^L", direction * sp.diff(SENSITIVITY**2 / (2 * T) + linear_boundary(T), T))
