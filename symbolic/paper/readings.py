"""Readings: claims whose wording alone is at fault, with the place in the paper (arXiv 2206.07234) and the reason."""

from __future__ import annotations

from nrverify.ledger import gap, misprint, reading

infinite_privacy_level = reading(
    "infinite_privacy_level",
    {"P04": misprint()},
    place="Section 2, Definition def:expost and the remark after it",
    reason=(
        "The privacy function maps to the non-negative reals, yet is then set to infinity; its range must be [0, ∞]."
    ),
)

time_functions_twice = reading(
    "time_functions_twice",
    {"P06": misprint()},
    place="Sections 2 and 3, label eq:time-functions",
    reason=(
        "The same display carries the same label in both sections, and in Section 3 no sentence leads to it; the "
        "second copy must go. That the functions are Borel measurable has to be asked once."
    ),
)

decreasing_times = reading(
    "decreasing_times",
    {"P14": misprint()},
    place="Section 3, paragraph after Definition def:stop",
    reason=("The times are called decreasing, but the condition they satisfy allows ties: they are non-increasing."),
)

stopping_said_twice = reading(
    "stopping_said_twice",
    {"B05": misprint()},
    place="Section 3, sentence after Theorem thm:bm_ploss",
    reason=("It extends the theorem from a fixed n to a stopping function, but the theorem is stated for one already."),
)

step_two_symbols = reading(
    "step_two_symbols",
    {"A09": misprint()},
    place="Appendix B, end of step 2 in the proof of Lemma lem:strong_markov",
    reason=(
        "Three symbols are wrong in one display: the event belongs to the σ-algebra at T (not t), the last argument "
        "of the test function is Y at t_p (not F), and the factor is the probability of that same event E (not of "
        "A)."
    ),
)

component_order = reading(
    "component_order",
    {"N03": misprint()},
    place="Section 4, paragraph after eq:orig_lap_proc",
    reason=(
        "The mechanism lists its noisiest component first, so the n-th of K components carries noise of scale "
        "t_{K+1−n} and has the privacy level of index K+1−n, not n."
    ),
)

times_and_database = reading(
    "times_and_database",
    {"N07": misprint()},
    place="Section 4, sentence before Definition def:lnr",
    reason=(
        "Times are said to depend on the database. Time functions see earlier releases only; a time chosen from the "
        "database itself would leak through its choice."
    ),
)

skellam_components = reading(
    "skellam_components",
    {"N13": misprint()},
    place="Section 4, paragraph on Skellam noise reduction",
    reason=(
        "The two variables whose difference is taken have just been given Poisson laws and are then called Laplace."
    ),
)

threshold_output = reading(
    "threshold_output",
    {"R01": gap()},
    place="Section 5, Algorithm alg:rat",
    reason=(
        "The algorithm prints bits only, while the theorem and the corollary charge for, and refer to, the releases "
        "up to the halt: these (and the time of the last) must be part of the output, and the privacy levels must "
        "be positive."
    ),
)

threshold_halt = reading(
    "threshold_halt",
    {"R06": gap()},
    place="Section 5, Theorem thm:rat and Corollary cor:aug_bm",
    reason=(
        "The halting round is used where a stopping function is asked for. Given the releases its law still depends "
        "on the database, so it is neither determined by them nor external randomness; it is a stopping time of the "
        "releases together with the bits, and what the proof needs is a bound at every index at once."
    ),
)

shifted_threshold = reading(
    "shifted_threshold",
    {"R09": misprint()},
    place="Appendix C, proof of Theorem thm:rat, final chain of inequalities",
    reason=("The density of the shifted thresholds has the superscript T − Δ in one line; the threshold is called τ."),
)
