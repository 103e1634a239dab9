"""An audit gives the same report whoever draws: one process, several, or a cluster, whatever is done first."""

import pickle

import numpy as np
import pytest

from nrverify import audit
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.audit import NoiseReductionMechanism
from nrverify.auditing.sampling.work_units import Worker
from nrverify.auditing.sampling.workers import Here, Workers
from nrverify.reference.mutants import BENIGN, MUTANTS
from nrverify.subjects.adapter import Adapter
from tests.auditing import subjects

NAMED = {variant.name: variant.subject for variant in (*BENIGN, *MUTANTS)}


def document(subject, **options):
    found = audit(subject, **options).document()
    for name in ("seconds", "subject_seconds"):
        found["run"].pop(name)
    return found


@pytest.mark.parametrize(
    ("name", "samples"),
    [
        ("brownian-bridge", 2_500),
        ("brownian-sample-only", 5_000),
        ("brownian-refuses-small-times", 1_500),
        ("laplace-walk", 2_500),
        ("skellam-thinning", 600),
        ("epsilon-brownian", 1_500),
        ("epsilon-laplace", 1_500),
        ("epsilon-brownian-with-times", 1_500),
        ("threshold", 6_000),
        ("reduced-threshold-lazy", 3_000),
        ("stopping", 1_200),
        ("brownian-variance-for-deviation", 200_000),
        ("threshold-redrawn", 200_000),
    ],
)
def test_three_processes_report_what_one_does(name, samples, monkeypatch):
    # Cases that come late are to come here, too.
    monkeypatch.setattr("nrverify.auditing.noise_reduction.design.cases.AT_ONCE_AFTER", 2**11)
    monkeypatch.setattr("nrverify.auditing.noise_reduction.design.cases.DENSE_AFTER", 2**9)
    assert document(NAMED[name], samples=samples, seed=3) == document(NAMED[name], samples=samples, seed=3, jobs=3)


def test_a_subject_that_cannot_be_loaded_or_fails_is_told_alike():
    assert (
        document("python:no_such_module:Name", jobs=2)["message"] == document("python:no_such_module:Name")["message"]
    )

    class Fails(subjects.Right):
        def sample(self, value, schedule, sessions, seed):
            if sessions > 40:
                raise RuntimeError("too many")
            return super().sample(value, schedule, sessions, seed)

    alone, together = document(Fails(), samples=20_000), document(Fails(), samples=20_000, jobs=2)
    assert alone == together
    assert "too many" in alone["message"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "spark"}, "must be one of local, dask"),
        ({"engine": "dask"}, "needs the address of a scheduler"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "is for the engine dask"),
        ({"jobs": 0}, "must be at least 1"),
    ],
)
def test_an_engine_that_makes_no_sense_is_a_mistake(options, words):
    with pytest.raises(ValueError, match=words):
        audit(subjects.Right(), **options)


class Local(Adapter):
    """A subject in this very process."""

    seconds = 0.0
    timeout = 60.0


@pytest.fixture(scope="module", params=["brownian-bridge", "laplace-walk", "skellam-thinning", "epsilon-brownian"])
def drawn(request):
    """A mechanism and what there is for its checks to score, in a few chunks."""
    subject = NAMED[request.param]
    host = Local(subject() if isinstance(subject, type) else subject)
    mechanism = NoiseReductionMechanism(host, Settings())
    work = [(task.setting, task.score, task.checks) for task in mechanism.tasks(0, 0)]
    return host, mechanism, work


def chunk(setting, score, size, number):
    from nrverify.auditing.sampling.work_units import Chunk

    return Chunk(setting, score, size, Settings(), 1000 * number, (number,))


def results(checks):
    return [check.conclude(1e-8) for check in checks]


def test_a_chunk_is_scored_alike_here_and_after_a_journey(drawn):
    """What goes to another process and comes back is what would have been here, to the last bit."""
    import pickle

    host, _, work = drawn
    for number, (setting, score, checks) in enumerate(work):
        load = [(chunk(setting, score, 24, number), tuple(check.empty_copy() for check in checks))]
        here = Worker(host).run(load)
        there = pickle.loads(pickle.dumps(Worker(host).run(pickle.loads(pickle.dumps(load)))))
        one, other = ([check.empty_copy() for check in checks] for _ in range(2))
        for own, scored in ((one, here), (other, there)):
            for check, seen in zip(own, scored[0].checks, strict=True):
                check.merge(seen)
        assert results(one) == results(other)


def test_fresh_checks_have_seen_nothing_and_fresh_ones_of_theirs_are_the_same(drawn):
    host, mechanism, work = drawn
    blank = results(check.empty_copy() for check in mechanism.checks)
    for number, (setting, score, checks) in enumerate(work):
        outcome = Worker(host).run([(chunk(setting, score, 24, number), tuple(checks))])[0]
        assert outcome.failed is outcome.refused is None
        for check, seen in zip(checks, outcome.checks, strict=True):
            check.merge(seen)
    assert results(check.empty_copy() for check in mechanism.checks) == blank
    assert results(check.empty_copy().empty_copy() for check in mechanism.checks) == blank
    assert results(mechanism.checks) != blank


def test_outcomes_come_in_the_order_of_the_work_and_no_more_are_under_way_than_allowed():
    from concurrent.futures import Future

    class Late(Here):
        """Finishes what it was given last first."""

        def __init__(self):
            self.open = []
            self.most = 0

        def submit(self, fn, /, *args, **kwargs):
            future = Future()
            self.open.append((future, fn(*args)))
            self.most = max(self.most, len(self.open))
            if len(self.open) == 4:
                while self.open:
                    waiting, result = self.open.pop()
                    waiting.set_result(result)
            return future

    executor = Late()
    found = list(Workers(executor, lambda load: load, 4).outcomes([i] for i in range(16)))
    assert found == list(range(16))
    assert executor.most == 4


def test_the_auditors_own_numbers_depend_on_the_place_of_a_chunk_alone():
    from nrverify.auditing.sampling.drawer import Drawer

    first, again, other = (Drawer(None, Settings(seed=1), 0, key).rng.random(4) for key in ((1, 2), (1, 2), (2, 1)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("mechanism", ["brownian", "laplace", "skellam", "discrete-laplace", "discrete-gaussian"])
def test_what_is_known_of_a_kind_of_noise_travels_to_other_processes(mechanism):
    from nrverify.auditing.noise_reduction.checks.lattice import Lattice
    from nrverify.subjects.noise_families import FAMILIES

    check = Lattice(variance=FAMILIES[mechanism].variance)
    assert pickle.loads(pickle.dumps(check)).variance is check.variance
