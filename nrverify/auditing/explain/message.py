"""A refutation in full: the claim, the evidence, the likely cause, what an attacker gains, how to reproduce it."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.named_alternatives import CUT, FORGETFUL
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.value_in_clear import BARE
from nrverify.auditing.explain.mechanism_causes import DRAWN_ANEW, NO_NUMBER, mechanism_cause
from nrverify.auditing.explain.root_cause import FORGETS, LAWS, REPEATED, ROUNDED, Attribution, attributed, most
from nrverify.auditing.noise_reduction.checks.fingerprints import ONE_SIZE, SIZES
from nrverify.auditing.noise_reduction.checks.lattice import FRACTIONS
from nrverify.auditing.noise_reduction.checks.streams import TRANSCRIPTS
from nrverify.auditing.noise_reduction.checks.ties import BY
from nrverify.auditing.noise_reduction.diagnosis.second_moments import origin_of
from nrverify.subjects.description import Description

SLIGHT = 0.1
"""A change of an answer, over the size of its noise, that is no new noise."""

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
    "stopping.protocol": "Nothing is shown after the stop, and a time that comes again gets the same release.",
    "stopping.releases": "The releases up to the stop follow the Brownian bridge.",
    "stopping.law": "Given the releases, the stop follows ReducedAboveThreshold with ε_n = ψ(T_n).",
}


def explained(
    results: tuple[CheckResult, ...], description: Description, alpha: float, reproduce: str
) -> tuple[CheckResult, ...]:
    """All results, the refuted ones with their message and the command that reproduces them."""
    attribution = attributed(results, description.integer)
    return tuple(
        replace(result, message=_message(result, description, alpha, attribution), reproduce=reproduce)
        if result.verdict is CheckVerdict.REFUTED
        else result
        for result in results
    )


def _message(result: CheckResult, description: Description, alpha: float, attribution: Attribution) -> str:
    cause, effect = _cause_and_effect(result, description)
    if result.id in attribution.follow:
        cause = effect = f"that of {attribution.source}"
    elif attribution.suspect is not None and result.id == attribution.source:
        cause, effect = attribution.suspect.cause, attribution.suspect.effect
    seen = [f"Expected {result.expected}; observed {result.observed}."]
    if result.where is not None and result.id == attribution.source and result.id in LAWS:
        seen.append(f"Seen only {result.where}.")
        observed, told = result.observed or "", attribution.suspect is not None
        if not told and "at value" in observed and (ratio := _ratio(observed)) is not None:
            cause, effect = "a fault that shows only there", _scale_cause(ratio, alone=False)[1]
    return " ".join(
        [
            CLAIM.get(result.id, result.id),
            *seen,
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
    if result.id == "randomness.streams" and TRANSCRIPTS in observed:
        return (
            "the seed is ignored, cut down, or shared; or all noise of this case is 0, rounded, or beyond a limit",
            "whoever sees two sessions cancels their common noise, if there is any: a leak",
        )
    if result.id == "randomness.streams":
        return (
            "the seed is ignored, cut down, or shared",
            "whoever sees two sessions cancels their common noise: a leak",
        )
    if result.id == REPEATED and float(observed.rsplit(BY, 1)[1].split()[0]) < SLIGHT:
        return (
            "something small is added to every answer (a bias, a dither), or the bridge is taken a little further",
            "whoever asks again and again may learn more than was paid for: a leak, unless what is added is pure noise",
        )
    if result.id == REPEATED:
        return DRAWN_ANEW
    if result.id == "independence.coordinates":
        return (
            "one draw (or one coin) serves several coordinates",
            "differences between coordinates are released with too little noise, or none: a leak",
        )
    if result.id == "lattice" and FRACTIONS in observed:
        return (
            "real-valued noise added to a count, or a share of a count that is not drawn",
            "the noise is not what was proved private, and may leak",
        )
    if result.id == "lattice" and BARE in observed:
        return (
            "no noise is added" if most(observed) else "a branch without noise, or noise multiplied by 0 now and then",
            "the value is released in the clear: a leak",
        )
    if result.id == "lattice" and ROUNDED in observed:
        return (
            "single precision, rounding, or a cast to integers",
            "if releases are rounded when the noise is in them only accuracy suffers; if the noise is rounded before, "
            "the last digits of a release betray those of the value: a leak",
        )
    if result.id == "lattice" and not most(observed):
        return (
            "some noise only: cut off at a limit, rounded in a branch, or made of whole numbers now and then",
            "such releases tell which values are possible: a leak",
        )
    if result.id == "lattice":
        return (
            "single precision, rounding, or a cast to integers",
            "the last digits of a release can tell which values are possible: a leak",
        )
    if result.id == "protocol.finite":
        return NO_NUMBER
    if result.id == "ties":
        return _tie_cause(observed, description)
    if result.id == "privacy.epsilon":
        return (
            "a constant, the sensitivity or its norm forgotten, or a boundary for another δ or for fewer looks",
            "less noise than was paid for: an attacker learns more than the ε asked, a leak",
        )
    if result.id in ("privacy.ex-post", "loss.stopping"):
        return (
            "less noise than the claim needs, or a transcript that says more than its last release",
            "an attacker learns more than the ε paid for: a leak",
        )
    return _law_cause(observed, alone=result.id == "law.release" or "first release" in observed)


def _tie_cause(observed: str, description: Description) -> tuple[str, str]:
    if not description.family.tied:
        return (
            "the release before is given again for a smaller time (a cache, rounded times), or noise from few numbers",
            "if the release before is given again only accuracy suffers; noise from few numbers is less than it seems, "
            "a leak",
        )
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
    if FORGETFUL in observed:
        return (
            FORGETS,
            "releases of such a session are independent, so that averaging them beats the noise: a leak",
        )
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
    if (origin := origin_of(ratio)) is not None:
        return origin, effect
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
