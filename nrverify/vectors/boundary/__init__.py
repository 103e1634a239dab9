"""Vectors of boundaries, their inverses and optima, and of crossing probabilities."""
