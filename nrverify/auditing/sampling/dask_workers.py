"""The chunks of an audit on a Dask cluster: each worker process hosts the subject, once for each of its threads.

A chunk on a worker that dies is drawn again elsewhere with the same seeds, so that nothing changes; a subject that does
not repeat itself for a seed gives other transcripts then, which are as good.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from nrverify.auditing.sampling.work_units import ChunkResult, Work, Worker
from nrverify.auditing.sampling.workers import AHEAD, Workers
from nrverify.cluster import connected
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.own_laws.place import Place, leave, use
from nrverify.subjects.records.file import RecordsFile

FAR = 0.1
"""Seconds of work that are worth a call of another machine."""
IDLE = 600.0
"""Seconds after which a worker ends subjects nobody has asked for: the audit they belonged to is gone."""


@dataclass(frozen=True)
class Reach:
    """How a worker reaches the subject of one audit."""

    subject: Any
    timeout: float
    folder: str
    audit: str
    law: Place | None = None
    """Where the law of one's own is found that judges, if one does."""


@contextmanager
def on_cluster(
    subject: Any, timeout: float, scheduler: str, jobs: int | None = None, law: Place | None = None
) -> Iterator[Workers]:
    """The workers of the cluster at that address, with at most `jobs` loads of chunks under way."""
    reach = Reach(subject, timeout, os.getcwd(), uuid.uuid4().hex, law)
    with connected(scheduler) as cluster:
        try:
            window = jobs or AHEAD * cluster.threads
            yield Workers(cluster.executor, partial(_score, reach), window, FAR, cluster.alive)
        finally:
            with suppress(Exception):
                cluster.client.run(_end, reach.audit)


class Stations:
    """The stations of one audit in this process: they end with it, or when nobody has asked for them for long."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
        self._lock = threading.Lock()
        self._asked = time.monotonic()
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def over(self) -> bool:
        """Whether nobody asks for them any longer."""
        return self._over.is_set()

    def take(self, reach: Reach) -> Worker:
        """A worker that no other thread uses."""
        from nrverify.subjects.reach import opener

        with self._lock:
            self._asked = time.monotonic()
            if self._free:
                return self._free.pop()
        host = opener(reach.subject, reach.folder, reach.law)(reach.timeout)
        assert not isinstance(host, RecordsFile)
        return Worker(host, elsewhere=True)

    def give_back(self, worker: Worker) -> None:
        """Leaves a worker for the next."""
        with self._lock:
            self._asked = time.monotonic()
            if not self._over.is_set():
                self._free.append(worker)
                return
        worker.host.close()

    def end(self) -> None:
        """Ends the subjects at rest now, and those at work when they are given back."""
        self._over.set()
        with self._lock:
            free, self._free = self._free, []
        for worker in free:
            worker.host.close()

    def _watch(self) -> None:
        while not self._over.wait(IDLE / 10):
            if time.monotonic() - self._asked > IDLE:
                self.end()


_STATIONS: dict[str, Stations] = {}
"""Of this process, by audit."""
_LOCK = threading.Lock()
"""A Dask worker runs tasks in several threads, and an audit has one set of stations."""


def _score(reach: Reach, load: Sequence[Work]) -> list[ChunkResult]:
    """Draws and scores in this worker."""
    with _LOCK:
        for audit in [audit for audit, stations in _STATIONS.items() if stations.over]:
            del _STATIONS[audit]
            leave(audit)
        stations = _STATIONS.get(reach.audit) or _STATIONS.setdefault(reach.audit, Stations())
        if reach.law is not None:
            use(reach.law, reach.audit)
    try:
        worker = stations.take(reach)
    except SubjectFailed as failure:
        return [ChunkResult((), 0.0, 0.0, failed=f"{failure} (on a worker of the cluster)")]
    outcomes = worker.run(load)
    if outcomes[-1].failed is None:
        stations.give_back(worker)
    else:
        # A host that failed may still answer, late, and be taken to answer the next request.
        worker.host.close()
    return outcomes


def _end(audit: str) -> None:
    """Ends the subjects of an audit in this process."""
    with _LOCK:
        stations = _STATIONS.pop(audit, None)
        leave(audit)
    if stations is not None:
        stations.end()
