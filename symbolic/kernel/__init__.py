"""What Coq's kernel checks of the claims: theorems in the `.v` files of `symbolic/paper`, tied to formulas and code."""

from __future__ import annotations

from pathlib import Path

PAPER = Path(__file__).parents[1] / "paper"
"""Where the Coq files are, beside the derivations that they serve."""
