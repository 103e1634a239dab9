"""Vectors of the privacy loss of one release of Brownian, Laplace and Skellam noise (claims B01, N08, N14)."""

from __future__ import annotations

from fractions import Fraction

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import SUMMED, Flag, Function, case, integers, real, reals

Vector = tuple[Fraction, ...]

_SWAPPED = Flag(
    "value and neighbour change places",
    "the sign of the loss is wrong: a dangerous release looks safe and a harmless one dangerous",
)
_FIRST = Flag(
    "only the first coordinate is counted", "the loss of every other coordinate is never seen and never bounded"
)
_UNCHECKED = Flag(
    "the input is not checked", "an infinity, NaN or a loss of the wrong sign goes on into the accounting"
)


def brownian(time: Fraction, value: Vector, neighbour: Vector, release: Vector) -> dict[str, Fraction]:
    """⟨value − neighbour, 2 release − value − neighbour⟩ / 2t."""
    domain.positive(time=time)
    domain.same_length(value=value, neighbour=neighbour, release=release)
    product = sum(((v - n) * (2 * r - v - n) for v, n, r in zip(value, neighbour, release, strict=True)), Fraction(0))
    return {"loss": product / (2 * time)}


def laplace(time: Fraction, value: Vector, neighbour: Vector, release: Vector) -> dict[str, Fraction]:
    """(‖release − neighbour‖₁ − ‖release − value‖₁) / t."""
    domain.positive(time=time)
    domain.same_length(value=value, neighbour=neighbour, release=release)
    return {
        "loss": sum((abs(r - n) - abs(r - v) for v, n, r in zip(value, neighbour, release, strict=True)), Fraction(0))
        / time
    }


def skellam(rate: Fraction, time: Fraction, value: Vector, neighbour: Vector, release: Vector) -> dict[str, Ball]:
    """Σ log I_{|release − value|}(μ) − log I_{|release − neighbour|}(μ), μ = 2·rate·t."""
    domain.positive(rate=rate, time=time)
    domain.same_length(value=value, neighbour=neighbour, release=release)
    mu = ball(2 * rate * time)
    total: Ball = ball(0)
    for v, n, r in zip(value, neighbour, release, strict=True):
        if abs(r - v) != abs(r - n):
            total += (mu.bessel_i(int(abs(r - v))) / mu.bessel_i(int(abs(r - n)))).log()
    return {"loss": total}


_REALS = {
    "time": real("the time t of the least noisy release so far"),
    "value": reals("f(x), one number for each coordinate"),
    "neighbour": reals("f(x'), for the neighbouring data"),
    "release": reals("the release, at time t"),
}
_LOSS = {"loss": "log p_t(release − value) − log p_t(release − neighbour), natural logarithm"}

