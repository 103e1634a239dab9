"""A subject's process: one line in, one line out, within limits of time and size; it and all it started always end."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import select
import shlex
import shutil
import signal
import subprocess
import time
from typing import IO, NoReturn

from nrverify.processes import descendants
from nrverify.processes.guardian import GUARDIAN
from nrverify.processes.leaving import adopt, told
from nrverify.subjects.command.json_lines import excerpt
from nrverify.subjects.errors import SubjectFailed

CHUNK = 1 << 20
"""Bytes read at once of a long line, and the size asked for the pipe."""
SHORT = 1 << 14
"""Bytes read at first: most lines are short, and room for a long one costs more than they do."""
TAIL = 1 << 14
"""Bytes of standard error kept: the end of a traceback, and no more memory however much is written."""
SHOWN = 400
"""Characters of standard error in a message: the last lines of a traceback."""
GRACE = 2.0
"""Seconds a subject has to end after it was told to stop: enough to close files, and little to wait for."""
GLANCE = 0.1
"""Seconds between looks at whether a silent process still lives: a child of its own may hold its output open."""


class Child:
    """A command started without a shell, in a session of its own, spoken to through pipes in lock-step."""

    def __init__(self, command: str) -> None:
        self._failure: str | None = None
        self._asking = False
        self._over = False
        self._tail = b""
        self._mark = descendants.new_mark()
        adopt()
        self._process = _start(_split(command), {**os.environ, descendants.VARIABLE: self._mark})
        self._owner = os.getpid()
        self._started = descendants.started_at(self._process.pid)
        GUARDIAN.watch(self._process.pid, self._mark)
        self._stdin, self._stdout, self._stderr = (
            _pipe(stream) for stream in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        # A large pipe: a long line needs few switches between the two processes. Denied to some users.
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(self._stdout, fcntl.F_SETPIPE_SZ, CHUNK)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        atexit.register(self.end)

    @property
    def lost(self) -> bool:
        """Whether the conversation has failed: every further request fails in the same words."""
        return self._failure is not None

    def exchange(self, line: bytes, what: str, timeout: float, limit: int) -> bytes:
        """Sends a line and reads the one that answers it, of at most `limit` bytes within `timeout` seconds."""
        if self._failure is not None:
            raise SubjectFailed(self._failure)
        deadline = time.monotonic() + timeout
        late = f"{what} took longer than {timeout:g} seconds (--timeout)"
        self._asking = True
        self._send(line, what, deadline, late)
        answer = self._receive(what, deadline, late, limit)
        self._asking = False
        return answer

    def fail(self, words: str) -> NoReturn:
        """The conversation is lost: the process is ended, and every later request fails in the same words."""
        self._failure = self.with_stderr(words)
        self.end()
        raise SubjectFailed(self._failure)

    def with_stderr(self, words: str) -> str:
        """The words, and the end of what the process wrote to its standard error."""
        self._drain()
        lines = [line.strip() for line in self._tail.decode(errors="replace").splitlines() if line.strip()]
        said = " / ".join(lines[-4:])
        if not said:
            return words
        return f"{words}; its standard error ends: {excerpt(said[-SHOWN:], SHOWN)}"

    def end(self, farewell: bytes | None = None) -> None:
        """Says farewell if there is anybody to say it to, waits briefly, then kills the process and its descendants."""
        # A fork of this process may run the exit handlers too: the subject is not its child.
        if self._over or os.getpid() != self._owner:
            return
        known: dict[int, str | None] = {}
        try:
            known = {pid: descendants.started_at(pid) for pid in descendants.below(self._process.pid)}
            if farewell is not None and self._failure is None and not self._asking and told() is None:
                self._say_farewell(farewell)
        finally:
            self._kill(known)
        self._over = True
        self._failure = self._failure or "the subject's process was ended"
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        atexit.unregister(self.end)

    def _kill(self, known: dict[int, str | None]) -> None:
        """Ends the process and everything below it, also what it left behind when it was asked to stop."""
        descendants.end(self._process.pid, self._mark, self._started)
        for pid, started in known.items():
            if started is not None and descendants.started_at(pid) == started:
                descendants.end(pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=GRACE)
        GUARDIAN.release(self._process.pid)

    def _send(self, line: bytes, what: str, deadline: float, late: str) -> None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                self._drain()
                _ready(self._stdin, select.POLLOUT, GLANCE)
            except OSError:
                self.fail(self._ended(f"before {what}", "closed its standard input"))
            if time.monotonic() > deadline:
                self.fail(f"{late}: it does not read its standard input")

    def _receive(self, what: str, deadline: float, late: str, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        silent = False
        while True:
            dead = silent and self._exit_status() is not None
            left = deadline - time.monotonic()
            ready = [descriptor for descriptor, _ in self._poll.poll(1000 * max(0.0, min(left, GLANCE)))]
            if self._stderr in ready:
                self._read_stderr()
            silent = self._stdout not in ready
            if not silent:
                part = os.read(self._stdout, CHUNK if size else SHORT)
                if not part:
                    how = f"during {what}" + (" in the middle of a line" if size else "")
                    self.fail(self._ended(how, "closed its standard output"))
                parts.append(part)
                size += len(part)
                _, end, more = part.partition(b"\n")
                if size > limit:
                    self.fail(f"the reply to {what} is longer than {limit} bytes: {excerpt(parts[0], 60)}")
                if more:
                    first = excerpt(b"".join(parts).partition(b"\n")[0], 60)
                    words = "a reply is one line; write anything else to standard error"
                    self.fail(f"{what} was answered by more than a line: first {first}, then {excerpt(more)} ({words})")
                if end:
                    return b"".join(parts)
            elif dead:
                self.fail(self._ended(f"during {what}", "ended"))
            if left < 0:
                got = f": it sent {excerpt(b''.join(parts), 60)} without a newline at its end"
                hint = got if size else " (a harness must flush its output after every line)"
                self.fail(f"{late}{hint}")

    def _say_farewell(self, line: bytes) -> None:
        deadline = time.monotonic() + GRACE
        with contextlib.suppress(OSError):
            os.write(self._stdin, line)
        # An end of input is a farewell too, for a harness that reads until there is no more.
        if self._process.stdin is not None:
            self._process.stdin.close()
        while self._exit_status() is None and time.monotonic() < deadline:
            self._drain()
            if _ready(self._stdout, select.POLLIN, 0.01) and not os.read(self._stdout, CHUNK):
                time.sleep(0.002)

    def _drain(self) -> None:
        """Takes in what is waiting on standard error, at most a pipe's worth."""
        if not self._over and _ready(self._stderr, select.POLLIN, 0):
            self._read_stderr()

    def _read_stderr(self) -> None:
        part = os.read(self._stderr, CHUNK)
        if not part:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._stderr)
        self._tail = (self._tail + part)[-TAIL:]

    def _ended(self, when: str, otherwise: str) -> str:
        """How the process ended; or, when it still runs a moment later, what else it did."""
        patience = time.monotonic() + 0.5
        while (status := self._exit_status()) is None and time.monotonic() < patience:
            time.sleep(0.005)
        return f"the subject's process {f'ended {status}' if status else otherwise} {when}"

    def _exit_status(self) -> str | None:
        """How the process ended, None while it runs. It is not reaped: its group keeps its number until it is."""
        if not hasattr(os, "waitid"):  # macOS, before Python 3.13
            return _words_of(self._process.poll())
        try:
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return "unobserved"
        if found is None:
            return None
        return _words_of(found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)


