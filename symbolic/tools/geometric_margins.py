"""AboveThreshold with margins in geometric progression, in closed form and as balls.

Serves Theorem rat (does it halt?) and Proposition rat_utility (what does its union bound lose?). In units of 4Δ/ε let
a_n = log(θqⁿ), so that P(ξ_n < ζ − a_n | ζ) = 1 − θqⁿv/2 while θqⁿv ≤ 1 and 1/(2θqⁿv) beyond, with v = e^{−ζ}. The
threshold noise has density v on (0, 1) and v⁻³ beyond 1. Euler's expansion ∏_{j≥1}(1 − xq^j) = Σ c_m x^m,
c_m = (−1)^m q^{m(m+1)/2}/((1−q)…(1−q^m)), makes every piece a sum of powers.
"""

from __future__ import annotations

from flint import arb

from nrverify.ledger.enclosure import Ball


def euler_coefficients(q: Ball, factors: int | None, terms: int) -> list[Ball]:
    """c_0, c_1, … of ∏_{j=1}^{factors} (1 − xq^j), all of it for None."""
    coefficients = [arb(1)]
    for m in range(1, terms):
        missing = arb(1) if factors is None else 1 - q ** max(factors - m + 1, 0)
        coefficients.append(-coefficients[-1] * q**m * missing / (1 - q**m))
    return coefficients


def power_integral(power: int, lower: Ball, upper: Ball) -> Ball:
    """∫ v^power dv from lower to upper, both positive unless power ≥ 0."""
    if power == -1:
        return (upper / lower).log()
    return (upper ** (power + 1) - lower ** (power + 1)) / (power + 1)


def survival(theta: Ball, q: Ball, rounds: int | None, terms: int = 60, pieces: int = 60) -> Ball:
    """P(no halt in `rounds` rounds), or ever for None; needs 0 < q < 1 and 0 < θq ≤ 1.

    On every piece θqᵏv ≤ 1/q, which bounds the dropped terms of the series; beyond the last piece 2^{−pieces} is left.
    """
    last = pieces if rounds is None else rounds
    total = arb(0)
    for passed in range(last + 1):
        lower = arb(1) if passed == 0 else 1 / (theta * q**passed)
        ends = rounds is not None and passed == rounds
        factors = None if rounds is None else rounds - passed
        # The factors of the margins passed: ∏_{n≤k} 1/(2θqⁿv).
        weight = 1 / ((2 * theta) ** passed * q ** (passed * (passed + 1) // 2))
        if ends:
            total += weight * lower ** (-passed - 2) / (passed + 2)
            continue
        upper = 1 / (theta * q ** (passed + 1))
        series = euler_coefficients(q, factors, terms)
        for m, coefficient in enumerate(series):
            size = coefficient * (theta * q**passed / 2) ** m
            if passed == 0:
                total += size * power_integral(m + 1, arb(0), arb(1))
            total += weight * size * power_integral(m - 3 - passed, lower, upper)
    if rounds is None:
        tail = arb(2) ** (-pieces)
        total += (tail / 2) + arb(0, tail / 2)
    return total + arb(0, _dropped(q, terms))


def _dropped(q: Ball, terms: int) -> Ball:
    """Bounds Σ_{m≥M} |c_m| (2q)^{−m} ≤ Σ (q^{(m−1)/2}/2(1−q))^m by twice its first term."""
    base = q.sqrt() ** (terms - 1) / (2 * (1 - q))
    assert base < arb(0.5), f"{terms} terms are too few at q = {q}"
    return 2 * base**terms
