"""Mutants of thresholds, boundaries, private stopping and the ε-knob break what they claim; benign variants do not.

Halting rounds are compared with the exact law (χ²: mutants below 1e-12, benign variants, 7 × 3 designs, above 1e-9);
boundaries with exact crossing probabilities; the rest with what must happen for certain.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from nrverify.laws.crossing import crossing_probability
from nrverify.laws.threshold import probability
from nrverify.reference.mutants import BENIGN, MUTANTS
from tests.reference.between_sessions import FAULTS as BETWEEN_SESSIONS
from tests.reference.seen_elsewhere import SEEN_ELSEWHERE
from tests.support.chi_square import chi_square

THRESHOLDS = ("above-threshold", "reduced-above-threshold")
INVERSES = {"boundary-inverse-off", "boundary-inverse-retuned", "boundary-inverse-wrong-branch"}
RUNS, FOUND, CLEAR = 20_000, 1e-12, 1e-9


def entries(catalogue: tuple[Any, ...], *mechanisms: str, knob: str = "time") -> list[Any]:
    elsewhere = {*BETWEEN_SESSIONS, *SEEN_ELSEWHERE}
    chosen = [e for e in catalogue if e.subject.mechanism in mechanisms and e.name not in elsewhere]
    return [pytest.param(e.subject, id=e.name) for e in chosen if getattr(e.subject, "knob", "time") == knob]


Design = tuple[tuple[float, ...], tuple[float, ...], float, float]
"""Utilities, ε's, threshold, sensitivity."""

CONSTANT: tuple[Design, ...] = (
    ((-8.0,) * 12, (2.0,) * 12, 0.0, 2.0),
    (tuple(np.linspace(-10.0, 10.0, 10)), (1.0,) * 10, 0.0, 1.0),
    ((4.0, -4.0) * 4, (1.5,) * 8, 1.0, 1.0),
)
DOUBLING: tuple[Design, ...] = (
    ((-8.0,) * 6, (0.5, 0.5, 1.0, 1.0, 2.0, 2.0), 0.0, 2.0),
    ((0.0,) * 5, (0.25, 0.5, 1.0, 2.0, 4.0), 0.0, 1.0),
    ((-6.0, -3.0, 6.0, -1.0), (0.3, 0.6, 1.2, 4.0), 0.0, 1.0),
)


@lru_cache
def halting_law(design: Design) -> np.ndarray:
    """P(never), P(1), P(2), … exactly."""
    utilities, epsilons, threshold, sensitivity = design
    rounds = [[0] * n + [1] for n in range(len(utilities))]
    return np.array(
        [
            probability(
                bits,
                utilities=utilities[: len(bits)],
                epsilons=epsilons[: len(bits)],
                threshold=threshold,
                sensitivity=sensitivity,
            )
            for bits in ([0] * len(utilities), *rounds)
        ]
    )


def agreement(rounds: np.ndarray, law: np.ndarray) -> float:
    """The p-value of χ² over the rounds that expect at least 20 runs, the others taken together."""
    observed, expected = np.bincount(rounds, minlength=law.size).astype(float), rounds.size * law
    rare = expected < 20
    if rare.any() and not rare.all():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], max(expected[rare].sum(), 1e-3))
    return chi_square(np.asarray(observed), np.asarray(expected))


