"""Mutants and benign variants whose point these laws do not see: streams, last bits, declared noise, other orders.

Their defects are shown by the tests of their own rooms: tests/unit/auditing/numerics, tests/unit/auditing/threshold,
test_last_bits.py and test_any_order.py in tests/auditing/noise_reduction, and the unit tests of streams, coincidences
and coordinates.
"""

from nrverify.reference.mutants import any_order, last_bits, sparse_vector
from nrverify.reference.mutants.overlooked import OVERLOOKED, RELATIVES

SEEN_ELSEWHERE = {
    entry.name
    for group in (
        OVERLOOKED,
        RELATIVES,
        any_order.MUTANTS,
        last_bits.MUTANTS,
        last_bits.RIGHT,
        sparse_vector.MUTANTS,
        sparse_vector.BENIGN,
    )
    for entry in group
}
