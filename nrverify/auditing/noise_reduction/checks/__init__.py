"""The checks of a noise-reduction subject whose times are known."""
