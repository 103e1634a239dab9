"""Hypothesis properties of the laws over exact arithmetic: a suite of evidence."""
