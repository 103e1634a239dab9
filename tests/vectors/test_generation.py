"""How vectors are made: decimals correctly rounded, roots and sums enclosed, tolerances from the condition."""

import math
from fractions import Fraction

import pytest
from flint import acb, arb, ctx
from mpmath import mp

from nrverify.vectors.ball import Uncertain, ball, ceiling, root
from nrverify.vectors.case import Flag, Function, Invalid, case, real
from nrverify.vectors.crossing_sums import grid, line
from nrverify.vectors.decimals import Between, decimal, ends, exact_input, text, upper
from nrverify.vectors.document import document, entry
from nrverify.vectors.skellam_sums import at_least, bridge_at_least, ratio


@pytest.fixture(autouse=True)
def precision():
    with ctx.workprec(200):
        yield


@pytest.mark.parametrize(
    ("number", "digits", "value", "radius"),
    [
        (Fraction(1, 3), 5, "0.33333", "0.000005"),
        (Fraction(2, 3), 3, "0.667", "0.0005"),
        (Fraction(-1, 8), 40, "-0.125", "0"),
        (Fraction(1, 8), 2, "0.12", "0.005"),
        (Fraction(10**30), 3, "1e30", "0"),
        (Fraction(1, 10**7), 3, "1e-7", "0"),
        (Fraction(999_999), 3, "1000000", "500"),
        (Fraction(0), 3, "0", "0"),
    ],
)
def test_decimals_are_rounded_correctly(number, digits, value, radius):
    found = decimal(number, digits)
    assert (found.value, found.radius) == (value, radius)
    assert abs(Fraction(found.value) - number) <= Fraction(found.radius)


def test_ball_around_a_power_of_ten_is_rounded():
    found = decimal(arb(1, arb(2) ** -190), 30)
    assert found.value == "1"
    assert Fraction(found.radius) >= Fraction(1, 2**190)


def test_ball_too_wide_to_round_is_uncertain():
    for undecided in (arb(1, 0.01), arb(0, 0.01), ball(Fraction(1, 3)) * arb(0).pos_inf()):
        with pytest.raises(Uncertain):
            decimal(undecided, 20)


def test_enclosure_contains_both_its_ends():
    low, high = Fraction(1234567, 10**9), Fraction(1234987, 10**9)
    found = decimal(Between(ball(low), ball(high)), 30)
    value, radius = Fraction(found.value), Fraction(found.radius)
    assert value - radius <= low < high <= value + radius
    assert radius <= Fraction(6, 10) * (high - low)


def test_upper_is_the_next_decimal_of_two_digits():
    assert upper(Fraction(1001, 10**8)) == "0.000011"
    assert upper(Fraction(11, 10**6)) == "0.000011"
    assert upper(Fraction(0)) == "0"
    assert text(-5, 3) == "-5000"


def test_inputs_are_exactly_what_is_written():
    assert exact_input("x", real(""), "1e-300") == Fraction(1, 10**300)
    assert exact_input("x", real("", infinite=True), "inf") == math.inf
    for wrong in ("nan", "inf", "-inf"):
        with pytest.raises(Invalid):
            exact_input("x", real(""), wrong)


def test_root_is_enclosed():
    found = root(lambda x: x * x - 2, arb(1), arb(2), rising=True)
    assert found.contains(arb(2).sqrt())
    assert found.rel_accuracy_bits() > 150
    far = root(lambda x: 3 - x.log(), arb(1), arb(2), rising=False)
    assert far.overlaps(arb(3).exp())


def test_root_without_a_change_of_sign_is_uncertain():
    with pytest.raises(Uncertain):
        root(lambda x: x + 1, arb(1), arb(2), rising=True)


def test_ceiling_of_a_ball_around_an_integer_is_uncertain():
    assert ceiling(arb("2.5")) == 3
    with pytest.raises(Uncertain):
        ceiling(arb(2, 0.001))


