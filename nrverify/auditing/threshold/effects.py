"""What a named fault of a threshold mechanism means for privacy: its loss, computed from its exact law.

A leak is said only if the loss at some neighbours is above the claim, and if what was seen is much less likely under
every relative of the mechanism that keeps the claim: other scales, exponential noise, faults that only cost accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.threshold.designs import Neighbours, neighbours_at, neighbours_for
from nrverify.auditing.threshold.faulty_laws import FAULTS, claimed_law, unmixed_laws
from nrverify.auditing.threshold.relatives import Counts, best_private, fitted_scales, gain, needed
from nrverify.subjects.guarantees import EX_POST

Floats = NDArray[np.float64]
HARMLESS = {
    "query-noise-doubled": "1/a + 2/b ≤ 1 for noises aΔ/ε and bΔ/ε: ε holds",
    "threshold-noise-doubled": "1/a + 2/b ≤ 1 for noises aΔ/ε and bΔ/ε: ε holds",
    "both-noises-doubled": "1/a + 2/b ≤ 1 for noises aΔ/ε and bΔ/ε: ε holds",
    "query-noise-never-reduced": "every noise is at least the one claimed",
    "first-epsilon-throughout": "every noise is at least the one claimed",
    "threshold-noise-never-reduced": "every noise is at least the one claimed",
    "epsilon-one-round-late": "every noise is at least the one claimed",
    "query-epsilon-one-round-late": "every noise is at least the one claimed",
    "threshold-epsilon-one-round-late": "every noise is at least the one claimed",
    "utility-one-round-late": "the same noise on utilities that are no more sensitive",
    "utility-one-round-early": "the same noise on utilities that are no more sensitive",
    "comparison-reversed": "the same noise on the utilities times −1",
    "threshold-ignored": "the same noise at another threshold",
}
"""Faults for which it is proved that the claim holds, and why."""
HARMLESS_AT_ONE_EPSILON = {"rounds-counted-from-0": "the halting round of a mechanism that keeps the claim, minus 1"}
"""The same, where all rounds have the same ε."""
SIMULATED = ("threshold-wrong-stay-probability", "threshold-noise-by-coin")
"""Faults whose laws are simulated: a loss computed from them would be no better than the simulation."""
NOT_EXCLUDED = "noise of other scales or of another kind, which keeps the claim, is not excluded"
TOO_FEW = "too little was seen to compute a loss above the claim"
NOT_TOLD_APART_FROM_LEAK = "the fault named keeps the claim, but one that breaks it is not excluded"
NOT_TOLD_APART = "a fault that was not seen to break the claim fits as well"
JEFFREYS = 0.5
"""The parameter of the Dirichlet law of his prior."""
LEAST_PROBABILITY, LEAST_OTHER = 1e-9, 1e-13
"""A bin must be so likely for its loss to count, and for the neighbour it is taken to be no less likely than this: the
quadrature behind a law has an absolute error of about 1e-15."""
OR_MORE = "or more "
"""Before the place of a loss, where the neighbour's probability is below what the quadrature resolves."""
ROUNDING = 1e-6
"""A loss above the claim by less may be the quadrature."""


@dataclass(frozen=True)
class Loss:
    """The largest loss over the claim that a fault has at the neighbours tried."""

    loss: float
    claim: float
    where: str

    @property
    def exceeds(self) -> bool:
        """Whether it is above the claim."""
        return self.loss > self.claim + ROUNDING


def priced(named: Iterable[str], counts: Counts, mechanism: str, guarantee: str | None, alpha: float) -> Priced:
    """What the named faults mean, those that are hardly told apart together: the least of their losses decides."""
    faults = tuple(named)
    harmless = HARMLESS | (HARMLESS_AT_ONE_EPSILON if mechanism == "above-threshold" else {})
    if all(fault in harmless for fault in faults):
        if mechanism == "above-threshold" and _leak_fits(faults, counts, guarantee, alpha):
            return Priced(Effect.UNPROVED, why=NOT_TOLD_APART_FROM_LEAK)
        return Priced(Effect.INACCURACY, why=harmless[faults[0]])
    losses = [None if fault in SIMULATED else loss_of(fault, mechanism, guarantee) for fault in faults]
    exceeding = [loss is not None and loss.exceeds for loss in losses]
    if not all(exceeding):
        return Priced(Effect.UNPROVED, why=NOT_TOLD_APART if any(exceeding) else "")
    least = min((loss for loss in losses if loss is not None), key=lambda loss: loss.loss - loss.claim)
    # Of so many named faults one may come out best by chance, at some number of runs.
    harmless_best = best_harmless(counts)
    if min(log_likelihood(counts, fault) for fault in faults) - harmless_best < math.log(len(FAULTS) / alpha):
        return Priced(Effect.UNPROVED, why=TOO_FEW if excluded(harmless_best, counts, alpha) else NOT_EXCLUDED)
    return Priced(Effect.LEAK, least.loss, least.claim, least.where)


def _leak_fits(harmless: tuple[str, ...], counts: Counts, guarantee: str | None, alpha: float) -> bool:
    """Whether a named fault that leaks is not excluded beside those that do not."""
    own = min(log_likelihood(counts, fault) for fault in harmless)
    leaks = (fault for fault in FAULTS if (loss := loss_of(fault, "above-threshold", guarantee)) and loss.exceeds)
    return any(log_likelihood(counts, fault) > own + math.log(alpha) for fault in leaks)


