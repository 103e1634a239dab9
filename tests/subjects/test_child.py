"""Whatever a subject's process does, the audit gets a line or one sentence, in bounded time, and nothing survives."""

import os
import shlex
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from nrverify.subjects.command.host import ProcessHost
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import PolicyRequest, RunRequest, SampleRequest
from tests.subjects.talking import PYTHON_HARNESS, misbehaving
from tests.support.commands import carrying

VALUE = np.array([3.0])


@pytest.fixture(autouse=True)
def mark(monkeypatch):
    """An entry in the environment of every process that a test starts; in the end no process may have it."""
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("NRVERIFY_TEST", value)
    yield f"NRVERIFY_TEST={value}"
    assert carrying(f"NRVERIFY_TEST={value}") == []


def start(do, at=1, timeout=30.0, **details):
    return ProcessHost(shlex.join(misbehaving(at, do, **details)), timeout)


def ask(host):
    try:
        return host.ask(SampleRequest(VALUE, (4.0, 1.0), 3, 7))
    finally:
        host.close()


def test_a_process_is_asked_and_ends_when_it_is_told_to():
    host = ProcessHost(f"{sys.executable} {PYTHON_HARNESS} brownian", 30.0)
    assert host.description.name == "Python brownian"
    assert host.ask(SampleRequest(VALUE, (4.0, 1.0), 3, 7)).shape == (3, 2, 1)
    releases, _ = host.ask(PolicyRequest(VALUE, Fixed((4.0, 1.0, 1.0)), [1, 2, 3]))
    assert np.array_equal(releases[:, 1], releases[:, 2])
    process = host._conversation._child._process
    assert os.getsid(process.pid) == process.pid
    host.close()
    host.close()
    assert process.returncode == 0


def test_the_same_seed_gives_the_same_transcripts_by_either_encoding():
    host = ProcessHost(f"{sys.executable} {PYTHON_HARNESS} brownian", 30.0)
    packed = host.ask(SampleRequest(VALUE, (4.0, 1.0), 3, 7))
    host._encoding = {}
    assert np.array_equal(host.ask(SampleRequest(VALUE, (4.0, 1.0), 3, 7)), packed)
    host.close()


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(
    ("do", "details", "words"),
    [
        ("die", {"code": 7, "words": "out of entropy"}, "ended with exit code 7 .*; .*ends: out of entropy"),
        ("die", {"code": 0}, "ended with exit code 0 during"),
        ("signal", {"signal": 11}, r"ended by signal 11 \(segmentation fault\) during"),
        ("half", {}, "ended with exit code 0 during .* in the middle of a line"),
        ("twice", {}, "more than a line"),
        ("merge", {"members": {"id": 99}}, "has the id 99: it must repeat"),
        ("merge", {"members": {"error": "x"}}, "holds result and error"),
        ("write", {"bytes": b"Hello\n".hex()}, "is not JSON, one object on one line: Hello"),
        ("write", {"bytes": b"\n".hex()}, "is not JSON"),
        ("write", {"bytes": b'{"id":1,"result":NaN}\n'.hex()}, "the bare word NaN, which is not JSON"),
        ("flood", {"descriptor": 1, "text": "0"}, "longer than 10.* bytes"),
        ("flood", {"descriptor": 1, "text": "0\n"}, "more than a line"),
        ("close", {"descriptor": 1}, "closed its standard output"),
        ("fork and die", {}, "ended with exit code 5"),
        ("daemon and die", {}, "ended with exit code 5"),
    ],
)
def test_what_a_process_does_wrong_is_said_in_one_sentence(at, do, details, words):
    with pytest.raises(SubjectFailed, match=words) as failure:
        ask(start(do, at, **details))
    assert str(failure.value).isprintable()
    assert len(str(failure.value)) < 1000


@pytest.mark.parametrize(
    ("do", "details"),
    [
        ("hang", {}),
        ("ignore", {}),
        ("drip", {"pause": 0.05}),
        ("flood", {"descriptor": 2, "text": "warning\n"}),
        ("write", {"bytes": ""}),
        ("write", {"bytes": b'{"id":2,'.hex()}),
    ],
)
def test_a_process_that_does_not_answer_in_time_is_ended(do, details):
    host = start(do, **details)
    host.timeout = 0.3
    started = time.monotonic()
    with pytest.raises(SubjectFailed, match=r"sample took longer than 0\.3 seconds \(--timeout\)"):
        ask(host)
    assert time.monotonic() - started < 60


