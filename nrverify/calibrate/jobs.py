"""Jobs: pieces of a calibration that do not depend on one another, run one after the other or by a pool of workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from typing import Any

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Job:
    """A function of a module and its arguments, with a name for the progress line and a guess of its cost."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    cost: float = 1.0


def run_jobs(jobs: Sequence[Job], executor: Executor | None, progress: Progress | None = None) -> list[Any]:
    """The results in the order of the jobs, whatever the order in which they were done."""
    if executor is None:
        results = []
        for done, job in enumerate(jobs, start=1):
            results.append(job.function(*job.arguments))
            if progress is not None:
                progress(done, len(jobs), job.name)
        return results
    # The costliest first: nobody waits at the end for one that was started last.
    order = sorted(range(len(jobs)), key=lambda index: -jobs[index].cost)
    futures = {executor.submit(jobs[index].function, *jobs[index].arguments): index for index in order}
    found: dict[int, Any] = {}
    try:
        for done, future in enumerate(as_completed(futures), start=1):
            found[futures[future]] = future.result()
            if progress is not None:
                progress(done, len(jobs), jobs[futures[future]].name)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    return [found[index] for index in range(len(jobs))]
