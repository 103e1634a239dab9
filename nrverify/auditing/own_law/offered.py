"""Whether what a law may offer beside its densities fits them: scores, draws, the forward law, a bound on the loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.own_law.mistake import LEVELS, TOLERANCE, Mistake
from nrverify.subjects.address import describe_error
from nrverify.subjects.noise_families import NoiseFamily
from nrverify.subjects.own_laws.process import OwnLaw, OwnProcess

Floats = NDArray[np.float64]

DRAWS = 20_000
"""Draws of `rvs` from each law: of eight laws together a deviation that is 2 % off is seen."""
RVS_LEVEL = 1e-8
"""Probability with which a right `rvs` is taken for a wrong one, in each test of one law or of all together."""
SHIFTS = (0.25, 1.0, 4.0)
"""Moves of the value at which a bound on the loss is compared with densities, in distances that tell."""


def of_score(law: OwnLaw, where: str) -> Iterator[Mistake]:
    """A `score` is the normal score: its normal distribution function is the cdf."""
    score = getattr(law, "score", None)
    if score is None:
        return
    from scipy.special import ndtr

    points = np.unique(law.quantile(LEVELS))
    found = np.asarray(score(points))
    wrong = ~(np.abs(ndtr(found) - np.asarray(law.cdf(points))) <= TOLERANCE)
    if found.shape != points.shape or wrong.any():
        at = points[int(np.argmax(wrong))] if found.shape == points.shape else points[0]
        yield Mistake(
            f"{where}.score({at:.6g}) is {np.ravel(score(at))[0]:.7g}: it must be the normal score, "
            f"Φ⁻¹(cdf), to {TOLERANCE:g} in probability"
        )


def of_draws(laws: Iterable[tuple[str, OwnLaw]]) -> Iterator[Mistake]:
    """Draws of `rvs`, from each law and from all together: the uniforms that their cdf makes of them are uniform."""
    together, rng = [], np.random.default_rng(np.random.SeedSequence(0))
    for where, law in laws:
        try:
            drawn = np.asarray(law.rvs(rng, (DRAWS,)), dtype=np.float64)
        except Exception as error:
            yield Mistake(f"{where}.rvs(rng, ({DRAWS},)) raised {describe_error(error)}")
            return
        if drawn.shape != (DRAWS,):
            yield Mistake(f"{where}.rvs(rng, ({DRAWS},)) has shape {drawn.shape}: it must be ({DRAWS},)")
            return
        left = np.asarray(law.cdf_left(drawn))
        together.append(left + rng.random(DRAWS) * (np.asarray(law.cdf(drawn)) - left))
        if said := _not_uniform(together[-1]):
            yield Mistake(f"{where}.rvs() does not draw from the law ({said})")
            return
    if len(together) > 1 and (said := _not_uniform(np.concatenate(together))):
        yield Mistake(f"rvs() of {len(together)} laws together does not draw from them ({said})")


def _not_uniform(uniforms: Floats) -> str:
    """Which test of uniformity fails, with its p-value; nothing where none does."""
    # Imported here: it takes a second, which an audit without a law of one's own need not spend.
    from scipy.special import ndtri
    from scipy.stats import chi2, kstest

    if not np.all((uniforms >= 0) & (uniforms <= 1)):
        return "the cdf of a draw is no probability"
    squares = float(np.sum(ndtri(np.clip(uniforms, 1e-300, 1 - 2**-53)) ** 2))
    tests = {
        "Kolmogorov–Smirnov": float(kstest(uniforms, "uniform").pvalue),
        "variance of the normal scores:": 2 * min(chi2.cdf(squares, uniforms.size), chi2.sf(squares, uniforms.size)),
    }
    name, p_value = min(tests.items(), key=lambda test: test[1])
    return f"{name} p = {p_value:.2g}" if p_value < RVS_LEVEL / len(tests) else ""


def of_forward(process: OwnProcess, s: float, t: float) -> Iterator[Mistake]:
    """Both ways to the joint law of two releases agree: X_s and then X_t, X_t and then X_s."""
    forward = getattr(process, "forward", None)
    if forward is None:
        return
    at_s, at_t = process.marginal(s), process.marginal(t)
    levels = np.array([0.02, 0.3, 0.6, 0.95])
    for x in at_s.quantile(levels).tolist():
        law = forward(s, t, x)
        ys = np.unique(at_t.quantile(levels))
        ys = ys[ys != x] if np.any(law.atom) else ys
        one = np.asarray(at_s.logpdf(x) + law.logpdf(ys))
        other = np.asarray(at_t.logpdf(ys) + process.bridge(s, t, ys).logpdf(x))
        wrong = ~(np.abs(np.exp(one) - np.exp(other)) <= TOLERANCE * np.exp(np.maximum(one, other)))
        if wrong.any():
            at = int(np.argmax(wrong))
            yield Mistake(
                f"marginal({s:.6g}) at {x:.6g} times forward({s:.6g}, {t:.6g}, {x:.6g}) at {ys[at]:.6g} is "
                f"{np.exp(one[at]):.7g}, and marginal({t:.6g}) times bridge {np.exp(other[at]):.7g}: "
                "they must agree (Bayes)"
            )
            return


def of_bound(family: NoiseFamily, process: OwnProcess, t: float) -> Iterator[Mistake]:
    """No release that is likelier than a tail of 1e-5 has a loss above what `epsilon` says."""
    if family.bound is None:
        return
    law = process.marginal(t)
    points, distance = np.unique(law.quantile(LEVELS)), family.telling(t, 1.0)
    for size in SHIFTS:
        shift = max(1.0, round(size * distance)) if process.integer else size * distance
        both = np.array([shift, -shift])
        # The larger of the two ways, as an audit takes it: which of two values is moved is the author's to say.
        bound = max(float(family.bound(np.array([t]), np.array([signed]))[0]) for signed in both)
        losses = np.array([process.loss(t, 0.0, signed, points) for signed in both])
        if not np.all(losses <= bound + TOLERANCE * max(1.0, bound)):
            way, at = np.unravel_index(int(np.nanargmax(losses)), losses.shape)
            yield Mistake(
                f"epsilon({t:.6g}, [{both[way]:.6g}]) is {bound:.7g}, and at {points[at]:.6g} the densities lose "
                f"{losses[way, at]:.7g}: it must be a bound on it"
            )
            return
