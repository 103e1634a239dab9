"""Noise reduction as a user runs it: releases paid for by ε, stopped privately, several under one budget."""

from nrverify.accounting.composition import BudgetExceeded, Composition
from nrverify.accounting.noise_reduction import NoiseReduction

__all__ = ["BudgetExceeded", "Composition", "NoiseReduction"]
