"""Change of measure at a stopping time: E_x[g e^{−L}] = E_x'[g], so the loss is the log odds of which value it was.

A fair coin chooses f(x) or f(x'); given the stopped transcript, the odds that it was f(x) are e^L. Bets on the coin at
those odds cannot win, whatever they look at; with a wrong loss they do (Lemmas bm_nr and lnr, and the Skellam remark).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_ndtr

from nrverify.experiments.batches import Batch, batches
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.skellam import Skellam
from nrverify.ledger import refuted, statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.adaptive_sessions import Schedule, StoppingRule
from nrverify.reference.schedules import by_sign, by_size, first_above
from nrverify.reference.simulate import transcripts
from nrverify.statistics.bounded_means import BoundedMeanWealth
from nrverify.statistics.multiplicity import p_value
from nrverify.statistics.wealth import TieWealth

Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Loss = Callable[[Floats, Floats, Any, Any], Floats]
"""The loss of stopped transcripts, of times (k, n) and releases (k, n, d) at f(x) and f(x'), NaN after the stop."""


CERTAIN = 25.0
"""Log odds beyond which nothing is bet: the probability could not be told from 0 or 1."""


def at_the_last_look(process: Any) -> Loss:
    """The loss of the last release before the stop, at its time taken as fixed: the theorems' formula."""

    def loss(times: Floats, releases: Floats, value: Any, neighbour: Any) -> Floats:
        rows, last = _last(times)
        return np.asarray(process.loss(times[rows, last], value, neighbour, releases[rows, last]))

    return loss


def at_the_first_look(process: Any) -> Loss:
    """The loss of the first release alone."""
    return lambda times, releases, value, neighbour: np.asarray(
        process.loss(times[:, 0], value, neighbour, releases[:, 0])
    )


def of_independent_releases(process: Any) -> Loss:
    """The sum of the losses of all releases, as if each had noise of its own."""

    def loss(times: Floats, releases: Floats, value: Any, neighbour: Any) -> Floats:
        seen = np.isfinite(times)
        each = process.loss(np.where(seen, times, 1.0), value, neighbour, np.where(seen[..., None], releases, 0))
        return np.asarray(np.where(seen, each, 0.0).sum(axis=1))

    return loss


def _last(times: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    return np.arange(len(times)), np.isfinite(times).sum(axis=1) - 1


def reversed_sign(loss: Loss) -> Loss:
    """f(x) and f(x') exchanged."""
    return lambda times, releases, value, neighbour: -loss(times, releases, value, neighbour)


def bound_with_sign(times: Floats, releases: Floats, value: Any, neighbour: Any) -> Floats:
    """±Δ₁/T_N, as if the bound of pure privacy were always attained."""
    rows, last = _last(times)
    bound = np.abs(np.subtract(value, neighbour)).sum() / times[rows, last]
    return np.asarray(bound * np.sign(at_the_last_look(Laplace())(times, releases, value, neighbour)))


@dataclass(frozen=True)
class Design:
    """A mechanism, f(x) and f(x'), when it is asked and when it is stopped."""

    mechanism: str
    values: tuple[Any, Any]
    schedule: Schedule
    stop: StoppingRule | None
    releases: int
    rivals: tuple[Loss, ...]
    """Losses whose odds are bet on, against those of the loss under test."""
    rate: float | None = None


def wager(experiment: Experiment, design: Design, loss: Loss, standard: int) -> None:
    """Two tests of a loss: bets on the coin at its odds, and E_x[g e^{−L}] = E_x'[g] with g = 1_E min(1, e^L)."""
    coin = [TieWealth() for _ in range(2 + len(design.rivals))]
    measure = [BoundedMeanWealth(0.0, -1.0, 1.0) for _ in range(3)]
    for batch in batches(experiment, standard):
        label, times, releases = either_value(design, batch)
        odds = loss(times, releases, *design.values)
        rows, last = _last(times)
        centre = np.mean(design.values, axis=0)
        side = np.sign(releases[:, 0] - centre) @ np.sign(np.subtract(*design.values))
        early, noisy = last == 0, times[rows, last] > np.median(times[rows, last])
        apart = [rival(times, releases, *design.values) - odds for rival in design.rivals]
        for wealth, moved in zip(coin, (side, odds, *apart), strict=True):
            wealth.bet(label, expit(odds), np.where(np.abs(odds) < CERTAIN, np.clip(moved, -3.0, 3.0), 0.0))
        # Both sides of the identity lie in [0, 1], so that their difference is a bounded variable of mean 0.
        with np.errstate(over="ignore"):
            difference = np.where(label, np.minimum(1.0, np.exp(-odds)), -np.minimum(1.0, np.exp(odds)))
        for bounded, event in zip(measure, (side > 0, early, noisy), strict=True):
            bounded.bet(np.where(event, difference, 0.0))
    experiment.test("the coin has the odds e^L", p_value(*(wealth.log_e for wealth in coin)))
    experiment.test("E_x[g e^{−L}] = E_x'[g]", p_value(*(wealth.log_e for wealth in measure)))


def either_value(design: Design, batch: Batch) -> tuple[Truths, Floats, Floats]:
    """A fair coin for each session, true for f(x), and the times and releases that followed."""
    label = batch.rng.random(batch.size) < 0.5
    times = np.full((batch.size, design.releases), np.nan)
    releases = np.full((batch.size, design.releases, len(design.values[0])), np.nan)
    for side, value, seed in ((label, design.values[0], batch.seed), (~label, design.values[1], batch.seed + 1)):
        sessions = int(side.sum())
        if sessions:
            seen = transcripts(
                design.mechanism,
                value,
                design.schedule,
                sessions,
                seed,
                releases=design.releases,
                stop=design.stop,
                rate=design.rate,
            )
            times[side], releases[side] = seen.times, seen.releases
    return label, times, releases


BROWNIAN, LAPLACE, SKELLAM = Brownian(), Laplace(), Skellam(0.25)
"""A small rate, so that the lattice of the Skellam noise is coarse and a Gaussian in its place shows."""
BROWNIAN_LOSS, LAPLACE_LOSS, SKELLAM_LOSS = (at_the_last_look(process) for process in (BROWNIAN, LAPLACE, SKELLAM))

SECOND_TIMES = (0.5, 0.1)
"""The second time after T₁ = 1, by the sign of the first release."""


def last_look_in_isolation(times: Floats, releases: Floats, value: Any, neighbour: Any) -> Floats:
    """The loss of the second release when the first, and so the time it chose, is not known.

    Its density at y is Σ_s N(y; ν, s) P(first release on the side that chose s | y), the first being N(y, 1 − s).
    """
    y = releases[:, 1, 0]

    def log_density(centre: float) -> Floats:
        terms = [
            log_ndtr(sign * y / np.sqrt(1 - s)) - (y - centre) ** 2 / (2 * s) - 0.5 * np.log(s)
            for s, sign in zip(SECOND_TIMES, (1, -1), strict=True)
        ]
        return np.asarray(np.logaddexp(*terms))

    return log_density(value[0]) - log_density(neighbour[0])


@statistic(
    {"B01": supports, "B02": refuted("the last look in isolation"), "A01": supports},
    rejects={
        "the last look in isolation": {"loss": last_look_in_isolation},
        "the first look alone": {"loss": at_the_first_look(BROWNIAN)},
    },
    share=0.03,
    tests=2,
)
def brownian_at_adaptive_times(experiment: Experiment, loss: Loss = BROWNIAN_LOSS) -> None:
    """When the first release chooses the second time, the loss of both is the second's at that time taken as fixed.

    The loss of the second in isolation is refuted. 16,000 sessions see odds whose logarithm is off
    by 30 %, with power 1 − 1e-6.
    """
    design = Design(
        "brownian", ([1.0], [0.0]), by_sign(1.0, *SECOND_TIMES), None, 2, (BROWNIAN_LOSS, last_look_in_isolation)
    )
    wager(experiment, design, loss, 16_000)


@statistic(
    {"B01": supports, "B03": supports, "P07": supports},
    rejects={
        "the losses of all looks added": {"loss": of_independent_releases(BROWNIAN)},
        "the first look alone": {"loss": at_the_first_look(BROWNIAN)},
        "the other sign": {"loss": reversed_sign(BROWNIAN_LOSS)},
    },
    share=0.03,
    tests=2,
)
def brownian_at_a_stopping_time(experiment: Experiment, loss: Loss = BROWNIAN_LOSS) -> None:
    """Stopped when large, at times that depend on the size of the releases, in two dimensions: the loss is L_{T_N}.

    16,000 sessions see odds whose logarithm is off by 30 %, with power 1 − 1e-6.
    """
    rivals = (BROWNIAN_LOSS, of_independent_releases(BROWNIAN))
    design = Design("brownian", ([0.6, -0.4], [-0.2, 0.2]), by_size(2.0), first_above(1.5), 5, rivals)
    wager(experiment, design, loss, 16_000)


@statistic(
    {"N08": supports, "N01": supports, "N12": supports},
    rejects={
        "the losses of all looks added": {"loss": of_independent_releases(LAPLACE)},
        "the first look alone": {"loss": at_the_first_look(LAPLACE)},
        "the bound Δ₁/T_N with the loss's sign": {"loss": bound_with_sign},
    },
    share=0.03,
    tests=2,
)
def laplace_at_a_stopping_time(experiment: Experiment, loss: Loss = LAPLACE_LOSS) -> None:
    """Laplace releases with ties, at adaptive times and stopped, in two dimensions: the loss is that of the last look.

    48,000 sessions see odds whose logarithm is off by 30 %, with power 1 − 1e-6.
    """
    rivals = (LAPLACE_LOSS, of_independent_releases(LAPLACE))
    design = Design("laplace", ([0.6, -0.4], [-0.2, 0.2]), by_size(1.0), first_above(1.5), 5, rivals)
    wager(experiment, design, loss, 48_000)


def gaussian_shape(times: Floats, releases: Floats, value: Any, neighbour: Any) -> Floats:
    """The loss of Gaussian noise with the variance 2·rate·t of Skellam noise."""
    return BROWNIAN_LOSS(2 * SKELLAM.rate * times, releases, value, neighbour)


@statistic(
    {"N14": supports},
    rejects={
        "variance rate·t for 2·rate·t": {"loss": at_the_last_look(Skellam(SKELLAM.rate / 2))},
        "the losses of all looks added": {"loss": of_independent_releases(SKELLAM)},
        "the loss of Gaussian noise": {"loss": gaussian_shape},
    },
    share=0.03,
    tests=2,
)
def skellam_at_a_stopping_time(experiment: Experiment, loss: Loss = SKELLAM_LOSS) -> None:
    """Integer releases with Skellam noise, at adaptive times and stopped: the loss is a ratio of Bessel functions.

    32,000 sessions see odds whose logarithm is off by 20 %, with power 1 − 1e-6.
    """
    rivals = (SKELLAM_LOSS, gaussian_shape)
    design = Design("skellam", ([1], [0]), by_sign(2.0, 0.8, 0.4), first_above(3.0), 3, rivals, rate=SKELLAM.rate)
    wager(experiment, design, loss, 32_000)
