"""A subject runs in a process of its own: whatever it does, the audit gets an answer or one clear sentence."""

import os
import sys
import time

import numpy as np
import pytest

from nrverify.subjects.address import instance_of
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed, Follow
from nrverify.subjects.python.host import PythonHost
from nrverify.subjects.requests import PolicyRequest, SampleRequest, ScalarRequest

VALUE = np.array([1.0])


class Sound:
    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        return value + rng.standard_normal((sessions, len(schedule), len(value)))

    def open(self, value, seed):
        return SoundSession(value, seed)


class SoundSession:
    def __init__(self, value, seed):
        self.value, self.rng = value, np.random.default_rng(seed)

    def release(self, at):
        return self.value + self.rng.standard_normal(self.value.shape)


@pytest.fixture
def host_of():
    hosts = []

    def start(subject, timeout=20.0):
        host = PythonHost(lambda: subject, timeout)
        hosts.append(host)
        return host

    yield start
    for host in hosts:
        host.close()


def test_transcripts_come_back_as_arrays(host_of):
    host = host_of(Sound())
    assert host.ask(SampleRequest(VALUE, (4.0, 1.0), 5, 7)).shape == (5, 2, 1)
    releases, asked = host.ask(PolicyRequest(VALUE, Fixed((4.0, 1.0, 1.0)), [1, 2, 3]))
    assert releases.shape == (3, 3, 1)
    assert asked.tolist() == [[4.0, 1.0, 1.0]] * 3


def test_adaptive_sessions_leave_nan_after_their_end(host_of):
    play = Follow(start=10.0, end=0.5, fast=0.25, slow=0.5, length=8, close=0.0)
    releases, asked = host_of(Sound()).ask(PolicyRequest(VALUE, play, range(20)))
    assert np.array_equal(np.isnan(asked), np.isnan(releases[..., 0]))
    assert np.nanmin(asked) == 0.5
    steps = np.diff(asked, axis=1)
    assert np.all(np.isnan(steps) | (steps < 0))


def test_two_sessions_are_open_at_a_time(host_of):
    class Counting(Sound):
        most = 0

        def __init__(self):
            self.running = 0

        def open(self, value, seed):
            self.running += 1
            subject = self

            class Session:
                left = 2

                def release(self, at):
                    self.left -= 1
                    both = float(subject.running)
                    if self.left == 0:
                        subject.running -= 1
                    return [both]

            return Session()

    releases, _ = host_of(Counting()).ask(PolicyRequest(VALUE, Fixed((2.0, 1.0)), [1, 2]))
    assert releases[0, 1, 0] == 2.0


class Raises(Sound):
    def sample(self, value, schedule, sessions, seed):
        raise RuntimeError("no entropy left")


class Refuses(Sound):
    def sample(self, value, schedule, sessions, seed):
        raise ValueError("time below 0.1")


class Exits(Sound):
    def sample(self, value, schedule, sessions, seed):
        sys.exit(0)


class Dies(Sound):
    def sample(self, value, schedule, sessions, seed):
        os._exit(9)


class Hangs(Sound):
    def sample(self, value, schedule, sessions, seed):
        time.sleep(3600)


class WrongShape(Sound):
    def sample(self, value, schedule, sessions, seed):
        return np.zeros((sessions, len(schedule)))


class Words(Sound):
    def sample(self, value, schedule, sessions, seed):
        return [["a"] * len(schedule)] * sessions


@pytest.mark.parametrize(
    ("subject", "error", "words"),
    [
        (Raises(), SubjectFailed, "RuntimeError: no entropy left"),
        (Refuses(), SubjectRefused, r"time below 0\.1"),
        (Exits(), SubjectFailed, "SystemExit"),
        (Dies(), SubjectFailed, "ended with exit code 9"),
        (WrongShape(), SubjectFailed, r"numbers of shape \(4, 2\): numbers of shape \(4, 2, 1\) are needed"),
        (Words(), SubjectFailed, "numbers of shape"),
    ],
)
def test_what_a_subject_does_wrong_is_said_in_one_sentence(host_of, subject, error, words):
    with pytest.raises(error, match=words):
        host_of(subject).ask(SampleRequest(VALUE, (2.0, 1.0), 4, 1))


def test_a_hang_ends_at_the_time_limit_and_the_process_is_gone(host_of):
    host = host_of(Hangs(), timeout=0.5)
    with pytest.raises(SubjectFailed, match=r"longer than 0\.5 seconds"):
        host.ask(SampleRequest(VALUE, (1.0,), 1, 1))
    process = host._process
    host.close()
    assert process.exitcode is not None


class SlowFunction(Sound):
    """A function of ε that takes a while for each number."""

    def time_of(self, epsilon):
        time.sleep(0.2)
        return 1 / epsilon


