"""The page of mistakes: recipes that are wrong as printed, and common slips, each with the command that repeats it."""

from __future__ import annotations

from nrverify.ledger.claims import Claim, load_claims
from nrverify.reference.mutants import MUTANTS, Mutant

PRINTED: dict[str, tuple[str, str]] = {
    "laplace-missing-starting-jump": ("E10", "The recipe for Laplace noise reduction"),
    "laplace-one-arrival-process": ("N02", "One Poisson clock for all coordinates"),
    "laplace-arrival-rate": ("N10", "The rate of the Poisson clock"),
    "epsilon-brownian-retuned": ("B18", "The boundary tuned again at every ε"),
}
"""Mutants that follow the paper where it is wrong or can be misread: the claim, and a title."""

ALGORITHM = """\
for n = 1, 2, …:
    ε_n := E_n(A_1(x), …, A_{n−1}(x));  T_n := 2Δ/ε_n
    ζ_n := Z_{T_n}, where (Z_t), t ≥ η, is the Laplace process with η := 2Δ/ε_max
    ξ_n ~ Lap(4Δ/ε_n)
    if u(A_n(x), x) + ξ_n ≥ τ + ζ_n:  print 1 and HALT
    else:  print 0"""
"""Algorithm 1 of the paper, line by line; only its macros are written out."""

_INTRODUCTION = """\
# Mistakes, and how each is found

Each entry is an implementation with one mistake, which comes with nrverify; calibration audits them all
([kill matrix](../reports/kill_matrix.md)). The command below an entry repeats it, usually in seconds.
*leak*: a transcript reveals more than is claimed; *inaccuracy*: only accuracy suffers."""

_PRINTED = f"""\
## In the paper

Statements are those of the [ledger](../reports/ledger.md); `nrverify explain ID` has the evidence. The paper has one
algorithm in pseudo-code, ReducedAboveThreshold (Algorithm 1 of arXiv 2206.07234):

```text
{ALGORITHM}
```

The threshold's noise ζ_n is one path of the process, and never drawn again. A correct implementation comes with
nrverify: `nrverify audit python:nrverify.reference.mutants.correct.threshold:ReducedAboveThreshold`. What the paper
gives in words is wrong, or easily misread, in the following places."""


def mistakes_page() -> str:
    """The page, as Markdown."""
    by_name = {mutant.name: mutant for mutant in MUTANTS}
    claims = load_claims()
    printed = [_recipe(claims[id], title, by_name[name]) for name, (id, title) in PRINTED.items()]
    mechanisms = dict.fromkeys(str(mutant.subject.mechanism) for mutant in MUTANTS)
    lists = [_list(name, [one for one in MUTANTS if one.subject.mechanism == name]) for name in mechanisms]
    return "\n\n".join([_INTRODUCTION, _PRINTED, *printed, *lists]) + "\n"


def _recipe(claim: Claim, title: str, mutant: Mutant) -> str:
    """What is printed, what is right, and what follows from the mistake."""
    return "\n".join(
        [
            f"### {title} ({claim.id})\n",
            f"- The paper: {claim.statement}",
            f"- Right: {claim.correction}",
            f"- Why: {claim.why}",
            f"- Audited: {mutant.mistake[0].lower()}{mutant.mistake[1:]} `{command(mutant)}`",
        ]
    )


def _list(mechanism: str, found: list[Mutant]) -> str:
    """Commands on lines of their own: in a column they would be broken in the middle of a name."""
    entries = [f"- {one.mistake} *{one.effect}*  \n  `{command(one)}`" for one in found]
    return "\n".join([f"## {mechanism}\n", *entries])


def command(mutant: Mutant) -> str:
    """The command that audits a mutant."""
    return f"nrverify audit python:{mutant.subject.__module__}:{mutant.subject.__name__}"
