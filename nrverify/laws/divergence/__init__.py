"""Divergences between neighbouring releases: hockey-stick and loss tail of the five families, closed forms, Rényi."""

from nrverify.laws.divergence.closed_forms import (
    gaussian_hockey_stick,
    gaussian_loss_tail,
    gaussian_renyi,
    laplace_hockey_stick,
    laplace_loss_tail,
    laplace_renyi,
    log_gaussian_hockey_stick,
    log_gaussian_loss_tail,
    log_gaussian_renyi_tail,
    log_renyi_tail,
)
from nrverify.laws.divergence.families import hockey_stick, loss_tail

__all__ = [
    "gaussian_hockey_stick",
    "gaussian_loss_tail",
    "gaussian_renyi",
    "hockey_stick",
    "laplace_hockey_stick",
    "laplace_loss_tail",
    "laplace_renyi",
    "log_gaussian_hockey_stick",
    "log_gaussian_loss_tail",
    "log_gaussian_renyi_tail",
    "log_renyi_tail",
    "loss_tail",
]
