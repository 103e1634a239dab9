"""Cost as the work grows: time and memory per sample must not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nrverify.benchmark.row import Growth

SIZES = (10**4, 10**5, 10**6, 10**7)
REPEATS = 5


def growth(sizes: Sequence[int] = SIZES) -> Iterator[Growth]:
    """Simulated transcripts of ten releases, from few samples to many."""
    from nrverify.benchmark.measure import median_seconds, peak_bytes
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

            def work(mechanism: str = mechanism, method: str = method, sessions: int = sessions) -> object:
                return simulate(mechanism, 1, schedule, sessions, 1, method=method)

            time = median_seconds(work, REPEATS)
            yield Growth(f"{mechanism} by the {method}", drawn, 1e9 * time / drawn, peak_bytes(work))
