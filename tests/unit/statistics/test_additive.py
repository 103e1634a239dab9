"""State that adds up: merged parts are the whole, and no attribute can be forgotten."""

import pickle

import numpy as np
import pytest

from nrverify.statistics.additive import Additive, First, Tally
from nrverify.statistics.lag_wealth import LagWealth
from nrverify.statistics.portfolio import Portfolio
from nrverify.statistics.wealth import BinWealth, ExponentialWealth, MeanWealth, RatioWealth, ScaleWealth, TieWealth

RNG = np.random.default_rng(5)
Z = RNG.standard_normal(600)
COINS = RNG.random(600) < 0.3

BETTORS = {
    "scale": (ScaleWealth, lambda bet, part: bet.bet(Z[part])),
    "mean": (lambda: MeanWealth(slopes=True), lambda bet, part: bet.bet(Z[part], COINS[part] - 0.3)),
    "exponential": (ExponentialWealth, lambda bet, part: bet.bet(np.abs(Z[part]))),
    "ties": (lambda: TieWealth(along=True), lambda bet, part: bet.bet(COINS[part], 0.3, Z[part])),
    "cells": (lambda: BinWealth(np.array([0.3, 0.7])), lambda bet, part: bet.bet([COINS[part].sum(), 5.0])),
    "ratio": (lambda: RatioWealth(["a", "b"]), lambda bet, part: bet.bet({"a": Z[part].sum(), "b": 1.0})),
    "lag": (LagWealth, lambda bet, part: bet.bet(Z[part, None], np.ones((Z[part].size, 1), dtype=bool))),
    "portfolio": (
        lambda: Portfolio({"a": (1.0, ScaleWealth()), "b": (3.0, MeanWealth())}),
        lambda bet, part: [one.bet(Z[part]) for one in bet.bets.values()],
    ),
}


@pytest.mark.parametrize("name", BETTORS)
def test_merged_parts_are_the_whole_whatever_worker_saw_them(name):
    make, see = BETTORS[name]
    whole, parts = make(), make()
    for part in (slice(0, 200), slice(200, 600)):
        see(whole, part)
        fresh = pickle.loads(pickle.dumps(parts.empty_copy()))
        see(fresh, part)
        parts.merge(fresh)
    assert parts.log_e == pytest.approx(whole.log_e, rel=1e-12)
    assert parts.empty_copy().log_e == pytest.approx(make().log_e, abs=1e-12)


def test_a_fresh_copy_shares_nothing_with_what_it_was_made_from():
    first = BinWealth(np.array([0.5, 0.5]))
    first.bet([3.0, 4.0])
    fresh = first.empty_copy()
    fresh.bet([1.0, 1.0])
    assert first.counts.tolist() == [3.0, 4.0]
    assert fresh.counts.tolist() == [1.0, 1.0]
    assert fresh.weights is first.weights


class Everything(Additive):
    configuration = ("name",)

    def __init__(self):
        self.name = "n"
        self.count = 0
        self.total = np.zeros(2)
        self.parts = {"a": ScaleWealth()}
        self.found = Tally()
        self.example = First()
        self.nothing = None


def test_every_kind_of_sum_adds_up():
    one, other = Everything(), Everything()
    for at, each in enumerate((one, other), start=1):
        each.count += at
        each.total += at
        each.parts["a"].bet(np.full(at, 2.0))
        each.found[at] = np.array([float(at)])
        each.example.offer(f"example {at}")
    one.merge(other)
    assert (one.count, one.total.tolist(), one.parts["a"].count) == (3, [3.0, 3.0], 3)
    assert {key: value.tolist() for key, value in one.found.items()} == {1: [1.0], 2: [2.0]}
    assert (one.example.value, one.nothing, one.name) == ("example 1", None, "n")
    one.merge(other)
    assert one.found[2].tolist() == [4.0]
    assert other.found[2].tolist() == [2.0], "what was merged is not changed by a later merge"
    blank = one.empty_copy()
    assert (blank.count, blank.total.tolist(), blank.found, blank.example.value) == (0, [0.0, 0.0], {}, None)


@pytest.mark.parametrize("value", ["text", True, [1, 2], {1, 2}, object()])
def test_an_attribute_that_does_not_add_up_must_be_declared(value):
    thing = Everything()
    thing.new = value
    with pytest.raises(TypeError, match=r"Everything\.new is .* list it in `configuration`"):
        thing.empty_copy()
