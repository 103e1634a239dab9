"""The source of an audit of records: one task, in looks, until the records are used up or something is refuted."""

import numpy as np

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.records.random_order import MOST_AT_ONCE, RecordedOrder
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.statistics.additive import Additive


class Counts(Additive):
    """A check that counts what it is shown."""

    def __init__(self):
        self.neighbour = self.value = self.tossed = 0


def show(order, setting, size, checks):
    portion = order.unused.take(size)
    for check in checks:
        check.neighbour += portion.neighbour.stop - portion.neighbour.start
        check.value += portion.value.stop - portion.value.start
        check.tossed += 0 if portion.label is None else portion.label.size


def used(sides, samples=10**6, numbers=1, refuted=lambda: False):
    check, steps = Counts(), []
    order = RecordedOrder(sides, Settings(samples=samples), lambda drawn, total: steps.append((drawn, total)))
    reason = order.run(lambda look: [SamplingTask("recorded", None, show, (check,), 1.0, numbers)], refuted)
    return check, reason, order, steps


def test_every_record_is_used_once():
    check, reason, order, steps = used((300, 500))
    assert (check.neighbour, check.value, reason, order.drawn, order.left) == (300, 500, "samples", 800, 0)
    assert steps[0] == (64, 800)
    assert steps[-1] == (800, 800)
    assert check.tossed < 800


def test_no_more_are_used_than_samples():
    check, reason, order, _ = used((300, 500), samples=100)
    assert check.neighbour + check.value == order.drawn == 100
    assert reason == "samples"


def test_a_refutation_ends_it_after_the_look():
    check, reason, order, _ = used((300, 500), refuted=lambda: True)
    assert (reason, order.drawn, check.tossed) == ("refuted", 64, 64)


def test_records_of_many_numbers_are_read_a_few_at_a_time():
    sizes = []

    def note(order, setting, size, checks):
        sizes.append(size)
        order.unused.take(size)

    order = RecordedOrder((4000, 4000), Settings())
    order.run(lambda look: [SamplingTask("recorded", None, note, (), 1.0, 10**5)], lambda: False)
    assert max(sizes) == 20
    sizes.clear()
    order = RecordedOrder((40_000, 40_000), Settings())
    order.run(lambda look: [SamplingTask("recorded", None, note, (), 1.0, 1)], lambda: False)
    assert max(sizes) == MOST_AT_ONCE
    assert np.sum(sizes) >= 80_000
