"""What was checked by hand about each finding on a library: a finding that is not here is not printed as one.

A false accusation is the worst defect an audit can have, so every finding is derived a second time, from the library's
own source and from numbers, before it is published.
"""

from __future__ import annotations

CHECKED: dict[tuple[str, str], str] = {
    ("DiffprivlibLaplace", "numerics.last-bits"): (
        "Checked by hand. `Laplace.randomise` returns `value - scale * standard_laplace` in double precision, so what "
        "can be released depends on the value: −0x1.340e36c0b81ddp-2 is an odd multiple of 2^-54, while 2/3 and every "
        "double between −1 and −1/2 that could take it there are multiples of 2^-53; it was released for −1/3 and "
        "cannot be released for 2/3. This is the known limit of floating-point Laplace noise (Mironov 2012); the "
        "library's four-uniform sampler hides the lattice of the logarithm, not that of the last sum. In "
        "real arithmetic its law and its claim are consistent."
    ),
}
"""By adapter and check."""
