"""A look is laid out before it is drawn: all of it, in pieces that memory bounds, with seeds that nobody else has."""

import time
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.sampler import Sampler
from nrverify.auditing.sampling.work_units import (
    LOT_SECONDS,
    MOST_NUMBERS,
    ChunkResult,
    SamplingTask,
    Turns,
    counts,
    sizes,
)
from nrverify.auditing.sampling.workers import Here, Workers
from nrverify.subjects.errors import SubjectFailed


def task(name="a task", weight=1.0, numbers=10, checks=(), fewest=1):
    return SamplingTask(name, name, None, checks, weight, numbers, fewest)


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=30), st.integers(0, 10**9))
def test_a_look_is_divided_over_its_tasks_without_a_rest(weights, total):
    found = counts([task(weight=weight) for weight in weights], total)
    assert sum(found) == total
    assert all(abs(count - weight / sum(weights) * total) <= 1.01 for count, weight in zip(found, weights, strict=True))


@given(st.lists(st.floats(0.05, 1), min_size=1, max_size=30), st.lists(st.integers(0, 500), min_size=1, max_size=60))
def test_small_looks_go_to_some_tasks_by_turns_and_after_a_large_one_each_has_had_its_share(weights, looks):
    turns, tasks = Turns(), [task(weight=weight, fewest=16) for weight in weights]
    drawn = np.array(turns.counts(tasks, 64))
    assert np.abs(drawn - 64 * np.array(weights) / sum(weights)).max() <= 1.01
    for look in [*looks, 10**6]:
        found = turns.counts(tasks, look)
        assert sum(found) == look
        assert min(found) >= 0
        assert sum(count > 0 for count in found) <= max(1, look // 16)
        drawn += found
    owed = np.array(weights) / sum(weights) * drawn.sum() - drawn
    assert np.abs(owed).max() <= 1.01


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_task_is_cut_into_equal_powers_of_two_and_a_rest(count, most):
    found = list(sizes(count, max(most, count // 50 + 1)))
    assert sum(found) == count
    assert all(0 < size <= max(most, count // 50 + 1) for size in found)
    assert len({*found[:-1]}) <= 1
    assert all(size & (size - 1) == 0 for size in found[:-1])


@dataclass
class Silent:
    """A host that nothing is asked of."""

    seconds: float = 0.0


@dataclass
class Crowd:
    """Takes down what is to be drawn, and says what became of it."""

    pace: float = 1e-6
    drawn: list = field(default_factory=list)
    calls: int = 0
    refuses: str = ""
    fails_at: int | None = None

    def __call__(self, load):
        self.calls += 1
        outcomes = []
        for chunk, _ in load:
            self.drawn.append(chunk)
            seconds = self.pace * chunk.size
            refused = "not here" if self.refuses and chunk.setting == self.refuses else None
            failed = "worn out" if self.fails_at == len(self.drawn) else None
            outcomes.append(ChunkResult((), seconds, seconds, refused, failed))
        return outcomes


def sampler(crowd, load=0.0, **settings):
    return Sampler(Silent(), Settings(**settings), Workers(Here(), crowd, 1, load))


def test_everything_is_drawn_once_with_seeds_of_its_own():
    crowd = Crowd()
    tasks = [task("small", 1.0, 3), task("large", 2.0, 9)]
    assert sampler(crowd, samples=300_000).run(lambda _: tasks, lambda: False) == "samples"
    assert sum(chunk.size for chunk in crowd.drawn) == 300_000
    seeds = [seed for chunk in crowd.drawn for seed in (chunk.first, chunk.first + chunk.size - 1)]
    assert seeds == sorted(seeds)
    assert seeds[0] >= 2**20
    assert len({chunk.key for chunk in crowd.drawn}) == len(crowd.drawn)
    numbers = {"small": 3, "large": 9}
    assert all(chunk.size * numbers[chunk.setting] <= MOST_NUMBERS for chunk in crowd.drawn)
    assert max(chunk.size for chunk in crowd.drawn if chunk.setting == "large") == 2**14


@pytest.mark.parametrize("pace", [1e-7, 1e-4])
def test_the_layout_does_not_depend_on_how_fast_a_subject_is_nor_on_how_much_goes_into_a_call(pace):
    """Even at 0.1 ms a session, and 20 s in all."""
    plain, other = Crowd(pace=1e-6), Crowd(pace=pace)
    for crowd, load in ((plain, 0.0), (other, 0.5)):
        sampler(crowd, load, samples=200_000).run(lambda _: [task(str(n), 1.0 + n) for n in range(12)], lambda: False)
    assert plain.drawn == other.drawn
    assert other.calls < plain.calls == len({(*chunk.key[:2], chunk.lot) for chunk in plain.drawn}) < len(plain.drawn)


def test_a_subject_so_slow_that_a_request_would_outlast_its_limit_is_asked_for_less_at_once():
    crowd = Crowd(pace=0.01)
    sampler(crowd, samples=20_000, budget=1e4, timeout=3.0).run(lambda _: [task()], lambda: False)
    assert max(chunk.size for chunk in crowd.drawn) == 64
    assert sum(chunk.size for chunk in crowd.drawn) == 20_000


def test_a_budget_of_time_ends_the_run_wherever_the_time_was_spent(monkeypatch):
    crowd = Crowd(pace=0.01)
    monkeypatch.setattr(time, "monotonic", lambda: 0.01 * sum(chunk.size for chunk in crowd.drawn))
    run = sampler(crowd, samples=10**6, budget=5.0)
    assert run.run(lambda _: [task("a"), task("b")], lambda: False) == "time"
    assert 500 <= run.drawn < 700


def test_the_budget_is_looked_at_about_every_second_of_a_slow_subject():
    crowd = Crowd(pace=0.02)
    tasks = [task(str(number)) for number in range(20)]
    sampler(crowd, samples=3000, budget=1e4).run(lambda _: tasks, lambda: False)
    lots = {}
    for chunk in crowd.drawn[len(tasks) :]:  # of the first look nothing is known beforehand
        lots.setdefault((*chunk.key[:2], chunk.lot), []).append(chunk.size)
    assert all(0.02 * sum(lot) <= LOT_SECONDS or len(lot) == 1 for lot in lots.values())
    assert any(len(lot) > 1 for lot in lots.values())


def test_what_single_requests_took_is_the_pace_of_the_first_look():
    crowd = Crowd()
    run = sampler(crowd, samples=64)
    run.requests.drawn, run.requests.host.seconds = 10, 10.0
    run.run(lambda _: [task(str(number)) for number in range(20)], lambda: False)
    assert len({chunk.lot for chunk in crowd.drawn}) == 20


def test_a_failure_ends_the_run_after_what_came_before_it_was_taken_in():
    run = sampler(Crowd(fails_at=5), samples=10_000)
    with pytest.raises(SubjectFailed, match="worn out"):
        run.run(lambda _: [task("a"), task("b")], lambda: False)
    assert run.drawn == 64 + 16 + 8


def test_what_is_refused_is_asked_again_elsewhere_and_not_counted():
    crowd = Crowd(refuses="wide")
    run = sampler(crowd, samples=100)
    moved = []

    def narrower(refused, reason):
        moved.append((refused.setting, reason))
        return task("narrow")

    assert run.run(lambda _: [task("wide"), task("other")], lambda: False, narrower) == "samples"
    assert set(moved) == {("wide", "not here")}
    assert run.drawn == 100 == sum(chunk.size for chunk in crowd.drawn if chunk.setting != "wide")
    with pytest.raises(SubjectFailed, match="refuses every setting tried: not here"):
        sampler(crowd, samples=100).run(lambda _: [task("wide")], lambda: False, lambda refused, _: refused)


def test_seeds_are_scattered_and_below_two_to_the_53():
    seeds = {Drawer(Silent(), Settings(seed=seed), first).seed() for seed in (0, 7) for first in range(0, 2**30, 2**20)}
    assert len(seeds) == 2 * 2**10
    assert all(0 <= seed < 2**53 for seed in seeds)
    # Their lowest bits fill their range: a seed cut down to them collides no more than chance has it.
    assert len({seed % 2**16 for seed in seeds}) > 1900
    assert np.std([seed / 2**53 for seed in seeds]) == pytest.approx(12**-0.5, rel=0.1)
