"""Faults that hide where few look: rare releases, distant coordinates, odd values, unusual ratios of times."""

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from nrverify import audit
from nrverify.auditing.cases import Case, Knob, cases_for, knob_of, shares, varied
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.plays import Fixed


class Path:
    """Brownian noise walked up in time; subclasses spoil it."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        spans = np.diff(schedule[::-1], prepend=0.0)
        z = self.mixed(rng.standard_normal((sessions, len(schedule), len(value))))
        noise = np.cumsum(np.sqrt(spans)[:, None] * z, axis=1)[:, ::-1]
        return self.shown(np.asarray(value, dtype=float), noise, rng)

    def mixed(self, z):
        return z

    def shown(self, value, noise, rng):
        return value + noise


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


class FewBits(Path):
    """Normals from uniform numbers of some bits, and seeds of 32 bits."""

    def __init__(self, bits):
        self.bits = bits

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, schedule, sessions, seed % 2**32)

    def mixed(self, z):
        return ndtri((np.floor(ndtr(z) * 2.0**self.bits) + 0.5) / 2.0**self.bits)


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


def refuted(report):
    return {check.id for check in report.checks if check.verdict == "refuted"}


@pytest.mark.parametrize(
    ("subject", "check"),
    [
        (Bare, "lattice"),
        (ThirdIsFirst, "independence.coordinates"),
        (ThreeSigns, "independence.coordinates"),
        (ClippedBelow, "law.value"),
        (Truncated, "law.release"),
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


@pytest.mark.parametrize(("bits", "seen"), [(15, True), (24, True), (31, False), (52, False)])
def test_noise_from_few_numbers_is_seen_and_from_31_bits_it_is_let_pass(bits, seen):
    found = refuted(audit(FewBits(bits), checks=["randomness.streams"]))
    assert found == ({"randomness.streams"} if seen else set())


class FewSeeds(Path):
    """Batches by so many bits of the seed."""

    def __init__(self, bits):
        self.bits = bits

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, schedule, sessions, seed % 2**self.bits)


@pytest.mark.parametrize(("bits", "seen"), [(16, True), (32, False)])
def test_batches_of_few_seeds_are_seen_and_of_32_bits_they_are_let_pass(bits, seen):
    report = audit(FewSeeds(bits), checks=["randomness.streams"])
    assert refuted(report) == ({"randomness.streams"} if seen else set())


class FewCounts(FewSeeds):
    """The same with Skellam noise, whose transcripts come again by chance too."""

    mechanism, dimensions = "skellam", (1,)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed % 2**self.bits)
        spans = np.diff(schedule[::-1], prepend=0.0)[:, None]
        counts = rng.poisson(spans, (2, sessions, len(schedule), len(value)))
        return value + np.cumsum(counts[0] - counts[1], axis=1)[:, ::-1]


@pytest.mark.parametrize(("bits", "seen"), [(16, True), (32, False)])
def test_batches_of_few_counts_are_seen_though_counts_come_again_by_chance(bits, seen):
    report = audit(FewCounts(bits), checks=["randomness.streams"], samples=100_000)
    assert refuted(report) == ({"randomness.streams"} if seen else set())


class OneCollision(Path):
    """In every batch of some size the last session has the seed of the first, as happens with seeds of 32 bits."""

    dimensions = (16,)

    def mixed(self, z):
        if 10 <= len(z) < 60 and not self.done:
            self.done = True
            z[-1] = z[0]
        return z

    done = False


def test_two_sessions_that_share_a_seed_of_32_bits_by_chance_are_let_pass():
    found = audit(OneCollision(), checks=["randomness.streams"], samples=20_000)
    assert refuted(found) == set()


class TooMuch(Path):
    """A hundred times the noise, another value, and one noise for all coordinates: of the seeds nothing is wrong."""

    def mixed(self, z):
        return 100 * np.repeat(z[..., :1], z.shape[-1], axis=-1)

    def shown(self, value, noise, rng):
        return 0.5 * value + noise


def test_a_wrong_law_is_not_taken_for_few_streams():
    assert refuted(audit(TooMuch(), checks=["randomness.streams"], samples=5_000)) == set()
    assert "law.release" in refuted(audit(TooMuch(), samples=5_000))


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


class Strict(Path):
    def sample(self, value, schedule, sessions, seed):
        if len(set(schedule)) < len(schedule):
            raise ValueError("times must decrease strictly")
        return super().sample(value, schedule, sessions, seed)


def test_a_subject_that_refuses_repeated_times_is_audited_without_them():
    report = audit(Strict(), samples=6_000)
    assert report.verdict == "consistent"
    verdicts = {check.id: check for check in report.checks}
    assert verdicts["ties.repeated-time"].verdict == "not-covered"
    assert "repeated times" in verdicts["protocol.range"].message


class Decimals(Path):
    def shown(self, value, noise, rng):
        return [[[Decimal(x) for x in row] for row in session] for session in (value + noise).tolist()]


def test_decimal_numbers_are_numbers():
    assert audit(Decimals(), samples=1_500).verdict == "consistent"


@pytest.mark.parametrize("answer", [None, "1.5", object()], ids=["nothing", "a text", "an object"])
def test_an_answer_that_is_no_number_is_an_error_and_not_a_release(answer):
    class Odd:
        mechanism = "brownian"

        def open(self, value, seed):
            return self

        def release(self, at):
            return answer

    report = audit(Odd(), samples=100)
    assert report.verdict == "errored"
    assert "release() returned" in report.message
    assert "one number is needed" in report.message


class Raising:
    """A boundary that knows only some times."""

    mechanism, sensitivity, delta = "boundary", 1.0, 1e-6

    def epsilon(self, time):
        if time < 0.01:
            raise ValueError("no table below 0.01")
        return 40.0 / time + 0.5


def test_a_boundary_that_raises_is_told_where_it_was_asked_and_what_to_say():
    report = audit(Raising())
    assert report.verdict == "errored"
    assert "no table below 0.01" in report.message
    assert "asked at 1e-09 to 1e+09" in report.message
    assert report.message.count("interval = (t_min, t_max)") == 1


def test_a_bare_value_is_said_to_be_in_the_clear():
    finding = next(check for check in audit(Bare(), samples=30_000).checks if check.id == "lattice")
    assert "are the value itself" in finding.observed
    assert "in the clear" in finding.message


def test_values_times_and_ratios_move_inside_the_range_and_equal_times_stay_equal():
    knob, rng = Knob(0.01, 1000.0, falling=True), np.random.default_rng(0)
    case = Case("a case", (3.0, -1.0), Fixed((8.0, 8.0, 4.0, 2.0)), "sample")
    seen = [varied(case, knob, False, rng) for _ in range(300)]
    schedules = np.array([moved.play.schedule for moved in seen])
    assert (schedules >= 0.01 * (1 - 1e-9)).all()
    assert (schedules <= 1000.0 * (1 + 1e-9)).all()
    assert (np.diff(schedules, axis=1) <= 0).all()
    assert (schedules[:, 0] == schedules[:, 1]).all()
    ratios = schedules[:, 2] / schedules[:, 1]
    assert ratios.min() < 0.2
    assert ratios.max() > 0.7
    values = np.array([moved.value for moved in seen])
    assert {True, False} == set((values[:, 0] < 0).tolist())
    assert 0.3 < np.mean(values == np.round(values)) < 0.7
    whole = [varied(case, knob, True, rng).value for _ in range(50)]
    assert all(x == round(x) for value in whole for x in value)


def test_steps_range_from_a_thousandth_of_a_time_to_a_thousandth_below_it():
    knob, rng = Knob(0.01, 1000.0, falling=True), np.random.default_rng(0)
    case = Case("a case", (3.0, -1.0), Fixed((8.0, 7.84, 4.0)), "sample")
    schedules = np.array([varied(case, knob, False, rng).play.schedule for _ in range(300)])
    ratios = schedules[:, 1:] / schedules[:, :-1]
    assert np.mean(ratios < 0.02) > 0.01
    assert np.mean((ratios > 0.999) & (ratios < 1)) > 0.005
    assert schedules.min() >= 0.01
    assert schedules.max() <= 1000.0


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


def test_what_is_asked_one_by_one_has_a_seed_each_stays_as_it_is_and_ends_in_long_audits():
    description = Adapter(Path()).description
    knob = knob_of(description)
    cases = cases_for(description, knob, (1, 3))
    alone = [case.one_by_one for case in cases]
    assert sum(alone) == 1
    case = cases[alone.index(True)]
    assert varied(case, knob, False, np.random.default_rng(1)) == case
    assert not case.together
    assert shares(cases)[alone.index(True)] == 0.02
    assert sum(shares(cases)) == pytest.approx(1.0, abs=1e-12)
    assert shares(cases, 1e7)[alone.index(True)] == 0.0
    assert sum(shares(cases, 1e7)) == pytest.approx(1.0, abs=1e-12)


def test_the_origin_stays_where_it_is():
    case = Case("origin", (0.0,), Fixed((8.0, 4.0)), "sample")
    rng = np.random.default_rng(1)
    assert {varied(case, Knob(0.01, 1000.0, True), False, rng).value for _ in range(40)} == {(0.0,)}
