"""What comes of calls on a cluster, told by a client that does what Dask's does at awkward moments."""

from concurrent.futures import CancelledError, Future

import pytest

from nrverify import cluster
from nrverify.cluster import Calls, ClusterFailed, OneAtATime


class Pending:
    """A future of Dask's, as far as it is used."""

    def __init__(self, outcome, status):
        self.outcome, self.status, self.cancelled_by_us = outcome, status, False

    def add_done_callback(self, call):
        self.call = call

    def done(self):
        self.call(self)

    def cancel(self):
        self.cancelled_by_us = True

    def result(self):
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


class Client:
    def __init__(self, future):
        self.future = future

    def submit(self, fn, *args, pure, retries):
        assert not pure
        assert retries > 0
        return self.future


def submitted(outcome, status):
    theirs = Pending(outcome, status)
    return theirs, Calls(Client(theirs)).submit(print)


def test_a_result_whose_worker_dies_at_that_moment_is_a_result():
    theirs, ours = submitted([1, 2], "lost")
    assert not ours.done()
    theirs.done()
    assert ours.result(0) == [1, 2]


def test_an_error_of_the_call_is_raised():
    theirs, ours = submitted(KeyError("x"), "error")
    theirs.done()
    with pytest.raises(KeyError):
        ours.result(0)


def test_a_call_that_the_cluster_cancels_is_cancelled_and_a_call_that_we_cancel_is_told_the_cluster():
    theirs, ours = submitted(CancelledError(), "cancelled")
    theirs.done()
    assert ours.cancelled()
    assert not theirs.cancelled_by_us
    theirs, ours = submitted([1], "pending")
    ours.cancel()
    assert theirs.cancelled_by_us
    theirs.done()
    assert ours.cancelled()


class Cluster:
    """A cluster that makes no call by itself, and is alive."""

    def __init__(self):
        self.executor, self.future = self, Future()

    def submit(self, *call):
        return self.future

    def alive(self):
        pass

    def failure(self, words):
        return ClusterFailed(words)


@pytest.mark.parametrize("outcome", ["result", "exception", "cancelled"])
def test_an_outcome_that_nobody_waits_for_any_more_is_dropped_without_a_word(outcome, caplog):
    cluster = Cluster()
    with OneAtATime(cluster) as executor:
        ours = executor.submit(print)
        assert ours.cancel()
        if outcome == "result":
            cluster.future.set_result(1)
        elif outcome == "exception":
            cluster.future.set_exception(OSError("the connection was lost"))
        else:
            cluster.future.cancel()
    assert caplog.records == []  # the standard library logs what a callback raises


class Lost:
    """A client whose scheduler is lost: it cannot take leave of it either."""

    def __init__(self, address, **options):
        pass

    def close(self, timeout):
        raise TimeoutError(f"timed out after {timeout} s.")


async def _answers(address):
    pass


@pytest.mark.parametrize("kind", ["closed", "timeout", "another"])
def test_what_dask_raises_when_the_scheduler_is_lost_is_said_and_other_errors_are_kept(kind, monkeypatch):
    from distributed.client import ClosedClientError

    monkeypatch.setattr("distributed.Client", Lost)
    monkeypatch.setattr(cluster, "_answer", _answers)
    monkeypatch.setattr(cluster, "_check_workers", lambda client, address: None)
    error = {"closed": ClosedClientError("closed"), "timeout": TimeoutError("late"), "another": KeyError("x")}[kind]
    with pytest.raises(KeyError if kind == "another" else ClusterFailed), cluster.connected("tcp://127.0.0.1:9"):
        raise error
