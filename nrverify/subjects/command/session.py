"""A conversation with a subject's process in lock-step: numbered requests, and replies that are taken at their word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nrverify.subjects.command.child_process import Child
from nrverify.subjects.command.json_lines import BadReply, Reply, excerpt, read_reply, request_line
from nrverify.subjects.errors import SubjectFailed, SubjectRefused

Fields = dict[str, Any]
T = TypeVar("T")

LINE = 1 << 20
"""Bytes a reply may have whatever was asked: room for any description or message."""
NUMBER = 64
"""Bytes a reply may have for each number that was asked for: a double needs at most 25, with its separator."""
LONGEST = 1 << 28
"""Bytes no reply may exceed: it is held in memory."""


class Conversation:
    """Requests to a process, one outstanding at a time; every failure shows the end of its standard error."""

    def __init__(self, command: str, timeout: float) -> None:
        self.timeout = timeout
        self._asked = 0
        self._child = Child(command)

    def ask(self, op: str, fields: Fields, read: Callable[[Any], T], expected: int = 0, refusable: bool = False) -> T:
        """The result of a request as `read` makes it; `SubjectRefused` where a setting may be refused."""
        reply = self.reply(op, fields, expected)
        if reply.outcome == "result":
            return self.understood(op, read, reply.content)
        if refusable and reply.outcome in ("refused", "skipped"):
            raise SubjectRefused(excerpt(reply.content, 300))
        raise self.unexpected(op, reply)

    def reply(self, op: str, fields: Fields, expected: int = 0) -> Reply:
        """The reply to a request, whatever its outcome; at most so many numbers are expected in it."""
        self._asked += 1
        limit = min(LINE + NUMBER * expected, LONGEST)
        line = self._child.exchange(request_line(self._asked, op, fields), op, self.timeout, limit)
        try:
            return read_reply(line, self._asked)
        except BadReply as bad:
            self._child.fail(f"the reply to {op} {bad}")

    def understood(self, op: str, read: Callable[[Any], T], content: Any) -> T:
        """What `read` makes of a result; `SubjectFailed` when it is not what was asked for."""
        try:
            return read(content)
        except BadReply as bad:
            words = f"the reply to {op} {bad}"
        except SubjectFailed as failure:
            words = str(failure)
        raise SubjectFailed(self._child.with_stderr(words))

    def unexpected(self, op: str, reply: Reply) -> SubjectFailed:
        """A valid request was not answered by a result."""
        words = f"{op} was answered by {reply.outcome}: {excerpt(reply.content, 300)}"
        if reply.outcome == "skipped":
            words += " (what a subject does not offer is left out of its methods)"
        return SubjectFailed(self._child.with_stderr(words))

    def end(self, politely: bool) -> None:
        """Ends the process and everything it started; politely, after asking it to stop."""
        self._asked += 1
        self._child.end(request_line(self._asked, "stop", {}) if politely else None)
