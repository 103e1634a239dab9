"""Every function written once more, right and with each bug that its vectors flag: `variant(bug, **inputs)`.

Written from the statements in the vector files in mpmath, at 60 digits; bugs of double precision in floats. The bug
"unchecked" answers NaN to what should be refused, as IEEE arithmetic would.
"""

from tests.vectors.variants import boundaries, bridges, crossings, discrete, losses, skellam, thresholds

VARIANTS = {
    **losses.VARIANTS,
    **boundaries.VARIANTS,
    **bridges.VARIANTS,
    **skellam.VARIANTS,
    **discrete.VARIANTS,
    **thresholds.VARIANTS,
    **crossings.VARIANTS,
}
