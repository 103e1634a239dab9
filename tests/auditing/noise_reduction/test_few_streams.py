"""Few random numbers, few seeds: seen where they are few, and let pass where many generators have no more."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from nrverify import audit
from tests.auditing.subjects import Path, refuted


class FewBits(Path):
    """Normals from uniform numbers of some bits, and seeds of 32 bits."""

    def __init__(self, bits):
        self.bits = bits

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, schedule, sessions, seed % 2**32)

    def mixed(self, z):
        return ndtri((np.floor(ndtr(z) * 2.0**self.bits) + 0.5) / 2.0**self.bits)


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
