"""A Python subject in an interpreter of its own answers as one in a forked process does, and ends as surely."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from nrverify.subjects.address import load_python
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.policies import Fixed
from nrverify.subjects.python.host import PythonHost
from nrverify.subjects.requests import PolicyRequest, SampleRequest

ROOT = str(Path(__file__).parents[2])
FOLDER = f"{ROOT}/tests/auditing"
VALUE = np.array([1.0, 2.0])


class Defined:
    """Found in this file by whoever is in the folder above the tests."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        if seed == 1:
            print("this goes to standard error")
        if seed == 2:
            os._exit(5)
        if seed == 3:
            time.sleep(60)
        return value + np.random.default_rng(seed).standard_normal((sessions, len(schedule), len(value)))


@pytest.fixture
def host_of():
    hosts = []

    def start(load, timeout=30.0, folder=FOLDER):
        hosts.append(PythonHost(load, timeout, folder))
        return hosts[-1]

    yield start
    for host in hosts:
        host.close()


def test_it_answers_as_a_forked_process_does_from_a_file_in_its_folder(host_of):
    there, here = host_of(lambda: load_python("subjects.py:Right")), host_of(lambda: Defined(), folder=None)
    forked = host_of(lambda: load_python(f"{FOLDER}/subjects.py:Right"), folder=None)
    assert there.description == forked.description
    assert np.array_equal(
        there.ask(SampleRequest(VALUE, (4.0, 1.0), 5, 7)), forked.ask(SampleRequest(VALUE, (4.0, 1.0), 5, 7))
    )
    play = PolicyRequest(VALUE, Fixed((4.0, 1.0)), [1, 2, 3])
    for one, other in zip(there.ask(play), forked.ask(play), strict=True):
        assert np.array_equal(one, other)
    assert here.description.name == "Defined"


def test_an_object_travels_and_may_print_and_a_folder_that_is_not_there_does_no_harm(host_of):
    subject = type("Local", (Defined,), {"name": "made here", "__module__": "__main__"})()
    host = host_of(lambda: subject, folder="/no/such/folder")
    assert host.description.name == "made here"
    assert host.ask(SampleRequest(VALUE, (1.0,), 3, 1)).shape == (3, 1, 2)


def test_what_cannot_be_loaded_is_told(host_of):
    with pytest.raises(SubjectFailed, match=r"there is no file 'gone\.py'"):
        host_of(lambda: load_python("gone.py:Right"))


@pytest.mark.parametrize(("seed", "words"), [(2, "ended with exit code 5 during sample"), (3, "longer than 1 seconds")])
def test_a_subject_that_dies_or_hangs_could_not_be_run(host_of, seed, words):
    host = host_of(lambda: Defined(), folder=ROOT)
    host.timeout = 1.0 if seed == 3 else 30.0
    with pytest.raises(SubjectFailed, match=words):
        host.ask(SampleRequest(VALUE, (1.0,), 1, seed))


def test_closing_ends_it(host_of):
    host = host_of(lambda: Defined(), folder=ROOT)
    pid = host._process.pid
    os.kill(pid, 0)
    host.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
