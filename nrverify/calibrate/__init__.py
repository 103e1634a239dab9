"""Calibration of the auditor on mutants and on correct implementations."""
