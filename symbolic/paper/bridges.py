"""Brownian bridges and their restart at a fixed time (Appendix B: Lemmas bb_prop and strong_markov, steps 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import derivation, holds, misprint, needs, refuted
from nrverify.ledger.assumptions import BROWNIAN, GAUSSIAN, STRONG_MARKOV
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.gaussian_paths import Functional, constant, covariance, motion

PAST, HEAD, FIRST, STEP, REST = sp.symbols("u p s h r", positive=True)
"""Increments of time, so that sympy knows their order: s = FIRST < t = FIRST + STEP < T = FIRST + STEP + REST."""

INITIAL, TERMINAL, VARIANCE = sp.Symbol("A", real=True), sp.Symbol("b", real=True), sp.Symbol("Var(A)", positive=True)


def bridge_at(time: Expr, end: Expr, initial: Expr, terminal: Expr) -> Functional:
    """X_t = ((T−t)/T) A + B_t − (t/T)(B_T − b), for a fixed initial value A."""
    pull: Functional = (time / end) * (motion(end) - constant(terminal))
    return motion(time) - pull + constant((end - time) / end * initial)


def bridge_covariance(s: Expr, t: Expr, end: Expr) -> Expr:
    """s − st/T for s ≤ t: the covariance of a bridge from a fixed point on [0, T]."""
    return s - s * t / end


def doubled_correction(s: Expr, t: Expr, end: Expr) -> Expr:
    """A wrong kernel: the correction of the end counted twice."""
    return s - 2 * s * t / end


def correct_amplitude(scale: Expr) -> Expr:
    """√C, the amplitude that goes with the clock t/C."""
    return sp.sqrt(scale)


def unscaled_root(scale: Expr) -> Expr:
    """A wrong amplitude: C instead of √C."""
    return scale


@derivation(
    {"A02": holds},
    rejects={
        "the correction of the end counted twice": {"kernel": doubled_correction},
        "amplitude C instead of √C": {"amplitude": unscaled_root},
        "the end pinned at time 1 on an interval of another length": {"pinned_at": sp.Integer(1)},
    },
    assumes=(
        BROWNIAN,
        GAUSSIAN,
    ),
)
def bridge_properties(
    proof: Proof,
    kernel: Callable[..., Expr] = bridge_covariance,
    amplitude: Callable[..., Expr] = correct_amplitude,
    pinned_at: Expr = None,
) -> None:
    """Sums, mean, covariance, scaling and Gaussianity of a Brownian bridge from a random point A to b on [0, T]."""
    s, t, end = FIRST, FIRST + STEP, FIRST + STEP + REST
    early, late = (bridge_at(time, end, INITIAL, TERMINAL) for time in (s, t))
    proof.note(
        "Definition", "X_t = ((T−t)/T) A + B_t − (t/T)(B_T − b), with B independent of A; s < t = s + h < T = s + h + r"
    )
    final = end if pinned_at is None else pinned_at
    proof.equal("It starts at A", bridge_at(sp.Integer(0), end, INITIAL, TERMINAL).mean, INITIAL)
    at_end = bridge_at(final, end, INITIAL, TERMINAL)
    proof.equal("It ends at b: the mean there", at_end.mean, TERMINAL)
    proof.equal("It ends at b: no variance is left", covariance(at_end, at_end), 0, sp.cancel)

    shift, lift = sp.symbols("A' b'", real=True)
    moved = late + constant((end - t) / end * shift + t / end * lift)
    again = bridge_at(t, end, INITIAL + shift, TERMINAL + lift)
    proof.equal(
        "(1) X + ((T−t)/T) A' + (t/T) b' has the mean of a bridge from A + A' to b + b'", moved.mean, again.mean
    )
    proof.equal("(1) and the same path part", covariance(moved - again, moved - again), 0, sp.cancel)

    mean = (end - t) / end * INITIAL + t / end * TERMINAL
    proof.equal("(2) mean given A; the expectation over A replaces A by EA", late.mean, mean, sp.cancel)
    given_a = covariance(early, late)
    proof.equal("(3) covariance given A, in one coordinate", given_a, kernel(s, t, end), sp.cancel)
    from_a = sp.diff(early.mean, INITIAL) * sp.diff(late.mean, INITIAL) * VARIANCE
    total = (end - t) * (end - s) / end**2 * VARIANCE + kernel(s, t, end)
    proof.equal("(3) total covariance: A contributes through the conditional means", given_a + from_a, total, sp.cancel)

    scale = sp.Symbol("C", positive=True)
    size = amplitude(scale)
    stretched = size**2 * kernel(s / scale, t / scale, end / scale)
    proof.equal("(4) √C X_{t/C}: covariance of a bridge on the stretched interval", stretched, kernel(s, t, end))
    proof.equal("(4) and its ends are √C A, √C b", (size * INITIAL) ** 2, scale * INITIAL**2)
    first, second = sp.symbols("theta_1 theta_2", real=True)
    combined = first * early + second * late
    curvature = sp.diff(combined.mean, INITIAL, 2)
    proof.equal("(5) θ_1 X_s + θ_2 X_t is linear in A, and linear in B by definition: Gaussian with A", curvature, 0)


@derivation(
    {"A16": holds},
    rejects={
        "variance of the start taken as 1": {"initial_variance": lambda end: sp.Integer(1)},
        "the motion run forwards": {"clock": lambda end, time: time},
    },
    uses=("bridges.bridge_properties",),
    assumes=(
        BROWNIAN,
        GAUSSIAN,
    ),
)
def reversed_motion(
    proof: Proof,
    initial_variance: Callable[..., Expr] = lambda end: end,
    clock: Callable[..., Expr] = lambda end, time: end - time,
) -> None:
    """X_t = ν + B_{T−t}, 0 ≤ t ≤ T, is a Brownian bridge from N(ν, T) to ν."""
    s, t, end = FIRST, FIRST + STEP, FIRST + STEP + REST
    value = sp.Symbol("nu", real=True)
    start, early, late = (motion(clock(end, time)) + constant(value) for time in (sp.Integer(0), s, t))
    proof.equal("Its start has variance T", covariance(start, start), initial_variance(end))
    proof.equal("Its end is the value ν: no variance", covariance(motion(clock(end, end)), motion(clock(end, end))), 0)
    proof.equal("Cov(X_s, X_t) = T − t for s < t", covariance(early, late), end - t)
    kernel = (end - s) * (end - t) / end**2 * initial_variance(end) + bridge_covariance(s, t, end)
    proof.equal("which is the covariance of a bridge started from a variance T", covariance(early, late), kernel)
    remainder = late - constant(value) - (end - t) / end * (start - constant(value))
    proof.equal("The part that is not due to the start is uncorrelated with it", covariance(remainder, start), 0)
    pair = covariance(early - (end - s) / end * start, remainder)
    proof.equal("and has the covariance of a bridge from 0 to 0", pair, bridge_covariance(s, t, end), sp.cancel)


def restarted(time: Expr, restart: Expr, end: Expr) -> Functional:
    """X^{(τ)}_t = X_{τ+t} − ((T−τ−t)/(T−τ)) X_τ, for a bridge from 0 to 0 on [0, T] and a fixed τ."""
    rest, zero = end - restart, sp.Integer(0)
    here, later = (bridge_at(at, end, zero, zero) for at in (restart, restart + time))
    chord: Functional = (rest - time) / rest * here
    return later - chord


@derivation(
    {"A06": holds},
    rejects={"the chord from a to b added instead of removed": {"sign": 1}},
)
def chord_removed(proof: Proof, sign: int = -1) -> None:
    """Removing the chord from a to b does not change the restarted process: X'^{(s)}_t = X^{(s)}_t on [0, 1 − s]."""
    before, after, t = sp.symbols("X_s X_{s+t} t", real=True)
    s = sp.Symbol("s", positive=True)

    def chord(time: Expr) -> Expr:
        return (1 - time) * INITIAL + time * TERMINAL

    ratio = (1 - s - t) / (1 - s)
    original = after - ratio * before - t / (1 - s) * TERMINAL
    centred = (after + sign * chord(s + t)) - ratio * (before + sign * chord(s))
    proof.note("Definition", "X'_t = X_t − (1−t)a − tb, a bridge from 0 to 0, whose own terminal value is 0")
    proof.equal("X'_{s+t} − ((1−s−t)/(1−s)) X'_s = X^{(s)}_t", centred, original, sp.cancel)