BROWNIAN = Function(
    name="brownian-loss",
    statement="Privacy loss of a Brownian release (noise N(0, t) in each coordinate, t is the variance): "
    "loss = ⟨value − neighbour, 2·release − value − neighbour⟩ / (2t). All earlier, noisier releases add nothing.",
    domain="time > 0; value, neighbour and release have the same length ≥ 1; everything finite",
    inputs=_REALS,
    outputs=_LOSS,
    flags={
        "missing-half": Flag("the factor 1/2 is left out", "losses come out twice as large: too much noise is asked"),
        "sd-for-variance": Flag(
            "t is taken for the standard deviation (division by t² instead of t)",
            "the loss is wrong by the factor t: for t > 1 far too small, and the claimed ε is not kept",
        ),
        "swapped": _SWAPPED,
        "missing-square": Flag(
            "the term ‖value − neighbour‖²/2t is left out",
            "the loss is too small on average, by its own mean: a claimed ε is exceeded more often than δ",
        ),
        "first-coordinate": _FIRST,
        "cancellation": Flag(
            "the loss is the difference of two squared distances",
            "digits are lost when the release is far from both values: the accounting is off without notice",
        ),
        "overflow": Flag("distances are squared before they are subtracted", "infinity minus infinity: NaN"),
        "unchecked": _UNCHECKED,
    },
    evaluate=brownian,
    cases=(
        case(1, "one coordinate", "missing-half swapped missing-square", time="1", value=["0"], neighbour=["1"],
             release=["0.25"]),
        case(2, "a time other than 1", "missing-half sd-for-variance swapped missing-square", time="4", value=["1"],
             neighbour=["0"], release=["3.5"]),
        case(3, "decimals that are no doubles", "missing-half sd-for-variance swapped missing-square", time="0.3",
             value=["0.1"], neighbour=["0.7"], release=["-1.9"]),
        case(4, "three coordinates with mixed signs", "missing-half sd-for-variance swapped first-coordinate",
             time="2.5", value=["1", "-2", "0.5"], neighbour=["1.5", "-2.25", "0.125"], release=["3", "-4", "1"]),
        case(5, "the release lies half-way: no loss", "missing-square", time="7", value=["2"], neighbour=["-4"],
             release=["-1"]),
        case(6, "equal values: no loss at any release", "", time="0.5", value=["3", "3"], neighbour=["3", "3"],
             release=["-100", "8"]),
        case(7, "the release is the value itself: half the squared distance over t", "missing-half missing-square",
             time="2", value=["10"], neighbour=["7"], release=["10"]),
        case(8, "hardly any noise", "missing-half sd-for-variance swapped", time="1e-300", value=["0"],
             neighbour=["1"], release=["0.25"]),
        case(9, "very much noise", "sd-for-variance", time="1e300", value=["0"], neighbour=["1"], release=["-1e150"]),
        case(10, "a release far away", "cancellation", time="1e8", value=["0.25"], neighbour=["1.5"],
             release=["1e8"]),
        case(11, "a release at the end of the range", "overflow swapped", time="1e200", value=["0"],
             neighbour=["1"], release=["1e200"]),
        case(12, "values far from 0, close to each other", "missing-half sd-for-variance", time="0.125",
             value=["1000000"], neighbour=["1000001"], release=["1000000.25"]),
        case(13, "time 0", "unchecked", time="0", value=["0"], neighbour=["1"], release=["0"]),
        case(14, "a negative time", "unchecked", time="-1", value=["0"], neighbour=["1"], release=["0"]),
        case(15, "a time that is no number", "unchecked", time="nan", value=["0"], neighbour=["1"], release=["0"]),
        case(16, "an infinite release", "unchecked", time="1", value=["0"], neighbour=["1"], release=["inf"]),
        case(17, "different numbers of coordinates", "unchecked", time="1", value=["0", "0"], neighbour=["1", "1"],
             release=["0.5"]),
    ),
)  # fmt: skip

LAPLACE = Function(
    name="laplace-loss",
    statement="Privacy loss of a Laplace release (density e^(−|x|/t)/2t in each coordinate, t is the scale): "
    "loss = (‖release − neighbour‖₁ − ‖release − value‖₁) / t. All earlier, noisier releases add nothing.",
    domain="time > 0; value, neighbour and release have the same length ≥ 1; everything finite",
    inputs=_REALS,
    outputs=_LOSS,
    flags={
        "extra-half": Flag(
            "a factor 1/2, as for Gaussian noise", "losses come out half as large as they are: ε is claimed twice"
        ),
        "variance-for-scale": Flag(
            "t is taken for the variance (scale √(t/2))", "the loss is wrong by a factor that depends on t"
        ),
        "swapped": _SWAPPED,
        "first-coordinate": _FIRST,
        "euclidean": Flag(
            "ℓ₂ distances instead of ℓ₁", "with several coordinates the loss comes out too small: ε is not kept"
        ),
        "cancellation": Flag(
            "two distances are subtracted when the release is far away", "the loss comes out 0, or with few digits"
        ),
        "unchecked": _UNCHECKED,
    },
    evaluate=laplace,
    cases=(
        case(1, "between the two values", "extra-half swapped", time="1", value=["0"], neighbour=["1"],
             release=["0.25"]),
        case(2, "beyond both values: the bound |value − neighbour|/t", "extra-half variance-for-scale swapped",
             time="4", value=["1"], neighbour=["0"], release=["3.5"]),
        case(3, "beyond both values on the other side", "extra-half variance-for-scale swapped", time="0.3",
             value=["0.1"], neighbour=["0.7"], release=["0.95"]),
        case(4, "three coordinates with mixed signs",
             "extra-half variance-for-scale swapped first-coordinate euclidean", time="2.5",
             value=["1", "-2", "0.5"], neighbour=["1.5", "-2.25", "0.125"], release=["3", "-4", "1"]),
        case(5, "the release lies half-way: no loss", "", time="7", value=["2"], neighbour=["-4"], release=["-1"]),
        case(6, "equal values", "", time="0.5", value=["3", "3"], neighbour=["3", "3"], release=["-100", "8"]),
        case(7, "the release is the value itself: the bound is attained", "extra-half variance-for-scale swapped",
             time="3", value=["10"], neighbour=["7"], release=["10"]),
        case(8, "hardly any noise", "extra-half variance-for-scale swapped", time="1e-300", value=["0"],
             neighbour=["1"], release=["-0.25"]),
        case(9, "a release far away", "cancellation", time="1", value=["0.1"], neighbour=["0.7"],
             release=["1e17"]),
        case(10, "a release at the end of the range", "cancellation", time="4", value=["0"], neighbour=["3"],
             release=["-1e300"]),
        case(11, "time 0", "unchecked", time="0", value=["0"], neighbour=["1"], release=["0"]),
        case(12, "a negative time", "unchecked", time="-2", value=["0"], neighbour=["1"], release=["0"]),
        case(13, "a value that is no number", "unchecked", time="1", value=["nan"], neighbour=["1"], release=["0"]),
    ),
)  # fmt: skip

