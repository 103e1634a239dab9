"""A subject in any language: a process that answers one JSON object per line (PROTOCOL.md)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.answers import bits, halting_rounds, numbers
from nrverify.subjects.command.describe_reply import PROTOCOL, read_description
from nrverify.subjects.command.json_lines import BadReply, excerpt, read_array, request_line
from nrverify.subjects.command.session import Conversation
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Play, take_turns
from nrverify.subjects.stopping_utilities import Utility

Floats = NDArray[np.float64]

TOGETHER = 2
"""Sessions open at the same time, as PROTOCOL.md says."""


class ProcessHost:
    """Requests to a subject in another process, each under a time limit; counts the time the subject took."""

    def __init__(self, command: str, timeout: float) -> None:
        self.seconds = 0.0
        self._open: list[_ProcessSession] = []
        self._conversation = Conversation(command, timeout)
        try:
            described = self._conversation.ask("describe", {"protocol": PROTOCOL}, read_description)
        except BaseException:
            self._conversation.end(politely=False)
            raise
        self.description: Description = described.description
        self._encoding = {} if described.encoding is None else {"encoding": described.encoding}

    @property
    def timeout(self) -> float:
        """Seconds that one request may take."""
        return self._conversation.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._conversation.timeout = seconds

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Whole transcripts at once, shape (sessions, len(schedule), d)."""
        shape = (sessions, len(schedule), value.size)
        fields = {"value": self._value(value), "schedule": _floats(schedule), "sessions": sessions, "seed": seed}
        with self._counted():
            return self._conversation.ask(
                "sample",
                fields | self._encoding,
                lambda result: numbers(read_array(result), shape, "sample()"),
                expected=math.prod(shape),
                refusable=True,
            )

    def play(self, value: Floats, play: Play, seeds: Sequence[int]) -> tuple[Floats, Floats]:
        """Sessions: their releases (NaN after the end) and what was asked."""
        with self._counted():
            try:
                return take_turns(lambda seed: self._session(value, seed), value.size, play, seeds, TOGETHER)
            except SubjectRefused:
                for session in list(self._open):
                    session.close()
                raise

    def refusal(self, value: Floats, requests: Sequence[float], seed: int) -> str:
        """What happens to the last of these requests: 'refused: …', 'accepted', 'answered NaN …', 'not asked: …'."""
        if math.isnan(requests[-1]):
            return "not asked: JSON has no NaN"
        with self._counted():
            session = self._session(value, seed)
            for at in requests[:-1]:
                session.release(at, first=True)
            fields = {"session": session.name, "at": float(requests[-1])}
            reply = self._conversation.reply("release", fields, value.size)
            # The request was invalid: what it did to the session is nobody's fault.
            with suppress(SubjectFailed):
                session.close()
            if reply.outcome != "result":
                return f"refused: {excerpt(reply.content, 300)}"
            answer = self._conversation.understood("release", read_array, reply.content)
            return "accepted" if np.all(np.isfinite(answer)) else "answered NaN or infinity"

    def run(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        seeds: Sequence[int],
    ) -> list[list[int]]:
        """The bits printed by one run for each seed."""
        fields = _threshold_fields(utilities, epsilons, threshold, sensitivity)
        with self._counted():
            return [
                self._conversation.ask("run", fields | {"seed": seed}, lambda x: bits(read_array(x)), len(utilities))
                for seed in seeds
            ]

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> NDArray[np.int64]:
        """Halting rounds of many runs."""
        fields = _threshold_fields(utilities, epsilons, threshold, sensitivity)
        with self._counted():
            return self._conversation.ask(
                "run_many",
                fields | {"runs": runs, "seed": seed},
                lambda result: halting_rounds(read_array(result), runs),
                expected=runs,
            )

    def run_stopping(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seeds: Sequence[int],
    ) -> list[tuple[Floats, list[int]]]:
        """Not in the protocol: a utility is a function, which does not travel as JSON."""
        raise SubjectFailed("private stopping is audited in Python only: the protocol has no request for it")

    def scalar(self, method: str, arguments: Sequence[float]) -> Floats:
        """epsilon(time), time(epsilon) or time_of(epsilon) at each argument."""
        argument = "time" if method == "epsilon" else "epsilon"
        with self._counted():
            answers = [self._conversation.ask(method, {argument: float(x)}, _number) for x in arguments]
        return np.array(answers, dtype=np.float64)

    def close(self) -> None:
        """Asks the process to stop, waits briefly, and ends it and everything it started."""
        self._conversation.end(politely=True)

    def _session(self, value: Floats, seed: int) -> _ProcessSession:
        fields = {"value": self._value(value), "seed": seed}
        name = self._conversation.ask("open", fields, _session_name, refusable=True)
        session = _ProcessSession(name, value.size, self._conversation, self._open)
        self._open.append(session)
        return session

    def _value(self, value: Floats) -> list[int] | list[float]:
        return [int(x) for x in value] if self.description.integer else _floats(value)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started


@dataclass(eq=False)
class _ProcessSession:
    """A session in the process, under the name that the process gave it; listed while it is open."""

    name: Any
    dimension: int
    conversation: Conversation
    listed: list[_ProcessSession]

    def release(self, at: float, first: bool) -> Floats:
        return self.conversation.ask(
            "release",
            {"session": self.name, "at": float(at)},
            lambda result: numbers(read_array(result), (self.dimension,), "release()"),
            expected=self.dimension,
            refusable=first,
        )

    def close(self) -> None:
        self.listed.remove(self)
        reply = self.conversation.reply("close", {"session": self.name})
        # Where sessions need no end, there is nothing to close.
        if reply.outcome not in ("result", "skipped"):
            raise self.conversation.unexpected("close", reply)


def _session_name(result: Any) -> Any:
    if not isinstance(result, dict) or "session" not in result:
        raise BadReply(f'is {excerpt(result)}: an object such as {{"session": 3}} is needed')
    name = result["session"]
    try:
        request_line(0, "release", {"session": name})
    except ValueError:
        raise BadReply(f"names a session {excerpt(name)}, a number too large to be repeated") from None
    return name


def _number(result: Any) -> float:
    """One number. Not null: it may stand for NaN or for infinity, and only one of them is a fault."""
    if result is None:
        raise BadReply("is null: a number is needed (infinity is written 1e999)")
    return float(numbers(read_array(result), (1,), "it")[0])


def _threshold_fields(
    utilities: Sequence[float], epsilons: Sequence[float], threshold: float, sensitivity: float
) -> dict[str, Any]:
    return {
        "utilities": _floats(utilities),
        "epsilons": _floats(epsilons),
        "threshold": float(threshold),
        "sensitivity": float(sensitivity),
    }


def _floats(entries: Sequence[float] | Floats) -> list[float]:
    return [float(x) for x in entries]
