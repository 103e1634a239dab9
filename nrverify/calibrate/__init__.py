"""Calibration: the instrument tested on mutants and on correct implementations."""
