"""Post-processing: what an ex-post claim with δ loses by it, and which guarantees keep."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import arb, ctx

from nrverify.ledger import certificate, derivation, holds, refuted, supports
from nrverify.ledger.assumptions import CONVERGENCE, DENSITIES
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.normal import cdf_ball, tail_ball

R = sp.Rational
VALUE, NEIGHBOUR = (
    {"bad": R(1, 100), "fair": R(49, 100), "rest": R(1, 2)},
    {"bad": R(1, 1000), "fair": R(49, 200), "rest": R(754, 1000)},
)
"""Three outputs, claim ε = log 2 at each: it fails at `bad` alone, where the odds are 10, and is exact at `fair`."""
CLAIMED_ODDS = 2
"""e^ε of the claim."""
BEFORE, AFTER = R(1, 100), R(1, 2)
"""δ of Y and of f(Y)."""
ABOVE_ONE = 1 + sp.Symbol("a", positive=True)


def failing(value: dict[str, Expr], neighbour: dict[str, Expr]) -> Expr:
    """P(L > log 2): the mass of the outputs whose odds exceed 2."""
    return sum((p for output, p in value.items() if p / neighbour[output] > CLAIMED_ODDS), sp.Integer(0))


def merged(law: dict[str, Expr]) -> dict[str, Expr]:
    """The law of f(Y), where f does not tell `bad` from `fair`."""
    return {"bad or fair": law["bad"] + law["fair"], "rest": law["rest"]}


@derivation(
    {"X05": refuted("δ is kept")},
    rejects={
        "δ is kept": {"after": R(1, 100)},
        "δ is doubled": {"after": R(1, 50)},
        "the fair output fails alone": {"before": R(49, 100)},
    },
)
def three_outputs(proof: Proof, before: Expr = BEFORE, after: Expr = AFTER) -> None:
    """P(L > log 2) is 1/100 for Y and 1/2 for a function that merges two of its three outputs; two do not suffice."""
    proof.equal("The law of Y under the value has mass 1", sum(VALUE.values()), 1)
    proof.equal("and under its neighbour", sum(NEIGHBOUR.values()), 1)
    proof.equal("P(L > log 2) of Y", failing(VALUE, NEIGHBOUR), before)
    proof.equal("P(L > log 2) of f(Y), whose claim is the same log 2", failing(merged(VALUE), merged(NEIGHBOUR)), after)
    p, q = sp.symbols("p q", positive=True)
    proof.note("Two outputs", "a function of two outputs is one-to-one, and changes nothing, or constant")
    proof.equal("Constant: the odds are 1, never above a claim ε ≥ 0", (p + (1 - p)) / (q + (1 - q)), 1)


@derivation(
    {"X05": supports},
    rejects={
        "an order below 1": {"order": sp.Symbol("b", positive=True) / (1 + sp.Symbol("b", positive=True))},
        "a smaller price for the merged output": {"price": sp.Symbol("c", positive=True)},
    },
    uses=("preliminaries.reference_measure",),
    assumes=(DENSITIES, CONVERGENCE),
)
def what_survives(proof: Proof, order: Expr = ABOVE_ONE, price: Expr = sp.S.Zero) -> None:
    """Pure ex-post claims and ex-post Rényi privacy survive a function that keeps the claim: Σp ≤ e^E Σq; convexity.

    The claim E (or ρ) must be known from f(Y), so that merged outputs have one claim.
    """
    p, q, s, t = sp.symbols("p q s t", positive=True)
    slack, other_slack, bound = sp.symbols("k_1 k_2 E", positive=True)
    first, second = bound * q - slack, bound * s - other_slack
    merged_odds = bound - price
    proof.positive(
        "Pure: p_i = e^E q_i − k_i at each output; merged, e^E·Σq_i − Σp_i = Σk_i > 0",
        sp.expand(merged_odds * (q + s) - first - second),
    )
    gap = p**2 / q + s**2 / t - (p + s) ** 2 / (q + t)
    square = (p * t - s * q) ** 2 / (q * t * (q + t))
    proof.equal("Rényi, α = 2: Σp²/q − (Σp)²/Σq is a square over something positive", gap, square)
    proof.nonnegative("so it is not negative", square)
    x = sp.Symbol("x", positive=True)
    curvature = sp.factor(sp.diff(x**order, x, 2) * x ** (2 - order))
    proof.positive("Rényi, any α > 1: x^α is convex, x^{2−α}(x^α)'' = α(α−1)", curvature)
    proof.note("Jensen", "with weights q_i/Σq: (Σp)^α(Σq)^{1−α} ≤ Σp_i^α q_i^{1−α}, and the claim is a common factor")


def lipschitz(width: Expr, dimension: Expr, shift: Expr, time: Expr) -> Expr:
    """g√d·Δ/t."""
    return width * sp.sqrt(dimension) * shift / time


@derivation(
    {"X12": holds},
    rejects={
        "gΔ/t in every dimension": {"slack": lambda g, d, shift, t: g * shift / t},
        "g√d/t without Δ": {"slack": lambda g, d, shift, t: g * sp.sqrt(d) / t},
    },
    uses=("privacy_loss.loss_of_a_release", "post_processing.what_survives"),
    assumes=(DENSITIES,),
)
def rounded_releases(proof: Proof, slack: Callable[..., Expr] = lipschitz) -> None:
    """Rounded to a grid of step g the claim holds with ε_N + g√d·Δ/t_N: over a cell the loss varies by no more.

    Pure, (ε, δ) and Rényi guarantees need no slack: rounding is post-processing.
    """
    g, t = sp.symbols("g t", positive=True)
    y, moved, value, other = sp.symbols("y z f f'", real=True)
    loss = ((y - other) ** 2 - (y - value) ** 2) / (2 * t)
    proof.equal(
        "One coordinate: L(y) − L(z) = (f − f')(y − z)/t", loss - loss.subs(y, moved), (value - other) * (y - moved) / t
    )
    proof.note("Cauchy–Schwarz", "all coordinates: |L(y) − L(z)| ≤ ‖f − f'‖·‖y − z‖/t")
    i = sp.Symbol("i", integer=True)
    whole = sp.Symbol("d", integer=True, positive=True)
    diagonal = sp.sqrt(sp.summation(g**2, (i, 1, whole)))
    shift = sp.Symbol("Delta", positive=True)
    proof.equal(
        "two points of a cell are at most √(Σg²) = g√d apart: the slack",
        diagonal * shift / t,
        slack(g, whole, shift, t),
    )
    q, q2, low, high = sp.symbols("q q_2 k_1 k_2", positive=True)
    odds = sp.Symbol("B", positive=True)
    proof.positive(
        "the odds of a cell lie below any bound on those of its points, as Σ(Bq_i − p_i) > 0",
        sp.expand(odds * (q + q2) - (odds * q - low) - (odds * q2 - high)),
    )
    proof.note(
        "Outside the event of probability δ",
        "the loss at the ideal release is at most ε_N, so at most ε_N + g√d·Δ/t_N in all of its cell",
    )


def cell_masses(first: int, last: int, centre: int) -> list[Ball]:
    """P(k − ½ < Y ≤ k + ½) for k = first … last, Y ~ N(centre, 1)."""
    half = arb(1) / 2
    return [cdf_ball(k + half - centre) - cdf_ball(k - half - centre) for k in range(first, last + 1)]


@certificate({"X12": supports}, rejects={"no slack": {"slack": 0}, "a tenth of the slack": {"slack": arb(1) / 10}})
def slack_is_needed(enclosure: Enclosure, slack: Ball = 1) -> None:
    """One look at t = 1, Δ = 1, rounded to integers (g = 1), ε = 2.2 and δ = P(L > ε): with gΔ/t more the claim holds.

    Without, the whole cell of 2 counts, of which only the part above 1.7 has a loss above ε.
    """
    with ctx.workprec(PRECISION):
        epsilon = arb(22) / 10
        delta = tail_ball(epsilon - arb(1) / 2)
        first, last = -6, 9
        failing = tail_ball(arb(last) + arb(1) / 2)
        for own, other in zip(cell_masses(first, last, 0), cell_masses(first, last, -1), strict=True):
            if (own / other).log() > epsilon + slack:
                failing += own
        enclosure.less("P(loss of the rounded release > ε + slack) is below δ", failing, delta)
