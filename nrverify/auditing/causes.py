"""A refutation in full: the claim, the evidence, the likely cause, what an attacker gains, how to reproduce it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nrverify.auditing.bare_values import BARE
from nrverify.auditing.diagnosis import Suspect
from nrverify.auditing.mechanism_causes import mechanism_cause
from nrverify.auditing.named import CUT
from nrverify.auditing.recursions import UNREPEATED
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.stream_keys import ONE_SIZE, SIZES
from nrverify.auditing.streams import TRANSCRIPTS
from nrverify.auditing.value_law import PULL
from nrverify.subjects.description import Description

CLAIM = {
    "protocol.finite": "Every release is a finite number.",
    "randomness.streams": "Sessions with different seeds have independent noise.",
    "lattice": "Releases fill the line as the claimed noise does.",
    "law.release": "Each release is the value plus noise of the claimed law.",
    "law.transcript": "Each release, given the ones before, follows the bridge of the process.",
    "law.adaptive": "The same holds when times and stopping depend on what was released.",
    "law.value": "The noise does not depend on the value.",
    "law.increments": "A release and the step to it from the noisier one before are independent.",
    "independence.coordinates": "Coordinates have independent noise.",
    "independence.sessions": "Sessions have independent noise.",
    "ties": "A release equals the one before exactly as often as the process says.",
    "ties.repeated-time": "The same time asked twice gives the same answer.",
    "loss.stopping": "A transcript says of the value just what its last release says.",
    "privacy.epsilon": "Everything released so far costs at most the ε asked for.",
    "privacy.ex-post": "Nobody can tell two neighbouring values apart beyond the ε claimed.",
    "threshold.protocol": "A threshold mechanism halts at the first 1.",
    "threshold.law": "The halting round follows the law of the mechanism with noise Lap(2Δ/ε) and Lap(4Δ/ε).",
    "boundary.values": "The boundary is a positive number wherever it is claimed.",
    "boundary.monotone": "More noise is never charged more.",
    "boundary.crossing": "With probability at least 1 − δ no look ever loses more than the boundary says.",
    "boundary.inverse": "The time given for an ε costs at most that ε.",
    "stopping.protocol": "Nothing is shown after the stop.",
    "stopping.releases": "The releases up to the stop follow the Brownian bridge.",
    "stopping.law": "Given the releases, the stop follows ReducedAboveThreshold with ε_n = ψ(T_n).",
}


REPEATED = "ties.repeated-time"
PRIMARY = (REPEATED, "law.release", "ties", "law.transcript", "law.adaptive")
SECONDARY = ("law.value", "independence.sessions", "independence.coordinates", "loss.stopping", "privacy.ex-post")
"""A fault of the law shows in these too: their own cause is named only when the law is not refuted."""
CLEARER = 1.2
"""A check that asks for the very fault has so much more evidence than those that see what comes of it."""
LAWS = ("law.release", "law.transcript", "law.adaptive", "ties", REPEATED, "law.value")
"""A fault that explains the second moments is named in the first of these that is refuted."""


def explained(
    results: tuple[CheckResult, ...], description: Description, alpha: float, reproduce: str
) -> tuple[CheckResult, ...]:
    """All results, the refuted ones with their message and the command that reproduces them."""
    refuted = {result.id: result.observed or "" for result in results if result.verdict is CheckVerdict.REFUTED}
    evidence = {result.id: result.statistic or 0.0 for result in results if result.id in refuted}
    source, suspect = _source(refuted, evidence, description.integer), None
    if source in LAWS and (source != "law.value" or refuted.keys().isdisjoint(PRIMARY)):
        suspect = next((result.suspect for result in results if _explains(result.suspect, refuted)), None)
    if suspect is not None:
        source = next(id for id in LAWS if id in refuted)
    follow = _follow(source, refuted, suspect)
    # What has clearly more evidence than its source has a cause of its own.
    if source is not None and suspect is None and evidence[source] and PULL not in refuted[source]:
        follow = {id: one for id, one in follow.items() if evidence.get(id, 0.0) < CLEARER * evidence[source]}
    return tuple(
        replace(result, message=_message(result, description, alpha, follow, suspect), reproduce=reproduce)
        if result.verdict is CheckVerdict.REFUTED
        else result
        for result in results
    )


def _source(refuted: Mapping[str, str], evidence: Mapping[str, float], integer: bool) -> str | None:
    """The refuted check that other refutations most likely come of, from what each observed and its log e-value."""
    streams = refuted.get("randomness.streams", "")
    # Whole numbers of a wrong law may come again by chance, where those of the claimed law would not.
    by_chance = integer and TRANSCRIPTS in streams and not refuted.keys().isdisjoint(PRIMARY)
    if streams and not by_chance and not any(name in streams for name in SIZES.values()):
        return "randomness.streams"
    if "lattice" in refuted and BARE not in refuted["lattice"]:
        return "lattice"
    laws = [evidence[id] for id in ("law.release", "law.transcript", "law.adaptive") if id in evidence]
    if PULL in refuted.get("law.value", "") or (laws and evidence.get("law.value", 0.0) >= CLEARER * max(laws)):
        return "law.value"
    return next((id for id in (*PRIMARY, "law.value") if id in refuted), None)


def _explains(suspect: Suspect | None, refuted: Mapping[str, str]) -> bool:
    """Whether a fault that fits the second moments may be what went wrong, by what else was observed."""
    if suspect is None or PULL in refuted.get("law.value", ""):
        return False
    # It says nothing of a time asked for again unless it changes those too, nor of coins that fall too often or seldom.
    coins = "ties on" in refuted.get("ties", "") and ": 0 of" not in refuted["ties"] and "law.release" not in refuted
    return not coins and (REPEATED not in refuted or suspect.cause in UNREPEATED)


def _follow(source: str | None, refuted: Mapping[str, str], suspect: Suspect | None) -> dict[str, str]:
    """Checks whose refutation comes of another's, and of which."""
    if source is None:
        return {}
    others = {*PRIMARY, *SECONDARY} - {REPEATED}
    if source == "lattice" or any(name in refuted.get("randomness.streams", "") for name in SIZES.values()):
        # Noise on a grid, or cut off at a limit, repeats itself whatever its streams.
        others.add("randomness.streams")
    if source == "randomness.streams" or (suspect is not None and suspect.cause in UNREPEATED):
        others.add(REPEATED)
    elif suspect is None and source not in ("lattice", "ties", "law.value"):
        others -= set(PRIMARY)
    return dict.fromkeys(others - {source}, source)


