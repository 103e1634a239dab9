"""A Python subject in an interpreter of its own, for where this process must not be forked.

A worker of a cluster has threads, and may be a daemon that is allowed no children by `multiprocessing`.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from nrverify.processes.descendants import VARIABLE


class Interpreter:
    """A fresh interpreter that serves a subject, with as much of a process's interface as its host uses."""

    def __init__(self, connection: Connection, printing: int, load: Callable[[], Any], folder: str, mark: str) -> None:
        # What a subject is may have been defined anywhere, also in a notebook.
        import cloudpickle

        payload = cloudpickle.dumps(load)
        descriptor = connection.fileno()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nrverify.subjects.python.interpreter", str(descriptor)],
            stdin=subprocess.PIPE,
            stderr=printing,
            pass_fds=[descriptor],
            cwd=folder if Path(folder).is_dir() else None,
            start_new_session=True,
            env={**os.environ, VARIABLE: mark},
        )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError), self._process.stdin as stdin:
            stdin.write(payload)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def exitcode(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    def kill(self) -> None:
        """Ends it."""
        self._process.kill()

    def join(self, timeout: float | None = None) -> None:
        """Waits for its end."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)


def main() -> None:
    """Serves the subject that comes on standard input, through the connection whose number is the argument."""
    from nrverify.subjects.python.host import serve

    payload = sys.stdin.buffer.read()
    serve(Connection(int(sys.argv[1])), lambda: pickle.loads(payload)())


if __name__ == "__main__":
    main()
