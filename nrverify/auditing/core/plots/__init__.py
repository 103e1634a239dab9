"""Plots of what checks saw: their data, the sums they need, their limits. No verdict rests on them."""
