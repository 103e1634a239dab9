"""The page of the public interface, made from the docstrings of what it exports."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from nrverify.report.handbook.docstrings import as_markdown

GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Audit an implementation": ("nrverify", ("audit", "gate", "Report")),
    "Release with less and less noise": ("nrverify", ("NoiseReduction", "Composition", "BudgetExceeded")),
    "Boundaries": ("nrverify", ("Linear", "Mixture", "HalfNormalMixture", "Grid", "SkellamLinear")),
    "Mechanisms, as the paper runs them": (
        "nrverify",
        (
            "BrownianMechanism",
            "LaplaceNoiseReduction",
            "PoissonLaplaceNoiseReduction",
            "SkellamNoiseReduction",
            "AboveThreshold",
            "ReducedAboveThreshold",
        ),
    ),
    "Many sessions at once": ("nrverify", ("simulate", "transcripts", "Transcripts", "halting_rounds")),
    "Releases whose last bits are safe": (
        "nrverify.reference.exact",
        ("ExactBrownian", "ExactLaplace", "ExactDiscreteLaplace"),
    ),
    "Laws": ("nrverify.laws", ("Brownian", "Laplace", "Skellam", "DiscreteLaplace", "DiscreteGaussian")),
    "Divergences": ("nrverify.laws.divergence", ("hockey_stick", "loss_tail")),
    "Laws of thresholds": (
        "nrverify.laws.threshold",
        ("probability", "log_probability", "privacy_loss", "total_hockey_stick"),
    ),
    "Rounded releases": ("nrverify.laws.rounded", ("filtered",)),
    "Crossing probabilities": ("nrverify.laws.crossing", ("crossing_probability", "line_crossing_probability")),
    "Plots": ("nrverify.plot", ("releases", "boundaries", "audit")),
}
"""The groups of the page: the module that exports the names, and the names."""


def reference_page() -> str:
    """The page, as Markdown."""
    head = (
        "# Reference\n\nThe public interface of Python, from its docstrings; the examples run as tests. "
        "Names of `nrverify` itself are imported with `from nrverify import …`."
    )
    return "\n\n".join([head, *(_group(title, *where) for title, where in GROUPS.items())]) + "\n"


def _group(title: str, module: str, names: Iterable[str]) -> str:
    home = import_module(module)
    entries = [_entry(module, name, getattr(home, name)) for name in names]
    return "\n\n".join([f"## {title}", *entries])


def _entry(module: str, name: str, found: Any) -> str:
    parts = [f"### `{module}.{name}`", f"```text\n{name}{_signature(found)}\n```", as_markdown(found.__doc__ or "")]
    if inspect.isclass(found):
        parts += [_member(member, part) for member, part in _members(found)]
    return "\n\n".join(part for part in parts if part)


def _members(cls: type) -> list[tuple[str, Any]]:
    """Public methods and properties that have a docstring, in the order in which they are written."""
    return [
        (name, part)
        for name, part in vars(cls).items()
        if not name.startswith("_")
        and (inspect.isfunction(part) or isinstance(part, property | classmethod))
        and inspect.getdoc(part)
    ]


def _member(name: str, part: Any) -> str:
    function = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
    shown = name if isinstance(part, property) else f"{name}{_signature(function)}"
    return f"#### `{shown}`\n\n{as_markdown(inspect.getdoc(part) or '')}"


def _signature(found: Any) -> str:
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return ""
    kept = [
        one.replace(annotation=inspect.Parameter.empty)
        for name, one in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    return str(signature.replace(parameters=kept, return_annotation=inspect.Signature.empty))
