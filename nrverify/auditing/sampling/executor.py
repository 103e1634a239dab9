"""The engine of an audit: where its chunks are drawn and scored. It never changes a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from nrverify.auditing.sampling.workers import Workers, alone, several
from nrverify.subjects.host import Host
from nrverify.subjects.own_laws.place import Place
from nrverify.subjects.records.file import RecordsFile

ENGINES = ("local", "dask")


@dataclass(frozen=True)
class Engine:
    """This process, `jobs` processes of this machine where it takes longer, or the Dask cluster of a scheduler."""

    name: str = "local"
    scheduler: str | None = None
    jobs: int | None = None

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise ValueError(f"the engine is {self.name!r}: it must be one of {', '.join(ENGINES)}")
        if self.name == "dask" and not self.scheduler:
            raise ValueError("the engine dask needs the address of a scheduler, such as tcp://127.0.0.1:8786")
        if self.name != "dask" and self.scheduler:
            raise ValueError(f"the scheduler {self.scheduler!r} is for the engine dask")
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"jobs is {self.jobs!r}: it must be at least 1")

    @property
    def here(self) -> bool:
        """Whether this process draws everything."""
        return self.name == "local" and (self.jobs or 1) == 1

    @contextmanager
    def workers(
        self, subject: Any, host: Host, open_host: Callable[[float], Host | RecordsFile], law: Place | None = None
    ) -> Iterator[Workers]:
        """Those who draw and score, with hosts of their own; the host here is for what is not sampled.

        `law` is where a law of one's own is found by those on other machines.
        """
        if self.here:
            yield alone(host)
        elif self.scheduler is None:
            with several(host, partial(open_host, host.timeout), self.jobs or 1) as workers:
                yield workers
        else:
            from nrverify.auditing.sampling.dask_workers import on_cluster

            with on_cluster(subject, host.timeout, self.scheduler, self.jobs, law) as workers:
                yield workers
