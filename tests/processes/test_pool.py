"""A pool's worker does what it is asked, and ends without a word when nobody is left to answer."""

import multiprocessing
import pickle
import time

from nrverify.processes.pool import _work


def started():
    """A worker, and the end of its pipe that asks."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    worker = context.Process(target=_work, args=(theirs, [ours], None, ()))
    worker.start()
    theirs.close()
    return worker, ours


def test_a_worker_answers_and_ends_with_its_pipe():
    worker, asks = started()
    asks.send_bytes(pickle.dumps((pow, (2, 10), {})))
    assert pickle.loads(asks.recv_bytes()) == (1024, None)
    asks.close()
    worker.join()
    assert worker.exitcode == 0


def test_a_worker_whose_answer_nobody_takes_ends_without_a_word(capfd):
    worker, asks = started()
    asks.send_bytes(pickle.dumps((time.sleep, (0.2,), {})))
    asks.close()
    worker.join()
    assert worker.exitcode == 0
    assert capfd.readouterr().err == ""
