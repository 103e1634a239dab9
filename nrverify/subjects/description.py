"""What a subject says of itself: the table of its attributes, and its methods.

To add an attribute, add a row to `Description`: its name, its type, and `attribute(…)` with what it must be, what it
means and which mechanisms it is for. Python subjects, `cmd:`, `records:`, replay files and the documentation follow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from nrverify.subjects.attributes import (
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    TEXT,
    Attribute,
    Kind,
    attribute,
    count,
    integer_from,
    integers,
    missing,
    one_of,
    pair,
    parse,
    printable,
    table,
)
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.guarantees import DP, FIXED_CLAIMS, GUARANTEES, guarantee_of
from nrverify.subjects.limits import EPSILONS, NUMBERS, NUMERICS, RATES, within
from nrverify.subjects.neighbour_data import GENERATED, MOST_SIZE, NEIGHBOURS, STRATEGIES
from nrverify.subjects.noise_families import BUILT_IN, FAMILIES, NoiseFamily, own_names
from nrverify.subjects.threshold_attributes import FLAG, NOISE, POSITIVES, SCALES, check_threshold

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
ROOT_ROUNDING = 1e-12
"""The square of a root in double precision is an integer up to this, relative."""
GRANULAR = tuple(name for name, family in FAMILIES.items() if not family.integer)
"""Mechanisms whose releases may be rounded to a grid: those of others are integers, bits or curves."""
MOST_DIMENSIONS = 10_000
"""A batch of transcripts is held in memory: 64 sessions of 12 releases in so many dimensions are 60 MB."""


@dataclass(frozen=True)
class Description:
    """A subject's own words about itself, checked: the table of attributes, and which methods it has."""

    mechanism: str = attribute(one_of(*MECHANISMS), "What is audited.", required=True)
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
        "for `discrete-laplace`, the root of one for `discrete-gaussian`; needed with knob `epsilon`, and by "
        "boundaries and private stopping.",
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
        recorded=False,
        since="0.2",
    )
    any_order: bool = attribute(
        FLAG,
        "Whether times may be asked for in any order (knob `time` only); then each release is judged given all before "
        "it, on both sides in time.",
        applies=NOISE_REDUCTION,
        recorded=False,
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
    strategies: tuple[Any, ...] | None = attribute(
        STRATEGIES,
        "How an interactive subject is asked: each a list of queries, or a function of the answers so far that returns "
        "the next query or None.",
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
        "How releases are rounded to the granularity; there is one way.",
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
    def integer(self) -> bool:
        """Whether values and releases are integers."""
        return self.mechanism in FAMILIES and self.family.integer

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON, which has no infinity: `from_json` reads it again."""
        family = FAMILIES.get(self.mechanism)
        law = {} if family is None or family.source is None else {"law": dict(family.source)}
        said = asdict(self)
        if not self.misspelt:
            del said["misspelt"]
        return {key: _finite(value) for key, value in said.items()} | law


def attributes() -> dict[str, Attribute]:
    """The table of attributes, by their names; with a law of one's own in use, what is for all noise is for it too."""
    rows, own = table(Description), own_names()
    if not own:
        return rows
    wider = {
        name: replace(row, applies=(*row.applies, *own)) if set(NOISE_REDUCTION) <= set(row.applies) else row
        for name, row in rows.items()
    }
    return {**wider, "mechanism": replace(rows["mechanism"], kind=_of_any_law(*MECHANISMS, *own))}


def _of_any_law(*names: str) -> Kind[str]:
    """A mechanism where a law of one's own is in use: which law is meant is decided by who asks, not by the subject."""
    known = one_of(*names)

    def read(value: Any) -> str:
        return (
            known.read(value) if value in names else printable(value) if isinstance(value, str) else known.read(value)
        )

    return Kind(known.must, read, known.names)


def noise_mechanisms() -> tuple[str, ...]:
    """The families of noise that are built in, and the laws of one's own in use."""
    return (*NOISE_REDUCTION, *own_names())


def recorded_attributes(mechanisms: tuple[str, ...]) -> dict[str, Attribute]:
    """Those that a record of one of these mechanisms may hold, as far as they are about them."""
    rows = {
        name: replace(row, applies=tuple(own for own in row.applies if own in mechanisms))
        for name, row in attributes().items()
        if row.recorded and (not row.applies or set(row.applies) & set(mechanisms))
    }
    return {**rows, "mechanism": replace(rows["mechanism"], kind=one_of(*mechanisms))}


def describe(given: Mapping[str, Any]) -> Description:
    """A description from attributes and `methods`; `SubjectFailed` says what is wrong with them.

    None is absent, and names that are not in the table are ignored.
    """
    _find_law(given.get("mechanism"))
    described = Description(**parse(attributes(), given))
    mechanism = described.mechanism
    offered = given.get("methods") or ()
    methods = tuple(name for name in methods_of(mechanism) if name in offered)
    needed = METHODS.get(mechanism, OF_NOISE)
    if not set(methods) & set(needed):
        wanted = " or ".join(f"{name}()" for name in needed)
        raise SubjectFailed(f"a subject with mechanism {mechanism!r} needs {wanted}; it has none")
    if mechanism in ANY:
        _asked(described, methods, given)
    if mechanism in ("boundary", "private-stopping") or described.knob == "epsilon":
        pure = mechanism in FAMILIES and (FAMILIES[mechanism].pure or FAMILIES[mechanism].own)
        curve = "delta_of" in methods and guarantee_of(described) == DP
        for name in ("sensitivity",) if pure or curve else ("sensitivity", "delta"):
            if getattr(described, name) is None:
                row = attributes()[name]
                what = ": how far apart the values of neighbours may be" if name == "sensitivity" else ""
                raise missing(row, given, f"a privacy claim needs it, and it must be {row.kind.must}{what}")
    if described.any_order and described.knob == "epsilon":
        raise attributes()["any_order"].error(True, "left out with knob 'epsilon', which is asked at rising ε")
    if described.any_order and mechanism not in FAMILIES:
        raise attributes()["any_order"].error(True, f"left out with {mechanism}, which is not asked for times")
    if mechanism in THRESHOLD:
        check_threshold(described, given, attributes(), "delta_of" in methods)
    # The sensitivity of Skellam noise is that of one integer.
    usual = (1,) if mechanism in FAMILIES and described.family.rated and described.knob == "epsilon" else None
    _bounded(described)
    return replace(
        described,
        methods=methods,
        name=described.name or "subject",
        dimensions=described.dimensions or usual,
        most_releases=_most_releases(described),
    )


def _find_law(mechanism: Any) -> None:
    """Takes the law of an installed package into use where a subject's mechanism is its name."""
    if not isinstance(mechanism, str) or mechanism in MECHANISMS or mechanism in FAMILIES:
        return
    from nrverify.subjects.own_laws.loading import take_installed

    take_installed(mechanism)


def methods_of(mechanism: str) -> tuple[str, ...]:
    """All methods that a subject with this mechanism may offer."""
    return (*METHODS.get(mechanism, OF_NOISE), *(OPTIONAL_OF_ANY if mechanism in ANY else OPTIONAL))


def _asked(described: Description, methods: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Refuses a mechanism of unknown law that does not say on which data, or by which queries, it is to be run."""
    rows = attributes()
    if described.neighbours is None:
        raise missing(rows["neighbours"], given, f"it must be {rows['neighbours'].kind.must}")
    if described.neighbours in GENERATED:
        for name in ("size", "sensitivity"):
            if getattr(described, name) is None:
                raise missing(rows[name], given, f"neighbours = {described.neighbours!r} needs it")
    if "open" in methods and not set(methods) & {"run", "run_many"} and described.strategies is None:
        raise missing(rows["strategies"], given, f"a subject with open() needs it: it must be {STRATEGIES.must}")


def _most_releases(described: Description) -> int | None:
    """How many releases a session has at most, as the subject says; one where its law has no bridge."""
    if described.mechanism not in FAMILIES or not described.family.once:
        return described.most_releases
    if described.most_releases not in (None, 1):
        words = f"1, or left out: {described.mechanism} noise has no law of a second release given the first"
        raise attributes()["most_releases"].error(described.most_releases, words)
    return 1


def _bounded(described: Description) -> None:
    """Refuses numbers with which double precision cannot calculate."""
    limits = EPSILONS if described.knob == "epsilon" else NUMBERS
    for name, number, allowed in (
        ("attribute sensitivity", described.sensitivity, NUMBERS),
        ("attribute rate", described.rate, RATES),
        ("attribute granularity", described.granularity, NUMBERS),
        *(("an end of attribute range", end, limits) for end in described.range or ()),
    ):
        if number:  # a range may begin at 0
            within(name, number, allowed)
    needed = described.family.sensitivity if described.mechanism in FAMILIES else ""
    if described.sensitivity is not None and needed:
        size = described.sensitivity if needed == "an integer" else described.sensitivity**2
        if not math.isclose(size, max(round(size), 1), rel_tol=ROOT_ROUNDING):
            words = f"{needed}: {described.mechanism} noise is added to integers"
            raise attributes()["sensitivity"].error(described.sensitivity, words)


def from_json(given: Mapping[str, Any]) -> Description:
    """The description that `as_json` wrote, now or in an earlier version; `SubjectFailed` when it is none."""
    given = dict(given)
    if (law := given.pop("law", None)) is not None:
        _recorded_law(law)
    misspelt = tuple((str(name), str(meant)) for name, meant in given.pop("misspelt", None) or ())
    unknown = set(given) - {*attributes(), "methods"}
    methods = given.get("methods")
    if unknown:
        raise SubjectFailed(f"its header does not describe a subject: no attribute is called {min(unknown)!r:.60}")
    if not isinstance(methods, list) or not all(isinstance(name, str) for name in methods):
        raise SubjectFailed(f"its header does not describe a subject: methods is {methods!r:.60}, not a list of names")
    return replace(describe({key: _infinite(value) for key, value in given.items()}), misspelt=misspelt)


def _recorded_law(law: Any) -> None:
    """Takes the law of one's own that judged a recorded audit into use; `SubjectFailed` where it is another now."""
    from nrverify.subjects.own_laws.loading import take_recorded

    address, digest = (law.get(key) for key in ("address", "sha256")) if isinstance(law, Mapping) else (None, None)
    if not isinstance(address, str):
        raise SubjectFailed(f"its header does not describe a law: law is {law!r:.60}")
    try:
        take_recorded(address, digest)
    except ValueError as error:
        raise SubjectFailed(f"the law that judged it cannot be used: {error}") from None


def _finite(value: Any) -> Any:
    """Lists in the place of tuples, and "inf" in the place of infinity in them."""
    return ["inf" if part == math.inf else part for part in value] if isinstance(value, tuple) else value


def _infinite(value: Any) -> Any:
    return [math.inf if part == "inf" else part for part in value] if isinstance(value, list) else value
