"""`privacy.claim` look by look, without the processes around an audit: hundreds of audits in a minute."""

from __future__ import annotations

from typing import Any

import numpy as np

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.claim import PrivacyClaim
from nrverify.auditing.claims.context import Claim, fixed_point
from nrverify.auditing.claims.drawing import labelled
from nrverify.auditing.claims.pairs import Case
from nrverify.auditing.sampling.looks import looks
from nrverify.subjects.outputs import Outputs, normal


def claim_made(subject: Any) -> Claim:
    """That of one ε for all outputs, or of `spent`."""
    delta = float(getattr(subject, "delta", None) or 0.0)
    if getattr(subject, "epsilon", None) is None:
        return Claim((Point(None, delta, float(subject.smallest_epsilon)),), "spent(output)", ex_post=True)
    return Claim((fixed_point(float(subject.epsilon), delta),), "ε")


def runs_at_refutation(subject: Any, alphas: tuple[float, ...], seed: int, most: int) -> list[int | None]:
    """The runs, of all pairs together, after which the claim of a subject with `run_many` is refuted at each level.

    All of α is on the claim; None where `most` runs did not refute. The looks, the coin, the division of a look over
    the pairs and the check are those of an audit; only the division is by chance where an audit takes turns.
    """
    claim, rng = claim_made(subject), np.random.default_rng(seed)
    check = PrivacyClaim(claim, tuple(Case(*pair) for pair in subject.neighbours))
    found: list[int | None] = [None] * len(alphas)
    drawn = 0
    for look in looks():
        shares = np.array(check.shares())
        counts = rng.multinomial(max(1, int(min(look, most - drawn))), shares / shares.sum())
        seen = check.empty_copy()
        for number, count in enumerate(counts.tolist()):
            if count:
                label = rng.random(count) < 0.5
                sides = [
                    _outputs(subject, claim, number, side, int((label == bool(side)).sum()), rng) for side in (0, 1)
                ]
                seen.observe_labelled(labelled(number, claim, label, sides)[0])
        check.merge(seen)
        drawn += int(counts.sum())
        found = [drawn if one is None and check.refuted(a) else one for one, a in zip(found, alphas, strict=True)]
        if None not in found or drawn >= most:
            return found
    raise AssertionError("looks never end")


def _outputs(
    subject: Any, claim: Claim, number: int, side: int, count: int, rng: np.random.Generator
) -> Outputs | None:
    if count == 0:
        return None
    made = subject.run_many(subject.neighbours[number][side], count, int(rng.integers(2**53)))
    outputs = [normal(one, "run_many()") for one in (made.tolist() if isinstance(made, np.ndarray) else made)]
    return Outputs(outputs, [float(subject.spent(one)) for one in outputs] if claim.ex_post else None)