@derivation(
    {"A07": misprint("the printed plus sign"), "A08": holds},
    rejects={
        "the printed plus sign": {"sign": 1},
        "the printed E[X_s X_t]": {"second_time": lambda restart, elapsed: elapsed},
        "the length of the whole bridge": {"length": lambda restart, end: end},
    },
    assumes=(
        BROWNIAN,
        GAUSSIAN,
    ),
)
def restart_is_independent(
    proof: Proof,
    sign: int = -1,
    second_time: Callable[..., Expr] = lambda restart, elapsed: restart,
    length: Callable[..., Expr] = lambda restart, end: end - restart,
) -> None:
    """At a fixed time T the restarted bridge is uncorrelated with the past and has covariance s − st/(1−T)."""
    restart, s, t = sp.symbols("T s t", positive=True)
    k = bridge_covariance
    one = sp.Integer(1)
    proof.note("Setting", "a bridge on [0, 1] from 0 to 0; Cov(X_s, X_t) = s − st for s ≤ t; s ≤ T in the first part")
    keep = (1 - restart - t) / (1 - restart)
    product = k(s, second_time(restart, t), one)
    proof.equal(
        "Cov(X_s, X^{(T)}_t) = E[X_s X_{T+t}] − ((1−T−t)/(1−T)) E[X_s X_T] = 0",
        k(s, restart + t, one) + sign * keep * product,
        0,
        sp.cancel,
    )

    past, start, late, end = PAST, PAST + HEAD, FIRST + STEP, PAST + HEAD + FIRST + STEP + REST
    zero = sp.Integer(0)
    proof.note("The same from the path", "past time u, restart T = u + p, then s < t = s + h, and the end T + t + r")
    x_early, x_late = (restarted(time, start, end) for time in (FIRST, late))
    before = bridge_at(past, end, zero, zero)
    proof.equal("X^{(T)} is uncorrelated with the path before T", sp.cancel(covariance(before, x_late)), 0)
    proof.equal("X^{(T)} has mean 0", x_late.mean, 0)
    expected = bridge_covariance(FIRST, late, length(start, end))
    found = sp.factor(covariance(x_early, x_late))
    proof.equal("Cov(X^{(T)}_s, X^{(T)}_t) = s − st/(end − T)", found, expected, sp.cancel)


