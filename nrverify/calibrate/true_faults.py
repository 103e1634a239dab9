"""The faults that truly describe each mutant: ids of the table of faults, the most exact first."""

from __future__ import annotations

FRESH = ("all-releases-fresh", "fresh-noise")
SEED = ("seed-ignored", "equal-transcripts", "few-streams")
COORDINATES = ("shared-between-coordinates",)
SESSIONS = ("shared-between-sessions",)
BRIDGE = ("step-variance-factor", "steps-scaled", "wrong-bridge-variance", "wrong-bridge")
TOO_LITTLE = ("too-little-noise-for-claim", "wrong-epsilon", "claim-violated", "earlier-releases-add")
VIOLATED = ("claim-violated", "earlier-releases-add")
"""What a check of privacy may say of any leak that it sees: true, and all that it knows."""
BITS = ("bits-violate-claim",)
LATE_HALT = ("utility-one-round-late", "rounds-counted-from-0")

BROWNIAN: dict[str, tuple[str, ...]] = {
    "fresh-noise": (*FRESH, "forgetful-sessions"),
    "bridge-variance-for-deviation": ("squared-step", "deviation-for-variance", *BRIDGE),
    "variance-for-deviation": ("squared-draws", "deviation-for-variance", "squared-time"),
    "three-percent-small": ("all-noise-scaled", "wrong-scale"),
    "repeated-time-fresh": ("repeated-time-redrawn",),
    "repeated-time-bridged": ("repeated-time-moved", "repeated-time-redrawn"),
    "after-extreme": ("after-unusual-release",),
    "stale-time": ("stale-time", "wrong-bridge"),
    "bridge-from-first": ("bridged-from-first", "wrong-bridge"),
    "reseeded-each-release": ("one-number-a-session", "one-number-for-steps"),
    "snapped-times": ("repeated-release",),
    "adaptive-only": (*BRIDGE, "shows-only-somewhere"),
    "long-schedules": (*FRESH, "forgetful-sessions", "wrong-bridge"),
    "batch-broadcast": (*SEED, *SESSIONS),
    "pull-to-zero": ("pulled-to-zero", "wrong-bridge-mean"),
    "bridge-mean-root": ("bridge-drawn-in-by-root", "wrong-bridge-mean", "wrong-bridge"),
    "bridge-variance-marginal": ("step-of-whole-release", *BRIDGE),
    "bridge-variance-increment": ("step-of-difference", *BRIDGE),
    "bridge-variance-tenth": ("steps-scaled", *BRIDGE),
    "forward": ("noise-added-on", "wrong-bridge"),
    "late-release": ("one-release-late",),
    "shared-by-coordinates": COORDINATES,
    "correlated-coordinates": COORDINATES,
    "last-coordinate-copied": COORDINATES,
    "few-seeds": SEED,
    "few-batches": SEED,
    "noise-pool": SEED,
    "seed-ignored": SEED,
    "seed-from-value": SEED,
    "heavy-tails": ("wrong-shape",),
    "clipped": ("clipped", "one-number-again"),
    "cut-off": ("clipped",),
    "uniform-sum": ("wrong-shape",),
    "few-noises": ("few-streams", "single-precision"),
    "depends-on-value": ("depends-on-value",),
    "wrong-at-zero": ("depends-on-value",),
    "single-precision": ("single-precision", "rounded", "noise-rounded"),
    "integer-noise": ("noise-rounded", "rounded"),
    "non-negative": ("depends-on-value",),
    "integer-increments": ("noise-rounded", "rounded"),
    "rounded": ("rounded",),
    "fixed-point": ("rounded",),
    "shared-by-sessions": (*SESSIONS, *SEED),
    "state-on-subject": ("state-between-sessions",),
    "antithetic": ("few-streams", *SESSIONS),
    "mirrored-batch": ("few-streams", *SESSIONS),
    "correlated-sessions": SESSIONS,
    "carried-over": SESSIONS,
    "every-twentieth": SESSIONS,
    "rare-sessions": ("rare-sessions",),
    # What was forgotten is drawn anew, at a time asked again too.
    "small-cache": ("forgetful-sessions", *FRESH, "repeated-time-redrawn"),
    "third-time-fresh": ("repeated-time-redrawn",),
    "error-swallowed": ("not-a-number",),
    "rare-shared-coordinates": COORDINATES,
    "value-on-subject": ("state-between-sessions",),
    # The path is a branch that some sessions take, of whose noise another scale is all that is wrong.
    "middling-values": ("depends-on-value", "rare-sessions"),
    "seed-plus-coordinate": (*SESSIONS, *SEED),
    "one-coordinate-small": ("wrong-scale-of-coordinate",),
    "polar-in-two-dimensions": ("wrong-shape", "shows-only-somewhere"),
    "last-is-first": ("repeated-release",),
}
LAPLACE: dict[str, tuple[str, ...]] = {
    "arrival-rate": ("wrong-stay-probability",),
    "missing-starting-jump": ("value-in-clear", "no-noise"),
    "one-arrival-process": COORDINATES,
    "keep-linear": ("wrong-stay-probability",),
    "ties-too-often": ("wrong-stay-probability",),
    "jumps-clipped": ("clipped",),
    "one-coin": COORDINATES,
    "jump-scale-small-end": ("wrong-jumps",),
    "jump-scale-middle": ("wrong-jumps",),
    "never-tied": ("wrong-stay-probability",),
    "scale-for-deviation": ("time-for-deviation", "all-noise-scaled", "wrong-scale"),
    "time-for-variance": ("time-for-variance",),
    "gaussian": ("wrong-shape", "wrong-stay-probability"),
    "fresh-noise": (*FRESH, "wrong-stay-probability", "repeated-time-redrawn"),
    "forward-coin-backwards": ("wrong-stay-probability", "wrong-bridge"),
    "coin-forgets-the-noise": ("wrong-stay-probability", "wrong-bridge"),
    "shared-noise": COORDINATES,
    "log-of-zero": ("not-a-number", "few-streams"),
    "three-percent-small": ("all-noise-scaled", "wrong-scale", "wrong-jumps"),
    "rescaled-path": ("one-noise-rescaled", "one-noise-shrunk", "wrong-stay-probability"),
    "jump-scale-tenth": ("wrong-jumps",),
    "coins-two-apart": COORDINATES,
}
SKELLAM: dict[str, tuple[str, ...]] = {
    "asymmetric": ("shifted",),
    "rounded-gaussian": ("rounded-normals", "wrong-shape"),
    "normal-above-two": ("rounded-normals", "wrong-shape"),
    "fresh-noise": (*FRESH, "forgetful-sessions"),
    "time-for-variance": ("time-for-variance", "all-noise-scaled", "wrong-scale"),
    "thinned-twice": ("share-squared", "wrong-bridge"),
    "shared-count": COORDINATES,
    "thinned-difference": ("wrong-bridge", "wrong-bridge-variance"),
    "one-count-thinned": ("fresh-noise", "wrong-bridge"),
    "counts-in-bytes": ("wrong-shape", "clipped", "shows-only-somewhere", "wrong-scale"),
    "rate-doubled": ("all-noise-scaled", "wrong-scale"),
    "rare-shared-coordinates": COORDINATES,
}
THRESHOLD: dict[str, tuple[str, ...]] = {
    "query-noise-halved": ("query-noise-halved", "wrong-query-scale"),
    "query-noise-quartered": ("wrong-query-scale", "query-noise-halved"),
    "noise-halved": ("threshold-noise-halved", "wrong-threshold-scale"),
    "scales-swapped": ("noises-exchanged", "wrong-query-scale", "wrong-threshold-scale"),
    "redrawn": ("threshold-noise-redrawn",),
    "reused": ("shared-between-runs",),
    "no-noise": ("no-threshold-noise", "wrong-threshold-scale"),
    "no-query-noise": ("no-query-noise", "wrong-query-scale"),
    "query-noise-once": ("query-noise-drawn-once",),
    "one-noise-for-both": ("threshold-and-query-share",),
    "gaussian-query-noise": ("normal-query-noise",),
    "few-batches": SEED,
    "continues-after-halting": ("answers-after-halt",),
    "sensitivity-ignored": ("sensitivity-ignored",),
    "last-epsilon": ("query-noise-of-last-epsilon", "last-epsilon-throughout", "wrong-epsilon"),
    "redrawn-at-new-scale": ("threshold-noise-redrawn-with-epsilon", "threshold-noise-redrawn"),
    "halts-late": LATE_HALT,
    "rounds-from-zero": ("rounds-counted-from-0",),
    "stale-epsilon": ("query-noise-never-reduced", "wrong-epsilon"),
    "never-reduced": ("threshold-noise-never-reduced", "wrong-epsilon"),
    "rescaled": ("threshold-noise-rescaled",),
    "mirrored-runs": ("shared-between-runs",),
    "runs-of-few-streams": SEED,
}
STOPPING: dict[str, tuple[str, ...]] = {
    "shared-noise": ("stop-shares-noise-with-releases",),
    "constant-charge": ("last-epsilon-throughout", "wrong-epsilon"),
    "exact-utility": ("utility-of-the-exact-value",),
    "threshold-redrawn": ("threshold-noise-redrawn",),
    "no-query-noise": ("no-query-noise", "wrong-query-scale"),
    "fresh-releases": FRESH,
    "one-more-release": ("shows-more-after-stop",),
    "late-utility": ("utility-of-the-release-before",),
    "first-charge": ("first-epsilon-throughout", "wrong-epsilon"),
    "few-streams": SEED,
    "rare-shared-coordinates": COORDINATES,
}
EPSILON: dict[str, tuple[str, ...]] = {
    "brownian-half-the-noise": ("half-the-scale", "root-halved", *TOO_LITTLE),
    "brownian-norm": TOO_LITTLE,
    "brownian-sensitivity-ignored": ("boundary-sensitivity", *TOO_LITTLE),
    "brownian-single-look": ("single-look-quantile", *TOO_LITTLE),
    "brownian-retuned": ("single-look-quantile", *TOO_LITTLE),
    "brownian-log10": ("decimal-logarithm", *TOO_LITTLE),
    "brownian-time-of-lies": ("all-noise-scaled", "wrong-scale", *TOO_LITTLE),
    "brownian-fresh-noise": (*FRESH, *VIOLATED),
    "brownian-uniform-noise": ("wrong-shape", "clipped"),
    "brownian-louder-below-zero": ("depends-on-value",),
    "laplace-half-the-scale": ("half-the-scale", *TOO_LITTLE),
    "laplace-norm": ("deviation-for-scale", *TOO_LITTLE),
    "laplace-sensitivity-ignored": TOO_LITTLE,
    "laplace-scale-for-deviation": ("deviation-for-scale", *TOO_LITTLE),
    "laplace-fresh-noise": (*FRESH, "repeated-time-redrawn", *VIOLATED),
    "laplace-fresh-at-new": (*FRESH, *VIOLATED),
    "skellam-fresh-noise": (*FRESH, *VIOLATED),
    "discrete-laplace-uniform": ("wrong-shape", "clipped", *VIOLATED),
    "brownian-equal-sizes-two-apart": COORDINATES,
}
BOUNDARY: dict[str, tuple[str, ...]] = {
    "linear-retuned": ("single-look-quantile", "boundary-crossed"),
    "mixture-retuned": ("single-look-quantile", "boundary-crossed"),
    "pointwise-minimum": ("single-look-quantile", "boundary-crossed", "delta-doubled"),
    "single-look": ("single-look-quantile", "boundary-crossed"),
    "mixture-missing-two": ("root-halved", "delta-rooted", "boundary-crossed"),
    "linear-missing-two": ("delta-rooted", "boundary-crossed"),
    "drift-missing": ("drift-missing", "boundary-crossed"),
    "drift-not-squared": ("drift-not-squared", "boundary-crossed"),
    "log10": ("decimal-logarithm", "boundary-crossed"),
    "linear-delta-doubled": ("delta-doubled", "boundary-crossed"),
    "mixture-delta-doubled": ("delta-doubled", "boundary-crossed"),
    "inverse-off": ("inverse-too-small",),
    "inverse-retuned": ("inverse-too-small",),
    "inverse-wrong-branch": ("inverse-too-small",),
    "increasing": ("boundary-rises",),
    "time-for-deviation": ("time-as-deviation", "boundary-crossed", "boundary-rises"),
    "truncated": ("boundary-crossed", "inverse-too-small"),
    "sensitivity-square-root": ("boundary-sensitivity", "boundary-crossed"),
    "skellam-floor": ("boundary-crossed",),
    "skellam-one-process": ("boundary-crossed", "root-halved", "delta-rooted"),
}

