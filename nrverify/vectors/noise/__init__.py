"""Vectors of noise: laws of releases, of the next release given the last, and the loss of one release."""