def priced_by_scales(counts: Counts, alpha: float) -> Priced:
    """Where no named fault fits: the loss of the scales that fit best, at its confidence limit."""
    constant = {design: seen for design, seen in counts.items() if design.constant and seen.any()}
    found = fitted_scales(constant, alpha)
    if found is None or 1 / found.a + 2 / found.b <= 1:
        return Priced(Effect.UNPROVED)
    if excluded(found.gain, constant, alpha):
        return Priced(Effect.UNPROVED)
    runs, harmless = sum(float(seen.sum()) for seen in constant.values()), best_harmless(counts)
    if found.loss <= 1 or found.gain - harmless < needed(runs, alpha):
        return Priced(Effect.UNPROVED, why=TOO_FEW if excluded(harmless, constant, alpha) else NOT_EXCLUDED)
    scales, (loss, _) = f"of about {found.a:.2g}Δ/ε and {found.b:.2g}Δ/ε", told_apart((found.loss, 1.0), least=3)
    why = f"if it is Laplace noise of other scales, {scales}, the loss is at least {loss} times ε"
    return Priced(Effect.LEAK, found.loss, 1.0, why=why)


@lru_cache(maxsize=256)
def loss_of(fault: str, mechanism: str, guarantee: str | None) -> Loss | None:
    """The largest loss over its claim, at the neighbours of the audit and at others; None where no law is known."""
    found = []
    for pair in (*neighbours_for(mechanism), *probing(mechanism)):
        laws = [unmixed_laws(design).get(fault) for design in (pair.design, pair.neighbour)]
        own, other = laws
        if own is None or other is None:
            continue
        claims = np.append(pair.design.epsilons, pair.design.epsilons[-1])
        claims = claims if guarantee == EX_POST else np.full(claims.size, claims[-1])
        for label, (p, q) in enumerate(((own, other), (other, own))):
            losses = np.log(np.maximum(p, LEAST_OTHER)) - np.log(np.maximum(q, LEAST_OTHER))
            excess = np.where(p >= LEAST_PROBABILITY, losses - claims, -np.inf)
            bin = int(np.argmax(excess))
            halt = f"a halt in round {bin + 1}" if bin < pair.design.rounds else "no halt"
            side = pair.design.name if label == 0 else pair.neighbour.name
            least = OR_MORE if q[bin] <= LEAST_OTHER else ""
            where = f"{least}at {halt} of {pair.design.rounds} ({side})"
            found.append(Loss(float(losses[bin]), float(claims[bin]), where))
    return max(found, key=lambda loss: loss.loss - loss.claim, default=None)


def probing(mechanism: str) -> tuple[Neighbours, ...]:
    """Neighbours at which less noise, other noise or other sensitivities show: rounds far above, then one far below."""
    epsilon, pairs = 2.0, []
    for above, below, rounds in ((2.0, -2.0, 2), (4.0, -4.0, 8), (8.0, -6.0, 12), (0.0, 0.0, 30)):
        margins = [above] * rounds + [below]
        name = (
            f"{rounds} rounds {above:g} above, then {-below:g} below"
            if above
            else f"{rounds + 1} rounds at the threshold"
        )
        pairs.append(neighbours_at(name, margins, [epsilon] * len(margins), 0.0, 1.0))
    pairs.append(neighbours_at("sensitivity 3", [0.0] * 6, [epsilon] * 6, 1.0, 3.0))
    if mechanism == "reduced-above-threshold":
        for name, epsilons in (("slowly", [2 * 1.02**n for n in range(-5, 1)]), ("fast", [0.4, 0.6, 0.9, 1.35, 2.0])):
            margins = [8.0] * (len(epsilons) - 1) + [-8.0]
            pairs.append(neighbours_at(f"8 above, then 8 below, ε rising {name}", margins, epsilons, 0.0, 1.0))
        # A halt at a small ε, with the query noise of a larger one still to come.
        name, small = "8 above, then at the threshold, ε rising later", [0.5] * 6 + [2.0]
        pairs.append(neighbours_at(name, [8.0] * 5 + [0.0, 0.0], small, 0.0, 1.0, 5))
        early = [0.1, 0.2, 2.0, 2.0]
        pairs.append(neighbours_at("above, then below, ε rising later", [60.0, -20.0, 0.0, 0.0], early, 0.0, 1.0, 1))
    return tuple(pairs)


def best_harmless(counts: Counts) -> float:
    """The largest log-likelihood, over that of the claimed law, of something that keeps the claim.

    Relatives differ from the claimed law at constant ε; at rising ε they are taken to be as likely as it.
    """
    constant = {design: seen for design, seen in counts.items() if design.constant}
    return max(0.0, best_private(constant), *(log_likelihood(counts, fault) for fault in HARMLESS))


def excluded(likelihood: float, counts: Counts, alpha: float) -> bool:
    """Whether laws whose largest log-likelihood over the claimed law is this one do not fit what was seen at all.

    A mixture of all laws, or of the named ones, is a nonnegative martingale over each of them: it ever reaches 1/α with
    probability at most α.
    """
    named = max(log_likelihood(counts, fault) for fault in FAULTS) - math.log(len(FAULTS))
    return max(any_law(counts), named) - math.log(2) - likelihood >= -math.log(alpha)


def any_law(counts: Counts) -> float:
    """The log-likelihood of Jeffreys' mixture of all laws of each design, over that of the claimed one."""
    found = 0.0
    for design, seen in counts.items():
        share = JEFFREYS * seen.size
        mixture = gammaln(share) - gammaln(seen.sum() + share) + (gammaln(seen + JEFFREYS) - gammaln(JEFFREYS)).sum()
        found += float(mixture - xlogy(seen, claimed_law(design)).sum())
    return found


def log_likelihood(counts: Counts, fault: str) -> float:
    """Of a named fault, over that of the claimed law."""
    return sum(
        gain(seen, unmixed_laws(design).get(fault, claimed_law(design)), design) for design, seen in counts.items()
    )