DISCRETE: dict[str, tuple[str, ...]] = {
    "zero-twice": ("wrong-shape",),
    "laplace-truncated": ("clipped", "wrong-shape"),
    "laplace-rounded-scale": ("wrong-scale", "all-noise-scaled", "shows-only-somewhere"),
    "laplace-scale-in-eighths": ("wrong-scale", "all-noise-scaled", "shows-only-somewhere", "depends-on-value"),
    "gaussian-variance-in-eighths": ("wrong-scale", "all-noise-scaled", "shows-only-somewhere", "depends-on-value"),
    "gaussian-sigma-rounded": ("wrong-scale", "shows-only-somewhere"),
    "laplace-scale-limited": ("wrong-scale", "shows-only-somewhere"),
    "gaussian-variance-limited": ("wrong-scale", "shows-only-somewhere"),
    "laplace-fresh": (*FRESH, "forgetful-sessions", "wrong-stay-probability", "repeated-time-redrawn"),
    "gaussian-truncated": ("clipped", "wrong-shape"),
    "gaussian-uncentred-rejection": ("wrong-shape",),
    "laplace-rounded-continuous": ("wrong-shape", "rounded-normals"),
    "laplace-biased-coin": ("wrong-scale", "all-noise-scaled", "shows-only-somewhere", "wrong-shape"),
    "laplace-continuous-stay": ("wrong-stay-probability", "wrong-bridge"),
    "gaussian-rounded-normal": ("rounded-normals", "wrong-shape"),
    "gaussian-integer-deviation": ("wrong-scale", "all-noise-scaled", "shows-only-somewhere"),
}
SPARSE: dict[str, tuple[str, ...]] = {
    "scales-not-used": ("scales-not-used", "wrong-query-scale"),
    "budget-not-divided": ("budget-not-divided", "wrong-query-scale", "wrong-threshold-scale"),
    "exponential-redrawn": ("threshold-noise-redrawn",),
    "variant-3": ("positives-not-paid", "query-noise-halved", "wrong-query-scale", "too-little-noise-for-claim"),
    "variant-4": ("positives-not-paid", "query-noise-halved", "wrong-query-scale", "too-little-noise-for-claim"),
    "variant-5": ("no-query-noise", "wrong-query-scale"),
    "variant-6": ("query-noise-halved", "wrong-query-scale", "answers-after-halt", "too-little-noise-for-claim"),
    "usual-scales-for-three": ("positives-not-paid", "too-little-noise-for-claim", "wrong-epsilon", "claim-violated"),
    "gaussian-too-small": ("delta-too-small", "too-little-noise-for-claim", "wrong-epsilon", "claim-violated"),
    "redrawn-after-positive": ("threshold-noise-redrawn-after-positive", "threshold-noise-redrawn"),
    "exponential-subtracted": ("threshold-noise-subtracted",),
    "halts-at-first": ("halts-at-first-positive", "halts-early"),
}
ANY_STREAMS, ANY_OUTPUTS = ("textbook-fifty-streams",), ("textbook-price-of-the-last-run",)
"""Of mechanisms whose law is not known: their fault is that the claim is violated, but for these."""

