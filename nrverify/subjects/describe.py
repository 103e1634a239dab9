"""Descriptions read and checked: from attributes as a subject gives them, from records, and from JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from nrverify.subjects.attributes import Attribute, AttributeKind, missing, one_of, parse, printable, table
from nrverify.subjects.description import (
    ANY,
    MECHANISMS,
    METHODS,
    NOISE_REDUCTION,
    OF_NOISE,
    OPTIONAL,
    OPTIONAL_OF_ANY,
    PLAY,
    THRESHOLD,
    Description,
)
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.guarantees import DP, guarantee_of
from nrverify.subjects.limits import EPSILONS, LARGEST_COUNT, NUMBERS, RATES, within
from nrverify.subjects.neighbour_data import FROM_QUERIES, GENERATED, QUERIES, STRATEGIES
from nrverify.subjects.noise_families import FAMILIES, own_names
from nrverify.subjects.threshold_attributes import check_threshold

ROOT_ROUNDING = 1e-12
"""The square of a root in double precision is an integer up to this, relative."""


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


def _of_any_law(*names: str) -> AttributeKind[str]:
    """A mechanism where a law of one's own is in use: which law is meant is decided by who asks, not by the subject."""
    known = one_of(*names)

    def read(value: Any) -> str:
        return (
            known.read(value) if value in names else printable(value) if isinstance(value, str) else known.read(value)
        )

    return AttributeKind(known.must, read, known.names)


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
    given = _with_strategies(given)
    described = Description(**parse(attributes(), given))
    mechanism = described.mechanism
    offered = given.get("methods") or ()
    methods = tuple(name for name in (*methods_of(mechanism), *in_protocol(mechanism)) if name in offered)
    needed = METHODS.get(mechanism, OF_NOISE)
    if not set(methods) & {*needed, *in_protocol(mechanism)}:
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
    if described.rounding is not None and described.granularity is None:
        why = f"rounding = {described.rounding!r} needs it, and it must be {attributes()['granularity'].kind.must}"
        raise missing(attributes()["granularity"], given, f"{why}; leave rounding out where releases are on no grid")
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


def in_protocol(mechanism: str) -> tuple[str, ...]:
    """Those that it may offer beside them in the subprocess protocol."""
    return (PLAY,) if METHODS.get(mechanism, OF_NOISE) == OF_NOISE else ()


def _asked(described: Description, methods: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Refuses a mechanism of unknown law that does not say on which data, or by which queries, it is to be run."""
    rows = attributes()
    if described.neighbours is None:
        raise missing(rows["neighbours"], given, f"it must be {rows['neighbours'].kind.must}")
    if described.neighbours in GENERATED:
        for name in ("size", "sensitivity"):
            if getattr(described, name) is None:
                raise missing(rows[name], given, f"neighbours = {described.neighbours!r} needs it")
    if described.strategies == FROM_QUERIES and described.queries is None:
        raise missing(rows["queries"], given, f"strategies = {FROM_QUERIES!r} needs it: it must be {QUERIES.must}")
    if described.strategies is None and _only_asked(methods):
        words = f"a subject with open() needs it: it must be {STRATEGIES.must}, which needs queries"
        raise missing(rows["strategies"], given, words)


def _only_asked(methods: Collection[str]) -> bool:
    """Whether a mechanism of unknown law can be asked, and cannot be run without queries."""
    return "open" in methods and not set(methods) & {"run", "run_many"}


def _with_strategies(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Queries are read where strategies are to be made from them; elsewhere the name may be something else's."""
    if given.get("mechanism") not in ANY:
        return given
    wanted = given.get("strategies")
    if wanted is None and given.get("queries") is not None and _only_asked(given.get("methods") or ()):
        return {**given, "strategies": FROM_QUERIES}
    return given if isinstance(wanted, str) else {**given, "queries": None}


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
    if needed and described.knob == "time" and described.range is not None:
        # Noise of about 2t, or of about √(2·rate·t).
        most = LARGEST_COUNT / 2 if described.family.pure else LARGEST_COUNT**2 / 2 / (described.rate or 1.0)
        within("the upper end of attribute range", described.range[1], (0.0, most))
    if described.sensitivity is not None and needed:
        within("attribute sensitivity", described.sensitivity, (NUMBERS[0], LARGEST_COUNT))
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


def _infinite(value: Any) -> Any:
    return [math.inf if part == "inf" else part for part in value] if isinstance(value, list) else value
