"""Cost as the work grows: time per sample must not, nor memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nrverify.benchmark.row import Growth, Row

SIZES = (10**4, 10**5, 10**6, 10**7, 10**8)
"""Of simulations: up to a thousand batches, so that whatever grows with the sample shows."""
QUICK_SIZES = SIZES[:3]
"""Up to a million: the larger sizes take nearly all of the time."""
AUDIT_SIZES = (10**4, 10**5, 10**6, 10**7)
"""Of audits: up to fifty times the default; 10⁸ would take nine times as long as the others together."""
QUICK_AUDIT_SIZES = AUDIT_SIZES[:3]
"""Up to a million, for the same reason."""
BATCH = 10**5
"""Numbers drawn at once: what an audit or an experiment holds, however many it draws in all."""
MANY = 10**6
"""Below so many samples what is done once, whatever the size, is felt; above, it repeats itself well enough alone."""
FLAT_TIME, FLAT_MEMORY = 1.5, 1.25
"""The largest size may take so many times the time a sample, and the memory, of the one before it."""


def growth(sizes: Sequence[int] = SIZES, batch: int = BATCH) -> Iterator[Growth]:
    """Simulated transcripts of ten releases, from few samples to many, drawn in batches."""
    from nrverify.benchmark.measure import median_seconds, peak_bytes, seconds
    from nrverify.reference.schedules import geometric
    from nrverify.reference.simulate import simulate

    schedule = geometric(100.0, 0.6, 10)
    for mechanism, method in (
        ("brownian", "bridge"),
        ("laplace", "walk"),
        ("laplace", "lazy"),
        ("skellam", "thinning"),
    ):
        for samples in sizes:
            sessions = max(1, samples // len(schedule))
            drawn = sessions * len(schedule)

            def work(mechanism: str = mechanism, method: str = method, sessions: int = sessions) -> None:
                most = batch // len(schedule)
                for seed, first in enumerate(range(0, sessions, most)):
                    simulate(mechanism, 1, schedule, min(most, sessions - first), seed, method=method)

            time = median_seconds(work, 5) if drawn <= MANY else seconds(work)
            yield Growth(f"{mechanism} by the {method}", drawn, 1e9 * time / drawn, peak_bytes(work))


def flatness(points: Sequence[Growth]) -> Iterator[Row]:
    """For everything that grew: the largest size against the one before it, in time per sample and in memory."""
    for name in dict.fromkeys(point.name for point in points):
        *_, before, last = sorted((point for point in points if point.name == name), key=lambda point: point.samples)
        words = f"{name}, {last.samples:.0e} against {before.samples:.0e}"
        time, memory = last.nanoseconds / before.nanoseconds, last.peak_bytes / max(before.peak_bytes, 1)
        yield Row(f"{words}: time per sample", time, "times", FLAT_TIME, None, None)
        yield Row(f"{words}: memory", memory, "times", FLAT_MEMORY, None, last.peak_bytes)
