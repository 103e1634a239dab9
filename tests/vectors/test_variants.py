"""Each bug that a vector flags, implemented, fails every case that flags it; the right variant passes all cases.

The right variant is a third derivation of every vector, in mpmath from the statements in the files: it agrees to the
radius, except where it is in doubles, where it agrees to the tolerance hint.
"""

import math
from fractions import Fraction

import pytest
from mpmath import mp

from tests.vectors.reading import Refused, documents, faults
from tests.vectors.variants import VARIANTS

DOCUMENTS = documents()
IN_DOUBLES = {"grid-boundary", "grid-tightest", "grid-weighted", "grid-crossing", "line-crossing"}
MPMATH_ERROR = Fraction(1, 10**38)


@pytest.fixture(autouse=True)
def sixty_digits():
    with mp.workdps(60):
        yield


def inputs_of(case):
    """The inputs of a case as numbers of 60 digits."""
    return {
        name: [mp.mpf(entry) for entry in value] if isinstance(value, list) else mp.mpf(value)
        for name, value in case["inputs"].items()
    }


def computed(name, bug, case):
    try:
        return VARIANTS[name](bug, **inputs_of(case))
    except Refused:
        if bug == "unchecked":
            return dict.fromkeys(DOCUMENTS[name]["outputs"], math.nan)
        raise


def as_doubles(outputs):
    return {name: float(value) for name, value in outputs.items()}


def exactly(number):
    if isinstance(number, float):
        return Fraction(number)
    sign, mantissa, exponent, _ = mp.mpf(number)._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** exponent


@pytest.mark.parametrize("name", DOCUMENTS)
def test_right_variant_agrees_with_every_vector(name):
    for case in DOCUMENTS[name]["cases"]:
        if name in IN_DOUBLES or case["result"] == "invalid":
            assert not faults(case, lambda case=case: as_doubles(computed(name, "", case))), case["id"]
            continue
        outputs = computed(name, "", case)
        for output, expected in case["outputs"].items():
            value = Fraction(expected["value"])
            allowed = Fraction(expected["radius"]) + MPMATH_ERROR * (abs(value) or 1)
            assert abs(exactly(outputs[output]) - value) <= allowed, f"{case['id']} {output}: {outputs[output]}"


@pytest.mark.parametrize(
    ("name", "bug"), [(name, bug) for name, document in DOCUMENTS.items() for bug in document["flags"]]
)
def test_every_case_that_flags_a_bug_fails_it(name, bug):
    flagged = [case for case in DOCUMENTS[name]["cases"] if bug in case["flags"]]
    assert flagged
    missed = [
        case["id"] for case in flagged if not faults(case, lambda case=case: as_doubles(computed(name, bug, case)))
    ]
    assert not missed
