"""The exact law of the output of AboveThreshold and ReducedAboveThreshold, and what it says of privacy and utility."""

from nrverify.laws.threshold.output_law import (
    halting_law,
    log_probability,
    margin_tail,
    privacy_loss,
    probability,
    total_hockey_stick,
    utility_margin,
    worst_loss,
)

__all__ = [
    "halting_law",
    "log_probability",
    "margin_tail",
    "privacy_loss",
    "probability",
    "total_hockey_stick",
    "utility_margin",
    "worst_loss",
]
