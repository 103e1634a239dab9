"""Faults of noise, of its independence and of random streams."""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import Effect, fault

LEAK = Effect.LEAK

UNKNOWN = fault(
    "unknown",
    "noise of another law than claimed",
    "its loss was not computed",
    look="wherever noise is drawn",
    specific=False,
)
FRESH_NOISE = fault(
    "fresh-noise",
    "noise drawn afresh for each release, or a bridge that does not start from the release before",
    "every release adds its own information, so that averaging them beats the noise",
    look="the recursion from one release to the next",
)
FORGETFUL_SESSIONS = fault(
    "forgetful-sessions",
    "some sessions forget what they released: too small a cache of sessions, or a path lost between releases",
    "releases of such a session are independent, so that averaging them beats the noise",
    look="where the state of a session is kept between releases",
)
WRONG_SCALE = fault(
    "wrong-scale",
    "a wrong constant in the variance",
    "more or less noise than the loss was computed for",
    look="the scale of the noise",
)
ONE_COORDINATE = fault(
    "wrong-scale-of-coordinate",
    "a wrong constant in the variance of one coordinate",
    "more or less noise there than the loss was computed for",
    look="what is done to one coordinate and not to the others: its scale, its sensitivity, its place in an array",
)
DEVIATION_FOR_VARIANCE = fault(
    "deviation-for-variance",
    "a variance taken for a standard deviation, or the other way round",
    "more or less noise than the loss was computed for",
    look="the scale of the noise",
)
WRONG_SHAPE = fault(
    "wrong-shape",
    "noise of another family or shape than claimed",
    "the loss is not the one that was computed from the claimed law",
    look="the sampler of the noise",
)
CLIPPED = fault(
    "clipped",
    "noise that is clipped, redrawn beyond a limit, or made from numbers that do not reach further",
    "a release beyond the limit of one value proves another: its loss is infinite",
    look="limits, clip() or rejection in the sampler",
)
ROUNDED_NORMALS = fault(
    "rounded-normals",
    "normal numbers rounded to integers in place of the difference of two Poisson counts",
    "tails lighter than was proved: rare releases betray the value",
    look="the sampler of the counts",
)
SHIFTED = fault(
    "shifted",
    "noise that is not centred, or a release shifted by one step",
    "a bias: accuracy suffers; a shift that is always the same changes no loss, any other may",
    look="the mean of the noise",
)
WRONG_BRIDGE_MEAN = fault(
    "wrong-bridge-mean",
    "a bridge whose mean does not follow the release before",
    "a transcript says more or less of the value than its last release",
    look="the mean of the step from one release to the next",
)
WRONG_BRIDGE_VARIANCE = fault(
    "wrong-bridge-variance",
    "a wrong variance of the step from one release to the next",
    "a transcript says more or less of the value than its last release",
    look="the standard deviation of the step from one release to the next",
)
WRONG_BRIDGE = fault(
    "wrong-bridge",
    "a wrong bridge, or one that does not start from the release before",
    "a transcript says more or less of the value than its last release",
    look="the recursion from one release to the next",
)
AFTER_UNUSUAL = fault(
    "after-unusual-release",
    "a fault that shows only after an unusual release, or steps of another shape than claimed",
    "an attacker who waits for such a release may learn more",
    look="branches that depend on the release before",
)
RARE_SESSIONS = fault(
    "rare-sessions",
    "a branch or a seed that gives some sessions noise of another scale",
    "with too little noise in a session its value is as good as released",
    look="branches on the seed or on random numbers",
)
RARE_RELEASES = fault(
    "rare-releases",
    "a branch that gives some releases noise of another scale",
    "an attacker who waits for such a release may learn more",
    look="branches on random numbers in the sampler",
)
WRONG_STAY_PROBABILITY = fault(
    "wrong-stay-probability",
    "a wrong probability of staying, or no ties at all",
    "the releases are not those of noise reduction: earlier ones add to the loss",
    look="the coin that decides whether a release moves",
)
WRONG_JUMPS = fault(
    "wrong-jumps",
    "jumps of the wrong scale, or of the wrong end of the interval",
    "the marginal law is wrong: the ε claimed is not the ε paid",
    look="the scale of the jumps",
)
REPEATED_RELEASE = fault(
    "repeated-release",
    "the release before is given again for a smaller time (a cache, rounded times), or noise from few numbers",
    "a release given again tells nothing new; but if times are rounded down, or numbers are few, others have too "
    "little noise",
    look="caches keyed by time, and the generator",
)
VALUE_IN_CLEAR = fault(
    "value-in-clear",
    "a branch without noise, or noise multiplied by 0 now and then",
    "the value is released in the clear",
    LEAK,
    look="branches that return before noise is added",
)
NO_NOISE = fault(
    "no-noise",
    "no noise is added",
    "the value is released in the clear",
    LEAK,
    look="where noise is added to the value",
)
DEPENDS_ON_VALUE = fault(
    "depends-on-value",
    "noise that depends on the value, or a fault that shows only for this case's schedule, dimension or method",
    "if the value enters the noise, the noise betrays the value",
    look="where the value enters the noise",
)
PULLED_TO_ZERO = fault(
    "pulled-to-zero",
    "a bridge that pulls towards 0 and not towards the value, or noise shifted with the value",
    "the noise itself betrays the value",
    look="the bridge: it must start from the release minus the value",
)
ONLY_SOMEWHERE = fault(
    "shows-only-somewhere",
    "a fault that shows only there",
    "more or less noise there than the loss was computed for",
    look="what is different there",
)
SHARED_COORDINATES = fault(
    "shared-between-coordinates",
    "one draw (or one coin) serves several coordinates",
    "differences between coordinates are released with too little noise, or none",
    look="the shape of what is drawn: one number for each coordinate",
)
SHARED_SESSIONS = fault(
    "shared-between-sessions",
    "random numbers kept on the subject, in a buffer or a pool, serve several sessions",
    "whoever sees two sessions cancels their common noise",
    look="generators and buffers that outlive a session",
)
SEED_IGNORED = fault(
    "seed-ignored",
    "the seed is ignored, cut down, or shared",
    "whoever sees two sessions cancels their common noise",
    look="how the seed reaches the generator",
)
EQUAL_TRANSCRIPTS = fault(
    "equal-transcripts",
    "the seed is ignored, cut down, or shared; or all noise of this case is 0, rounded, or beyond a limit",
    "whoever sees two sessions cancels their common noise, if there is any",
    look="how the seed reaches the generator",
)
FEW_STREAMS = fault(
    "few-streams",
    "noise made from few random numbers, or one used for two sessions, perhaps with the opposite sign",
    "whoever knows the numbers tries them out, or adds two sessions and cancels their noise",
    look="the generator, its number of bits, and antithetic draws",
)
ONE_NUMBER_AGAIN = fault(
    "one-number-again",
    "noise clipped at a limit, or one number that comes again and again",
    "a release at the limit of one value proves another: its loss is infinite",
    look="limits, clip() or defaults in the sampler",
)
STATE_BETWEEN_SESSIONS = fault(
    "state-between-sessions",
    "sessions that are open together disturb each other",
    "a session's noise depends on other sessions",
    look="state shared by sessions",
)
REPEATED_TIME_REDRAWN = fault(
    "repeated-time-redrawn",
    "new noise is drawn for a time already answered",
    "averaging repeated answers removes the noise",
    look="the branch for a time that equals the last one",
)
REPEATED_TIME_MOVED = fault(
    "repeated-time-moved",
    "something small is added to every answer (a bias, a dither), or the bridge is taken a little further",
    "whoever asks again and again may learn more than was paid for, unless what is added is pure noise",
    look="the branch for a time that equals the last one",
)
ROUNDED = fault(
    "rounded",
    "single precision, rounding, or a cast to integers",
    "if releases are rounded when the noise is in them they tell no more than before (granularity = g says so, and is "
    "judged exactly); if the noise is rounded before, the last digits of a release betray those of the value",
    look="casts, round() and the type of the arrays; is it the release that is rounded, or the noise?",
)
NOISE_ROUNDED = fault(
    "noise-rounded",
    "single precision, rounding, or a cast to integers, of the noise or of its steps",
    "the last digits of a release can tell which values are possible",
    look="casts, round() and the type of the arrays, before the value is added",
)
SINGLE_PRECISION = fault(
    "single-precision",
    "single precision",
    "the last digits of a release can tell which values are possible",
    look="the type of the arrays (float32)",
)
SOME_ROUNDED = fault(
    "some-noise-rounded",
    "some noise only: cut off at a limit, rounded in a branch, or made of integers now and then",
    "such releases tell which values are possible",
    look="branches of the sampler",
)
OFF_GRID = fault(
    "off-grid",
    "a release that is not rounded, or real-valued noise added to a count",
    "the noise is not what was proved private",
    look="where releases are rounded to the grid; of counts, the type of the noise, which must be an integer",
)
NOT_A_NUMBER = fault(
    "not-a-number",
    "overflow or an invalid operation at a valid request",
    "the release is useless, and NaN may reveal the value",
    look="divisions, roots and logarithms at the ends of the range",
)
LAST_BITS = fault(
    "last-bits",
    "noise made in ordinary floating-point arithmetic, which cannot give every double after it is added",
    "the last bits of a release tell which values are possible",
    look="the sampler: round to a grid after the noise is added, or sample exactly",
)
EARLIER_RELEASES_ADD = fault(
    "earlier-releases-add",
    "less noise than the claim needs, or a transcript that says more than its last release",
    "an attacker learns more than the ε paid for",
    look="the recursion from one release to the next",
)
CLAIM_VIOLATED = fault(
    "claim-violated",
    "less noise than the claim needs, or a transcript that says more than its last release",
    "an attacker learns more than the ε paid for",
    LEAK,
    look="the scale of the noise and the recursion from one release to the next",
)
TOO_LITTLE_NOISE = fault(
    "too-little-noise-for-claim",
    "a constant, the sensitivity or its norm forgotten, or a boundary for another δ or for fewer looks",
    "less noise than was paid for: an attacker learns more than the ε asked",
    LEAK,
    look="how ε, δ and the sensitivity become a noise level",
)
HALF_THE_SCALE = fault(
    "half-the-scale",
    "half the scale: a factor 2 forgotten, or a sensitivity of half the size",
    "less noise than was paid for: an attacker learns more than the ε asked",
    LEAK,
    look="how ε and the sensitivity become a scale",
)
DEVIATION_FOR_SCALE = fault(
    "deviation-for-scale",
    "a standard deviation taken for the scale, or in two dimensions the wrong norm of the sensitivity",
    "less noise than was paid for: an attacker learns more than the ε asked",
    LEAK,
    look="how ε and the sensitivity become a scale",
)
