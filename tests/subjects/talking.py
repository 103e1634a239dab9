"""Harnesses for tests of the protocol: one that answers in this process, and one that misbehaves in another."""

import importlib.util
import json
import sys
from pathlib import Path

from nrverify.subjects.command import session as conversation
from nrverify.subjects.command.host import ProcessHost
from nrverify.subjects.errors import SubjectFailed

HERE = Path(__file__).parent
PYTHON_HARNESS = HERE.parent / "harnesses" / "python" / "harness.py"

_spec = importlib.util.spec_from_file_location("python_harness", PYTHON_HARNESS)
python_harness = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(python_harness)


class Answering:
    """In the place of a process: a function of the request gives the members of the reply, or bytes as they are."""

    def __init__(self, answer):
        self.answer, self.requests, self.failure, self.ended = answer, [], None, []

    @property
    def lost(self):
        return self.failure is not None

    def exchange(self, line, what, timeout, limit):
        if self.failure is not None:
            raise SubjectFailed(self.failure)
        request = json.loads(line)
        self.requests.append(request)
        reply = self.answer(request)
        if not isinstance(reply, bytes):
            # Infinity travels as a number that is too large for a double.
            reply = json.dumps({"id": request["id"], **reply}).replace("Infinity", "1e999").encode() + b"\n"
        return reply

    def fail(self, words):
        self.failure = words
        raise SubjectFailed(words)

    def with_stderr(self, words):
        return words

    def end(self, farewell=None):
        self.ended.append(farewell)


def in_process(monkeypatch, answer):
    """A host that talks to a function, and the record of what was asked."""
    child = Answering(answer)
    monkeypatch.setattr(conversation, "Child", lambda command: child)
    return ProcessHost("unused", 10.0), child


def described(**attributes):
    """The result of describe for a Brownian subject, with these attributes."""
    return {"mechanism": "brownian", "methods": ["open", "sample"], **attributes}


def misbehaving(at, do, **details):
    """The command of a process that is right until the request number `at`, and then does something else."""
    script = json.dumps({"at": at, "do": do, **details})
    return [sys.executable, "-S", "-E", str(HERE / "misbehaving.py"), str(PYTHON_HARNESS.parent), script]
