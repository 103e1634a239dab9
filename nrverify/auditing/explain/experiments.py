"""Experiments of two lines that confirm a fault without an audit: for `nrverify explain FAULT` and the page of triage.

Each ends by printing what is seen, a relation, and what is claimed. `subject` is the implementation, `value` what it
releases: two coordinates, all 0, unless the experiment says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.forms import general_id


@dataclass(frozen=True)
class Experiment:
    """How faults of one group look in a report, and how to see one by oneself."""

    symptom: str
    code: str
    faults: tuple[str, ...]
    """The ids it is for; a particular form of a fault has the experiment of the general one, unless it is listed."""
    about: str = ""
    """What the numbers stand for, or what is changed for other noise, where the code does not say it."""


RECURSION = Experiment(
    "The first release is right; from the second on variances, or the dependence between releases, are wrong "
    "(`law.transcript`, `law.adaptive`).",
    "x = (subject.sample(value, [4.0, 2.0, 1.0], 100_000, 1) - value)[:, :, 0]\n"
    'print(np.cov(x.T), "claimed:", [[4, 2, 1], [2, 2, 1], [1, 1, 1]])',
    (
        "fresh-noise",
        "wrong-bridge-mean",
        "wrong-bridge-variance",
        "wrong-bridge",
        "after-unusual-release",
        "shows-only-somewhere",
        "one-number-a-session",
        "one-number-for-steps",
        "correlation-not-rooted",
        "one-noise-rescaled",
        "one-noise-shrunk",
        "releases-reversed",
        "one-release-late",
        "one-release-early",
        "noise-added-on",
        "fresh-noise-added-on",
        "bridged-from-first",
        "bridged-from-one-earlier",
        "stale-time",
        "first-time-kept",
        "step-variance-factor",
        "never-reduced",
        "last-time-throughout",
        "first-release-scaled",
    ),
    "The covariance of two releases is the variance of the less noisy one: t for Brownian noise, 2t² for Laplace "
    "noise, 2·rate·t for Skellam noise.",
)
ANY_ORDER = Experiment(
    "Releases in falling order of time are right, and one between two others is not (`law.any-order`).",
    "x = (subject.sample(value, [4.0, 1.0, 2.0], 100_000, 1) - value)[:, :, 0]\n"
    'print(np.cov(x.T), "claimed:", [[4, 1, 2], [1, 1, 1], [2, 1, 2]])',
    ("noisier-neighbour-ignored", "less-noisy-neighbour-ignored", "order-remembered"),
    "Whatever the order, the covariance of two releases is the variance of the less noisy one.",
)
PRECISION = Experiment(
    "Each release may be right, but all together say more of the value than the last one (`loss.stopping`, "
    "`privacy.ex-post`).",
    "x = (subject.sample(value, [4.0, 2.0, 1.0], 100_000, 1) - value)[:, :, 0]\n"
    'print(1 / np.linalg.inv(np.cov(x.T)).sum(), "at least:", 1.0)',
    ("earlier-releases-add", "claim-violated"),
    "The variance of the best linear combination of the releases: that of the last release, and not below it.",
)
SCALE = Experiment(
    "Every release is too noisy, or not noisy enough, by the same factor (`law.release`).",
    'x = subject.sample(value, [4.0], 100_000, 1) - value\nprint(x.var(axis=(0, 1)), "claimed:", [4.0, 4.0])',
    ("wrong-scale", "wrong-scale-of-coordinate", "wrong-jumps"),
    "The variance at time t is t for Brownian noise, 2t² for Laplace noise, 2·rate·t for Skellam noise; one number for "
    "each coordinate. Try other times: a factor that moves with t is a power of t too many.",
)
SHAPE = Experiment(
    "The variance may be right, quantiles are not (`law.release`).",
    "x = (subject.sample(value, [4.0], 100_000, 1) - value) / 2.0\n"
    'print(np.quantile(x, [0.001, 0.1, 0.5, 0.9, 0.999]), "claimed:", [-3.09, -1.28, 0.0, 1.28, 3.09])',
    ("wrong-shape", "shifted", "unknown", "rounded-normals"),
    "Quantiles of the normal law; `nrverify.laws` has those of the others (`Laplace().marginal(t)`).",
)
RARE = Experiment(
    "Most sessions are right; a few have another scale (`law.release`, with few samples per refutation).",
    "x = np.abs(subject.sample(value, [4.0], 100_000, 1) - value) / 2.0\n"
    'print(np.quantile(x, [0.01, 0.5, 0.9999]), "claimed:", [0.0125, 0.674, 3.89])',
    ("rare-sessions", "rare-releases"),
    "The smallest and the largest noise; look at the sessions beyond them, and at their seeds.",
)
LIMIT = Experiment(
    "Noise ends at a limit, or one number comes again and again (`randomness.streams`, `law.release`).",
    'x = np.abs(subject.sample(value, [4.0], 100_000, 1) - value)\nprint(np.sum(x == x.max()), "claimed:", 1)',
    ("clipped", "one-number-again"),
    "How many draws are the largest; a limit without repetition shows in `np.quantile` instead.",
)
REPEATS = Experiment(
    "The same noise comes again, in other sessions, under other seeds or on a coarse grid (`randomness.streams`, "
    "`independence.sessions`, `lattice`).",
    "x = np.abs([subject.sample(value, [4.0], 50_000, seed) for seed in (1, 2)])\n"
    'print(np.unique(x).size, "claimed:", x.size)',
    ("few-streams", "shared-between-sessions", "equal-transcripts", "seed-ignored", "rounded", "no-noise"),
    "Continuous noise never repeats itself, not even with the opposite sign.",
)
SINGLE = Experiment(
    "Releases have few digits (`lattice`).",
    'x = subject.sample(value, [4.0], 100_000, 1)\nprint(np.mean(x == x.astype(np.float32)), "claimed:", 0)',
    ("single-precision",),
    "The share of releases that a 32-bit number holds without rounding.",
)
INTEGERS = Experiment(
    "Releases do not lie where the family, or `granularity`, says (`lattice`, `protocol.granularity`).",
    "x = subject.sample(value, [4.0], 100_000, 1) / getattr(subject, 'granularity', 1)\n"
    'print(np.abs(x - np.rint(x)).max(), "claimed:", 0)',
    ("off-grid",),
)
IN_CLEAR = Experiment(
    "Some releases are the value itself (`ties`, `law.release`; found in one session of a thousand).",
    'x = subject.sample(value, [4.0, 1.0], 100_000, 1)\nprint(np.mean(x == value), "claimed:", 0)',
    ("value-in-clear",),
)
BY_VALUE = Experiment(
    "The noise is right at one value and wrong at another (`law.value`).",
    "size = lambda at: np.sqrt(np.mean((subject.sample(at, [4.0, 1.0], 100_000, 1) - at) ** 2, axis=(0, 2)))\n"
    'print(size(value + 1000.0), "claimed, as at 0:", size(value))',
    ("depends-on-value",),
)
COORDINATES = Experiment(
    "Coordinates move together (`independence.coordinates`).",
    'x = (subject.sample(value, [4.0], 100_000, 1) - value)[:, 0]\nprint(np.corrcoef(x.T)[0, 1], "claimed:", 0)',
    ("shared-between-coordinates",),
)
TURNS = Experiment(
    "Two sessions that are open at once disturb each other (`randomness.streams`, `law.adaptive`).",
    "last = lambda one, *others: [one.release(4.0), [other.release(4.0) for other in others], one.release(1.0)][2]\n"
    "print(last(subject.open(value, 1), subject.open(value, 2)), "
    '"claimed, as alone:", last(subject.open(value, 1)))',
    ("state-between-sessions", "forgetful-sessions"),
    "For a subject that heeds its seed.",
)
AGAIN = Experiment(
    "A time that is asked twice gets two answers (`ties.repeated-time`).",
    'session = subject.open(value, 1)\nprint(session.release(1.0), "claimed:", session.release(1.0))',
    ("repeated-time-redrawn",),
)
TIES = Experiment(
    "A release equals the one before too often, or not often enough (`ties`).",
    "x = subject.sample(value, [4.0, 1.0], 100_000, 1)\n"
    'print(np.mean(x[:, 0] == x[:, 1]), "claimed:", (1.0 / 4.0) ** 2)',
    ("wrong-stay-probability", "repeated-release"),
    "Laplace noise stays with probability (s/t)²; Brownian noise never does.",
)
FINITE = Experiment(
    "A release is NaN or infinite (`protocol.finite`).",
    'x = subject.sample(value, [1000.0, 0.01], 10_000, 1)\nprint(np.isfinite(x).all(), "claimed:", True)',
    ("not-a-number",),
    "At both ends of the range that is supported.",
)
LAST_BITS = Experiment(
    "Which doubles can be released depends on the value (`numerics.last-bits`).",
    "on_grid = lambda at: np.mean(np.ldexp(subject.sample(value + at, [1.0], 10_000, 1), 43) % 1 == 0)\n"
    'print(on_grid(0.0), "claimed, as at 1000:", on_grid(1000.0))',
    ("last-bits",),
    "The share of releases that are multiples of 2^-43, the spacing of doubles at 1000. "
    "`nrverify.reference.exact` has mechanisms for which both are 1.",
)
TOO_LITTLE = Experiment(
    "The law may be right, and the noise is too small for the ε that was asked (`privacy.epsilon`).",
    "x = subject.sample(value, [1.0], 100_000, 1)[:, 0, 0] - value[0]\n"
    'print(x.var(), "at least:", Grid.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0).times[0])',
    ("too-little-noise-for-claim",),
    "`from nrverify import Grid`: the variance of a single look at (ε, δ), for the ε, δ and sensitivity that the "
    "subject claims; a boundary for all looks needs about twice that. Pure Laplace noise has at least 2(Δ/ε)².",
)
HALTING = Experiment(
    "Halting rounds do not have their law (`threshold.law`).",
    "halts = subject.run_many([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], 1.0, 1.0, 100_000, 1)\n"
    'print(np.bincount(halts, minlength=4)[1:] / 100_000, "claimed:", law([0.0, 1.0, 2.0], [1.0, 1.0, 1.0], 1.0, 1.0))',
    (
        "wrong-halting-law",
        "wrong-threshold-scale",
        "wrong-query-scale",
        "wrong-epsilon",
        "threshold-noise-redrawn",
        "no-noise-at-all",
        "noises-exchanged",
        "normal-query-noise",
        "normal-threshold-noise",
        "threshold-and-query-share",
        "query-noise-drawn-once",
        "threshold-ignored",
        "comparison-reversed",
        "utility-one-round-late",
        "utility-one-round-early",
        "rounds-counted-from-0",
        "scales-not-used",
        "noise-not-used",
        "exponential-noise",
        "normal-noise",
        "threshold-noise-subtracted",
        "halts-at-first-positive",
        "bits-violate-claim",
        "scales-too-small",
        "positives-not-paid",
        "delta-too-small",
    ),
    "`law` is below. Give `probability` the `scales` and the `noise` that the subject declares.",
)
HALTING_REDUCED = Experiment(
    "Halting rounds are right at equal ε's, and wrong where ε grows from round to round (`threshold.law`, "
    "`stopping.law`).",
    "halts = subject.run_many([0.0, 1.0, 2.0], [0.5, 1.0, 4.0], 1.0, 1.0, 100_000, 1)\n"
    'print(np.bincount(halts, minlength=4)[1:] / 100_000, "claimed:", law([0.0, 1.0, 2.0], [0.5, 1.0, 4.0], 1.0, 1.0))',
    (
        "threshold-noise-redrawn-with-epsilon",
        "threshold-wrong-stay-probability",
        "threshold-noise-by-coin",
        "threshold-noise-rescaled",
        "threshold-noise-never-reduced",
        "threshold-noise-of-last-epsilon",
        "query-noise-never-reduced",
        "query-noise-of-last-epsilon",
        "query-epsilon-one-round-late",
        "query-epsilon-one-round-early",
        "threshold-epsilon-one-round-late",
        "last-epsilon-throughout",
        "first-epsilon-throughout",
        "epsilon-one-round-late",
        "epsilon-one-round-early",
    ),
    "`law` is below.",
)
MORE_BITS = Experiment(
    "Answers go on after the halt, or end before it (`threshold.protocol`).",
    "runs = [subject.run([0.0] * 40, [1.0] * 40, 0.0, 1.0, seed) for seed in range(200)]\n"
    'print({sum(run) for run in runs}, "claimed:", {1})',
    ("answers-after-halt", "halts-early", "threshold-noise-redrawn-after-positive", "budget-not-divided"),
    "The number of ones; with `positives = c` it is c.",
)
SHARED_RUNS = Experiment(
    "Runs depend on each other (`randomness.streams`).",
    "a, b = (subject.run_many([0.0] * 9, [1.0] * 9, 0.0, 1.0, 10_000, seed) for seed in (1, 2))\n"
    'print(np.corrcoef(a, b)[0, 1], "claimed:", 0)',
    ("shared-between-runs",),
)
STOPPING = Experiment(
    "More is shown than the stop allows, or the stop depends on more than the releases (`stopping.protocol`, "
    "`stopping.law`).",
    "shown = [subject.run(value, [4.0, 2.0, 1.0], lambda release: 0.0, 0.0, 1.0, seed) for seed in range(200)]\n"
    'print([len(releases) for releases, bits in shown], "claimed:", [len(bits) for releases, bits in shown])',
    (
        "shows-more-after-stop",
        "stop-shares-noise-with-releases",
        "utility-of-the-release-before",
        "utility-of-the-exact-value",
    ),
    "For a stop that comes at the wrong time, let `utility` write down what it is given: it must be the last release.",
)
CROSSING = Experiment(
    "Each value of the boundary looks right, and over all looks together it is crossed too often "
    "(`boundary.crossing`).",
    "curve = np.vectorize(lambda t: t * subject.epsilon(t) / subject.sensitivity - subject.sensitivity / 2)\n"
    'print(crossing_probability(curve, interval=(0.1, 100.0)).probability, "at most:", subject.delta)',
    (
        "boundary-crossed",
        "single-look-quantile",
        "delta-doubled",
        "delta-rooted",
        "drift-missing",
        "drift-not-squared",
        "boundary-sensitivity",
        "time-as-deviation",
        "root-halved",
        "decimal-logarithm",
    ),
    "`from nrverify.laws.crossing import crossing_probability`; the interval in which the boundary is claimed.",
)
RISES = Experiment(
    "The boundary rises, or is not a positive number, somewhere (`boundary.monotone`, `boundary.values`).",
    "charged = np.array([subject.epsilon(t) for t in np.geomspace(0.001, 1000.0, 2000)])\n"
    'print(np.max(np.diff(charged)), "at most:", 0)',
    ("boundary-rises", "boundary-value"),
    "`np.isfinite(charged).all()` and `charged.min() > 0` must hold, too.",
)
INVERSE = Experiment(
    "`time(epsilon)` does not fit `epsilon(time)` (`boundary.inverse`).",
    'asked = [1.0, 2.0, 4.0]\nprint([subject.epsilon(subject.time(epsilon)) for epsilon in asked], "at most:", asked)',
    ("inverse-too-small",),
)
PRICE = Experiment(
    "Equal outputs cost differently (`protocol.outputs`).",
    "one, two = (subject.run(data, seed) for seed in (1, 2))\n"
    'print([subject.spent(one), subject.spent(two)], "claimed:", [subject.spent(two), subject.spent(one)][::-1])',
    ("price-of-state",),
    "`data` is one side of a pair of `subject.neighbours`.",
)

EXPERIMENTS = (
    RECURSION,
    ANY_ORDER,
    PRECISION,
    SCALE,
    SHAPE,
    RARE,
    LIMIT,
    REPEATS,
    SINGLE,
    INTEGERS,
    IN_CLEAR,
    BY_VALUE,
    COORDINATES,
    TURNS,
    AGAIN,
    TIES,
    FINITE,
    LAST_BITS,
    TOO_LITTLE,
    HALTING,
    HALTING_REDUCED,
    MORE_BITS,
    SHARED_RUNS,
    STOPPING,
    CROSSING,
    RISES,
    INVERSE,
    PRICE,
)
_BY_FAULT = {id: experiment for experiment in EXPERIMENTS for id in experiment.faults}

THRESHOLD_LAW = """\
from nrverify.laws.threshold import probability


def law(utilities, epsilons, threshold, sensitivity):
    asked = dict(utilities=utilities, epsilons=epsilons, threshold=threshold, sensitivity=sensitivity)
    return [probability([0] * n + [1], **asked) for n in range(len(utilities))]
"""
"""The function `law` of the experiments on thresholds: the probability of a halt in each round."""


def experiment_of(fault: Fault) -> Experiment:
    """The experiment for a fault: its own, that of the general fault it is a form of, or that for any wrong law."""
    return _BY_FAULT.get(fault.id) or _BY_FAULT.get(general_id(fault)) or SHAPE
