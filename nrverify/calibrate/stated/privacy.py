"""Statements of checks of privacy about attackers: what labels are betrayed by, at which design, and how well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nrverify.auditing.noise_reduction.checks.change_of_measure import ChangeOfMeasure
from nrverify.auditing.noise_reduction.checks.ex_post import ExPost
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.private_stopping.designs import stopping_pair
from nrverify.auditing.private_stopping.drawing import LabelledStopped
from nrverify.auditing.private_stopping.ex_post import StoppingExPost
from nrverify.auditing.threshold.designs import neighbours_for
from nrverify.auditing.threshold.drawing import LabelledRuns
from nrverify.auditing.threshold.ex_post import ThresholdExPost
from nrverify.auditing.threshold.faulty_laws import claimed_law, faulty_laws
from nrverify.calibrate.stated.faults import SESSIONS, TIMES
from nrverify.calibrate.stated.halts import DESIGN
from nrverify.calibrate.stated.planted import Draw, Planted
from nrverify.laws.brownian import Brownian
from nrverify.subjects.policies import Fixed

Floats = NDArray[np.float64]

CLAIM = 2.0
"""The ε claimed of sessions on a fixed schedule, as an audit has it."""
DELTA = 0.01
"""A δ that is paid for at every session."""
SCHEDULE = (CLAIM / 4, CLAIM / 2, CLAIM)
PAIR = Pair(Case("pair 1-0-0", (5.0,), Fixed(SCHEDULE), "sample"), (4.0,))
LOOKS = 10
"""The learned guess is bet on from the second on: most sessions come after it."""
PART = SESSIONS // 5
"""Sessions of a look."""


def _known(odds: float, rng: np.random.Generator) -> tuple[NDArray[np.bool_], Floats]:
    """Labels, and signs that tell each of them at these odds."""
    label = rng.random(PART) < 0.5
    return label, np.where((rng.random(PART) < expit(odds)) == label, 1.0, -1.0)


def _attacked(odds: float, rng: np.random.Generator) -> Labelled:
    """All releases of a session lie on the side of one of the values, so far out that the claimed loss is that ε."""
    label, sign = _known(odds, rng)
    far = 4.5 + sign * odds / CLAIM
    releases = np.tile(far[:, None, None], (1, len(SCHEDULE), 1))
    return Labelled(PAIR, releases, np.tile(SCHEDULE, (PART, 1)), None, label)


def _label_shifted(size: float, rng: np.random.Generator) -> Labelled:
    """Transcripts are right, and the label is likelier than their loss says."""
    label = rng.random(SESSIONS) < 0.5
    steps = np.sqrt(np.diff(TIMES[::-1], prepend=0.0))[:, None]
    noise = np.cumsum(steps * rng.standard_normal((SESSIONS, len(TIMES), 1)), axis=1)[:, ::-1]
    pair = Pair(Case("planted", (0.5,), Fixed(TIMES), "sample"), (-0.5,))
    releases = noise + np.where(label, 0.5, -0.5)[:, None, None]
    loss = releases[:, -1, 0] / TIMES[-1]
    told = rng.random(SESSIONS) < np.clip(expit(loss) + size, 0, 1)
    asked = np.tile(TIMES, (SESSIONS, 1))
    return Labelled(pair, releases, asked, asked, told)


THRESHOLD_PAIRS = neighbours_for("above-threshold")
RUNS = 30_000
"""Of each pair of thresholds, in so many looks: with few no named fault is found."""
THRESHOLD_LOOKS = 4


def _some_runs(fault: str | None) -> Draw:
    def draw(share: float, rng: np.random.Generator) -> list[LabelledRuns]:
        found = []
        for pair in THRESHOLD_PAIRS:
            laws = [faulty_laws(one).get(fault or "", claimed_law(one)) for one in pair.sides]
            label = rng.random(int(RUNS * (share or 1.0) / THRESHOLD_LOOKS)) < 0.5
            bins = np.where(label, *(rng.choice(law.size, size=label.size, p=law / law.sum()) for law in laws[::-1]))
            found.append(LabelledRuns(pair, bins, label))
        return found

    return draw


def _named(check: ThresholdExPost, alpha: float) -> Draw:
    leak = check.least(alpha)
    assert leak is not None
    return _some_runs(leak.fault)


STOPPING_PAIR = stopping_pair(DESIGN, 1.0)


def _stopping() -> StoppingExPost:
    return StoppingExPost((STOPPING_PAIR,), 0.0)


def _stopped(odds: float, rng: np.random.Generator) -> LabelledStopped:
    """Every run reaches the last round; its last release lies where it has that loss, together with the bits."""
    label, sign = _known(odds, rng)
    middle = 0.5 * (STOPPING_PAIR.design.array + STOPPING_PAIR.neighbour.array)
    shift = float(STOPPING_PAIR.design.array[0] - STOPPING_PAIR.neighbour.array[0])
    bins = np.full(PART, len(TIMES))
    releases = np.tile((middle + sign[:, None] * odds * np.array(TIMES[-1]) / shift)[:, None, :], (1, len(TIMES), 1))
    return LabelledStopped(STOPPING_PAIR, releases, bins, label)


def _brownian() -> ExPost:
    return ExPost("brownian", 1.0, DELTA, SCHEDULE[0])


def _laplace() -> ExPost:
    return ExPost("laplace", 1.0, 0.0, SCHEDULE[0])


def _thresholds() -> ThresholdExPost:
    return ThresholdExPost(THRESHOLD_PAIRS)


PLANTED = (
    Planted("loss.stopping", lambda: ChangeOfMeasure(Brownian()), "probability", _label_shifted),
    Planted("privacy.ex-post (Brownian, δ)", _brownian, "ε", _attacked, looks=LOOKS, none=CLAIM),
    Planted("privacy.ex-post (Laplace)", _laplace, "ε", _attacked, looks=LOOKS, none=CLAIM),
    Planted("privacy.ex-post (thresholds)", _thresholds, "ε", _some_runs(None), looks=THRESHOLD_LOOKS, named=_named),
    Planted("privacy.ex-post (private stopping)", _stopping, "ε", _stopped, looks=LOOKS, none=2 * DESIGN.epsilons[-1]),
)
