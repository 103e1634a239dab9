"""Audits implementations of differential privacy, and checks the paper on Brownian noise reduction by machine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nrverify.accounting.composition import BudgetExceeded, Composition
    from nrverify.accounting.noise_reduction import NoiseReduction
    from nrverify.auditing.core.report import Report
    from nrverify.gating.declare import gate
    from nrverify.laws.boundary import Grid, HalfNormalMixture, Linear, Mixture, SkellamLinear
    from nrverify.reference.laplace_poisson import PoissonLaplaceNoiseReduction
    from nrverify.reference.noise_reduction import BrownianMechanism, LaplaceNoiseReduction, SkellamNoiseReduction
    from nrverify.reference.simulate import Transcripts, simulate, transcripts
    from nrverify.reference.threshold import AboveThreshold, ReducedAboveThreshold
    from nrverify.reference.threshold_batches import halting_rounds
    from nrverify.report.audit.shown import audit

    __version__: str

__all__ = [
    "AboveThreshold",
    "BrownianMechanism",
    "BudgetExceeded",
    "Composition",
    "Grid",
    "HalfNormalMixture",
    "LaplaceNoiseReduction",
    "Linear",
    "Mixture",
    "NoiseReduction",
    "PoissonLaplaceNoiseReduction",
    "ReducedAboveThreshold",
    "Report",
    "SkellamLinear",
    "SkellamNoiseReduction",
    "Transcripts",
    "__version__",
    "audit",
    "gate",
    "halting_rounds",
    "simulate",
    "transcripts",
]

# Where each public name lives. It is imported when first asked for, so that `import nrverify`, and with it
# `nrverify --help` and the pytest plugin, start without numpy.
_HOMES = {
    "AboveThreshold": "nrverify.reference.threshold",
    "BudgetExceeded": "nrverify.accounting.composition",
    "Composition": "nrverify.accounting.composition",
    "NoiseReduction": "nrverify.accounting.noise_reduction",
    **dict.fromkeys(("Grid", "HalfNormalMixture", "Linear", "Mixture", "SkellamLinear"), "nrverify.laws.boundary"),
    "Report": "nrverify.auditing.core.report",
    "audit": "nrverify.report.audit.shown",
    "gate": "nrverify.gating.declare",
    "BrownianMechanism": "nrverify.reference.noise_reduction",
    "LaplaceNoiseReduction": "nrverify.reference.noise_reduction",
    "PoissonLaplaceNoiseReduction": "nrverify.reference.laplace_poisson",
    "ReducedAboveThreshold": "nrverify.reference.threshold",
    "SkellamNoiseReduction": "nrverify.reference.noise_reduction",
    "Transcripts": "nrverify.reference.simulate",
    "halting_rounds": "nrverify.reference.threshold_batches",
    "simulate": "nrverify.reference.simulate",
    "transcripts": "nrverify.reference.simulate",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("nrverify")
    elif name in _HOMES:
        from nrverify.platforms import unsupported

        if name in ("audit", "gate") and (why := unsupported()) is not None:
            raise ImportError(why)
        found = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'nrverify' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
