"""The exact laws of noise reduction: processes, boundaries, crossing probabilities and the threshold mechanisms."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nrverify.laws.brownian import Brownian
    from nrverify.laws.discrete_gaussian import DiscreteGaussian
    from nrverify.laws.discrete_laplace import DiscreteLaplace
    from nrverify.laws.laplace import Laplace
    from nrverify.laws.skellam import Skellam

__all__ = ["Brownian", "DiscreteGaussian", "DiscreteLaplace", "Laplace", "Skellam"]

_HOMES = {
    "Brownian": "brownian",
    "DiscreteGaussian": "discrete_gaussian",
    "DiscreteLaplace": "discrete_laplace",
    "Laplace": "laplace",
    "Skellam": "skellam",
}


def __getattr__(name: str) -> Any:
    """The processes, imported when first asked for: `import nrverify.laws` stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
