"""A certificate decides by balls alone, and never guesses when they overlap."""

import pytest
from flint import arb

from nrverify.ledger import Refuted, Undecided
from nrverify.ledger.enclosure import Enclosure, certainly
from nrverify.ledger.record import Record


@pytest.fixture
def enclosure():
    return Enclosure(Record())


def test_separated_balls_are_ordered_and_reversed_ones_refuted(enclosure):
    enclosure.less("order", arb(1), arb(2))
    with pytest.raises(Refuted):
        enclosure.less("reversed", arb(2), arb(1))


def test_overlapping_balls_are_undecided(enclosure):
    with pytest.raises(Undecided):
        enclosure.less("overlap", arb(1, 0.5), arb(1.2, 0.5))


def test_a_number_agrees_with_an_enclosure_only_within_its_accuracy(enclosure):
    enclosure.agrees("pi", 3.141592653589793, arb.pi(), relative=1e-15)
    with pytest.raises(Refuted):
        enclosure.agrees("pi", 3.1415926, arb.pi(), relative=1e-12)
    with pytest.raises(Refuted):
        enclosure.agrees("nan", float("nan"), arb.pi(), relative=1e-12)
    with pytest.raises(Undecided):
        enclosure.agrees("wide", 3.0, arb(3, 0.1), relative=1e-3)


def test_an_inequality_is_certified_on_a_whole_box_by_bisection(enclosure):
    def square_above(bound):
        return lambda p: certainly(p[0] * p[0] - p[0] + arb(1) > bound, p[0] * p[0] - p[0] + arb(1) <= bound)

    enclosure.everywhere("x² − x + 1 > 0.74", [(-3.0, 3.0)], square_above(arb("0.74")))
    with pytest.raises(Refuted):
        enclosure.everywhere("x² − x + 1 > 0.76", [(-3.0, 3.0)], square_above(arb("0.76")))
    with pytest.raises(Undecided):
        enclosure.everywhere("x² − x + 1 > 0.75", [(-3.0, 3.0)], square_above(arb("0.75")), max_boxes=200)