def halting_rounds(subject: Any, design: Design) -> np.ndarray:
    utilities, epsilons, threshold, sensitivity = design
    if getattr(subject, "run_many", None) is not None:
        return np.asarray(subject.run_many(list(utilities), list(epsilons), threshold, sensitivity, RUNS, 5))
    bits = [subject.run(list(utilities), list(epsilons), threshold, sensitivity, seed) for seed in range(RUNS // 20)]
    return np.array([len(b) if b[-1] else 0 for b in bits])


def designs(subject: Any) -> tuple[Design, ...]:
    return CONSTANT if subject.mechanism == "above-threshold" else DOUBLING


@pytest.mark.parametrize("subject", entries(MUTANTS, *THRESHOLDS))
def test_threshold_mutants_halt_by_another_law(subject: Any) -> None:
    p_values = [agreement(halting_rounds(subject(), design), halting_law(design)) for design in designs(subject)]
    assert min(p_values) < FOUND


@pytest.mark.parametrize("subject", entries(BENIGN, *THRESHOLDS))
def test_benign_threshold_variants_halt_by_the_exact_law(subject: Any) -> None:
    p_values = [agreement(halting_rounds(subject(), design), halting_law(design)) for design in designs(subject)]
    assert min(p_values) > CLEAR


def failure(subject: Any) -> float:
    """P(W_t ≥ tψ(t)/Δ − Δ/2 for some t): the probability that the charge is exceeded, in units of δ."""

    def curve(t: float) -> float:
        return t * subject.epsilon(float(t)) / subject.sensitivity - subject.sensitivity / 2

    interval = getattr(subject, "interval", (1e-3, 1e9))
    return float(crossing_probability(curve, interval=interval).probability / subject.delta)


def failure_at_looks(subject: Any, times: np.ndarray) -> float:
    """The same over a finite grid of looks: a lower bound, for curves that jump."""
    levels = {float(t): t * subject.epsilon(float(t)) / subject.sensitivity - subject.sensitivity / 2 for t in times}
    return float(crossing_probability(lambda t: levels[float(t)], times=times).probability / subject.delta)


def skellam_failure(subject: Any, paths: int = 2000, jumps: int = 600) -> tuple[float, float]:
    """P(X_t > k(t) for some t), with its standard error, under the tilt e^{θX} that makes crossing certain.

    k never falls, so the first crossing is a new maximum; its weight is e^{−θX + 2·rate·t(cosh θ − 1)}.
    """
    rng = np.random.default_rng(11)
    theta, rate = subject.theta, subject.rate
    total = 2 * rate * math.cosh(theta)
    times = np.cumsum(rng.exponential(1 / total, (paths, jumps)), axis=1)
    noise = np.cumsum(np.where(rng.random((paths, jumps)) < rate * math.exp(theta) / total, 1, -1), axis=1)
    weights = []
    for path, at in zip(noise, times, strict=True):
        records = np.flatnonzero(np.diff(np.maximum.accumulate(path), prepend=0) > 0)
        crossing = next(n for n in records if path[n] > subject.largest_noise(float(at[n])))
        weights.append(math.exp(-theta * path[crossing] + 2 * rate * at[crossing] * (math.cosh(theta) - 1)))
    return float(np.mean(weights)), float(np.std(weights) / math.sqrt(paths))


@pytest.mark.parametrize("subject", entries(MUTANTS, "boundary"))
def test_boundary_mutants_are_exceeded_too_often_or_have_a_wrong_inverse(
    subject: Any, request: pytest.FixtureRequest
) -> None:
    boundary = subject()
    name = request.node.callspec.id
    if name in INVERSES:
        assert abs(boundary.epsilon(boundary.time(2.0)) / 2.0 - 1) > 1e-3
    elif getattr(boundary, "process", "brownian") == "skellam":
        at_one_look = [stats.skellam.sf(boundary.largest_noise(t), t, t) for t in np.geomspace(1.0, 300.0, 50)]
        if max(at_one_look) < boundary.delta:
            estimate, error = skellam_failure(boundary)
            assert estimate - 6 * error > boundary.delta
    elif name == "boundary-truncated":
        assert failure_at_looks(boundary, np.geomspace(6.0, 150.0, 200)) > 1.001
    elif name == "boundary-increasing":
        assert boundary.epsilon(1e3) > boundary.epsilon(1e2)
        assert failure(boundary) > 1.001
    else:
        assert failure(boundary) > 1.001


@pytest.mark.parametrize("subject", entries(BENIGN, "boundary"))
def test_benign_boundaries_keep_their_promise_and_their_inverse(subject: Any) -> None:
    boundary = subject()
    if getattr(boundary, "process", "brownian") == "skellam":
        estimate, error = skellam_failure(boundary)
        assert estimate + 6 * error < boundary.delta
        return
    assert failure(boundary) <= 1 + 1e-9
    if boundary.time is not None:
        assert boundary.epsilon(boundary.time(2.0)) == pytest.approx(2.0, rel=1e-9)


CENTRE = np.array([3.0, -1.0])
EVEN = [float(t) for t in np.geomspace(200.0, 120.0, 12)]
STEEP = [200.0, 120.0, 70.0, 40.0]


def stopping_defect(subject: Any) -> str:
    """What is wrong with a private-stopping subject, or nothing; a right one is accused with probability below 1e-8."""
    asked: list[np.ndarray] = []

    def recorded(release: np.ndarray) -> float:
        asked.append(np.array(release))
        return -1e9 if len(asked) == 1 else 1e9

    releases, bits = subject.run(CENTRE, STEEP, recorded, 0.0, 30.0, 0)
    if len(bits) != 2:
        return "utilities in another order"
    if not np.array_equal(asked[0], np.asarray(releases)[0]):
        return "utilities of something else than the release"
    if len(releases) != len(bits):
        return "more releases than bits"
    return stopping_law_defect(subject, STEEP, -150.0) or stopping_law_defect(subject, EVEN, -400.0)


def stopping_law_defect(subject: Any, schedule: list[float], level: float, runs: int = 1000) -> str:
    """The same at a constant utility, where the halting law is exact and the stop tells nothing of the noise."""
    answers = [subject.run(CENTRE, schedule, lambda release: level, 0.0, 30.0, seed) for seed in range(runs)]
    rounds = np.array([len(bits) if bits[-1] else 0 for _, bits in answers])
    epsilons = tuple(subject.epsilon(t) for t in schedule)
    if agreement(rounds, halting_law(((level,) * len(schedule), epsilons, 0.0, 30.0))) < CLEAR:
        return "another law of the halting round"
    noise = [np.asarray(releases)[:, 0] - CENTRE[0] for releases, _ in answers]
    at_once = np.array([w[0] for w, n in zip(noise, rounds, strict=True) if n == 1])
    if abs(at_once.sum()) > 6.5 * math.sqrt(schedule[0] * at_once.size):
        return "the stop depends on the noise"
    first, second = np.array([w[:2] for w in noise if len(w) > 1]).T
    products = (second - schedule[1] / schedule[0] * first) * first
    if abs(products.mean()) > 6.5 * products.std() / math.sqrt(products.size):
        return "releases are not bridged"
    return ""


@pytest.mark.parametrize("subject", entries(MUTANTS, "private-stopping"))
def test_stopping_mutants_have_a_defect(subject: Any) -> None:
    assert stopping_defect(subject())


@pytest.mark.parametrize("subject", entries(BENIGN, "private-stopping"))
def test_benign_stopping_variants_have_none(subject: Any) -> None:
    assert not stopping_defect(subject())


EPSILONS = [float(e) for e in np.geomspace(0.25, 4.0, 60)]


def epsilon_defects(subject: Any) -> set[str]:
    """What is wrong behind an ε-knob, from 7,000 transcripts of 60 looks in 3 dimensions."""
    found = set()
    noise = np.asarray(subject.sample(np.zeros(3), EPSILONS, 7_000, 4))
    laplace = subject.mechanism == "laplace"
    count = noise[:, 0].size
    # Variances and mean sizes at 5 standard errors above, so that they exceed the truth but for 60 · 3e-7.
    sizes = np.abs(noise) if laplace else noise**2
    times = sizes.mean(axis=(0, 2)) * (1 + 5 * (1 if laplace else math.sqrt(2)) / math.sqrt(count))
    if laplace and (times * EPSILONS < subject.sensitivity).any():
        found.add("too little noise")
    if not laplace:
        levels = dict(zip(times[::-1].tolist(), EPSILONS[::-1], strict=True))
        looks = sorted(levels)
        curve = crossing_probability(
            lambda t: t * levels[t] / subject.sensitivity - subject.sensitivity / 2, times=looks
        )
        if curve.probability > subject.delta:
            found.add("too little noise")
    if (time_of := getattr(subject, "time_of", None)) is not None:
        ratios = sizes.mean(axis=(0, 2)) / [time_of(e) for e in EPSILONS]
        if np.abs(ratios - 1).max() > 8 * math.sqrt(2 / count):
            found.add("another time than it says")
    # One step of ε barely moves the noise; fresh noise moves it by its own size.
    if np.abs(noise[:, 1] - noise[:, 0]).mean() > np.abs(noise[:, 0]).mean():
        found.add("fresh noise")
    first, last = noise[:, 0].ravel(), noise[:, -1].ravel()
    # The fourth moment of normal noise is 3 times the square of its variance, here within 8 standard errors.
    if not laplace and abs((first**4).mean() / (first**2).mean() ** 2 - 3) > 8 * math.sqrt(24 / first.size):
        found.add("another shape")
    below = np.asarray(subject.sample(np.full(3, -3.0), EPSILONS, 7_000, 5))[:, -1].ravel() + 3.0
    if abs(np.mean(below**2) / np.mean(last**2) - 1) > 8 * math.sqrt((10 if laplace else 4) / last.size):
        found.add("depends on the value")
    return found


@pytest.mark.parametrize("subject", [*entries(MUTANTS, "brownian", "laplace", knob="epsilon")])
def test_epsilon_mutants_have_a_defect(subject: Any) -> None:
    assert epsilon_defects(subject())


def worst_odds(subject: Any, epsilon: float) -> float:
    """The largest odds of a number that either of two neighbouring values gives at least 50 times of 40,000."""
    value, other = (np.asarray(subject.sample(np.array([x]), [epsilon], 40_000, 7)).ravel() for x in (0, 1))
    seen = np.arange(min(value.min(), other.min()), max(value.max(), other.max()) + 1)
    counts, others = ((sample[:, None] == seen).sum(axis=0) for sample in (value, other))
    often = np.maximum(counts, others) >= 50
    return float(np.max(np.maximum(counts, others)[often] / np.maximum(np.minimum(counts, others)[often], 1)))


@pytest.mark.parametrize("subject", entries(MUTANTS, "discrete-laplace", knob="epsilon"))
def test_discrete_epsilon_mutants_have_outputs_that_only_one_value_gives(subject: Any) -> None:
    assert worst_odds(subject(), 1.0) > 50


@pytest.mark.parametrize("subject", entries(BENIGN, "discrete-laplace", knob="epsilon"))
def test_benign_discrete_epsilon_variants_have_none(subject: Any) -> None:
    """Counts of 20 or more differ from e-fold ones by less than twice."""
    assert worst_odds(subject(), 1.0) < 2 * math.e


@pytest.mark.parametrize("subject", [*entries(BENIGN, "brownian", "laplace", knob="epsilon")])
def test_benign_epsilon_variants_have_none(subject: Any) -> None:
    assert not epsilon_defects(subject())
