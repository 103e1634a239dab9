"""Faults of threshold mechanisms and of the stop of private stopping; most have an exact law of their own."""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import Effect, Fault, alternative, fault

LEARNS_MORE = "an attacker learns more from the bits than was paid for"
TOO_MUCH_NOISE = "too much noise: only accuracy suffers"


def _row(id: str, title: str, cause: str, consequence: str = LEARNS_MORE, effect: Effect = Effect.UNPROVED) -> Fault:
    """A fault with an exact law of its own, called by its title where laws are compared."""
    return fault(id, cause, consequence, effect, "where the threshold and the utilities get their noise", title)


QUERY_NOISE_HALVED = _row(
    "query-noise-halved",
    "query noise halved",
    "query noise of half the scale claimed, such as Lap(2Δ/ε) where it must be Lap(4Δ/ε)",
)
QUERY_DEVIATION_FOR_SCALE = _row(
    "query-deviation-for-scale",
    "query noise divided by √2",
    "a standard deviation taken for the scale of the query noise",
)
QUERY_NOISE_DOUBLED = _row(
    "query-noise-doubled",
    "query noise doubled",
    "query noise of twice the scale claimed, such as Lap(8Δ/ε) where Lap(4Δ/ε) is enough",
    TOO_MUCH_NOISE,
)
NO_NOISE_AT_ALL = _row("no-noise-at-all", "no noise at all", "neither the utilities nor the threshold get any noise")
NO_QUERY_NOISE = _row("no-query-noise", "no query noise", "the utilities get no noise of their own")
THRESHOLD_NOISE_HALVED = _row(
    "threshold-noise-halved",
    "threshold noise halved",
    "threshold noise of half the scale claimed, such as Lap(Δ/ε) where it must be Lap(2Δ/ε)",
)
THRESHOLD_NOISE_DOUBLED = _row(
    "threshold-noise-doubled",
    "threshold noise doubled",
    "threshold noise of twice the scale claimed, such as Lap(4Δ/ε) where Lap(2Δ/ε) is enough",
    TOO_MUCH_NOISE,
)
NO_THRESHOLD_NOISE = _row("no-threshold-noise", "no threshold noise", "the threshold gets no noise")
NOISES_EXCHANGED = _row(
    "noises-exchanged",
    "noises exchanged",
    "the scales of the threshold (usually 2Δ/ε) and of the utilities (usually 4Δ/ε) are exchanged",
)
BOTH_NOISES_HALVED = _row("both-noises-halved", "both noises halved", "the sensitivity or ε is wrong by a factor of 2")
BOTH_NOISES_DOUBLED = _row(
    "both-noises-doubled", "both noises doubled", "the sensitivity or ε is wrong by a factor of 2", TOO_MUCH_NOISE
)
THRESHOLD_NOISE_REDRAWN = _row(
    "threshold-noise-redrawn",
    "threshold noise drawn anew in every round",
    "threshold noise drawn inside the loop, not before it",
)
THRESHOLD_NOISE_REDRAWN_WITH_EPSILON = _row(
    "threshold-noise-redrawn-with-epsilon",
    "threshold noise drawn anew when ε changes",
    "threshold noise drawn for every new ε; it must be reduced",
)
THRESHOLD_WRONG_STAY_PROBABILITY = _row(
    "threshold-wrong-stay-probability",
    "threshold noise stays with probability s/t, not its square",
    "a wrong probability of staying in the Laplace process: it is (s/t)²",
    "the threshold's noise has another law than was proved private",
)
NORMAL_QUERY_NOISE = _row(
    "normal-query-noise", "normal query noise", "the query noise is normal where another is claimed"
)
NORMAL_THRESHOLD_NOISE = _row(
    "normal-threshold-noise", "normal threshold noise", "the threshold noise is normal where another is claimed"
)
THRESHOLD_NOISE_BY_COIN = _row(
    "threshold-noise-by-coin",
    "threshold noise kept or drawn anew by a coin",
    "threshold noise drawn afresh with probability 1 − (s/t)²; it must be reduced by the reverse kernel",
    "the threshold's noise has another law than was proved private",
)
THRESHOLD_AND_QUERY_SHARE = _row(
    "threshold-and-query-share",
    "one number for the threshold and the first query",
    "two generators with the same seed, or one draw used twice",
)
QUERY_NOISE_OF_LAST_EPSILON = _row(
    "query-noise-of-last-epsilon", "query noise of the last ε throughout", "query noise of the last ε in every round"
)
QUERY_NOISE_DRAWN_ONCE = _row(
    "query-noise-drawn-once", "query noise drawn once", "query noise drawn before the loop, not inside it"
)
SENSITIVITY_IGNORED = _row(
    "sensitivity-ignored", "sensitivity ignored", "noise scaled for sensitivity 1 whatever was asked"
)
THRESHOLD_IGNORED = _row(
    "threshold-ignored",
    "threshold ignored",
    "the threshold given is not the one compared with",
    "the answers are to another question",
)
COMPARISON_REVERSED = _row(
    "comparison-reversed",
    "comparison reversed",
    "it halts below the threshold, not above",
    "the answers are to another question",
)
UTILITY_ONE_ROUND_LATE = _row(
    "utility-one-round-late",
    "utility of the round before",
    "an off-by-one between utilities and rounds",
    "the answers come a round late",
)
UTILITY_ONE_ROUND_EARLY = _row(
    "utility-one-round-early",
    "utility of the next round",
    "an off-by-one between utilities and rounds",
    "the answers come a round early",
)
ROUNDS_COUNTED_FROM_0 = _row(
    "rounds-counted-from-0",
    "rounds counted from 0",
    "rounds counted from 0, so that the first looks like never",
    "the answers are misread",
)
LAST_EPSILON_THROUGHOUT = _row("last-epsilon-throughout", "last ε throughout", "the last ε used in every round")
FIRST_EPSILON_THROUGHOUT = _row(
    "first-epsilon-throughout", "first ε throughout", "the first ε used in every round", TOO_MUCH_NOISE
)
QUERY_NOISE_NEVER_REDUCED = _row(
    "query-noise-never-reduced",
    "query noise never reduced",
    "query noise kept at the scale of the first ε",
    TOO_MUCH_NOISE,
)
EPSILON_ONE_ROUND_LATE = _row(
    "epsilon-one-round-late", "ε of the round before", "an off-by-one between ε's and rounds", TOO_MUCH_NOISE
)
QUERY_EPSILON_ONE_ROUND_LATE = _row(
    "query-epsilon-one-round-late",
    "query ε of the round before",
    "an off-by-one between ε's and rounds",
    TOO_MUCH_NOISE,
)
QUERY_EPSILON_ONE_ROUND_EARLY = _row(
    "query-epsilon-one-round-early", "query ε of the next round", "an off-by-one between ε's and rounds"
)
THRESHOLD_EPSILON_ONE_ROUND_LATE = _row(
    "threshold-epsilon-one-round-late",
    "threshold ε of the round before",
    "an off-by-one between ε's and rounds",
    TOO_MUCH_NOISE,
)
EPSILON_ONE_ROUND_EARLY = _row("epsilon-one-round-early", "ε of the next round", "an off-by-one between ε's and rounds")
THRESHOLD_NOISE_NEVER_REDUCED = _row(
    "threshold-noise-never-reduced",
    "threshold noise never reduced",
    "threshold noise kept at the scale of the first ε",
    TOO_MUCH_NOISE,
)
THRESHOLD_NOISE_RESCALED = _row(
    "threshold-noise-rescaled",
    "threshold noise scaled down, not reduced",
    "threshold noise multiplied by the ratio of scales; the Laplace process must be walked",
    "the threshold's noise is no noise reduction: the ε claimed is not proved",
)
UTILITY_OF_THE_RELEASE_BEFORE = _row(
    "utility-of-the-release-before",
    "utility of the release before",
    "an off-by-one between releases and utilities",
    "the stop comes a round late",
)
UTILITY_OF_THE_EXACT_VALUE = _row(
    "utility-of-the-exact-value",
    "utility of the exact value",
    "the utility is evaluated at the exact value",
    "the stop betrays the value",
)
THRESHOLD_NOISE_OF_LAST_EPSILON = _row(
    "threshold-noise-of-last-epsilon",
    "threshold noise of the last ε throughout",
    "threshold noise of the last ε in every round",
)

