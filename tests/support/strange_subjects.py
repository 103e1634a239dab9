"""Subjects that say and answer anything: every attribute of the table and every method, right or awkward."""

import math

import numpy as np

from nrverify.subjects.describe import attributes, methods_of
from nrverify.subjects.description import MECHANISMS

NUMBERS = (
    *(0, 1, -1, 2, 0.5, 1e-6, 3.0, 10**30, 10**400, 1e-300, 1e300, 1e-320, 1e308, math.nan, math.inf, -math.inf, -0.0),
    *(1e-50, 1e50, 1e-12, 1e12, 700, 701, 0.25, 2**-30, 2**53, 1000, 1001, 64, 1e-9, True, False),
)
WORDS = (
    None,
    "",
    "1",
    "brownian",
    "exact",
    "dp",
    "one-differs",
    "nearest",
    "\x1b[2J",
    "\u202e",
    "\ud800",
    "x" * 10_000,
)
OTHERS = (b"1", [], {}, [[]], [1], {"a": 1}, object, 1j, {1, 2}, [10**400], [math.nan, 1])
STRANGE = (*NUMBERS, *WORDS, *OTHERS)

LIKELY = {
    "knob": ("time", "epsilon"),
    "guarantee": ("ex-post", "dp"),
    "numerics": ("idealized", "exact"),
    "rounding": ("nearest",),
    "noise": ("laplace", "exponential", "gaussian"),
    "process": ("brownian", "skellam"),
    "positives": (1, 2, 3, 1000),
    "monotone": (True, False),
    "any_order": (True, False),
    "most_releases": (1, 2, 3, 5),
    "sensitivity": (1, 1.0, 2.0, 3, 0.5, 1e-50, 1e50),
    "delta": (0, 1e-6, 0.1, 0.999),
    "rate": (1.0, 0.5, 1e12, 1e-12),
    "granularity": (0.25, 1.0, 2**-20, 1e-50, 1e50, 1000.0),
    "epsilon": (0, 1.0, 0.1, 700.0, 1e-12, 1e308),
    "smallest_epsilon": (0, 0.1, 1.0),
    "size": (1, 3, 10_000),
    "dimensions": ([1], [2], [1, 3], (2, 1), [16]),
    "name": ("a subject", "\x1b]0;owned\x07", "::error::x"),
}
"""Values that an attribute may have, so that not everything is refused for one of many."""
PAIRS = ("range", "interval", "scales")
DATA = (0, 1, -1.5, None, True, "a", [], [1, 2], [[1], "x"], {"a": [1]}, 10**400, math.nan, b"x", object, "\ud800")
OUTPUTS = (
    *(
        0,
        1,
        2,
        -1,
        True,
        False,
        None,
        0.5,
        -0.0,
        1e308,
        5e-324,
        math.nan,
        math.inf,
        2**53 + 1,
        10**400,
        "",
        "a",
        "\ud800",
    ),
    *("x" * 5000, [], [1], [1, [2, [3, None]]], [[]] * 3, {"a": 1}, {1: 2}, {}, b"x", {1, 2}, object, 1j, (1, 2)),
    *(np.float32(0.1), np.int8(3), np.array([1.0, 2.0]), np.array(["a"]), np.array([1j]), np.zeros((0, 3)), range(3)),
)


def nested(depth):
    """A list in a list in a list, so many times."""
    found = []
    for _ in range(depth):
        found = [found]
    return found


def neighbours(rng):
    """Pairs of data, now and then of something else."""
    if rng.random() < 0.1:
        return rng.choice(STRANGE)
    pairs = [[rng.choice(DATA), rng.choice(DATA)] for _ in range(rng.choice([1, 1, 1, 2, 3, 65]))]
    if rng.random() < 0.8:
        pairs = [[0, 1], [[1, 2], [1, 3]], ["a", "b"]][: rng.randrange(1, 4)]
    return pairs