LAST_BITS: dict[str, tuple[str, ...]] = dict.fromkeys(
    (
        "bridge",
        "bridge-on-release",
        "four-normals",
        "short-uniforms",
        "grid-too-fine",
        "laplace",
        "laplace-kernel",
    ),
    ("last-bits",),
)
GRIDS: dict[str, tuple[str, ...]] = {
    # Value and grid add up to doubles that the other value cannot give.
    "noise-rounded-before": ("off-grid", "depends-on-value", "last-bits"),
    "seldom-rounded": ("off-grid",),
    "large-noise-unrounded": ("off-grid",),
    "truncated": ("shifted", "wrong-bridge-mean", "depends-on-value"),
}

INTERPOLATION = ("wrong-interpolation-variance", "wrong-bridge-variance")
ANY_ORDER: dict[str, tuple[str, ...]] = {
    "lower-ignored": ("less-noisy-neighbour-ignored",),
    "remembered": ("order-remembered", "less-noisy-neighbour-ignored"),
    "noisier-afresh": FRESH,
    "forgotten-time": ("repeated-time-redrawn",),
    "laplace-lower-ignored": ("less-noisy-neighbour-ignored",),
    "bridge-variance-between": INTERPOLATION,
    "variance-tenth-between": INTERPOLATION,
    "middle-of-neighbours": ("wrong-interpolation-mean", "wrong-bridge-mean"),
    "upper-ignored": ("noisier-neighbour-ignored",),
    "shared-between": COORDINATES,
    "laplace-upper-ignored": ("noisier-neighbour-ignored",),
    "laplace-no-lower-atom": ("wrong-stay-probability",),
    "laplace-keep-linear": ("wrong-stay-probability",),
    "skellam-share-of-whole": ("wrong-interpolation-mean", "wrong-bridge-mean"),
    "discrete-taken-to-fall": ("order-remembered", "wrong-bridge"),
}

