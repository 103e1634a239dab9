"""Exact symbolic derivations of the statements of the paper, with their certificates: a suite of evidence."""