def anything(rng, mechanism=None):
    """Attributes of a subject and the names of its methods; about one in three of the values is awkward."""
    mechanism = mechanism or rng.choice(MECHANISMS)
    methods = [name for name in methods_of(mechanism) if rng.random() < 0.7]
    found = {"mechanism": mechanism, "methods": methods}
    awkward = rng.choice([0.0, 0.05, 0.3])
    for name, row in attributes().items():
        about = not row.applies or mechanism in row.applies
        if name == "mechanism" or rng.random() > (0.5 if about else 0.05):
            continue
        if rng.random() < awkward:
            found[name] = rng.choice(STRANGE)
        elif name in PAIRS:
            ends = [rng.choice(NUMBERS[:-2]) for _ in range(rng.choice([2, 2, 2, 2, 1, 3]))]
            found[name] = rng.choice([ends, sorted(ends, key=lambda x: (x != x, x)), [0.5, 20.0], [2.0, 4.0]])
        elif name == "neighbours":
            found[name] = neighbours(rng)
        elif name == "strategies":
            found[name] = rng.choice(
                [[[1, 2]], [[]], [["a", None, [1]]], [1], "x", "generated", [[1]] * 17, [[math.nan]], []]
            )
        elif name == "queries":
            found[name] = rng.choice([[1, 2], ["a"], [], [None], "x", [[1], {"b": 2.0}], [math.nan], [1] * 33])
        else:
            found[name] = rng.choice(LIKELY.get(name, STRANGE))
    if mechanism == "any" and rng.random() < 0.8:
        found.setdefault("neighbours", [[0, 1]])
        claim = rng.choice(["epsilon", "delta_of", "spent"])
        found["methods"] = [name for name in methods if name not in ("delta_of", "spent") or name == claim]
        found.pop("epsilon", None) if claim != "epsilon" else found.setdefault("epsilon", 1.0)
        if claim == "spent":
            found.setdefault("smallest_epsilon", 0.1)
    return found


class Methods:
    """What a subject of any mechanism may be asked: a plausible answer, or the awkward one it was made with."""

    def __init__(self, said, answer, share):
        methods = set(said["methods"])
        vars(self).update({name: value for name, value in said.items() if name != "methods" and name not in methods})
        self._said, self._answer, self._share = said, answer, share

    def _odd(self, seed):
        """Whether this answer is the awkward one."""
        return np.random.default_rng([seed % 2**32, 7]).random() < self._share

    def _sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        with np.errstate(all="ignore"):
            times = np.abs(np.array(schedule, float))
            if self._said.get("knob") == "epsilon":
                times = 1 / times
            noise = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(times)[:, None]
        if self._said["mechanism"] in ("skellam", "discrete-laplace", "discrete-gaussian"):
            noise = np.round(noise)
        if not self._odd(seed):
            return value + noise
        try:
            return np.where(noise > 0.3, self._answer, value + noise)
        except (TypeError, ValueError, OverflowError):
            return self._answer

    def _open(self, value, seed):
        return Session(self, value, seed)

    def _run(self, *asked, seed=None, utility=None, **more):
        seed = asked[-1] if seed is None else seed
        if self._said["mechanism"] == "private-stopping":
            value, schedule = asked[:2]
            return (self._sample(value, schedule, 1, seed)[0], [0] * len(schedule))
        if self._odd(seed):
            return self._answer
        if self._said["mechanism"] == "any":
            return int(np.random.default_rng(seed).integers(3))
        return [0] * len(asked[0])

    def _run_many(self, *asked, runs=None, seed=None):
        seed = asked[-1] if seed is None else seed
        runs = asked[-2] if runs is None else runs
        rng = np.random.default_rng(seed)
        if self._said["mechanism"] == "any":
            return [self._answer if self._odd(seed + number) else int(rng.integers(3)) for number in range(runs)]
        shape = (runs, self._said["positives"]) if self._said.get("positives", 1) not in (None, 1) else runs
        return self._answer if self._odd(seed) else rng.integers(0, 2, shape)

    def _number(self, at):
        if self._odd(hash(float(at))):
            return self._answer
        return 1 / at if at else math.inf

    def _delta_of(self, epsilon):
        return self._answer if self._odd(hash(float(epsilon))) else math.exp(-epsilon)

    def _spent(self, output):
        return self._answer if self._share > 0.4 else 1.5

    def _features(self, output):
        return self._answer if self._share > 0.3 else [1.0, len(repr(output))]


class Session:
    """Releases or answers of one session."""

    def __init__(self, subject, value, seed):
        self.subject, self.value, self.seed, self.asked = subject, value, seed, 0

    def release(self, at):
        self.asked += 1
        return self.subject._sample(self.value, [at], 1, self.seed + self.asked)[0][0]

    def ask(self, query):
        self.asked += 1
        return self.subject._answer if self.subject._odd(self.seed + self.asked) else self.seed % 3

    def close(self):
        pass


def subject_of(said, answer=None, share=0.0):
    """A subject that says these attributes, has these methods, and gives the answer for a share of requests."""
    bodies = {"epsilon": Methods._number, "time": Methods._number, "time_of": Methods._number}
    body = {name: bodies.get(name) or getattr(Methods, f"_{name}") for name in said["methods"]}
    return type("Strange", (Methods,), body)(said, answer, share)
