"""Whole audits, a few: one right and one wrong subject of each mechanism, without a process of its own."""

import json
import time
from functools import cache

import numpy as np
import pytest

from nrverify.auditing.core.faults.forms import general_id
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.run import audit_host
from nrverify.subjects.adapter import Adapter
from tests.contract import subjects

RIGHT = ("Brownian", "Laplace", "Skellam", "Threshold", "Line")
WRONG = {
    "FreshBrownian": ("law.transcript", "all-releases-fresh", "leak"),
    "RootLaplace": ("ties", "wrong-stay-probability", "leak"),
    "HalfSkellam": ("law.transcript", "time-for-variance", "leak"),
    "HalfQuery": ("threshold.law", "query-noise-halved", "leak"),
    "LowLine": ("boundary.crossing", "delta-rooted", "leak"),
}
"""The check at the root, the fault it names, and what is said of privacy."""


class InProcess(Adapter):
    """A host without a process of its own."""

    seconds = 0.0
    timeout = 60.0

    def close(self):
        """Nothing to end."""


@cache
def audited(name, samples=4000, **settings):
    """An audit in this process, made once."""
    host = InProcess(getattr(subjects, name)())
    return audit_host(host, None, Settings(samples=samples, **settings), time.monotonic(), None)


again = audited.__wrapped__
"""The same, made anew."""


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_subject_is_not_refuted(name):
    report = audited(name)
    assert [check.id for check in report.checks if check.verdict == "refuted"] == []
    assert report.verdict == "consistent", report.message
    judged = [check for check in report.checks if check.verdict == "consistent"]
    assert judged
    assert all(check.detectable for check in judged), "consistent is never said without what would have been caught"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_subject_is_refuted_with_its_fault_and_its_effect(name):
    root, fault, effect = WRONG[name]
    report = audited(name)
    assert (report.verdict, report.exit_code) == ("refuted", 1)
    found = next(check for check in report.checks if check.id == root)
    assert (found.verdict, found.finding.fault.id, found.effect) == ("refuted", fault, effect)
    assert found.explanation.follows is None
    row = next(row for row in json.loads(report.to_json())["checks"] if row["id"] == root)
    assert (row["fault"], row["form"], row["effect"]) == (general_id(found.finding.fault), fault, effect)
    assert {"quantity", "expected", "observed", "error"} <= row["numbers"].keys()
    others = [check for check in report.checks if check.verdict == "refuted" and check.id != root]
    assert all(check.explanation.follows == root or check.finding.fault for check in others)


def test_law_and_privacy_are_two_answers():
    assert (audited("FreshBrownian").law, audited("FreshBrownian").privacy) == ("refuted", "not-covered")
    assert (audited("LowLine").law, audited("LowLine").privacy) == ("not-covered", "refuted")
    right = audited("Threshold", samples=8000)
    assert (right.law, right.privacy) == ("consistent", "consistent")


@pytest.mark.parametrize(
    "mechanism", ["brownian", "laplace", "skellam", "above-threshold", "boundary", "private-stopping"]
)
def test_the_shares_of_alpha_leave_room(mechanism):
    weights = {}
    for one in declarations_for(mechanism):
        weights[one.id] = max(one.weight, weights.get(one.id, 0.0))
    assert 0 <= sum(weights.values()) <= 0.95


def test_the_same_seed_gives_the_same_report():
    first, second = (json.loads(audit("Brownian", samples=400, seed=3).to_json()) for audit in (audited, again))
    assert first["checks"] == second["checks"]
    other = json.loads(audited("Brownian", samples=400, seed=4).to_json())
    assert other["checks"] != first["checks"]


def test_a_check_asked_for_alone_gets_the_whole_alpha():
    report = audited("Brownian", samples=400, only=("law.release",))
    assert [check.id for check in report.checks] == ["law.release"]
    assert report.checks[0].alpha == pytest.approx(1e-6)
    both = audited("Brownian", samples=400, only=("law.release", "law.transcript"))
    assert np.allclose([check.alpha for check in both.checks], 0.5e-6)
