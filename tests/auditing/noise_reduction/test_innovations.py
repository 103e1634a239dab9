"""The Rosenblatt transform of a right transcript is independent N(0, 1), at fixed, adaptive and stopped times.

Statistical tests have error probability 1e-9 each (Dvoretzky–Kiefer–Wolfowitz–Massart, exact binomial), fixed seeds.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

from nrverify import simulate, transcripts
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction import observe
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.skellam import Skellam
from nrverify.subjects.description import Description
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.policies import Fixed

ALPHA = 1e-9
PROCESSES = {"brownian": Brownian(), "laplace": Laplace(), "skellam": Skellam(1.0)}


def transformed(name, releases, times, value=0.0):
    scale = np.abs(releases) + abs(value)
    integer = FAMILIES[name].integer
    return innovations(PROCESSES[name], releases - value, times, scale, np.random.default_rng(9), integer=integer)


def assert_standard_normal(z):
    z = np.sort(z[np.isfinite(z)])
    n = z.size
    distance = np.max(np.abs(ndtr(z) - (np.arange(n) + 0.5) / n)) + 0.5 / n
    assert 2 * np.exp(-2 * n * distance**2) > ALPHA


@pytest.mark.parametrize("name", PROCESSES)
def test_innovations_on_a_fixed_schedule_are_standard_normal(name):
    schedule = [8.0, 3.0, 3.0, 2.9, 0.5]
    releases = simulate(name, np.array([4, -2]), schedule, 4000, 1).astype(float)
    found = transformed(name, releases - np.array([4, -2]), np.tile(schedule, (4000, 1)))
    for step in (0, 1, 3, 4):
        assert_standard_normal(found.z[:, step])
        assert_standard_normal(found.marginal[:, step])
    assert np.all(found.repeated == [False, False, True, False, False])
    assert found.tied[:, 2].all()
    assert np.isnan(found.z[:, 2]).all()


@pytest.mark.parametrize("name", PROCESSES)
def test_innovations_at_adaptive_stopped_times_are_standard_normal(name):
    def schedule(releases):
        # A positive release cuts the next time to 0.3 of the last, any other to 0.8.
        signs = releases[:, :, 0] > 0
        return 6.0 * np.prod(np.where(signs, 0.3, 0.8), axis=1)

    drawn = transcripts(
        name, np.array([0]), schedule, 6000, 3, releases=4, stop=lambda releases: np.abs(releases[:, -1, 0]) > 3.0
    )
    times = np.where(np.isfinite(drawn.releases[..., 0].astype(float)), drawn.times, np.nan)
    found = transformed(name, drawn.releases.astype(float), times)
    for step in range(4):
        assert_standard_normal(found.z[:, step])


def test_ties_of_laplace_noise_have_the_probability_the_bridge_says():
    releases = simulate("laplace", np.array([0.0]), [2.0, 1.0], 20_000, 5)
    found = transformed("laplace", releases, np.tile([2.0, 1.0], (20_000, 1)))
    assert binomtest(int(found.tied[:, 1].sum()), 20_000, 0.25).pvalue > ALPHA
    assert found.atom[:, 1].mean() == pytest.approx(0.25, abs=0.01)
    assert np.isnan(found.z[:, 1][found.tied[:, 1]]).all()


def test_a_fresh_draw_is_likelier_than_the_bridge_where_it_is_one():
    rng = np.random.default_rng(2)
    times = np.tile([1.0, 0.9], (500, 1))
    fresh = rng.standard_normal((500, 2, 1)) * np.sqrt([1.0, 0.9])[None, :, None]
    right = simulate("brownian", np.array([0.0]), [1.0, 0.9], 500, 2)
    assert transformed("brownian", fresh, times).fresh[:, 1].sum() > 100
    assert transformed("brownian", right, times).fresh[:, 1].sum() < -100


def test_scores_of_absurd_releases_are_finite():
    releases = np.array([[[1e90], [-1e90]], [[0.0], [1e-300]]])
    with np.errstate(over="ignore"):
        found = transformed("brownian", releases, np.array([[1.0, 0.5], [1.0, 0.5]]))
    assert np.all(np.abs(found.z) <= 8.2)


@dataclass(frozen=True)
class Renamed:
    """Skellam noise under another class, as a new integer process would be."""

    process: Skellam

    def __getattr__(self, name):
        return getattr(self.process, name)


def test_a_new_integer_family_is_scored_as_integer(monkeypatch):
    """The family decides, and not the class of its process: scored as continuous, most scores would be wrong."""
    family = replace(FAMILIES["skellam"], process=lambda rate: Renamed(Skellam(rate)))
    monkeypatch.setitem(FAMILIES, "counts", family)
    schedule = (3.0, 1.0, 0.2)
    releases = simulate("skellam", np.array([0]), list(schedule), 4000, 5).astype(float)
    times, case = np.tile(schedule, (4000, 1)), Case("new", (0.0,), Fixed(schedule), "sample")
    seen = []

    class Sees:
        def observe(self, batch):
            seen.append(batch.innovations)

    for mechanism in ("counts", "skellam"):
        description = Description(mechanism, ("sample",))
        observe.show(description, case, releases, times, times, np.random.default_rng(9), [Sees()])
    assert np.array_equal(seen[0].z, seen[1].z, equal_nan=True)
    for step in range(3):
        assert_standard_normal(seen[0].z[:, step])
    scale = np.abs(releases)
    wrong = innovations(Skellam(1.0), releases, times, scale, np.random.default_rng(9), integer=False)
    with pytest.raises(AssertionError):
        assert_standard_normal(wrong.z[:, 2])