SKELLAM = Function(
    name="skellam-loss",
    statement="Privacy loss of a Skellam release (noise = difference of two independent Poisson variables of mean "
    "rate·t each, μ = 2·rate·t its variance): loss = Σ log I_|release − value|(μ) − log I_|release − neighbour|(μ), "
    "I_k the modified Bessel function of the first kind.",
    domain="rate > 0, time > 0; value, neighbour and release are lists of integers of the same length ≥ 1",
    inputs={
        "rate": real("the rate of each of the two Poisson processes"),
        "time": _REALS["time"],
        "value": integers("f(x), one integer for each coordinate"),
        "neighbour": integers("f(x'), for the neighbouring data"),
        "release": integers("the release, at time t"),
    },
    outputs=_LOSS,
    flags={
        "missing-2": Flag(
            "μ = rate·t instead of 2·rate·t",
            "the loss of half the noise is computed; where the sampler makes the same mistake, half the noise is added",
        ),
        "swapped": _SWAPPED,
        "first-coordinate": _FIRST,
        "gaussian": Flag(
            "the loss of Gaussian noise of the same variance", "at small μ the true loss is larger: ε is not kept"
        ),
        "underflow": Flag(
            "two Bessel functions are computed in double precision and divided",
            "0/0 or ∞/∞ where the order is far above the argument or the argument is large",
        ),
        "unchecked": _UNCHECKED,
    },
    evaluate=skellam,
    roundings=SUMMED,
    logarithms=frozenset({"loss"}),
    cases=(
        case(1, "one coordinate", "missing-2 swapped gaussian", rate="1", time="1", value=["0"], neighbour=["1"],
             release=["0"]),
        case(2, "the release lies beyond the neighbour", "missing-2 swapped gaussian", rate="1", time="2.5",
             value=["0"], neighbour=["1"], release=["4"]),
        case(3, "rate and time both count", "missing-2 swapped gaussian", rate="0.25", time="6", value=["-3"],
             neighbour=["-1"], release=["-7"]),
        case(4, "two coordinates", "missing-2 swapped first-coordinate gaussian", rate="3", time="0.5",
             value=["2", "0"], neighbour=["1", "2"], release=["5", "4"]),
        case(5, "two coordinates, one without loss", "missing-2 swapped", rate="1", time="1", value=["2", "0"],
             neighbour=["1", "2"], release=["4", "1"]),
        case(6, "half-way between the values: no loss", "", rate="1", time="1", value=["0"], neighbour=["4"],
             release=["2"]),
        case(7, "little noise, a release far out: order 120 at argument 0.02", "missing-2 swapped gaussian underflow",
             rate="1", time="0.01", value=["0"], neighbour=["-120"], release=["0"]),
        case(8, "order 300 at argument 1", "missing-2 swapped gaussian underflow", rate="0.5", time="1",
             value=["-299"], neighbour=["-300"], release=["0"]),
        case(9, "argument 2000", "missing-2 swapped underflow", rate="1", time="1000", value=["0"],
             neighbour=["10"], release=["25"]),
        case(10, "argument 2·10⁶: the loss is nearly Gaussian", "missing-2 swapped underflow", rate="1000",
             time="1000", value=["0"], neighbour=["1"], release=["3000"]),
        case(11, "time 0", "unchecked", rate="1", time="0", value=["0"], neighbour=["1"], release=["0"]),
        case(12, "rate 0", "unchecked", rate="0", time="1", value=["0"], neighbour=["1"], release=["0"]),
        case(13, "a release that is no integer", "unchecked", rate="1", time="1", value=["0"], neighbour=["1"],
             release=["0.5"]),
    ),
)  # fmt: skip
