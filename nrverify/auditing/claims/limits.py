"""What an audit of outputs cannot show: said in every report, so that its verdict is not read as more than it is."""

from __future__ import annotations

from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.measured import Measured
from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.results import CheckResult, CheckVerdict

OTHER_NEIGHBOURS = "privacy.other-neighbours"
HOCKEY_STICK = "privacy.loss-tail"
MEASURED = "privacy.measured"
"""Ids of remarks (`explain/remarks.py`)."""


def limits_of(claim: Claim, measured: Measured | None, only: tuple[str, ...]) -> list[CheckResult]:
    """Each as a result of its own, where the privacy claim was judged."""
    if only and "privacy.claim" not in only:
        return []
    advice = []
    if measured is not None:
        advice.append(CheckResult(MEASURED, CheckKind.PRIVACY, CheckVerdict.ADVICE, message=measured.sentence))
    known = [(OTHER_NEIGHBOURS, "only the pairs named or generated were judged: other neighbours are not covered")]
    if (claim.ex_post or claim.tail) and claim.main.delta > 0:
        known.append(
            (HOCKEY_STICK, "P(loss > ε) ≤ δ is refuted only through its hockey stick, which may be far smaller")
        )
    return advice + [CheckResult(id, CheckKind.PRIVACY, CheckVerdict.NOT_COVERED, message=why) for id, why in known]
