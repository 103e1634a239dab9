"""Coins, uniform integers and geometric draws in integer arithmetic, exact for fair bits.

After Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy" (2020), algorithms 1 and 2.
"""

from __future__ import annotations

import itertools

from nrverify.reference.exact.bits import Digits, Strings
from nrverify.reference.exact.lazy_reals import Rational


def coin(digits: Digits, numerator: int, denominator: int) -> bool:
    """True with probability numerator/denominator exactly: whether the uniform real lies below it.

    Digits are read until the interval they leave has no inner point on the other side. Certainties read none.
    """
    if numerator <= 0 or numerator >= denominator:
        return numerator > 0
    length = digits.word
    while True:
        lower, bound = digits.first(length) * denominator, numerator << length
        if lower >= bound:
            return False
        if lower + denominator <= bound:
            return True
        length += digits.word


def below(digits: Digits, count: int) -> int:
    """An integer uniform on {0, …, count − 1}: the integer part of count·U."""
    if count == 1:
        return 0
    length = -(-(count - 1).bit_length() // digits.word) * digits.word
    while True:
        product = digits.first(length) * count
        low, high = product >> length, (product + count - 1) >> length
        if low == high:
            return low
        length += digits.word


def exponential_coin(strings: Strings, numerator: int, denominator: int) -> bool:
    """True with probability e^{-γ}, γ = numerator/denominator in [0, 1].

    Toss coins of probability γ/1, γ/2, γ/3, … until the first failure, at K. P(K > k) = γ^k/k!, so that
    P(K odd) = Σ_k (P(K > 2k) − P(K > 2k+1)) = Σ_k (−γ)^k/k! = e^{-γ}.
    """
    for k in itertools.count(1):
        if not coin(strings.string(), numerator, denominator * k):
            return k % 2 == 1
    raise AssertionError("itertools.count ends")  # pragma: no cover


def geometric(strings: Strings, rate: Rational) -> int:
    """G ≥ 0 with P(G ≥ m) = e^{-rate·m}, for a positive rational rate = a/b.

    Let U be uniform on {0, …, b−1}, accepted with probability e^{-U/b}, and V the number of successes before the first
    failure of coins of probability e^{-1}. Then P(U + bV = x) ∝ e^{-x/b} for all x ≥ 0, and the integer part of
    (U + bV)/a is at least m if and only if U + bV ≥ am, which has probability e^{-am/b}.
    """
    a, b = int(rate.numerator), int(rate.denominator)
    while True:
        u = below(strings.string(), b)
        if exponential_coin(strings, u, b):
            break
    v = 0
    while exponential_coin(strings, 1, 1):
        v += 1
    return (u + b * v) // a