def corrected_rescaling(restart: Expr, time: Expr) -> tuple[Expr, Expr]:
    """Y_t = (1−τ)^{−1/2} X^{(τ)}_{(1−τ)t}: amplitude and clock."""
    return 1 / sp.sqrt(1 - restart), (1 - restart) * time


def printed_rescaling(restart: Expr, time: Expr) -> tuple[Expr, Expr]:
    """The printed Y_t = √(1−τ) X^{(τ)}_{t/(1−τ)}."""
    return sp.sqrt(1 - restart), time / (1 - restart)


def printed_amplitude(restart: Expr, time: Expr) -> tuple[Expr, Expr]:
    """The printed amplitude with the right clock."""
    return sp.sqrt(1 - restart), (1 - restart) * time


BEFORE_THE_END = sp.Symbol("p", nonnegative=True) / (1 + sp.Symbol("p", nonnegative=True))
"""Any τ in [0, 1), as p/(1 + p)."""


@derivation(
    {"A03": refuted("the printed rescaling"), "A04": needs("a restart at τ = 1")},
    rejects={
        "the printed rescaling": {"rescaling": printed_rescaling},
        "the printed amplitude with the right clock": {"rescaling": printed_amplitude},
        "a restart at τ = 1": {"restart": sp.Integer(1)},
    },
    uses=("bridges.restart_is_independent",),
    assumes=(GAUSSIAN,),
)
def rescaled_restart(
    proof: Proof,
    rescaling: Callable[..., tuple[Expr, Expr]] = corrected_rescaling,
    restart: Expr = BEFORE_THE_END,
) -> None:
    """For τ < 1, Y_t = (1−τ)^{−1/2} X^{(τ)}_{(1−τ)t} is a standard bridge; at τ = 1 there is nothing to scale."""
    s, t = sp.symbols("s t", positive=True)
    proof.positive("Some time is left after τ: 1 − τ > 0", 1 - restart)
    amplitude, early = rescaling(restart, s)
    _, late = rescaling(restart, t)
    _, last = rescaling(restart, sp.Integer(1))
    kernel = bridge_covariance(early, late, 1 - restart)
    proof.equal("Cov(Y_s, Y_t) = s − st for s ≤ t", amplitude**2 * kernel, s - s * t)
    proof.equal("The clock carries [0, 1] onto [0, 1 − τ]", last, 1 - restart)
    proof.equal("Y ends at 0: its variance at t = 1", (amplitude**2 * kernel).subs({s: 1, t: 1}), 0)
    first, least = sp.symbols("T_1 T_n", positive=True)
    proof.positive("In the use τ = (T_1 − T_n)/T_1, which is below 1 since T_n > 0", 1 - (first - least) / first)


