"""The sentence after Lemma bm_nr: the loss of n adaptive looks is not that of the n-th look in isolation.

Times T_1 = 1 and T_2 = 1/2 if the first release is positive, else 1/10; values 0 and 1; second release 3/10.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import acb, arb, ctx

from nrverify.ledger import certificate, refuted
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure

VALUE, NEIGHBOUR, SECOND = 0, 1, (3, 10)
"""Two values at distance Δ = 1, and a second release, as a fraction, between them."""
FIRST_RELEASES = ((7, 10), (-7, 10))
"""As fractions; one of either sign, on which the second time depends."""
WIDE = 12
"""Beyond this distance the normal densities integrated here weigh less than 1e-30."""


def second_time(first_release: Ball) -> Ball:
    """The schedule: 1/2 after a positive first release, 1/10 otherwise."""
    return arb(1) / 2 if first_release > 0 else arb(1) / 10


def normal_density(x: Ball, variance: Ball) -> Ball:
    """The density of N(0, variance)."""
    return (-x * x / (2 * variance)).exp() / (2 * arb.pi() * variance).sqrt()


def transcript_loss(first: Ball, second: Ball) -> Ball:
    """log-ratio of the joint densities of two looks: first look times bridge, from the definition."""
    s = second_time(first)

    def log_density(value: int) -> Ball:
        first_look = normal_density(first - value, arb(1))
        bridge = normal_density(second - value - s * (first - value), s * (1 - s))
        return first_look.log() + bridge.log()

    return log_density(VALUE) - log_density(NEIGHBOUR)


def fixed_time_loss(first: Ball, second: Ball) -> Ball:
    """The Gaussian log-ratio at T_2, the time being treated as a fixed number."""
    return ((second - NEIGHBOUR) ** 2 - (second - VALUE) ** 2) / (2 * second_time(first))


def isolated_loss(first: Ball, second: Ball) -> Ball:
    """log-ratio of the marginal laws of the second release, a mixture over the two times."""
    return isolated_density(VALUE, second).log() - isolated_density(NEIGHBOUR, second).log()


def isolated_density(value: int, second: Ball) -> Ball:
    """Σ over the two times s of N(second; value, s) · P(the first release lies on the side that leads to s)."""
    half, tenth = arb(1) / 2, arb(1) / 10
    positive = normal_density(second - value, half) * normal_cdf(second / (1 - half).sqrt())
    negative = normal_density(second - value, tenth) * normal_cdf(-second / (1 - tenth).sqrt())
    return positive + negative


def normal_cdf(x: Ball) -> Ball:
    """Φ."""
    return (-x / arb(2).sqrt()).erfc() / 2


def swapped_loss(first: Ball, second: Ball) -> Ball:
    """A wrong form: the sign of the first release read the other way."""
    return fixed_time_loss(-first, second)


@certificate(
    {"B02": refuted("the second look in isolation")},
    rejects={
        "the second look in isolation": {"loss": isolated_loss},
        "the time of the other branch": {"loss": swapped_loss},
    },
)
def second_look_in_isolation(enclosure: Enclosure, loss: Callable[..., Ball] = fixed_time_loss) -> None:
    """Two adaptive looks lose 0.4 or 2.0, as with the time held fixed; the second look alone loses 0.8687."""
    with ctx.workprec(PRECISION):
        second = arb(SECOND[0]) / SECOND[1]
        for value in (VALUE, NEIGHBOUR):
            gap = abs(isolated_density(value, second) - integrated_density(value, second))
            enclosure.less(f"Value {value}: the mixture is the integral over the first release", gap, arb(10) ** -20)
        alone = isolated_loss(arb(1), second)
        enclosure.less("The second look alone loses more than 0.86873", arb("0.86873"), alone)
        enclosure.less("and less than 0.86874", alone, arb("0.86874"))
        for numerator, denominator in FIRST_RELEASES:
            first = arb(numerator) / denominator
            gap = abs(loss(first, second) - transcript_loss(first, second))
            name = f"First release {numerator}/{denominator}: the loss of both looks is that at the fixed time T_2"
            enclosure.less(name, gap, arb(10) ** -20)


def integrated_density(value: int, second: Ball) -> Ball:
    """∫ p(first) p(second | first) over the first release, by rigorous quadrature on each side of 0."""

    def joint(s: Ball) -> Callable[..., Ball]:
        def integrand(first: Ball, analytic: bool) -> Ball:
            deviation = second - value - s * (first - value)
            exponent = -((first - value) ** 2) / 2 - deviation**2 / (2 * s * (1 - s))
            return acb(exponent).exp() / (2 * arb.pi() * (s * (1 - s)).sqrt())

        return integrand

    right = acb.integral(joint(arb(1) / 2), 0, WIDE).real
    left = acb.integral(joint(arb(1) / 10), -WIDE, 0).real
    return right + left