def _words_of(code: int | None) -> str | None:
    """An exit code in words, that of a signal being negative; None while the process runs."""
    if code is None or code >= 0:
        return None if code is None else f"with exit code {code}"
    name = signal.strsignal(-code) or "unknown"
    return f"by signal {-code} ({name.lower()})"


def _split(command: str) -> list[str]:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise SubjectFailed(f"the command {command!r} cannot be split into words: {error}") from None
    if not arguments:
        raise SubjectFailed("cmd: names no command: write cmd:PROGRAM ARGUMENTS")
    return arguments


def _start(arguments: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    program = arguments[0]
    try:
        return subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            env=environment,
        )
    except (OSError, ValueError) as error:
        hint = ""
        if "/" not in program and shutil.which(program) is None and os.path.isfile(program):
            hint = f"; for the file in this folder write ./{program}"
        words = error.strerror if isinstance(error, OSError) else str(error)
        raise SubjectFailed(f"the program {program!r} cannot be started: {words}{hint}") from None


def _ready(descriptor: int, event: int, seconds: float) -> bool:
    """Whether a pipe can be read or written (or is broken) within so many seconds."""
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(1000 * seconds))


def _pipe(stream: IO[bytes] | None) -> int:
    assert stream is not None
    os.set_blocking(stream.fileno(), False)
    return stream.fileno()