def _message(
    result: CheckResult, description: Description, alpha: float, follow: Mapping[str, str], suspect: Suspect | None
) -> str:
    cause, effect = _cause_and_effect(result, description)
    if suspect is not None and result.id in follow.values():
        cause, effect = suspect.cause, suspect.effect
    if result.id in follow:
        cause = effect = f"that of {follow[result.id]}"
    return " ".join(
        [
            CLAIM.get(result.id, result.id),
            f"Expected {result.expected}; observed {result.observed}.",
            _certainty(result, alpha),
            f"Likely cause: {cause}.",
            f"Effect: {effect}.",
        ]
    )


def _certainty(result: CheckResult, alpha: float) -> str:
    """The evidence with its error probability, for this check and for the run."""
    if result.alpha is None or result.kind not in ("law", "privacy", "randomness"):
        return "Evidence: this cannot happen if the claim holds."
    seen = "Evidence: this"
    if result.e_value is not None:
        seen = f"Evidence: an e-value of {result.e_value:.2g}, where {1 / result.alpha:.2g} refutes; this"
    return (
        f"{seen} would be seen with probability at most {result.alpha:.2g} if the claim held, "
        f"and any false alarm of the whole run with probability at most {alpha:.2g}."
    )


def _cause_and_effect(result: CheckResult, description: Description) -> tuple[str, str]:
    observed = result.observed or ""
    if (found := mechanism_cause(result)) is not None:
        return found
    if result.id == "randomness.streams" and ONE_SIZE in observed:
        return (
            "noise clipped at a limit, or one number that comes again and again",
            "a release at the limit of one value proves another: its loss is infinite, a leak",
        )
    if result.id == "randomness.streams" and any(name in observed for name in SIZES.values()):
        return (
            "noise made from few random numbers, or one used for two sessions, perhaps with the opposite sign",
            "whoever knows the numbers tries them out, or adds two sessions and cancels their noise: a leak",
        )
    if result.id == "independence.sessions":
        return (
            "random numbers kept on the subject, in a buffer or a pool, serve several sessions",
            "whoever sees two sessions cancels their common noise: a leak",
        )
    if result.id == "randomness.streams":
        return (
            "the seed is ignored, cut down, or shared",
            "whoever sees two sessions cancels their common noise: a leak",
        )
    if result.id == REPEATED:
        return "new noise is drawn for a time already answered", "averaging repeated answers removes the noise: a leak"
    if result.id == "independence.coordinates":
        return (
            "one draw (or one coin) serves several coordinates",
            "differences between coordinates are released with too little noise, or none: a leak",
        )
    if result.id == "lattice" and BARE in observed:
        return (
            "a branch without noise, or noise multiplied by 0 now and then",
            "the value is released in the clear: a leak",
        )
    if result.id == "lattice" and "releases on multiples" in observed:
        return (
            "rounding, or a cast to integers",
            "if releases are rounded when the noise is in them only accuracy suffers; if the noise is rounded before, "
            "the last digits of a release betray those of the value: a leak",
        )
    if result.id == "lattice":
        return (
            "single precision, rounding, or a cast to integers",
            "the last digits of a release can tell which values are possible: a leak",
        )
    if result.id == "protocol.finite":
        return (
            "overflow or an invalid operation at a valid request",
            "the release is useless, and NaN may reveal the value",
        )
    if result.id == "ties":
        return _tie_cause(observed, description)
    if result.id in ("privacy.epsilon", "privacy.ex-post", "loss.stopping"):
        return (
            "less noise than the claim needs, or a transcript that says more than its last release",
            "an attacker learns more than the ε paid for: a leak",
        )
    return _law_cause(observed, alone=result.id == "law.release" or "first release" in observed)


