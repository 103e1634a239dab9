"""Derivations of the statements of the paper."""
