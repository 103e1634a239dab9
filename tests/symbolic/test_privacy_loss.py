"""The two calculi the derivations of the privacy loss rest on, and the enumeration of stopping rules."""

from fractions import Fraction
from itertools import product

import sympy as sp

from nrverify.symbolic.paper.stopping import LOOKS, stopping_rules
from nrverify.symbolic.tools.gaussian_paths import constant, covariance, motion, variance
from nrverify.symbolic.tools.inner_products import vector

CONCRETE = {"u": (1, -2, 5), "v": (3, 0, -7), "w": (-1, 4, 2)}


def _dot(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_inner_products_expand_as_those_of_concrete_vectors() -> None:
    u, v, w = vector("u"), vector("v"), vector("w")
    expression = (2 * u - 3 * v).dot(w + u) + (v - w).square()
    substituted = expression
    for left, right in product(CONCRETE, repeat=2):
        first, second = sorted((left, right))
        symbol = (
            sp.Symbol(f"‖{first}‖²", nonnegative=True)
            if first == second
            else sp.Symbol(f"⟨{first},{second}⟩", real=True)
        )
        substituted = substituted.subs(symbol, _dot(CONCRETE[left], CONCRETE[right]))
    left = tuple(2 * a - 3 * b for a, b in zip(CONCRETE["u"], CONCRETE["v"], strict=True))
    right = tuple(a + b for a, b in zip(CONCRETE["w"], CONCRETE["u"], strict=True))
    difference = tuple(a - b for a, b in zip(CONCRETE["v"], CONCRETE["w"], strict=True))
    assert substituted == _dot(left, right) + _dot(difference, difference)


def test_a_vector_minus_itself_has_length_zero() -> None:
    assert sp.expand((vector("u") - vector("u")).square()) == 0


def test_increments_of_the_motion_are_orthogonal_with_variance_the_elapsed_time() -> None:
    s, h, k = sp.symbols("s h k", positive=True)
    first, second = motion(s + h) - motion(s), motion(s + h + k) - motion(s + h)
    assert sp.expand(covariance(first, second)) == 0
    assert sp.expand(variance(first)) == h


def test_constants_have_no_variance_and_keep_their_mean() -> None:
    shifted = 3 * (motion(2) + constant(5))
    assert shifted.mean == 15
    assert variance(shifted) == 18


def test_every_stopping_rule_is_enumerated_once_and_sees_only_the_past() -> None:
    tables = list(stopping_rules())
    # r(k) = 1 + r(k−1)² rules for k further looks after one that was taken, r(0) = 1; the first look is always taken.
    after_first = 1
    for _ in range(LOOKS - 1):
        after_first = 1 + after_first**2
    assert len(tables) == after_first**2
    assert len({tuple(sorted(table.items())) for table in tables}) == len(tables)
    for table in tables:
        for (one, stop), (two, other) in product(table.items(), repeat=2):
            if one[:stop] == two[:stop]:
                assert other == stop
        assert sum(Fraction(1, 2**stop) for stop in {full[:n]: n for full, n in table.items()}.values()) == 1
