"""What a subject says of itself: its mechanism, knob, methods and the attributes that go with them."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.limits import EPSILONS, NUMBERS, RATES, within
from nrverify.subjects.noise_families import FAMILIES, NoiseFamily

if TYPE_CHECKING:
    from nrverify.laws.process import Process

NOISE_REDUCTION = tuple(FAMILIES)
THRESHOLD = ("above-threshold", "reduced-above-threshold")
MECHANISMS = (*NOISE_REDUCTION, *THRESHOLD, "boundary", "private-stopping")
KNOBS = ("time", "epsilon")
METHODS = {
    **dict.fromkeys(NOISE_REDUCTION, ("open", "sample")),
    **dict.fromkeys(THRESHOLD, ("run", "run_many")),
    "boundary": ("epsilon",),
    "private-stopping": ("run", "epsilon"),
}
OPTIONAL = ("time_of", "time")
MOST_DIMENSIONS = 10_000
"""A batch of transcripts is held in memory: 64 sessions of 12 releases in so many dimensions are 60 MB."""


@dataclass(frozen=True)
class Description:
    """A subject's own words about itself, checked."""

    name: str
    version: str | None
    mechanism: str
    knob: str
    methods: tuple[str, ...]
    sensitivity: float | None
    delta: float | None
    rate: float | None
    process: str
    range: tuple[float, float] | None
    dimensions: tuple[int, ...] | None
    interval: tuple[float, float] | None

    @property
    def family(self) -> NoiseFamily:
        """The kind of noise, of a mechanism that has one."""
        return FAMILIES[self.mechanism]

    @property
    def noise(self) -> Process:
        """The process whose law the subject claims."""
        return self.family.process(self.rate or 1.0)

    @property
    def integer(self) -> bool:
        """Whether values and releases are whole numbers."""
        return self.mechanism in FAMILIES and self.family.integer


def describe(attributes: dict[str, Any]) -> Description:
    """A description from attributes (None is absent); `SubjectFailed` says what is wrong with them."""
    mechanism = _choice(attributes, "mechanism", MECHANISMS, None)
    knob = _choice(attributes, "knob", KNOBS, "time")
    methods = tuple(name for name in (*METHODS[mechanism], *OPTIONAL) if name in attributes.get("methods", ()))
    if not set(methods) & set(METHODS[mechanism]):
        wanted = " or ".join(f"{name}()" for name in METHODS[mechanism])
        raise SubjectFailed(f"a subject with mechanism {mechanism!r} needs {wanted}; it has none")
    sensitivity = _positive(attributes, "sensitivity")
    delta = _number(attributes, "delta")
    if delta is not None and not 0 <= delta < 1:
        raise SubjectFailed(f"delta is {delta!r}: it must be at least 0 and below 1")
    if mechanism in ("boundary", "private-stopping") or knob == "epsilon":
        if sensitivity is None:
            raise SubjectFailed("the subject makes a privacy claim: it needs the attribute sensitivity")
        if delta is None and not (mechanism in FAMILIES and FAMILIES[mechanism].pure):
            raise SubjectFailed("the subject makes a privacy claim: it needs the attribute delta")
    # The sensitivity of Skellam noise is that of one whole number.
    usual = (1,) if mechanism == "skellam" and knob == "epsilon" else None
    return Description(
        name=_printable(attributes.get("name") or "subject"),
        version=None if attributes.get("version") is None else _printable(attributes["version"]),
        mechanism=mechanism,
        knob=knob,
        methods=methods,
        sensitivity=sensitivity,
        delta=delta,
        rate=_positive(attributes, "rate", RATES),
        process=_choice(attributes, "process", ("brownian", "skellam"), "brownian"),
        range=_finite(attributes, "range", EPSILONS if knob == "epsilon" else NUMBERS),
        dimensions=_dimensions(attributes) or usual,
        interval=_pair(attributes, "interval"),
    )


def _printable(words: object) -> str:
    """At most 200 characters, none of which moves a terminal's cursor or ends a line."""
    return "".join(letter if letter.isprintable() else "�" for letter in str(words)[:200])


def _choice(attributes: dict[str, Any], key: str, allowed: tuple[str, ...], default: str | None) -> str:
    value = attributes.get(key)
    if value is None and default is not None:
        return default
    if value is None:
        raise SubjectFailed(f"the subject has no attribute {key}: it must be one of {', '.join(allowed)}")
    if value not in allowed:
        close = difflib.get_close_matches(str(value)[:100], allowed, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise SubjectFailed(f"the attribute {key} is {value!r:.100}: it must be one of {', '.join(allowed)}{hint}")
    return allowed[allowed.index(value)]  # and not what its own type says: a member of an enumeration shows its name


def _number(attributes: dict[str, Any], key: str) -> float | None:
    value = attributes.get(key)
    if value is None:
        return None
    try:
        number = _real(value)
    except (TypeError, ValueError, OverflowError):
        raise SubjectFailed(f"the attribute {key} is {value!r:.100}: it must be a number") from None
    if not math.isfinite(number):
        raise SubjectFailed(f"the attribute {key} is {value!r:.100}: it must be finite")
    return number


def _positive(attributes: dict[str, Any], key: str, limits: tuple[float, float] = NUMBERS) -> float | None:
    number = _number(attributes, key)
    if number is not None and number <= 0:
        raise SubjectFailed(f"the attribute {key} is {number!r}: it must be positive")
    return number if number is None else within(f"the attribute {key}", number, limits)


def _pair(attributes: dict[str, Any], key: str) -> tuple[float, float] | None:
    value = attributes.get(key)
    if value is None:
        return None
    try:
        low, high = (_real(end) for end in value)
    except (TypeError, ValueError, OverflowError):
        raise SubjectFailed(f"the attribute {key} is {value!r:.100}: it must be a pair of numbers") from None
    if not 0 <= low < high:
        raise SubjectFailed(
            f"the attribute {key} is {value!r:.100}: it must be (smallest, largest) with 0 ≤ smallest < largest"
        )
    return low, high


def _finite(attributes: dict[str, Any], key: str, limits: tuple[float, float]) -> tuple[float, float] | None:
    pair = _pair(attributes, key)
    if pair is not None and math.isinf(pair[1]):
        raise SubjectFailed(f"the attribute {key} is {attributes[key]!r:.100}: both ends must be finite")
    for end in pair or ():
        if end != 0:
            within(f"an end of the attribute {key}", end, limits)
    return pair


def _dimensions(attributes: dict[str, Any]) -> tuple[int, ...] | None:
    value = attributes.get("dimensions")
    if value is None:
        return None
    words = (
        f"the attribute dimensions is {value!r:.100}: it must list positive whole numbers, at most {MOST_DIMENSIONS}"
    )
    try:
        dimensions = sorted({_real(d) for d in value})
    except (TypeError, ValueError, OverflowError):
        raise SubjectFailed(words) from None
    if not dimensions or not all(1 <= d <= MOST_DIMENSIONS and d.is_integer() for d in dimensions):
        raise SubjectFailed(words)
    return tuple(int(d) for d in dimensions)


def _real(value: Any) -> float:
    """A number, and no word that looks like one."""
    if isinstance(value, (str, bytes)):
        raise TypeError(value)
    return float(value)
