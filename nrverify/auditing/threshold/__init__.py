"""The audit of AboveThreshold and ReducedAboveThreshold."""
