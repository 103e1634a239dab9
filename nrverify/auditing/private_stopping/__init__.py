"""The audit of Brownian releases stopped by ReducedAboveThreshold."""