SCALES_NOT_USED = _row(
    "scales-not-used",
    "noise of the usual scales (2, 4)",
    "the scales declared are not used: the noise has the usual scales 2Δ/ε and 4Δ/ε",
)
BUDGET_NOT_DIVIDED = _row(
    "budget-not-divided",
    "both noises smaller by the number of positives",
    "ε is not divided by the number of positives: the noise is smaller by that factor",
)
alternative("query-budget-not-divided", "query noise smaller by the number of positives", BUDGET_NOT_DIVIDED)
THRESHOLD_NOISE_REDRAWN_AFTER_POSITIVE = _row(
    "threshold-noise-redrawn-after-positive",
    "threshold noise drawn anew after every 1",
    "threshold noise drawn again after a 1; it is drawn once",
    "the law is that of another mechanism, for which another ε was proved",
)
HALTS_AT_FIRST_POSITIVE = _row(
    "halts-at-first-positive",
    "a halt at the first 1",
    "the number of positives is ignored: it halts at the first 1",
    "answers that were paid for are missing",
)
NOISE_NOT_USED = _row(
    "noise-not-used", "Laplace noise of the scales declared", "Laplace noise where another is declared"
)
EXPONENTIAL_NOISE = _row(
    "exponential-noise", "exponential noise of the scales declared", "exponential noise where another is declared"
)
NORMAL_NOISE = _row("normal-noise", "normal noise", "threshold and query noise are normal where another is declared")
THRESHOLD_NOISE_SUBTRACTED = _row(
    "threshold-noise-subtracted",
    "threshold noise subtracted",
    "the noise of the threshold is subtracted where it must be added",
)
SCALES_TOO_SMALL = fault(
    "scales-too-small",
    "the scales declared are too small for the ε claimed: the threshold costs ε/a and every 1 costs 2ε/b (for monotone "
    "queries ε/b)",
    LEARNS_MORE,
    Effect.LEAK,
    look="how ε is divided between the threshold and the ones",
)
DELTA_TOO_SMALL = fault(
    "delta-too-small",
    "the scales declared are too small for the ε and δ claimed",
    LEARNS_MORE,
    Effect.LEAK,
    look="how ε and δ become the scales of the noise",
)
POSITIVES_NOT_PAID = fault(
    "positives-not-paid",
    "the scales do not grow with the number of positives: every 1 costs 2ε/b (for monotone queries ε/b), and one alone "
    "was paid for",
    LEARNS_MORE,
    Effect.LEAK,
    look="how ε is divided between the threshold and the ones",
)
HALTS_EARLY = fault(
    "halts-early",
    "it halts before it has printed as many ones as it declares",
    "answers that were paid for are missing",
    look="where the ones are counted",
)