def test_bessel_ratios_and_skellam_sums_agree_with_mpmath():
    with mp.workdps(60):
        for order, x in ((0, 0.5), (3, 40), (50, 2), (7, 300)):
            exact = mp.besseli(order + 1, x) / mp.besseli(order, x)
            assert abs(ratio(order, ball(Fraction(x))) - arb(mp.nstr(exact, 55))) < 1e-40
        tail = mp.fsum(mp.exp(-6) * mp.besseli(j, 6) for j in range(4, 120))
        assert abs(at_least(4, Fraction(6)) - arb(mp.nstr(tail, 55))) < 1e-40
        whole = mp.besseli(2, 7)
        share = mp.fsum(mp.besseli(abs(j), 3) * mp.besseli(abs(-2 - j), 4) for j in range(1, 120)) / whole
        assert abs(bridge_at_least(1, Fraction(3), Fraction(4), -2) - arb(mp.nstr(share, 55))) < 1e-40


def test_crossings_of_two_and_three_looks_are_those_of_the_joint_density():
    """The defining double integral, over the two first looks, by Arb: another way than through the middle look."""
    t, h = [arb(1), arb(2), arb(4)], [arb(1), arb("1.5"), arb(2)]

    def density(x, variance):
        return (-x * x / (2 * variance)).exp() / (2 * arb.pi() * variance).sqrt()

    def tail(x):
        return (x / arb(2).sqrt()).erfc() / 2

    goal = arb(10) ** -11

    def later(y, _):
        return density(y, arb(1)) * tail((h[2] - y - later.x) / (t[2] - t[1]).sqrt())

    def outer(x, _):
        later.x = x
        stays = acb.integral(later, acb(-9), acb(h[1]) - x, rel_tol=goal, abs_tol=goal)
        return density(x, t[0]) * (stays + tail(h[1] - x))

    with ctx.workprec(64):
        first = tail(h[0])
        crossing = first + acb.integral(outer, acb(-9), acb(h[0]), rel_tol=goal, abs_tol=goal).real
    assert abs(grid(t, h) - crossing) < 1e-9


def test_line_on_an_interval_is_the_limit_of_its_ends():
    whole = line(arb(1), arb(2), arb(0), None)
    assert whole.overlaps((-arb(4)).exp())
    long = line(arb(1), arb(2), arb(0), arb(1000))
    assert abs(long - whole) < 1e-40
    assert abs(line(arb(1), arb(2), arb(10) ** -40, arb(3)) - line(arb(1), arb(2), arb(0), arb(3))) < 1e-30


def _function(evaluate, *cases, **options):
    return Function(
        name="some-function", statement="", domain="", inputs={"x": real("")}, outputs={"y": ""},
        flags={"bug": Flag("", "")}, cases=cases, evaluate=evaluate, **options,
    )  # fmt: skip


def test_precision_is_raised_until_every_digit_is_certain():
    def cancelling(x):
        huge = arb(10) ** 400
        return {"y": (ball(x) + huge) - huge}

    found = entry(_function(cancelling, case(1, "", "", x="0.3")), case(1, "", "", x="0.3"))
    assert found["outputs"]["y"]["value"] == "0.3"


def test_tolerance_is_the_condition_of_the_function():
    """x^1000 has the condition number 1000; log x close to 1 has 1/|log x|, also as a logarithm."""
    power = _function(lambda x: {"y": ball(x) ** 1000}, case(1, "", "", x="1.5"))
    tolerance = float(document(power)["cases"][0]["outputs"]["y"]["tolerance"])
    assert tolerance == pytest.approx(16 * 2**-53 * 1001, rel=0.1)
    logarithm = _function(lambda x: {"y": ball(x).log()}, case(1, "", "", x="1.001"), logarithms=frozenset({"y"}))
    tolerance = float(document(logarithm)["cases"][0]["outputs"]["y"]["tolerance"])
    assert tolerance == pytest.approx(16 * 2**-53 * (1 + 2 / math.log(1.001)), rel=0.1)


def test_ends_of_a_ball_are_exact():
    third = ball(Fraction(1, 3))
    low, high = ends(third)
    assert low < Fraction(1, 3) < high
    assert high - low < Fraction(1, 2**190)
    assert ends(arb(-2)) == (-2, -2)
