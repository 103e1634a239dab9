"""How far one record moves what the two tasks release: as the paper prints it, and sharper (claims E01–E05).

Neighbours differ in the replacement of one record (x, y), ‖x‖₂ ≤ 1, |y| ≤ 1; n is public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import minimize_scalar
from scipy.special import lambertw

from nrverify.reproduce.settings import REGULARISATION

LOGISTIC_CONSTANT = 1.3276
"""At λ = 0.05 two gradients of the logistic loss at one minimiser differ by less than this (certificate of E01)."""


@dataclass(frozen=True)
class Sensitivity:
    """Bounds on ‖f(x) − f(x')‖₂ and ‖f(x) − f(x')‖₁ over neighbours."""

    l2: float
    l1: float


def logistic(n: int, d: int) -> Sensitivity:
    """2/(nλ) and 2√d/(nλ), as printed.

    λ-strong convexity: the minimisers β of F and β' of F' = F + (ℓ' − ℓ)/n satisfy λ‖β − β'‖ ≤ ‖∇ℓ − ∇ℓ'‖/n at β',
    and each gradient has norm below 1; ℓ₁ ≤ √d·ℓ₂.
    """
    l2 = 2 / (n * REGULARISATION)
    return Sensitivity(l2, math.sqrt(d) * l2)


def sharper_logistic(n: int, d: int) -> Sensitivity:
    """1.3276/(nλ) and √d times it, for λ = 0.05.

    Both gradients are taken at the same point β', a minimiser, and λ‖β'‖² ≤ W₀(1/e) (the mean of m·σ(−m) over margins
    m), so ‖β'‖ ≤ 2.3599. A gradient of norm σ(−m) near 1 needs a negative margin, that is −yx near the direction of β',
    and two such records lie close together: over all pairs of unit records and all ‖β'‖ ≤ 2.3599 their gradients differ
    by less than 1.3276.
    """
    l2 = LOGISTIC_CONSTANT / (n * REGULARISATION)
    return Sensitivity(l2, math.sqrt(d) * l2)


def gram(d: int) -> Sensitivity:
    """XᵀX: 2 and 2d, as printed; valid, never attained (E02, E03)."""
    return Sensitivity(2.0, 2.0 * d)


def cross(d: int) -> Sensitivity:
    """Xᵀy: 2 and 2√d, as printed; right for |y| ≤ 1 (E04)."""
    return Sensitivity(2.0, 2.0 * math.sqrt(d))


def pair(d: int) -> Sensitivity:
    """(XᵀX, Xᵀy) as one vector, from the printed values: √(2² + 2²) and 2d + 2√d."""
    return Sensitivity(math.hypot(gram(d).l2, cross(d).l2), gram(d).l1 + cross(d).l1)


def sharper_pair(d: int) -> Sensitivity:
    """(XᵀX, Xᵀy) as one vector: 3/√2, and max over c of d√(2−2c²) + √d√(2+2c).

    With p = ‖x‖², q = ‖x'‖², g = ⟨x, x'⟩: ‖xxᵀ − x'x'ᵀ‖² = p² + q² − 2g² and ‖yx − y'x'‖² = y²p + y'²q − 2yy'g ≤
    p + q + 2|g|. Both grow with p and q, which also widens |g| ≤ √(pq): so p = q = 1 and, with c = |g|, the squares are
    2 − 2c² and 2 + 2c. Their sum is largest, 9/2, at c = ½. For ℓ₁ use ‖·‖₁ ≤ √(entries)·‖·‖₂ on d² and on d entries
    and maximise over the common c.
    """

    def entries(c: float) -> float:
        return d * math.sqrt(2 - 2 * c * c) + math.sqrt(d * (2 + 2 * c))

    found = minimize_scalar(lambda c: -entries(c), bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10})
    # A maximum found to 1e-10 in c is flat to 1e-18; the factor covers rounding.
    return Sensitivity(3 / math.sqrt(2), entries(float(found.x)) * (1 + 1e-12))


def logistic_radius() -> float:
    """√(2 log 2/λ): the loss at 0 is log 2, so λ‖β*‖²/2 ≤ log 2."""
    return math.sqrt(2 * math.log(2) / REGULARISATION)


def sharper_logistic_radius() -> float:
    """√(W₀(1/e)/λ) = 2.3599 (E01)."""
    return math.sqrt(float(lambertw(1 / math.e).real) / REGULARISATION)


def ridge_radius() -> float:
    """1/√λ: with |y| ≤ 1 the loss at 0 is at most ½, so λ‖β*‖²/2 ≤ ½."""
    return 1 / math.sqrt(REGULARISATION)


def sharper_ridge_radius() -> float:
    """1/(2√λ): at the minimiser λ‖β‖² is the mean of m(y − m) over predictions m, at most y²/4 ≤ ¼."""
    return 1 / (2 * math.sqrt(REGULARISATION))
