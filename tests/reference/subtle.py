"""Mutants that no statistic of single sessions tells from the right mechanism: test_mutant_sessions.py has others."""

SUBTLE = frozenset(
    {
        *("brownian-cut-off", "brownian-few-noises", "brownian-mirrored-batch", "brownian-every-twentieth"),
        *("brownian-rare-sessions", "brownian-small-cache", "brownian-third-time-fresh"),
        *("laplace-jumps-clipped", "skellam-normal-above-two", "threshold-reused"),
    }
)