def test_a_process_that_does_not_read_its_input_is_ended():
    host = start("answer and hang", at=0)
    host.timeout = 0.3
    with pytest.raises(SubjectFailed, match="it does not read its standard input"):
        host.ask(RunRequest([0.0] * 100_000, [1.0] * 100_000, 0.0, 1.0, [1]))
    host.close()


@pytest.mark.parametrize("do", ["fork", "daemon"])
def test_children_of_a_process_end_with_it(do, mark):
    host = start(do, at=0)
    _until(lambda: any(command.startswith(b"sleep") for _, command in carrying(mark)))
    assert ask(host).shape == (3, 2, 1)


def test_a_child_with_nothing_in_its_environment_ends_with_the_group():
    host = start("stripped", at=0)
    child = Path("/proc", str(host.description.version))
    assert child.exists()
    ask(host)
    _until(lambda: not child.exists() or b"State:\tZ" in (child / "status").read_bytes())


def test_a_process_that_does_not_stop_is_killed_after_a_moment():
    host = start("nothing", at=-1, stays=True)
    started = time.monotonic()
    ask(host)
    assert time.monotonic() - started < 60


def test_gigabytes_are_not_kept_in_memory():
    tracemalloc.start()
    try:
        for descriptor in (1, 2):
            host = start("flood", descriptor=descriptor, text="0")
            host.timeout = 1.0
            with pytest.raises(SubjectFailed):
                ask(host)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_chatty_standard_error_does_not_block_a_process():
    script = "import sys; sys.path.insert(0, sys.argv[1]); import harness, io\n"
    script += "sys.stderr.write('x' * 10**6); sys.argv[1] = 'brownian'; harness.main()"
    host = ProcessHost(shlex.join([sys.executable, "-c", script, str(PYTHON_HARNESS.parent)]), 30.0)
    assert ask(host).shape == (3, 2, 1)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("", "names no command"),
        ("'unbalanced", "cannot be split into words"),
        ("no-such-program-anywhere --flag", "'no-such-program-anywhere' cannot be started: No such file"),
        ("./missing", "cannot be started: No such file"),
        (".", "cannot be started: Permission denied"),
        ("nul\0byte", "cannot be started: embedded null byte"),
        ("true", "ended with exit code 0"),
        ("false", "ended with exit code 1"),
        ("echo hello", "is not JSON|before describe"),
        ("cat", "holds no outcome"),
    ],
)
def test_a_command_that_is_no_harness_is_said(command, words):
    with pytest.raises(SubjectFailed, match=words):
        ProcessHost(command, 30.0)


def test_a_program_in_this_folder_is_named_with_a_dot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harness").write_text(f"#!/bin/sh\nexec {sys.executable} {PYTHON_HARNESS} brownian\n")
    with pytest.raises(SubjectFailed, match=r"write \./harness"):
        ProcessHost("harness", 30.0)
    with pytest.raises(SubjectFailed, match="Permission denied"):
        ProcessHost("./harness", 30.0)
    (tmp_path / "harness").chmod(0o755)
    assert ask(ProcessHost("./harness", 30.0)).shape == (3, 2, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_audit_that_is_interrupted_leaves_nothing(number, mark):
    address = f"cmd:{shlex.join(misbehaving(3, 'daemon'))}"
    hanging = f"cmd:{shlex.join(misbehaving(3, 'ignore'))}"
    for subject in (address, hanging):
        audit = subprocess.Popen(
            [sys.executable, "-m", "nrverify.cli", "audit", subject, "--samples", "100000000", "--budget", "1000"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        _until(lambda: len(carrying(mark)) >= 2)
        time.sleep(0.3)
        audit.send_signal(number)
        _, errors = audit.communicate(timeout=60)
        assert audit.returncode == 128 + number
        assert b"Traceback" not in errors
        assert carrying(mark) == []


def test_an_interpreter_that_exits_ends_the_process():
    command = shlex.join(misbehaving(0, "answer and hang"))
    script = f"from nrverify.subjects.command.host import ProcessHost; ProcessHost({command!r}, 30.0)"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def _until(holds):
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert holds()


def test_a_fork_of_the_audit_does_not_end_the_process():
    host = start("nothing", at=-1)
    pid = os.fork()
    if pid == 0:
        host.close()
        os._exit(0)
    os.waitpid(pid, 0)
    assert ask(host).shape == (3, 2, 1)
