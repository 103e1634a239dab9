"""A subject in any language: a process that answers one JSON object per line (PROTOCOL.md)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.answers import bits, halting_rounds, numbers, transcripts
from nrverify.subjects.command.describe_reply import PROTOCOL, read_description
from nrverify.subjects.command.json_lines import BadReply, excerpt, read_array, request_line
from nrverify.subjects.command.outputs import read_outputs, read_spent
from nrverify.subjects.command.session import Conversation, Listener
from nrverify.subjects.description import Description
from nrverify.subjects.dialogues import NextQuery, dialogue, in_turn
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.generated_strategies import from_queries
from nrverify.subjects.neighbour_data import FROM_QUERIES
from nrverify.subjects.outputs import Outputs, feature_rows, normal
from nrverify.subjects.policies import take_turns
from nrverify.subjects.requests import (
    A_co,
    Answering,
    InteractRequest,
    PlayRequest,
    PolicyRequest,
    RefusalRequest,
    Request,
    RunAnyRequest,
    RunManyAnyRequest,
    RunManyRequest,
    RunRequest,
    RunStoppingRequest,
    SampleRequest,
    ScalarRequest,
)

Floats = NDArray[np.float64]

TOGETHER = 2
"""Sessions open at the same time, as PROTOCOL.md says."""
OUTPUT = 16
"""Numbers that an output of a batch may be as long as, in a reply."""
MOST_SEEDS = 4096
"""Sessions of one request to play, as PROTOCOL.md says: a line of 70 kB, which a harness in C reads into an array."""
INTEGERS = ("sessions", "runs", "seed", "seeds")
"""Fields of requests that are integers in JSON; all others are floats."""


class ProcessHost(Answering):
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

    def listen(self, listener: Listener) -> None:
        """From now on every line that is sent or received is told to a listener."""
        self._conversation.listener = listener

    @property
    def timeout(self) -> float:
        """Seconds that one request may take."""
        return self._conversation.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._conversation.timeout = seconds

    def ask(self, request: Request[A_co]) -> A_co:
        """The answer, in as many lines as the protocol needs for it; the time that takes is counted."""
        started = time.monotonic()
        try:
            return super().ask(request)
        finally:
            self.seconds += time.monotonic() - started

    def sample(self, request: SampleRequest) -> Floats:
        """One line for all transcripts."""
        shape = (request.sessions, len(request.schedule), request.value.size)
        return self._conversation.ask(
            "sample",
            self._fields(request) | self._encoding,
            lambda result: transcripts(read_array(result), shape),
            expected=math.prod(shape),
            refusable=True,
        )

    def play_schedule(self, request: PlayRequest) -> Floats:
        """A line for as many sessions as one request may have."""
        content = self._fields(request)
        seeds = content.pop("seeds")
        parts = [seeds[first : first + MOST_SEEDS] for first in range(0, len(seeds), MOST_SEEDS)]
        return np.concatenate([self._played(content, part, request) for part in parts])

    def _played(self, content: dict[str, Any], seeds: Sequence[int], request: PlayRequest) -> Floats:
        shape = (len(seeds), len(request.schedule), request.value.size)
        return self._conversation.ask(
            "play",
            content | {"seeds": list(seeds)} | self._encoding,
            lambda result: transcripts(read_array(result), shape, "play()"),
            expected=math.prod(shape),
            refusable=True,
        )

    def play(self, request: PolicyRequest) -> tuple[Floats, Floats]:
        """A line for each session that is opened or closed, and for each release."""

        def opened(number: int) -> _ProcessSession:
            return self._session(request.value_of(number), request.seeds[number])

        try:
            return take_turns(opened, request.dimension, request.policy, len(request.seeds), TOGETHER)
        except SubjectRefused:
            for session in list(self._open):
                session.close()
            raise

    def refusal(self, request: RefusalRequest) -> str:
        """A session, whose last release is invalid."""
        *valid, invalid = request.requests
        if math.isnan(invalid):
            return "not asked: JSON has no NaN"
        session = self._session(request.value, request.seed)
        for at in valid:
            session.release(at, first=True)
        content = {"session": session.name, "at": float(invalid)}
        reply = self._conversation.reply("release", content, request.value.size)
        # The request was invalid: what it did to the session is nobody's fault.
        with suppress(SubjectFailed):
            session.close()
        if reply.outcome != "result":
            return f"refused: {excerpt(reply.content, 300)}"
        answer = self._conversation.understood("release", read_array, reply.content)
        return "accepted" if np.all(np.isfinite(answer)) else "answered NaN or infinity"

    def run(self, request: RunRequest) -> list[list[int]]:
        """A line for each run."""
        content = self._fields(request)
        seeds = content.pop("seeds")
        most = len(request.utilities)
        return [
            self._conversation.ask("run", content | {"seed": seed}, lambda x: bits(read_array(x)), most)
            for seed in seeds
        ]

    def run_many(self, request: RunManyRequest) -> NDArray[np.int64]:
        """One line for all runs."""
        positives = self.description.positives
        return self._conversation.ask(
            "run_many",
            self._fields(request),
            lambda result: halting_rounds(read_array(result), request.runs, positives),
            expected=request.runs * positives,
        )

    def run_any(self, request: RunAnyRequest) -> Outputs:
        """A line for each run, and one for the features of each output."""
        asked = [{"data": request.data, "seed": seed} for seed in request.seeds]
        return self._judged([self._conversation.ask("run", fields, lambda result: result) for fields in asked])

    def run_many_any(self, request: RunManyAnyRequest) -> Outputs:
        """One line for all runs."""
        fields = {"data": request.data, "runs": request.runs, "seed": request.seed}
        expected = OUTPUT * request.runs
        return self._judged(
            self._conversation.ask("run_many", fields, lambda result: read_outputs(result, request.runs), expected)
        )

    def interact(self, request: InteractRequest) -> Outputs:
        """A line for each session that is opened or closed, and for each query."""
        if "spent" in self.description.methods:
            raise SubjectFailed("the answers of a session have no spent in the protocol: claim an epsilon or a curve")
        next_query = self._strategy(request.strategy)
        return self._judged([self._dialogue(request.data, next_query, seed) for seed in request.seeds])

    def _strategy(self, number: int) -> NextQuery:
        """A list of queries of the description, or made from its queries."""
        own = self.description.strategies or ()
        if own == FROM_QUERIES:
            return from_queries(self.description.queries or (), number)
        if not isinstance(own[number], list):
            raise SubjectFailed(
                f"strategy {own[number]!r:.60} is not a list of queries, and a function does not travel as JSON: "
                f"strategies = {FROM_QUERIES!r} makes adaptive ones from queries"
            )
        return in_turn(own[number])

    def _dialogue(self, data: Any, next_query: NextQuery, seed: int) -> list[Any]:
        name = self._conversation.ask("open", {"data": data, "seed": seed}, _session_name)

        def ask(query: Any) -> Any:
            return self._conversation.ask("ask", {"session": name, "query": query}, lambda x: normal(x, "ask()"))

        answers = dialogue(ask, next_query)
        reply = self._conversation.reply("close", {"session": name})
        if reply.outcome not in ("result", "skipped"):
            raise self._conversation.unexpected("close", reply)
        return answers

    def _judged(self, results: list[Any]) -> Outputs:
        """Results of runs as outputs, with what each has spent where that is claimed, and its features."""
        spent = rows = None
        if "spent" in self.description.methods:
            smallest = self.description.smallest_epsilon or 0.0
            results, spent = self._conversation.understood("run", lambda found: read_spent(found, smallest), results)
        outputs = [normal(result, "run()") for result in results]
        if "features" in self.description.methods:
            rows = feature_rows(
                [self._conversation.ask("features", {"output": output}, lambda x: x) for output in outputs]
            )
        return Outputs(outputs, spent, rows)

    def run_stopping(self, request: RunStoppingRequest) -> list[tuple[Floats, list[int]]]:
        """Not in the protocol: a utility is a function, which does not travel as JSON."""
        raise SubjectFailed("private stopping is audited in Python only: the protocol has no request for it")

    def scalar(self, request: ScalarRequest) -> Floats:
        """A line for each number."""
        argument = "time" if request.function == "epsilon" else "epsilon"
        answers = [self._conversation.ask(request.function, {argument: float(x)}, _number) for x in request.numbers]
        return np.array(answers, dtype=np.float64)

    def close(self) -> None:
        """Asks the process to stop, waits briefly, and ends it and everything it started."""
        self._conversation.end(politely=True)

    def _session(self, value: Floats, seed: int) -> _ProcessSession:
        content = {"value": self._value(value), "seed": seed}
        name = self._conversation.ask("open", content, _session_name, refusable=True)
        session = _ProcessSession(name, value.size, self._conversation, self._open)
        self._open.append(session)
        return session

    def _value(self, value: Floats) -> list[int] | list[float]:
        return [int(x) for x in value] if self.description.integer else _floats(value)

    def _fields(self, request: Request[object]) -> dict[str, Any]:
        """A request's fields by their names, as JSON."""
        return {field.name: self._json(field.name, getattr(request, field.name)) for field in fields(request)}

    def _json(self, name: str, part: Any) -> Any:
        if name == "value":
            return self._value(part)
        if name in INTEGERS:
            return part
        return float(part) if isinstance(part, (int, float)) else _floats(part)


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
            later=not first,
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


def _floats(entries: Sequence[float] | Floats) -> list[float]:
    return [float(x) for x in entries]
