"""Replies of the protocol with awkward values, and what an error about one must look like."""

import math

from nrverify.subjects.describe import attributes

MEMBERS = [
    *("id", "result", "refused", "skipped", "error", "protocol", "methods", "encodings", "shape", "f64le", "i64le"),
    *("output", "spent", "session", *attributes()),
]
PLAIN = [
    *(None, True, False, 0, 1, 2, -1, 10**30, 10**400, 0.5, 1e-320, 1e308, math.nan, math.inf, -0.0),
    *("", "brownian", "skellam", "boundary", "above-threshold", "private-stopping", "time", "epsilon", "open"),
    *(
        "any",
        "discrete-laplace",
        "discrete-gaussian",
        "reduced-above-threshold",
        "dp",
        "exact",
        "one-differs",
        "nearest",
    ),
    *([[0, 1]], [[[1], [2]]], [[1, 1]], ["run", "run_many", "delta_of", "features", "spent"], [2, 4], {"output": 1}),
    *("AAAAAAAA8D8=", "AAAA", "=", "nan", "\ud800", "\x1b[31m", "\n", "é" * 3000, "x" * 3000),
    *([], {}, [[]], [[1], [2, 3]], [1, None], ["open", "sample"], ["run"], [0.1, 10], [10**400, 1], [[[0]]], [{}]),
]
AWKWARD = [*PLAIN, *({"session": x} for x in PLAIN[:20]), *([x, x] for x in PLAIN[:24])]


def awkward(rng):
    """A reply with members that are known and values that are awkward, more often than not with its own id."""
    result = {name: rng.choice(AWKWARD) for name in rng.sample(MEMBERS, rng.randrange(11))}
    if rng.random() < 0.8:
        return {"id": 1, "result": rng.choice([result, result, rng.choice(AWKWARD)])}
    return {name: rng.choice(AWKWARD) for name in rng.sample(MEMBERS, rng.randrange(5))} | {"result": result}


def one_short_printable_sentence(words):
    """Whether an error message fits on a terminal and has no command to it."""
    return bool(words) and len(words) < 1000 and words.isprintable()
