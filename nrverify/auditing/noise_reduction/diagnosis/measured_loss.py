"""What a wrong law gives away, measured: how well its transcripts tell two values apart, beside what is claimed.

At the last time the noise claimed has known hockey-stick divergences, and its earlier releases add nothing to them; an
ε-knob claims at most δ at the last ε. After a refutation whose loss was not computed, more transcripts of two values
are drawn and guessed from. A lower limit above what the claim allows is a leak, whatever the fault behind it; the
limits hold at every look, and all at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.noise_reduction.context import NoiseReductionContext
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.diagnosis.measured_scale import measured_scale
from nrverify.auditing.noise_reduction.diagnosis.measured_sessions import measured_sessions
from nrverify.auditing.noise_reduction.diagnosis.measured_trial import Question, Trial
from nrverify.auditing.sampling.clock import Clock
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.description import Description

PLACES = (0.15, 0.6, 0.9)
"""Where in the range sessions end: from much noise to little, which sets integers apart."""
MANY, CLOSE = 64, 1.002
"""Requests of one time or ε, or of some that lie so close together that they are paid for like one."""
SCHEDULES = (
    *(((1.0,), 1), ((4.0, 2.0, 1.0), 3), ((1.2, 1.1, 1.0), 3), ((1.0, 1.0), 2)),
    *(((1.4, 1.0), 1), ((1.0,) * MANY, MANY), (tuple(CLOSE**k for k in range(11, -1, -1)), 12)),
)
"""Times in units of the last, and how many of their releases are looked at: one release, releases far apart, close
together, one twice, one before another that is known in advance, one many times, and many that are nearly equal."""
EACH, CLOSER, LEADING = 512, 4096, 60_000
"""Transcripts of each question; of the `BEST` that tell most by then; and of the one that tells most of all, with which
an excess of a fifteenth is seen."""
BEST = 3
"""Few: chance decides between more of them after `EACH` transcripts, and all take time."""
TIME_SHARE = 1 / 12
"""Of the budget of wall time, for all of it: a refutation is not kept back for long."""
PARTS = 3
"""Measurements that share the error probability: of divergences, of scales, of sessions beside each other."""
OF_SESSIONS = ("independence.sessions", "randomness.streams")
"""Checks whose refutation says that sessions depend on each other: bets take them for independent."""
OF_ANOTHER_LAW = (of_noise.WRONG_SHAPE, of_noise.CLIPPED, of_noise.ROUNDED_NORMALS, of_noise.RARE_SESSIONS)
"""Faults with which noise is none of the family claimed, whatever its scale."""


def measured(
    drawer: Drawer,
    description: Description,
    context: NoiseReductionContext,
    alpha: float,
    refuted: Sequence[CheckResult],
    disturbed: bool,
) -> Priced | None:
    """What the refuted law gives away, by the first of the measurements that shows a leak; the level is for all."""
    each, knob, most = alpha / PARTS, context.knob, context.most_releases
    clock = Clock(drawer.host, TIME_SHARE * drawer.settings.budget)
    if disturbed:
        return measured_sessions(drawer, description, knob, context.dimensions[0], each, clock)
    if any(result.id in OF_SESSIONS for result in refuted) or not measurable(description, knob):
        return None
    found = measured_loss(drawer, description, knob, most, each, context.dimensions)
    if found is not None or any(result.finding and result.finding.fault in OF_ANOTHER_LAW for result in refuted):
        return found
    return measured_scale(drawer, description, knob, most, each, context.dimensions)


def measurable(description: Description, knob: Knob) -> bool:
    """Whether it is known what is claimed: the divergences of a built-in family's noise at times that are told, or an
    ε and a δ. Of releases on a grid the claim has some slack."""
    if description.granularity is not None or description.family.own:
        return False
    return knob.falling or (description.sensitivity is not None and "delta_of" not in description.methods)


def questions(description: Description, knob: Knob, dimensions: tuple[int, ...], most: int | None) -> list[Question]:
    """What is asked, within the range and the length of sessions that the subject admits."""
    found: list[Question] = []
    sizes = (dimensions[0], min((d for d in dimensions if d > 1), default=dimensions[0]))
    for factors, seen in SCHEDULES:
        for place in PLACES:
            end = knob.at(place)
            asked = tuple(end * factor if knob.falling else end / factor for factor in factors)
            if not knob.low <= asked[0] <= knob.high or len(asked) > (most or len(asked)):
                continue
            number = len(found)
            found.append(Question(asked, seen, number % 2 == 1, sizes[number // 2 % 2]))
    return found


def measured_loss(
    drawer: Drawer,
    description: Description,
    knob: Knob,
    most: int | None,
    alpha: float,
    dimensions: tuple[int, ...] = (1,),
) -> Priced | None:
    """The loss that was shown beyond the one claimed, None where none was."""
    clock = Clock(drawer.host, TIME_SHARE * drawer.settings.budget)
    trials = [Trial(description, one) for one in questions(description, knob, dimensions, most)]
    each = alpha / max(1, sum(trial.limits.limits for trial in trials))
    for runs, best in ((EACH, len(trials)), (CLOSER, BEST), (LEADING, 1)):
        leading = sorted(trials, key=lambda trial: trial.worst(1.0)[0], reverse=True)[:best]
        trials = [trial for trial in trials if trial not in leading or trial.draw(drawer, clock, runs)]
        worst = max(trials, key=lambda trial: trial.worst(each)[0], default=None)
        if worst is not None and (found := worst.priced(each, alpha)) is not None:
            return found
    return None
