"""A trace: every request to a subject and its reply, as they come, one JSON object per line of a file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nrverify.plain_text import plain_json
from nrverify.subjects.command.host import ProcessHost
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.replay.exchanges import Exchange, ExchangeHost, outcome_of
from nrverify.subjects.requests import Request

MOST_NUMBERS = 1000
"""Numbers of an array that are written out: enough to see what was answered, few enough that a trace can be read."""
MOST_TEXT = 20_000
"""Characters of a line that are written out, for the same reason."""


class Trace:
    """The file of a trace, emptied when it is made; processes that are forked afterwards add to the same file."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._path = Path(file).absolute()
        try:
            self._path.write_bytes(b"")
        except OSError as error:
            raise ValueError(f"cannot write the trace {str(file)!r}: {error.strerror or error}") from None

    def add(self, **line: Any) -> None:
        """One exchange, written at once: the run may end at any time."""
        words = plain_json(json.dumps(_readable({"process": os.getpid(), **line}), ensure_ascii=False))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(words + "\n")

    def opening(self, open_host: Callable[[float], Host | RecordsFile]) -> Callable[[float], Host | RecordsFile]:
        """What opens hosts whose exchanges are written down: as they were sent for a command, else by request."""

        def opened(timeout: float) -> Host | RecordsFile:
            host = open_host(timeout)
            if isinstance(host, ProcessHost):
                host.listen(self.add)
                return host
            return host if isinstance(host, RecordsFile) else traced_host(host, self)

        return opened


def traced_host(host: Host, trace: Trace) -> ExchangeHost:
    """The host that asks another, and writes down what was asked and answered."""

    def exchange(request: Request[Any]) -> Exchange:
        started, before = time.monotonic(), host.seconds
        outcome, answer = outcome_of(host, request)
        trace.add(request=request, **{outcome: answer}, seconds=round(time.monotonic() - started, 6))
        return Exchange(outcome, answer, host.seconds - before)

    return ExchangeHost(host.description, host.timeout, exchange, host.close)


def _readable(thing: Any) -> Any:
    """As JSON, long arrays and texts cut with a word about it."""
    if isinstance(thing, np.ndarray):
        if thing.size <= MOST_NUMBERS:
            return _readable(thing.tolist())
        return {"shape": list(thing.shape), "first": _readable(thing.ravel()[:MOST_NUMBERS].tolist())}
    if isinstance(thing, np.generic):
        return _readable(thing.item())
    if isinstance(thing, float):
        return thing if np.isfinite(thing) else repr(thing)
    if isinstance(thing, str):
        return thing if len(thing) <= MOST_TEXT else f"{thing[:MOST_TEXT]}… ({len(thing)} characters)"
    if isinstance(thing, dict):
        return {str(key): _readable(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        kept = [_readable(part) for part in thing[:MOST_NUMBERS]]
        return kept if len(thing) <= MOST_NUMBERS else [*kept, f"… ({len(thing)} in all)"]
    if is_dataclass(thing) and not isinstance(thing, type):
        named = {"asks": thing.method} if isinstance(thing, Request) else {"is": type(thing).__name__}
        return {**named, **{field.name: _readable(getattr(thing, field.name)) for field in fields(thing)}}
    return thing if thing is None or isinstance(thing, (bool, int)) else repr(thing)