def corrected_line(rest: Expr, t: Expr, x: Expr, b: Expr) -> Expr:
    """The chord from x to b over the remaining time."""
    return (rest - t) / rest * x + t / rest * b


def printed_line(rest: Expr, t: Expr, x: Expr, b: Expr) -> Expr:
    """The chord with the sign printed in the proof."""
    return (rest - t) / rest * x - t / rest * b


def inverse_scaling(rest: Expr, t: Expr) -> tuple[Expr, Expr]:
    """X^{(T)}_t = √(1−T) Y_{t/(1−T)}: amplitude and clock."""
    return sp.sqrt(rest), t / rest


def printed_inverse(rest: Expr, t: Expr) -> tuple[Expr, Expr]:
    """The printed (1−T)^{−1/2} Y_{t(1−T)}."""
    return 1 / sp.sqrt(rest), t * rest


@derivation(
    {"A11": holds},
    rejects={
        "the sign of b printed in the proof": {"line": printed_line},
        "the inverse scaling printed in the proof": {"inverse": printed_inverse},
    },
    uses=(
        "bridges.rescaled_restart",
        "bridges.chord_removed",
    ),
    assumes=(STRONG_MARKOV,),
)
def restart_is_a_bridge(
    proof: Proof,
    line: Callable[..., Expr] = corrected_line,
    inverse: Callable[..., tuple[Expr, Expr]] = inverse_scaling,
) -> None:
    """Given τ = T and X_T = x, the rest, chord from x to b plus √(1−T) Y_{t/(1−T)}, is a bridge on [T, 1]."""
    rest, x, s, t = sp.Symbol("rho", positive=True), sp.Symbol("x", real=True), FIRST, FIRST + STEP
    proof.note("Setting", "Y is a standard bridge, independent of what was seen up to T; ρ = 1 − T")
    proof.equal("At the restart the path is at x", line(rest, sp.Integer(0), x, TERMINAL), x)
    proof.equal("At time 1 it is at b", line(rest, rest, x, TERMINAL), TERMINAL)
    later = sp.Symbol("X_{T+t}", real=True)
    remainder = later - (rest - t) / rest * x - t / rest * TERMINAL
    proof.equal("X_{T+t} = X^{(T)}_t + the chord", remainder + line(rest, t, x, TERMINAL), later, sp.cancel)
    amplitude, early = inverse(rest, s)
    _, late = inverse(rest, t)
    unscaled = amplitude**2 * bridge_covariance(early, late, sp.Integer(1))
    proof.equal("√(1−T) Y_{t/(1−T)} has the covariance of X^{(T)}", unscaled, bridge_covariance(s, t, rest), sp.cancel)
    end = FIRST + STEP + REST
    fresh = [bridge_at(time, end, x, TERMINAL) for time in (s, t)]
    proof.equal(
        "which is that of a bridge of length 1 − T", covariance(*fresh), bridge_covariance(s, t, end), sp.cancel
    )
    proof.equal("with the same mean", fresh[1].mean, line(end, t, x, TERMINAL), sp.cancel)
