"""The Brownian mechanism for a kernel: transcripts of any length telescope, and the loss that follows."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.laws.brownian import Brownian
from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.ledger.proof import Expr
from nrverify.symbolic.kernel import PAPER
from nrverify.symbolic.paper.privacy_loss import (
    bridge_mean,
    bridge_variance,
    increment_variance,
    inverted_mean,
    printed_variance,
)

S, T = sp.symbols("s t", positive=True)
TIMES = ((0.5, 2.0), (0.125, 100.0))
"""Two bridges, in numbers that doubles hold."""


def bridge_deviation(s: float, t: float) -> float:
    """The standard deviation of the bridge in the project's code."""
    return float(Brownian().bridge(s, t, 0.0).deviation)


@kernel(
    dict.fromkeys(("B01", "A01", "A13", "A14", "E09", "B03", "B04", "A19"), supports),
    rejects={
        "times swapped in the mean": {"share": inverted_mean},
        "variance of the forward increment": {"spread": increment_variance},
        "the variance behind the printed factor T_{n+1}/T_n": {"spread": printed_variance},
        "code that takes the variance for the deviation": {"deviation": lambda s, t: bridge_deviation(s, t) ** 2},
    },
    source=PAPER / "privacy_loss.v",
    theorems=(
        "telescopes",
        "loss_of_the_transcript",
        "loss_is_linear_in_the_noise",
        "loss_is_a_drifted_projection",
        "loss_bound",
        "printed_factor_is_wrong",
    ),
    unsaid=(
        "the joint density is, by definition, the product of the kernels that the sampler draws from",
        "that it is the density of a measure, and that Brownian motion has these kernels, is not proved",
        "stopping is not in it: it holds for every n, and a stopped transcript is one of them",
    ),
)
def transcripts(
    kernel: Kernel,
    share: Callable[..., Expr] = bridge_mean,
    spread: Callable[..., Expr] = bridge_variance,
    deviation: Callable[[float, float], float] = bridge_deviation,
) -> None:
    """n adaptive looks, for every n, dimension and rule for times, lose (‖y−μ‖² − ‖y−ν‖²)/2T of the last look."""
    kernel.equal("share", "s t", share(S, T), bridge_mean(S, T), {}, ("0 < s", "0 < t"))
    kernel.equal("spread", "s t", spread(S, T), bridge_variance(S, T), {}, ("0 < s", "0 < t"))
    for s, t in TIMES:
        kernel.agrees("share", (s, t), float(Brownian().bridge(s, t, 1.0).mean))
        kernel.agrees("spread", (s, t), deviation(s, t) ** 2, accepted=bridge_deviation(s, t) ** 2)
