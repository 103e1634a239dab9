"""A Python subject that breaks its connection, or floods it, is a subject that could not be run: in time, in words."""

import os
import pickle
import struct
import time

import numpy as np
import pytest

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.python.host import PythonHost
from nrverify.subjects.requests import SampleRequest


def writing(raw, then=lambda: time.sleep(1000)):
    """A subject that writes these bytes to whatever connection it finds, in place of an answer."""

    class Writes:
        mechanism = "brownian"

        def sample(self, value, schedule, sessions, seed):
            for descriptor in range(3, 64):
                try:
                    is_socket = os.readlink(f"/proc/self/fd/{descriptor}").startswith("socket:")
                except OSError:
                    continue
                if is_socket:
                    os.write(descriptor, raw)
            then()

    return Writes


class Runs:
    """Code in a pickle."""

    def __reduce__(self):
        return os.system, ("touch owned",)


def framed(content):
    return struct.pack("!i", len(content)) + content


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (struct.pack("!i", 1000) + b"half", "took longer than 1 seconds"),
        (struct.pack("!i", 1000), "took longer than 1 seconds"),
        (b"\x00", "took longer than 1 seconds"),
        (struct.pack("!i", -5), "something else: a message of -5 bytes"),
        (struct.pack("!iQ", -1, 2**62), "something else: a message of"),
        (framed(b"no pickle"), "something else"),
        (framed(pickle.dumps(3)), "something else"),
        (framed(pickle.dumps(("ok", Runs()))), "something else: UnpicklingError: posix.system is not a plain value"),
    ],
)
def test_what_is_no_answer_is_said_in_words_and_in_time(raw, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    host = PythonHost(writing(raw), 60.0)
    host.timeout = 1.0
    started = time.monotonic()
    with pytest.raises(SubjectFailed, match=words):
        host.ask(SampleRequest(np.zeros(1), (1.0,), 1, 1))
    host.close()
    assert time.monotonic() - started < 30
    assert not (tmp_path / "owned").exists()


def test_what_a_subject_prints_is_passed_on_as_plain_text_however_much_it_is(capfd):
    class Prints:
        mechanism = "brownian"

        def sample(self, value, schedule, sessions, seed):
            os.write(1, b"\x1b[2Jhello\n" * 20_000)
            return np.zeros((sessions, len(schedule), len(value)))

    host = PythonHost(Prints, 60.0)
    host.ask(SampleRequest(np.zeros(1), (1.0,), 1, 1))
    host.close()
    printed = capfd.readouterr().err
    assert printed.count("\\x1b[2Jhello\n") == 20_000
    assert "\x1b" not in printed
