"""What sessions that disturb each other give away: how well the releases of one tell the value of another.

One session's releases ought to say nothing of another's value: their divergence is 0 at every ε.
"""

from __future__ import annotations

import numpy as np

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.sampling.clock import Clock
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.statistics.divergence_limits import DivergenceLimits
from nrverify.statistics.labels import Learner
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import PolicyRequest

APART = 100.0
"""Deviations of the noise between the two values of the other session: whatever shows it shows it clearly."""
PAIRS, LOOK = 400, 25
"""Pairs of sessions, each opened by itself, and how many of them are learned from at once."""
EPSILON = 0.0
"""At which nothing may be told; so at every other."""


def measured_sessions(
    drawer: Drawer, description: Description, knob: Knob, dimension: int, alpha: float, clock: Clock
) -> Priced | None:
    """The divergence that was shown, None where none was."""
    before, time = knob.at(0.4), knob.at(0.5)
    scale = (
        float(np.sqrt(description.family.variance(np.array([time]), description.rate or 1.0))[0])
        if (knob.falling and description.family.variance is not None)
        else description.sensitivity or 1.0
    )
    far = float(np.ceil(APART * scale))
    limits, learner = DivergenceLimits((EPSILON,), 1), Learner()
    while limits.runs < PAIRS and not clock.up((limits.runs,)):
        label = drawer.rng.random(LOOK) < 0.5
        try:
            shown = np.array([_shown(drawer, before, time, dimension, far if one else 0.0) for one in label])
        except (SubjectFailed, SubjectRefused):
            return None
        if not np.isfinite(shown).all():
            return None
        features = np.tanh(shown / far)[:, None]
        limits.bet(learner.predict(features)[None], label)
        learned = learner.empty_copy()
        learned.learn(features, label)
        learner.merge(learned)
    # Either direction of the one ε.
    _, limit = limits.lower(alpha / limits.limits)[0]
    if limit <= 0:
        return None
    words = (
        f"measured, with an error probability of {alpha:.2g} of its own: a release of one session at "
        f"{'time' if knob.falling else 'ε ='} {time:.3g} tells the value {far:.4g} from 0 of another session, open "
        f"beside it, with a hockey-stick divergence of at least {limit:.3g} at ε = 0, where it must tell nothing"
    )
    return Priced(Effect.LEAK, limit, 0.0, quantity="hockey-stick divergence", why=words)


def _shown(drawer: Drawer, before: float, at: float, dimension: int, other: float) -> float:
    """The last release of a session of the value 0, beside one of another value; there is one before, since the other
    session may be opened only then."""
    drawer.drawn += 2
    values = np.array([np.zeros(dimension), np.full(dimension, other)])
    releases, _ = drawer.host.ask(PolicyRequest(values, Fixed((before, at)), [drawer.seed(), drawer.seed()]))
    return float(releases[0, -1, 0])
