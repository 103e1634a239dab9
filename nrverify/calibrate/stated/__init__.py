"""Stated sizes: statements of checks about what they would have caught, and faults of just that size."""
