"""Reports made by hand, one of each verdict, and subjects for real ones."""

from dataclasses import replace

import numpy as np

from nrverify.auditing.core.faults.noise import FRESH_NOISE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.report import Report
from nrverify.auditing.core.results import CheckResult, CheckVerdict, Explanation
from nrverify.statistics.estimate import Estimate, Measure

HOSTILE = "evil\x00\x1b[31m</testcase>]]>\"'&\r\n::error::x,y%0A|`<script>\ud800\ufffe"

RUN = {
    "seed": 7,
    "alpha": 1e-6,
    "samples": 5000,
    "stopped": "samples",
    "versions": {"nrverify": "0.1.0", "numpy": "2", "scipy": "1", "python": "3.11"},
    "seconds": 1.25,
    "subject_seconds": 0.5,
    "refused": None,
}

REFUTED = CheckResult(
    "law.transcript",
    "law",
    CheckVerdict.REFUTED,
    ("B13",),
    samples=48,
    statistic=float("inf"),
    p_value=0.01,
    e_value=1e9,
    alpha=6.7e-8,
    expected="the claimed law",
    observed="noise drawn afresh",
    finding=Finding("noise", Estimate(Measure.VARIANCE, 1.0, 2.0, 0.1, 48), FRESH_NOISE),
    message=(
        "Each release follows the bridge. Expected a; observed b. Evidence: at most 6.7e-08 for it and 1e-06 for the "
        "run. Likely cause: c. Effect: a leak."
    ),
    explanation=Explanation(
        "Each release follows the bridge.",
        "Expected a; observed b.",
        "Evidence: at most 6.7e-08 for it and 1e-06 for the run.",
        "Likely cause: c.",
        "Effect: a leak.",
    ),
    reproduce="nrverify audit python:mine.py:Fresh --seed 7",
)
CONSISTENT = CheckResult("law.release", "law", CheckVerdict.CONSISTENT, samples=4000, detectable="variance ±3 %")
STOPPED = CheckResult("ties", "law", CheckVerdict.INCONCLUSIVE, samples=48, message="another check was refuted")
SHORT = CheckResult("law.value", "law", CheckVerdict.INCONCLUSIVE, samples=250)
MISSING = CheckResult("law.adaptive", "law", CheckVerdict.NOT_COVERED, message="the subject has no open()")
ADVICE = CheckResult("protocol.refusals", "protocol", CheckVerdict.ADVICE, message="accepts zero")
NO_ADVICE = CheckResult("boundary.waste", "privacy", CheckVerdict.ADVICE)


def made(verdict, checks=(), message=None, name="Fresh", address="python:mine.py:Fresh"):
    """A report of that verdict."""
    code = {"consistent": 0, "refuted": 1, "errored": 3, "inconclusive": 4}[verdict]
    absent = dict.fromkeys(("version", "guarantee", "numerics", "granularity", "law"))
    subject = {**absent, "name": name, "mechanism": "brownian", "knob": "time", "address": address}
    return Report(verdict, code, subject, RUN, tuple(checks), message)


def of_every_verdict(name="Fresh", address="python:mine.py:Fresh"):
    """One report of each verdict; names and messages may be hostile."""
    hostile = replace(ADVICE, message=f"{name} accepts zero")
    return {
        "consistent": made("consistent", (CONSISTENT, MISSING, ADVICE, NO_ADVICE), None, name, address),
        "refuted": made("refuted", (CONSISTENT, REFUTED, STOPPED, MISSING, hostile), None, name, address),
        "inconclusive": made("inconclusive", (SHORT,), "250 samples are too few", name, address),
        "errored": made("errored", (), f"{name} raised RuntimeError", name, address),
    }


class Right:
    """Brownian noise: a path drawn forwards and read backwards."""

    mechanism = "brownian"
    dimensions = (1,)

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]


class Fresh(Right):
    """Wrong: new noise for every release."""

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        return value + rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(schedule)[None, :, None]


class Broken(Right):
    """Cannot be run."""

    def sample(self, value, schedule, sessions, seed):
        raise RuntimeError("out of order")
