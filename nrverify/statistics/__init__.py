"""Finite-sample-valid statistics and the error budget of a run."""
