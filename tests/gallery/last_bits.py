"""A second derivation, without nrverify, of what numerics.last-bits says: python -m tests.gallery.last_bits DIR.

fl(1 + n) within 1/4 of 0 has n between −5/4 and −3/4, a multiple of 2^-53, and so is the sum: a release near 0 that is
no multiple of 2^-53 cannot come from the value 1 where the last step is a sum in double precision. Counted at 0 and 1.
"""

from __future__ import annotations

import sys

from tests.gallery.libraries import ADAPTERS

RUNS, NEAR, EPSILON = 20_000, 0.25, 1.0
"""About one release in ten lies near 0."""


def off_grid(adapter: type, value: float) -> tuple[int, int]:
    """Releases near 0, and how many of them are no multiple of 2^-53."""
    near = [float(y) for y in adapter().sample([value], [EPSILON], RUNS, int(1 + value)).ravel() if abs(y) < NEAR]
    return len(near), sum((y * 2.0**53) % 1 != 0 for y in near)


def main() -> None:
    """Prints the counts of every adapter of continuous noise."""
    sys.path.extend(sys.argv[1:])
    for adapter in ADAPTERS:
        if adapter.mechanism in ("laplace", "brownian"):  # type: ignore[attr-defined]
            counts = [off_grid(adapter, value) for value in (0.0, 1.0)]
            print(adapter.__name__, *(f"value {v:g}: {off} of {near};" for v, (near, off) in enumerate(counts)))


if __name__ == "__main__":
    main()
