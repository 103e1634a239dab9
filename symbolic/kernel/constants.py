"""Numbers of the ledger for a kernel, in rational arithmetic: the tuned line, and one clock for two coordinates."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.ledger.coq.term import coq_term
from nrverify.ledger.proof import Expr
from nrverify.symbolic.kernel import PAPER
from nrverify.symbolic.kernel.forms import accepted
from nrverify.symbolic.paper.laplace_dimension import laplace_cf, one_clock, own_clocks
from nrverify.symbolic.paper.optima import tightest_line

SLOPE, INTERCEPT = accepted(tightest_line, "slope"), accepted(tightest_line, "intercept")


@kernel(
    dict.fromkeys(("B17", "E11", "N02"), supports),
    rejects={
        "b* = ℓ/a*": {"intercept": lambda odds, a: odds / a},
        "the characteristic function of scale t²": {"cf": lambda f, t: laplace_cf(f, t**2)},
        "a clock of its own in each coordinate": {"joint": own_clocks},
    },
    source=PAPER / "constants.v",
    theorems=(
        "printed_slope",
        "printed_intercept",
        "printed_time",
        "shared_clock_closed",
        "shared_clock_value",
        "shared_clock_is_not_laplace",
        "laplace_value",
    ),
    unsaid=(
        "the line is that of Δ = 1, ε = 0.3, δ = 10⁻⁶",
        "N02: that one clock gives this characteristic function is modelling; the number is one point of it",
    ),
)
def printed_numbers(
    kernel: Kernel,
    intercept: Callable[[Expr, Expr], Expr] = INTERCEPT,
    cf: Callable[[Expr, Expr], Expr] = laplace_cf,
    joint: Callable[..., Expr] = one_clock,
) -> None:
    """a*, b* and t* to every printed digit; one clock gives e^{−3/10}/10 at (1, 1) from time 1 to 2, not 1/25."""
    level, epsilon, d, a = sp.symbols("l e D a", positive=True)
    frequency, scale = sp.symbols("frequency scale", real=True)
    kernel.equal("optima.slope", "l e D", SLOPE(level, epsilon, d), SLOPE(level, epsilon, d), {}, ("0 < D",))
    kernel.equal("optima.intercept", "l a", intercept(level, a), INTERCEPT(level, a), {}, ("0 < a",))
    both = cf(frequency, scale), laplace_cf(frequency, scale)
    kernel.equal("laplace_process.characteristic", "frequency scale", *both, {}, proof="f_equal; ring")
    clocks = (coq_term(sp.simplify(form(*map(sp.Integer, (1, 1, 1, 2))))) for form in (joint, one_clock))
    given, right = (f"shared_clock = {number}" for number in clocks)
    kernel.states("one clock", given, right, "shared_clock_closed", "shared_clock_is_not_laplace")