WRONG_HALTING_LAW = fault(
    "wrong-halting-law",
    "noise of another law than claimed, or answers to another question",
    "the ε claimed is not proved",
    look="where the threshold and the utilities get their noise",
    specific=False,
)
SHARED_RUNS = fault(
    "shared-between-runs",
    "noise shared by runs",
    "whoever sees two runs cancels their common noise",
    look="generators and buffers that outlive a run",
)
SHARES_WITH_RELEASES = fault(
    "stop-shares-noise-with-releases",
    "the threshold mechanism shares random numbers with the releases",
    "the stop betrays the noise",
    look="the generators of the releases and of the threshold",
)
GOES_ON = fault(
    "answers-after-halt",
    "no return at the first 1",
    "every further answer costs ε again, unpaid",
    look="the loop over the rounds",
)
SHOWS_MORE = fault(
    "shows-more-after-stop",
    "something computed ahead is returned too",
    "what is shown after the stop is not covered by the charge",
    look="what run() returns",
)
WRONG_THRESHOLD_SCALE = fault(
    "wrong-threshold-scale",
    "threshold noise of another scale than claimed",
    LEARNS_MORE,
    look="the scale of the threshold's noise",
)
WRONG_QUERY_SCALE = fault(
    "wrong-query-scale",
    "query noise of another scale than claimed",
    LEARNS_MORE,
    look="the scale of the queries' noise",
)
WRONG_EPSILON = fault(
    "wrong-epsilon",
    "an ε of another round, or of another mechanism, than the one charged",
    LEARNS_MORE,
    look="which ε each round uses",
)
CLAIM_VIOLATED_BY_BITS = fault(
    "bits-violate-claim",
    "less noise than the claim needs in the threshold, in the utilities, or in both",
    LEARNS_MORE,
    Effect.LEAK,
    look="where the threshold and the utilities get their noise",
)
