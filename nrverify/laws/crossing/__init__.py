"""The probability that a Brownian path meets or exceeds a curve, on a finite grid of looks or continuously."""

from nrverify.laws.crossing.first_passage import Crossing, Curve, crossing_probability, line_crossing_probability

__all__ = ["Crossing", "Curve", "crossing_probability", "line_crossing_probability"]
