"""The example of CONTRIBUTING: one file adds a check, and it runs everywhere."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import nrverify.auditing.threshold as room
from nrverify import audit
from nrverify.auditing import registry
from nrverify.auditing.check_ids import asked_of
from nrverify.auditing.explain.catalogue import catalogue

CONTRIBUTING = Path(__file__).parents[3] / "CONTRIBUTING.md"
ID = "threshold.first-round"


class Right:
    """AboveThreshold, vectorised."""

    mechanism = "above-threshold"
    extra = 0.0

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        rng = np.random.default_rng(seed)
        unit = sensitivity / epsilons[0]
        zeta = rng.laplace(0.0, 2 * unit, (runs, 1))
        noisy = np.array(utilities) + rng.laplace(0.0, 4 * unit, (runs, len(utilities)))
        noisy[:, 0] += self.extra * unit
        halts = noisy >= threshold + zeta
        return np.where(halts.any(axis=1), halts.argmax(axis=1) + 1, 0)


class Eager(Right):
    """The first utility is raised."""

    extra = 3.0


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The example of CONTRIBUTING as one more file of the room."""
    (example,) = re.findall(r"^```python\n(.*?)^```", CONTRIBUTING.read_text("utf-8"), flags=re.M | re.S)
    (tmp_path / "first_round.py").write_text(example, "utf-8")
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path)])
    caches = (registry.declarations_in, registry.all_declarations)
    for cached in caches:
        cached.cache_clear()
    yield
    sys.modules.pop("nrverify.auditing.threshold.first_round", None)
    if hasattr(room, "first_round"):
        del room.first_round
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("added")
def test_one_file_adds_a_check_that_runs_everywhere():
    assert ID in asked_of(Right, timeout=10)
    assert ID in registry.known_ids()
    assert catalogue()[ID].claim == "The first round halts as often as its law says."
    spared = next(check for check in audit(Right(), samples=4000).checks if check.id == ID)
    assert spared.verdict == "consistent"
    assert spared.alpha == pytest.approx(0.05e-6)
    report = audit(Eager(), samples=4000, checks=[ID])
    refuted = next(check for check in report.checks if check.id == ID)
    assert (report.verdict, refuted.verdict, report.law) == ("refuted", "refuted", "refuted")
    assert refuted.alpha == pytest.approx(1e-6), "asked for alone it has the whole α"
    assert "The first round halts as often as its law says." in refuted.message


@pytest.mark.usefixtures("added")
def test_it_is_not_covered_where_its_need_is_not_met():
    class OneByOne(Right):
        run_many = None

        def run(self, utilities, epsilons, threshold, sensitivity, seed):
            found = Right().run_many(utilities, epsilons, threshold, sensitivity, 1, seed)[0]
            return [0] * len(utilities) if found == 0 else [0] * (found - 1) + [1]

    check = next(check for check in audit(OneByOne(), samples=100).checks if check.id == ID)
    assert (check.verdict, check.kind, check.message) == ("not-covered", "law", "the subject has no run_many()")


def test_the_example_is_gone_afterwards():
    assert ID not in registry.known_ids()
