"""Simulated privacy-loss distributions against the theorems: a suite of statistical evidence."""
