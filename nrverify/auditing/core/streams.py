"""What every check of random streams grants."""

FEWEST_STREAMS = 2.0**31
"""Streams that seeds must lead to: what is left of a seed of 32 bits and a sign."""
