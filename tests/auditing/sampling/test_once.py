"""One audit for several processes: the first makes it, the others read it, and none waits for one that died."""

import multiprocessing
import os
import signal

from nrverify.gating.shared_audit import once
from tests.report import made

REPORT = made.of_every_verdict(made.HOSTILE)["refuted"]


def counted(folder):
    """An audit that leaves a mark each time it is made."""
    with open(folder / "made.txt", "a") as file:
        file.write("x")
    return REPORT


def test_the_report_is_made_once_and_read_back_whole(tmp_path):
    first = once(tmp_path, "gate", lambda: counted(tmp_path))
    again = once(tmp_path, "gate", lambda: counted(tmp_path))
    assert (tmp_path / "made.txt").read_text() == "x"
    assert again.document() == first.document()
    assert again.exit_code == first.exit_code


def test_gates_do_not_share_a_report(tmp_path):
    once(tmp_path, "a", lambda: counted(tmp_path))
    once(tmp_path, "b", lambda: counted(tmp_path))
    assert (tmp_path / "made.txt").read_text() == "xx"


def test_processes_at_the_same_time_make_it_once(tmp_path):
    context = multiprocessing.get_context("fork")
    audit = lambda: counted(tmp_path)  # noqa: E731
    workers = [context.Process(target=once, args=(tmp_path, "gate", audit)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert (tmp_path / "made.txt").read_text() == "x"


def test_one_that_dies_in_the_middle_is_not_waited_for(tmp_path):
    context = multiprocessing.get_context("fork")
    worker = context.Process(target=once, args=(tmp_path, "gate", lambda: os.kill(os.getpid(), signal.SIGKILL)))
    worker.start()
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
    assert once(tmp_path, "gate", lambda: counted(tmp_path)) is REPORT
