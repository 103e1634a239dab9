"""What a subject says of itself: the table of its attributes, and its methods.

To add an attribute, add a row to `Description`: its name, its type, and `attribute(…)` with what it must be, what it
means and which mechanisms it is for. Python subjects, `cmd:`, `records:`, replay files and the documentation follow.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from nrverify.subjects.attributes import (
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    TEXT,
    attribute,
    count,
    integer_from,
    integers,
    one_of,
    pair,
)
from nrverify.subjects.guarantees import FIXED_CLAIMS, GUARANTEES
from nrverify.subjects.limits import NUMERICS
from nrverify.subjects.neighbour_data import MOST_SIZE, NEIGHBOURS, QUERIES, STRATEGIES
from nrverify.subjects.noise_families import BUILT_IN, FAMILIES, NoiseFamily
from nrverify.subjects.threshold_attributes import FLAG, NOISE, POSITIVES, SCALES

if TYPE_CHECKING:
    from nrverify.laws.process import Process

NOISE_REDUCTION = BUILT_IN
THRESHOLD = ("above-threshold", "reduced-above-threshold")
ANY = ("any",)
"""Mechanisms whose law is not known: only their privacy claim is judged."""
MECHANISMS = (*NOISE_REDUCTION, *THRESHOLD, "boundary", "private-stopping", *ANY)
CLAIMING = (*NOISE_REDUCTION, "boundary", "private-stopping", *ANY)
"""Mechanisms that may claim an ε; those of thresholds are told theirs in every request."""
KNOBS = ("time", "epsilon")
"""What a request sets: the noise itself, or the ε that it must cost at most."""
OF_NOISE = ("open", "sample")
PLAY = "play"
"""Sessions of a fixed schedule in one request: of noise in the subprocess protocol alone, in the place of the others or
beside them. A Python subject may have a method of that name, and it is something else."""
METHODS = {
    **dict.fromkeys(NOISE_REDUCTION, OF_NOISE),
    **dict.fromkeys(THRESHOLD, ("run", "run_many")),
    "boundary": ("epsilon",),
    "private-stopping": ("run", "epsilon"),
    "any": ("run_many", "run", "open"),
}
"""Of each mechanism, at least one of which a subject must offer."""
OPTIONAL = ("time_of", "time", "delta_of")
"""Methods beside those, which let more be checked."""
OPTIONAL_OF_ANY = ("delta_of", "spent", "features")
"""Methods of a mechanism whose law is not known: two kinds of claims, and what an attacker would look at."""
GRANULAR = tuple(name for name, family in FAMILIES.items() if not family.integer)
"""Mechanisms whose releases may be rounded to a grid: those of others are integers, bits or curves."""
MOST_DIMENSIONS = 10_000
"""A batch of transcripts is held in memory: 64 sessions of 12 releases in so many dimensions are 60 MB."""


@dataclass(frozen=True)
class Description:
    """A subject's own words about itself, checked: the table of attributes, and which methods it has."""

    mechanism: str = attribute(
        one_of(*MECHANISMS),
        "What is audited.",
        required=True,
        likeness=0.6,  # 'cauchy' is not meant to be 'any': they agree to 0.44
        remedy="a law of your own with that name is given by --law python:FILE.py:Name",
    )
    methods: tuple[str, ...] = ()
    misspelt: tuple[tuple[str, str], ...] = ()
    """Names that the subject has and nobody reads, each with the attribute that it may be meant for."""
    name: str = attribute(TEXT, "Of the implementation.", default="subject")
    version: str | None = attribute(TEXT, "Of the implementation.")
    knob: str = attribute(
        one_of(*KNOBS),
        "What a release is asked for by: the time of the process (the variance for Brownian noise, the scale for "
        "Laplace noise, discrete or not, the parameter σ² for discrete Gaussian noise, and for Skellam noise "
        "X_t ~ Skellam(rate·t, rate·t)), or ε.",
        applies=NOISE_REDUCTION,
        default="time",
    )
    sensitivity: float | None = attribute(
        POSITIVE,
        "How far apart the values of neighbours may be (ℓ1 for `laplace` and `discrete-laplace`, else ℓ2); an integer "
        "for `skellam` and `discrete-laplace`, the root of one for `discrete-gaussian`; needed with knob "
        "`epsilon`, and by boundaries and private stopping.",
        applies=CLAIMING,
    )
    delta: float | None = attribute(
        PROBABILITY,
        "The probability with which the privacy claim may fail, or the δ of differential privacy; needed where "
        "`sensitivity` is, except by `laplace` and beside `delta_of`, and by Gaussian noise of thresholds.",
        applies=(*CLAIMING, *THRESHOLD),
    )
    guarantee: str | None = attribute(
        one_of(*GUARANTEES),
        "What an ε means: `ex-post`, no look loses more than the ε asked for it, but for δ; or `dp`, all that has been "
        "released when ε was asked is (ε, δ)-differentially private. Where it is not given, `dp` for mechanisms that "
        "release once and for `above-threshold`, else `ex-post`.",
        applies=tuple(mechanism for mechanism in MECHANISMS if mechanism not in FIXED_CLAIMS),
        elsewhere="refused",
        since="0.2",
    )
    scales: tuple[float, float] | None = attribute(
        SCALES,
        "Threshold noise of scale aΔ/ε and query noise of scale bΔ/ε; (2, 4) where they are not given.",
        applies=THRESHOLD,
        elsewhere="unread",
        since="0.2",
    )
    noise: str = attribute(
        NOISE,
        "Of threshold and queries: `laplace`; `exponential`, both noises at least 0 and both added; or `gaussian`, "
        "with standard deviations aΔ/ε and bΔ/ε, which needs `scales` and `delta` and claims (ε, δ) over 40 rounds.",
        applies=("above-threshold",),
        default="laplace",
        elsewhere="unread",
        since="0.2",
    )
    positives: int = attribute(
        POSITIVES,
        "It halts after so many ones; 1 where it is not given. The threshold's noise is drawn once.",
        applies=("above-threshold",),
        default=1,
        elsewhere="unread",
        since="0.2",
    )
    monotone: bool = attribute(
        FLAG,
        "Whether the claim is for neighbours all of whose utilities move the same way, by at most Δ.",
        applies=("above-threshold",),
        default=False,
        elsewhere="unread",
        since="0.2",
    )
    rate: float | None = attribute(
        POSITIVE, "Of Skellam noise; 1 where it is not given, and needed in records.", applies=("skellam", "boundary")
    )
    process: str = attribute(
        one_of("brownian", "skellam"), "Whose paths the boundary is for.", applies=("boundary",), default="brownian"
    )
    range: tuple[float, float] | None = attribute(
        pair(finite=True),
        "Where to ask, in the knob's unit; where it is not given, times 0.01 to 1000 (for `skellam` 0.1 to 1000 over "
        "the rate, for `discrete-laplace` 0.25 to 1000, for `discrete-gaussian` 0.1 to 1000), ε 0.2 to 5.",
        applies=NOISE_REDUCTION,
        recorded=False,
    )
    dimensions: tuple[int, ...] | None = attribute(
        integers(MOST_DIMENSIONS),
        "Lengths of values to ask with; 1 to 3 where they are not given.",
        applies=(*NOISE_REDUCTION, "private-stopping"),
        recorded=False,
    )
    most_releases: int | None = attribute(
        integer_from(1),
        "Releases that a session has at most; no schedule is longer. Where it is not given, a `ValueError` at longer "
        "schedules tells.",
        applies=NOISE_REDUCTION,
        since="0.2",
    )
    any_order: bool = attribute(
        FLAG,
        "Whether times may be asked for in any order (knob `time` only); then each release is judged given all before "
        "it, on both sides in time.",
        applies=NOISE_REDUCTION,
        default=False,
        since="0.2",
    )
    interval: tuple[float, float] | None = attribute(
        pair(finite=False),
        "The times (t_min, t_max) in which the boundary is claimed to hold; all where it is not given.",
        applies=("boundary", "private-stopping"),
    )
    numerics: str | None = attribute(
        one_of(*NUMERICS),
        "`idealized` where absent: the claim is that of real arithmetic, and an attack on the last bits is advice. "
        "`exact`: what is released, to the last bit, is the ideal release correctly rounded, and an attack refutes.",
        applies=(*NOISE_REDUCTION, *ANY),
        since="0.2",
    )
    epsilon: float | None = attribute(
        NOT_NEGATIVE,
        "The ε claimed, with `delta`; or a method `delta_of` or `spent` claims another way.",
        applies=ANY,
        elsewhere="unread",
        since="0.2",
    )
    smallest_epsilon: float | None = attribute(
        NOT_NEGATIVE, "The smallest ε that `spent` can return.", applies=ANY, elsewhere="unread", since="0.2"
    )
    neighbours: tuple[Any, ...] | str | None = attribute(
        NEIGHBOURS,
        "Pairs of neighbouring data (a list, or a method that returns one), or how to make them from `size` and "
        "`sensitivity`.",
        applies=ANY,
        elsewhere="unread",
        recorded=False,
        since="0.2",
    )
    size: int | None = attribute(
        count(MOST_SIZE),
        "The length of the vectors that are made as data.",
        applies=ANY,
        elsewhere="unread",
        recorded=False,
        since="0.2",
    )
    strategies: tuple[Any, ...] | str | None = attribute(
        STRATEGIES,
        "How an interactive subject is asked: each a list of queries, or a function of the answers so far that returns "
        "the next query or None; or how to make them, from `queries`.",
        applies=ANY,
        elsewhere="unread",
        recorded=False,
        since="0.2",
    )
    queries: tuple[Any, ...] | None = attribute(
        QUERIES,
        "What an interactive subject may be asked, in any order and again, where strategies are to be generated; an "
        "answer None ends a session.",
        applies=ANY,
        elsewhere="unread",
        recorded=False,
        since="0.2",
    )
    granularity: float | None = attribute(
        POSITIVE,
        "g: every release is g times an integer, the ideal release rounded to that grid. The law, ties and odds are "
        "judged exactly for it; ex-post claims of `brownian` get the slack g·√d·Δ/t.",
        applies=GRANULAR,
        elsewhere="refused",
        since="0.2",
    )
    rounding: str | None = attribute(
        one_of("nearest"),
        "How releases are rounded to the granularity, which it needs; there is one way.",
        applies=GRANULAR,
        elsewhere="refused",
        since="0.2",
    )

    @property
    def family(self) -> NoiseFamily:
        """The kind of noise, of a mechanism that has one."""
        return FAMILIES[self.mechanism]

    @property
    def claimed_process(self) -> Process:
        """The process whose law the subject claims."""
        return self.family.process(self.rate or 1.0)

    @property
    def in_any_order(self) -> bool:
        """Whether it takes times in any order, and its law is known there."""
        return self.any_order and hasattr(self.claimed_process, "between") and self.granularity is None

    @property
    def integer(self) -> bool:
        """Whether values and releases are integers."""
        return self.mechanism in FAMILIES and self.family.integer

    @property
    def unread(self) -> tuple[str, ...]:
        """A sentence for each name that nobody reads."""
        return tuple(f"{name} is not read: is {meant} meant?" for name, meant in self.misspelt)

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON, which has no infinity: `from_json` reads it again."""
        family = FAMILIES.get(self.mechanism)
        law = {} if family is None or family.source is None else {"law": dict(family.source)}
        said = asdict(self)
        if not self.misspelt:
            del said["misspelt"]
        return {key: _finite(value) for key, value in said.items()} | law


def _finite(value: Any) -> Any:
    """Lists in the place of tuples, and "inf" in the place of infinity in them."""
    return ["inf" if part == math.inf else part for part in value] if isinstance(value, tuple) else value
