"""Where the data of a task come from: a folder of original files, or a synthetic set of the same shape."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nrverify.processes.pool import WorkerPool
from nrverify.reproduce.data import kdd, synthetic, twitter
from nrverify.reproduce.data.files import DataError, lines_of, sha256
from nrverify.reproduce.result import Source
from nrverify.reproduce.settings import ReproductionSettings
from nrverify.reproduce.trials import stream

KDD_FILES = ("kddcup.data_10_percent.gz", "kddcup.data_10_percent", "kddcup.data_10_percent_corrected")
TWITTER_FILES = ("Twitter.data", "Twitter.data.gz")
OTHER_SAMPLES = 2
"""Further samples of rows, to see what depends on the sample."""


@dataclass(frozen=True)
class Data:
    """The data of the tasks that were asked for: the sample of rows in use, further ones, and what to call them."""

    events: tuple[kdd.Events, ...]
    topics: tuple[twitter.Topics, ...]
    sources: tuple[Source, ...]

    def source(self, task: str) -> Source:
        """What the data of a task are."""
        return next(source for source in self.sources if source.task == task)


def load(
    folder: Path | None, tasks: frozenset[str], settings: ReproductionSettings, executor: Executor | None = None
) -> Data:
    """The data of these tasks: from the folder, or synthetic where there is none. A file that is missing is a fault.

    With worker processes the two files are read at the same time; workers elsewhere may not have the files.
    """
    events: tuple[kdd.Events, ...] = ()
    topics: tuple[twitter.Topics, ...] = ()
    sources = []
    reading = None
    if isinstance(executor, WorkerPool) and folder is not None and len(tasks) == 2:
        reading = executor.submit(_topics, folder, settings)
    if "logistic" in tasks:
        events, source = _events(folder, settings)
        sources.append(source)
    if "ridge" in tasks:
        topics, source = _topics(folder, settings) if reading is None else reading.result()
        sources.append(source)
    return Data(events, topics, tuple(sources))


def _events(folder: Path | None, settings: ReproductionSettings) -> tuple[tuple[kdd.Events, ...], Source]:
    return _synthetic_events(settings) if folder is None else _read_events(folder, settings)


def _topics(folder: Path | None, settings: ReproductionSettings) -> tuple[tuple[twitter.Topics, ...], Source]:
    return _synthetic_topics(settings) if folder is None else _read_topics(folder, settings)


def _rngs(settings: ReproductionSettings, name: str) -> list[np.random.Generator]:
    return [np.random.default_rng(stream(settings.seed, f"rows/{name}", sample)) for sample in range(1 + OTHER_SAMPLES)]


def _synthetic_events(settings: ReproductionSettings) -> tuple[tuple[kdd.Events, ...], Source]:
    events = tuple(synthetic.events(settings.rows, rng) for rng in _rngs(settings, "kdd"))
    label = f"SYNTHETIC data, not KDD-Cup-99 (n = {settings.rows:,})"
    return events, Source(
        "logistic", "synthetic", label, "38 columns drawn in the shape of KDD-Cup-99; no file was read."
    )


def _synthetic_topics(settings: ReproductionSettings) -> tuple[tuple[twitter.Topics, ...], Source]:
    topics = tuple(synthetic.topics(settings.rows, rng) for rng in _rngs(settings, "twitter"))
    label = f"SYNTHETIC data, not Twitter (n = {settings.rows:,})"
    detail = "77 columns drawn in the shape of Twitter “Buzz in social media”; no file was read."
    return topics, Source("ridge", "synthetic", label, detail)


def _read_events(folder: Path, settings: ReproductionSettings) -> tuple[tuple[kdd.Events, ...], Source]:
    path = find(folder, KDD_FILES, "kdd", kdd.recognised, "KDD-Cup-99")
    events = kdd.read(path, settings.rows, _rngs(settings, "kdd"))
    checksum = sha256(path)
    whole = "the archive’s complete 10 % file" if checksum == kdd.WHOLE_SHA256 else "not the archive’s complete file"
    label = f"KDD-Cup-99 (n = {settings.rows:,} of {events[0].available:,} rows)"
    return events, Source("logistic", "original", label, f"`{path.name}`, sha256 `{checksum}`: {whole}.")


def _read_topics(folder: Path, settings: ReproductionSettings) -> tuple[tuple[twitter.Topics, ...], Source]:
    path = find(folder, TWITTER_FILES, "twitter", twitter.recognised, "Twitter")
    topics = twitter.read(path, settings.rows, _rngs(settings, "twitter"))
    checksum = sha256(path)
    if topics[0].partial:
        label = (
            f"STAND-IN for Twitter (n = {settings.rows:,} drawn from a partial sample of {topics[0].available:,} rows)"
        )
        detail = (
            f"`{path.name}`, sha256 `{checksum}`: a partial sample without the paper’s target. The stand-in task "
            "predicts log(1 + V77), the last week’s active discussions, from the 60 columns of the six weeks before; "
            "rows are drawn with replacement to reach the paper’s n."
        )
        return topics, Source("ridge", "stand-in", label, detail)
    label = f"Twitter (n = {settings.rows:,} of {topics[0].available:,} rows)"
    return topics, Source("ridge", "original", label, f"`{path.name}`, sha256 `{checksum}`.")


def find(folder: Path, names: tuple[str, ...], prefix: str, recognised: Callable[[str], bool], what: str) -> Path:
    """The file of a data set: by its original name, or the first whose name begins so and whose first line fits."""
    if not folder.is_dir():
        raise DataError(folder, f"expected a folder with the {what} file ({names[0]}), found none")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    like = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(prefix))
    if not like:
        raise DataError(
            folder,
            f"expected the {what} file ({' or '.join(names[:2])}, or another name that begins with “{prefix}”), "
            "found none; add it, download it with --fetch, choose figures that do not need it, "
            "or leave out --data for synthetic data",
        )
    for path in like:
        if any(recognised(line) for line in _first_line(path)):
            return path
    return like[0]


def _first_line(path: Path) -> list[str]:
    """The first line of a file, if it has one; a file that cannot be read is judged by its reader, not here."""
    try:
        return lines_of(path)[:1]
    except DataError:
        return []