_GROUPS = {
    "any-order-": (ANY_ORDER, VIOLATED),
    "last-bits-": (LAST_BITS, VIOLATED),
    "grid-": (GRIDS, VIOLATED),
    "discrete-": (DISCRETE, VIOLATED),
    "sparse-": (SPARSE, BITS),
    "brownian-": (BROWNIAN, VIOLATED),
    "laplace-": (LAPLACE, VIOLATED),
    "skellam-": (SKELLAM, VIOLATED),
    "reduced-threshold-": (THRESHOLD, BITS),
    "threshold-": (THRESHOLD, BITS),
    "stopping-": (STOPPING, (*VIOLATED, *BITS)),
    "epsilon-": (EPSILON, VIOLATED),
    "boundary-": (BOUNDARY, ()),
}
"""By the first word of a mutant's name, with what a check of privacy says of every leak."""


def true_faults(mutant: str) -> tuple[str, ...]:
    """Ids that are true of a mutant, by its name; () for one that has no row."""
    for start, (rows, of_leaks) in _GROUPS.items():
        name = mutant.removeprefix(start)
        if mutant.startswith(start) and name in rows:
            return (*rows[name], *of_leaks)
    if mutant in ANY_STREAMS:
        return (*SEED, *VIOLATED)
    if mutant in ANY_OUTPUTS:
        return ("price-of-state", *VIOLATED, *TOO_LITTLE)
    return (*VIOLATED, *TOO_LITTLE) if mutant.startswith(("textbook-", "hidden-")) else ()
