"""What records alone cannot show: said in the report, so that a verdict on records is not read as more than it is."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.results import CheckResult, CheckVerdict

BEYOND = {
    "records.selection": (
        "whether sessions were left out, repeated or chosen before they were recorded cannot be seen in the records"
    ),
    "records.other-settings": (
        "nothing is said about other values, dimensions, schedules and noise levels than those recorded"
    ),
    "randomness.repeats": "how the implementation uses its seeds cannot be asked of records",
}
"""Of every record."""

ADAPTIVE = {
    "records.rule": (
        "that each request and stop depended on earlier releases of its session alone, by one rule for both values, "
        "is taken from the recorder: the releases are judged given what was asked"
    ),
}
"""Of sessions that were not on a schedule fixed in advance."""

TRANSCRIPTS = {"protocol.refusals": "refused requests leave no record"}

RUNS = {
    "threshold.protocol": "records hold halting rounds and not bits: what is printed after a halt cannot be seen",
    "randomness.streams": "records do not say which runs came from one seed",
}

UNSEEN = {
    "randomness.streams": "sessions of different lengths and times are not compared; a schedule fixed in advance is",
    "law.transcript": "no session was recorded on a schedule fixed in advance: law.adaptive judges those there are",
    "law.adaptive": "every session was recorded on a schedule fixed in advance, to its end",
    "law.increments": "without times it is judged on a schedule fixed in advance, with at least two releases",
    "independence.coordinates": "the recorded value has one coordinate",
    "privacy.epsilon": "the noise of each ε is judged on a schedule fixed in advance",
    "ties.repeated-time": "no time was asked for twice",
}
"""Why a check of transcripts had nothing to see."""

OF_LATER_RELEASES = ("law.transcript", "law.adaptive", "law.increments", "ties")
ADAPTIVE_TIES = "ties of adaptive sessions are bet on, and not refuted; what would have been caught is not computed"
ALONE = "no release after the first was recorded"
UNKNOWN_TIMES = "the record does not say at which times the ε's were released: add the array times"
NEIGHBOURS = "without times the noise is compared between values far from each other: records hold two that are near"
LARGEST_CLAIM = 100.0
"""Beyond, e^ε leaves the floating-point numbers, and no sample tells the sides apart too well."""
LARGE_CLAIM = "the claim is so large that guessing says nothing: record neighbours with an ε of about 2"


def not_covered(reasons: dict[str, str], only: tuple[str, ...]) -> list[CheckResult]:
    """Each as a result of its own, as far as it is asked for."""
    return [
        CheckResult(id, "records", CheckVerdict.NOT_COVERED, message=why)
        for id, why in reasons.items()
        if not only or id in only
    ]


def as_covered(result: CheckResult, releases: int, fixed: bool) -> CheckResult:
    """A check that saw nothing says so, whatever it concluded from nothing; sessions have up to so many releases."""
    if result.id == "ties" and result.verdict is CheckVerdict.INCONCLUSIVE and not fixed and releases > 1:
        return replace(result, detectable=None, message=ADAPTIVE_TIES)
    alone = releases == 1 and result.id in OF_LATER_RELEASES
    seen = result.samples and not alone and result.verdict is not CheckVerdict.NOT_COVERED
    if seen or result.verdict is CheckVerdict.REFUTED:
        return result
    why = UNSEEN.get(result.id, result.message or "nothing was recorded that it could judge")
    return replace(result, verdict=CheckVerdict.NOT_COVERED, detectable=None, message=ALONE if alone else why)


def too_few(results: tuple[CheckResult, ...], used: int) -> str | None:
    """What would make an audit say something when every check of a law is left undecided."""
    lawful = [result.verdict for result in results if "law" in result.id.split(".")]
    judged = [verdict for verdict in lawful if verdict is not CheckVerdict.NOT_COVERED]
    if judged and all(verdict is CheckVerdict.INCONCLUSIVE for verdict in judged):
        return f"{used} recorded sessions are too few to exclude anything useful: record more"
    return None
