"""Faults that hide where few look: rare releases, distant coordinates, odd values, unusual ratios of times."""

import math

import numpy as np
import pytest

from nrverify import audit
from tests.auditing.subjects import Path, refuted


class Bare(Path):
    def shown(self, value, noise, rng):
        return value + np.where(rng.random(noise.shape) < 1e-3, 0.0, noise)


class ThirdIsFirst(Path):
    def mixed(self, z):
        return np.concatenate([z[..., :2], z[..., :1]], axis=-1) if z.shape[-1] == 3 else z


class ThreeSigns(Path):
    def mixed(self, z):
        if z.shape[-1] == 3:
            z[..., 2] = np.abs(z[..., 2]) * np.sign(z[..., 0] * z[..., 1])
        return z


class ClippedBelow(Path):
    def shown(self, value, noise, rng):
        return np.maximum(value, -100.0) + noise


class Truncated(Path):
    def shown(self, value, noise, rng):
        return np.trunc(value) + noise


class Claims(Path):
    """The same behind ε's of a linear boundary, without time_of."""

    knob, sensitivity, delta = "epsilon", 1.0, 1e-6

    def sample(self, value, schedule, sessions, seed):
        b = math.log(1 / self.delta) / 0.4
        return super().sample(value, [(0.5 + b) / (epsilon - 0.19) for epsilon in schedule], sessions, seed)


class SharedClaims(Claims):
    def mixed(self, z):
        return np.repeat(z[..., :1], z.shape[-1], axis=-1)


class FreshClaims:
    knob, mechanism, sensitivity, delta = "epsilon", "brownian", 1.0, 1e-6

    def open(self, value, seed):
        return FreshSession(np.asarray(value), np.random.default_rng(seed))


class FreshSession:
    """Right, but that an ε asked for again gets fresh noise."""

    def __init__(self, value, rng):
        self.value, self.rng, self.t = value, rng, math.inf
        self.noise = np.zeros(len(value))

    def release(self, epsilon):
        t = (0.5 + math.log(1e6) / 0.4) / (epsilon - 0.19)
        z = self.rng.standard_normal(len(self.value))
        if t == self.t or self.t == math.inf:
            self.noise = math.sqrt(t) * z
        else:
            self.noise = self.noise * (t / self.t) + math.sqrt(t * (self.t - t) / self.t) * z
        self.t = t
        return self.value + self.noise


@pytest.mark.parametrize(
    ("subject", "check"),
    [
        (Bare, "lattice"),
        (ThirdIsFirst, "independence.coordinates"),
        (ThreeSigns, "independence.coordinates"),
        (ClippedBelow, "law.value"),
        (Truncated, "law.value"),
        (SharedClaims, "independence.coordinates"),
        (FreshClaims, "ties.repeated-time"),
    ],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_it_is_refuted_by_the_check_that_names_it(subject, check):
    report = audit(subject(), samples=30_000)
    assert report.verdict == "refuted"
    assert check in refuted(report)


@pytest.mark.parametrize("subject", [Path, Claims], ids=lambda x: x.__name__)
def test_what_they_were_made_from_is_not_refuted(subject):
    assert refuted(audit(subject(), samples=30_000, alpha=1e-3)) == set()


class OneZero(Path):
    """One number in a run is exactly 0, as a generator of 32 bits may give it."""

    done = False

    def shown(self, value, noise, rng):
        if not self.done and len(noise) > 100:
            self.done = True
            noise[0, -1, 0] = 0.0
        return value + noise


def test_a_single_zero_is_let_pass_and_many_are_not():
    assert refuted(audit(OneZero(), checks=["lattice"], samples=20_000)) == set()
    assert refuted(audit(Bare(), checks=["lattice"], samples=20_000)) == {"lattice"}


def test_a_bare_value_is_said_to_be_in_the_clear():
    finding = next(check for check in audit(Bare(), samples=30_000).checks if check.id == "lattice")
    assert finding.finding.fault.id == "value-in-clear"
    assert "are the value itself" in finding.observed


class FarApart(Path):
    """The step is dropped where the time falls to less than a twenty-fifth."""

    def sample(self, value, schedule, sessions, seed):
        return _with_steps(value, schedule, sessions, seed, lambda ratio: ratio >= 0.04)


class CloseTogether(Path):
    """Times within a thousandth of each other are taken for the same."""

    def sample(self, value, schedule, sessions, seed):
        return _with_steps(value, schedule, sessions, seed, lambda ratio: ratio <= 0.999, keeps=True)


class WithinTolerance(Path):
    """Times that numpy takes for close are taken for the same."""

    def sample(self, value, schedule, sessions, seed):
        return _with_steps(value, schedule, sessions, seed, lambda ratio: not np.isclose(ratio, 1.0), keeps=True)


class RareFirst(Path):
    """The first release of one session in a hundred has three tenths of its noise."""

    def sample(self, value, schedule, sessions, seed):
        first = np.where(np.random.default_rng([seed, 1]).random(sessions) < 0.01, 0.3, 1.0)[:, None]
        return _with_steps(value, schedule, sessions, seed, lambda ratio: True, first=first)


class Chunked(Path):
    """Sessions are drawn 4096 at a time, each time from the same seed."""

    def sample(self, value, schedule, sessions, seed):
        sizes = [min(4096, sessions - start) for start in range(0, sessions, 4096)]
        return np.concatenate([super(Chunked, self).sample(value, schedule, size, seed) for size in sizes])


class CoinsForCounts:
    """Poisson numbers of mean below ½ are taken for coins at the first release; later ones are thinned as they are."""

    mechanism = "skellam"

    def sample(self, value, schedule, sessions, seed):
        rng, mean = np.random.default_rng(seed), schedule[0]
        shape = (2, sessions, len(value))
        counts = rng.random(shape) < mean if mean < 0.5 else rng.poisson(mean, shape)
        found = []
        for before, at in zip([schedule[0], *schedule], schedule, strict=False):
            counts = rng.binomial(counts.astype(int), at / before)
            found.append(value + counts[0] - counts[1])
        return np.stack(found, axis=1)


def _with_steps(value, schedule, sessions, seed, drawn, keeps=False, first=1.0):
    """A bridge of which a step is made only where `drawn` says so of the ratio of times, the first times a factor."""
    rng = np.random.default_rng(seed)
    noise, found = 0.0, []
    for before, at in zip([math.inf, *schedule], schedule, strict=False):
        ratio = at / before
        step = rng.standard_normal((sessions, len(value))) * math.sqrt(at * (1 - ratio))
        made = drawn(ratio) or not found
        noise = noise * (1.0 if keeps and not made else ratio) + step * made * (1.0 if found else first)
        found.append(value + noise)
    return np.stack(found, axis=1)


class EqualNumbers(Path):
    """Noise kept by the number it is added to: equal coordinates have the same."""

    def sample(self, value, schedule, sessions, seed):
        noise = super().sample(np.zeros(len(value)), schedule, sessions, seed)
        return value + noise[..., [list(value).index(x) for x in value]]


@pytest.mark.parametrize(
    ("subject", "check"),
    [
        (FarApart, "law.transcript"),
        (CloseTogether, "ties"),
        (WithinTolerance, "ties"),
        (EqualNumbers, "independence.coordinates"),
        (RareFirst, "law.release"),
        (Chunked, "randomness.streams"),
        (CoinsForCounts, "law.release"),
    ],
)
def test_faults_of_rare_ratios_coordinates_sessions_requests_and_counts_are_refuted(subject, check):
    report = audit(subject())
    assert check in {found.id for found in report.checks if found.verdict == "refuted"}
