"""A conversation with a subject's process in lock-step: numbered requests, and replies that are taken at their word."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from nrverify.subjects.command.child_process import Child
from nrverify.subjects.command.json_lines import BadReply, Reply, excerpt, read_reply, request_line
from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused

Fields = dict[str, Any]
T = TypeVar("T")
Listener = Callable[..., None]
"""Told what was sent, what was received, and the seconds between."""

LINE = 1 << 20
"""Bytes a reply may have whatever was asked: room for any description or message."""
NUMBER = 64
"""Bytes a reply may have for each number that was asked for: a double needs at most 25, with its separator."""
LONGEST = 1 << 28
"""Bytes no reply may exceed: it is held in memory."""
QUOTED = 200
"""Characters of a request or a reply that an error quotes: a whole short one, the beginning of a long one."""


class Conversation:
    """Requests to a process, one outstanding at a time; every failure shows the end of its standard error."""

    def __init__(self, command: str, timeout: float) -> None:
        self.timeout = timeout
        self.listener: Listener | None = None
        self._asked = 0
        self._last = b"", b""
        """The last request and the line that answered it."""
        self._child = Child(command)

    def ask(
        self,
        op: str,
        fields: Fields,
        read: Callable[[Any], T],
        expected: int = 0,
        refusable: bool = False,
        later: bool = False,
    ) -> T:
        """The result of a request as `read` makes it; `SubjectRefused` where a setting may be refused.

        `ReleaseRefused` where it is a later release of a session that is refused.
        """
        reply = self.reply(op, fields, expected)
        if reply.outcome == "result":
            return self.understood(op, read, reply.content)
        if refusable and reply.outcome in ("refused", "skipped"):
            raise SubjectRefused(excerpt(reply.content, 300))
        if later and reply.outcome == "refused":
            raise ReleaseRefused(self.unexpected(op, reply))
        raise self.unexpected(op, reply)

    def reply(self, op: str, fields: Fields, expected: int = 0) -> Reply:
        """The reply to a request, whatever its outcome; at most so many numbers are expected in it."""
        self._asked += 1
        limit = min(LINE + NUMBER * expected, LONGEST)
        line = self._exchanged(request_line(self._asked, op, fields), op, limit)
        try:
            return read_reply(line, self._asked)
        except BadReply as bad:
            self._child.fail(f"the reply to {op} {bad}{self._quoted()}")

    def _exchanged(self, request: bytes, op: str, limit: int) -> bytes:
        """The line that answers a request; whoever listens is told of both."""
        started, line, lost = time.monotonic(), b"", self._child.lost
        try:
            line = self._child.exchange(request, op, self.timeout, limit)
        except SubjectFailed as failure:
            if lost:
                raise
            raise SubjectFailed(f"{failure}; asked {excerpt(request, QUOTED)}") from None
        finally:
            self._last = request, line
            if self.listener is not None:
                seconds = round(time.monotonic() - started, 6)
                self.listener(sent=_text(request), received=_text(line), seconds=seconds)
        return line

    def _quoted(self) -> str:
        """The last request and its reply, as they were sent."""
        request, line = self._last
        return f"; asked {excerpt(request, QUOTED)}, answered {excerpt(line, QUOTED)}"

    def understood(self, op: str, read: Callable[[Any], T], content: Any) -> T:
        """What `read` makes of a result; `SubjectFailed` when it is not what was asked for."""
        try:
            return read(content)
        except BadReply as bad:
            words = f"the reply to {op} {bad}"
        except SubjectFailed as failure:
            words = str(failure)
        raise SubjectFailed(self._child.with_stderr(words + self._quoted()))

    def unexpected(self, op: str, reply: Reply) -> SubjectFailed:
        """A valid request was not answered by a result."""
        words = f"{op} was answered by {reply.outcome}: {excerpt(reply.content, 300)}"
        if reply.outcome == "skipped":
            words += " (what a subject does not offer is left out of its methods)"
        words += self._quoted()
        return SubjectFailed(self._child.with_stderr(words))

    def end(self, politely: bool) -> None:
        """Ends the process and everything it started; politely, after asking it to stop."""
        self._asked += 1
        self._child.end(request_line(self._asked, "stop", {}) if politely else None)


def _text(line: bytes) -> str:
    return line.decode(errors="backslashreplace").rstrip("\n")