def _tie_cause(observed: str, description: Description) -> tuple[str, str]:
    if not description.family.tied:
        return "noise reused at a smaller time, or drawn from few numbers", "the noise is less than it seems: a leak"
    if CUT in observed:
        return _law_cause(observed, alone=False)
    if "scale" in observed:
        return (
            "jumps of the wrong scale, or of the wrong end of the interval",
            "the marginal law is wrong: the ε claimed is not the ε paid",
        )
    return (
        "a wrong probability of staying (it is (s/t)², not s/t), or no ties at all",
        "the releases are no noise reduction: earlier ones add to the loss, a leak",
    )


def _law_cause(observed: str, alone: bool) -> tuple[str, str]:
    """By the family that stood out; `alone` for a release by itself, otherwise given the one before."""
    if "afresh" in observed or "memory" in observed or "correlation" in observed or "innovation before" in observed:
        return (
            "noise drawn afresh for each release, or a bridge that does not lead from the release before",
            "every release adds its own information, so that averaging them beats the noise: a leak",
        )
    if "along the value" in observed:
        return (
            "a bridge that pulls towards 0 and not towards the value, or noise shifted with the value",
            "the noise itself betrays the value: a leak",
        )
    if "at value" in observed:
        return (
            "noise that depends on the value, or a fault that shows only for this case's schedule, dimension or method",
            "if the value enters the noise it betrays the value: a leak",
        )
    if "after a" in observed:
        return (
            "a fault that shows only after an unusual release, or steps of another shape than claimed",
            "an attacker who waits for such a release learns more: a leak",
        )
    if CUT in observed:
        return (
            "noise that is clipped, redrawn beyond a limit, or made from numbers that do not reach further",
            "a release beyond the limit of one value proves another: its loss is infinite, a leak",
        )
    if "one session in" in observed:
        return (
            "a branch or a seed that gives some sessions noise of another scale",
            "with too little noise in a session its value is as good as released: a leak",
        )
    if "rounded normals" in observed:
        return (
            "normal numbers rounded to whole ones in place of the difference of two Poisson counts",
            "tails lighter than was proved: rare releases betray the value, a leak",
        )
    if " tails (" in observed or "times the deviation" in observed or "distribution" in observed:
        return "noise of another family or shape than claimed", "the loss is not the one claimed: a leak in its tails"
    if "centre" in observed:
        return (
            "noise that is not centred, or a release shifted by one step",
            "a bias: accuracy suffers, and the loss is not the one claimed",
        )
    ratio = _ratio(observed)
    if ratio is not None:
        return _scale_cause(ratio, alone)
    return "noise of another law than claimed", "the loss is not the one claimed"


def _scale_cause(ratio: float, alone: bool) -> tuple[str, str]:
    if ratio < 1:
        effect = "too little noise: an attacker learns more than was paid for, a leak"
    elif alone:
        effect = "too much noise on the whole: only accuracy suffers, unless at some times there is too little"
    else:
        effect = (
            "too much noise given the release before: only accuracy suffers if that is all; if the release before is "
            "forgotten or the value enters, it is a leak"
        )
    named = {
        2.0: "the noise of two draws is added",
        0.5: "half the variance, or a scale divided by √2",
        0.25: "half the scale",
        4.0: "twice the scale",
    }
    for value, cause in named.items():
        if abs(ratio / value - 1) < 0.05:
            return cause, effect
    if 0.5 < ratio < 2:
        return "a wrong constant in the variance", effect
    if alone:
        return "a variance taken for a standard deviation, or the other way round", effect
    return "a wrong bridge, or one that does not start from the release before", effect


def _ratio(observed: str) -> float | None:
    words = observed.split()
    for index, word in enumerate(words[:-1]):
        if word == "variance":
            try:
                return float(words[index + 1])
            except ValueError:
                continue
    return None