def test_the_time_limit_is_that_of_one_call_of_a_function(host_of):
    epsilons = [1.0, 2.0, 4.0, 8.0, 16.0]
    times = host_of(SlowFunction(), timeout=0.6).ask(ScalarRequest("time_of", epsilons))
    assert times.tolist() == [1.0, 0.5, 0.25, 0.125, 0.0625]


def test_one_call_of_a_function_that_is_too_slow_is_late(host_of):
    with pytest.raises(SubjectFailed, match=r"time_of\(\) took longer than 0\.1 seconds"):
        host_of(SlowFunction(), timeout=0.1).ask(ScalarRequest("time_of", [1.0, 2.0]))


def test_quick_functions_are_asked_in_growing_pieces(host_of, monkeypatch):
    host, sizes = host_of(SlowFunction()), []
    monkeypatch.setattr(
        PythonHost, "_exchange", lambda self, request: sizes.append(len(request.numbers)) or np.zeros(0)
    )
    host.ask(ScalarRequest("epsilon", [1.0] * 100))
    assert sizes == [1, 2, 4, 8, 16, 32, 37]


def test_a_subject_that_prints_does_not_write_to_standard_output(host_of, capfd):
    class Prints(Sound):
        def sample(self, value, schedule, sessions, seed):
            print("hello")
            return super().sample(value, schedule, sessions, seed)

    host = host_of(Prints())
    host.ask(SampleRequest(VALUE, (1.0,), 1, 1))
    host.close()
    captured = capfd.readouterr()
    assert captured.out == ""


def test_a_subject_that_changes_its_arguments_changes_only_its_own(host_of):
    class Mutates(Sound):
        def sample(self, value, schedule, sessions, seed):
            out = super().sample(value, schedule, sessions, seed)
            value[:] = 99.0
            schedule[:] = [0.0]
            return out

    value = VALUE.copy()
    host_of(Mutates()).ask(SampleRequest(value, (2.0, 1.0), 2, 1))
    assert value.tolist() == [1.0]


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"mechanism": "brownain"}, "did you mean 'brownian'"),
        ({"mechanism": None}, "attribute mechanism is missing: it must be one of"),
        (
            {"mechanism": "brownian", "range": (1, float("inf"))},
            r"range is \(1, inf\): it must be a pair .* of finite numbers",
        ),
        ({"mechanism": "laplace", "sample": None, "open": None}, r"needs open\(\) or sample\(\)"),
        ({"mechanism": "brownian", "knob": "epsilon"}, "attribute sensitivity is missing: a privacy claim needs it"),
        ({"mechanism": "brownian", "knob": "eps"}, "knob is 'eps'"),
        ({"mechanism": "brownian", "range": (3, 1)}, "smallest < largest"),
        ({"mechanism": "brownian", "dimensions": (0,)}, r"dimensions is \(0,\): it must be a list of integers from 1"),
        ({"mechanism": "boundary", "epsilon": lambda t: 1.0, "sensitivity": 1.0, "delta": 2.0}, "delta is 2.0"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused_with_its_remedy(attributes, words):
    subject = type("Subject", (Sound,), attributes)()
    with pytest.raises(SubjectFailed, match=words):
        PythonHost(lambda: subject, 20.0)


@pytest.mark.parametrize("made", [5, None, "brownian", lambda: None], ids=["number", "nothing", "text", "factory"])
def test_what_is_no_subject_is_said_to_be_none(made):
    with pytest.raises(SubjectFailed, match="is not a subject"):
        instance_of(made)


@pytest.mark.parametrize("named", [Sound, Sound(), lambda: Sound(), lambda: Sound], ids=["class", "it", "f", "f of f"])
def test_a_class_an_instance_and_a_function_for_either_name_a_subject(named):
    assert isinstance(instance_of(named), Sound)


def test_an_async_method_is_told_so_and_leaves_no_warning(host_of):
    class Async(Sound):
        async def sample(self, value, schedule, sessions, seed):
            return np.zeros((sessions, len(schedule), len(value)))

    with pytest.raises(SubjectFailed, match=r"sample\(\) is async"):
        host_of(Async()).ask(SampleRequest(VALUE, (1.0,), 1, 1))


def test_an_exception_that_cannot_describe_itself_is_named(host_of):
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("in __str__")

    class Fails(Sound):
        def sample(self, value, schedule, sessions, seed):
            raise Mute

    with pytest.raises(SubjectFailed, match=r"sample\(\) raised Mute for a valid request.*line \d+ of test_python.py"):
        host_of(Fails()).ask(SampleRequest(VALUE, (1.0,), 1, 1))
