"""What the commands of LaTeX stand for: the part of the language that the ledger's formulas use."""

from __future__ import annotations

LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ",
    "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ",
    "Omega": "Ω", "ell": "ℓ", "infty": "∞", "dots": "…", "ldots": "…", "partial": "∂",
}  # fmt: skip

OPERATORS = {
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "in": "∈", "sim": "∼", "approx": "≈",
    "equiv": "≡", "propto": "∝", "perp": "⊥", "to": "→", "iff": "⟺", "Rightarrow": "⇒", "Longrightarrow": "⟹",
    "longrightarrow": "⟶", "leadsto": "⇝", "mapsto": "↦", "cup": "∪", "cap": "∩", "wedge": "∧", "vee": "∨",
    "otimes": "⊗", "times": "×", "cdot": "·", "pm": "±", "exists": "∃", "forall": "∀", "mid": "∣",
    "int": "∫",
}  # fmt: skip

DELIMITERS = {
    "(": "(", ")": ")", "[": "[", "]": "]", "|": "|", "\\{": "{", "\\}": "}", "\\|": "‖", "‖": "‖", "\\langle": "⟨",
    "\\rangle": "⟩", "⟨": "⟨", "⟩": "⟩", "\\lceil": "⌈", "\\rceil": "⌉", "\\lfloor": "⌊", "\\rfloor": "⌋", ".": "",
}  # fmt: skip

OPENING = frozenset("([{⟨⌈⌊")

LARGE = {"sum": "∑", "prod": "∏", "bigcup": "⋃", "bigcap": "⋂"}
"""Their limits stand above and below."""

FUNCTIONS = ("log", "exp", "sin", "cos", "tan", "cosh", "sinh", "tanh", "min", "max", "inf", "sup", "lim")

LIMITED = frozenset({"min", "max", "inf", "sup", "lim"})
"""Functions whose subscript stands below."""

SPACES = {",": 0.1667, ":": 0.2222, ";": 0.2778, " ": 0.3333, "quad": 1.0, "qquad": 2.0}
"""In em."""

SIZES = {"big": 1.2, "Big": 1.62, "bigg": 2.05}
"""In em."""

PAIRS = {"left": "\\right", "bigl": "\\bigr", "Bigl": "\\Bigr", "biggl": "\\biggr"}
"""What opens, and what closes it."""

SCRIPT = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵", strict=True))

DOUBLE = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀𝕁𝕂𝕃𝕄ℕ𝕆ℙℚℝ𝕊𝕋𝕌𝕍𝕎𝕏𝕐ℤ", strict=True))

BOLD = dict(zip("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", strict=True))

ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308"}
"""Combining, after the letter."""

RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "0123456789n", strict=True))
