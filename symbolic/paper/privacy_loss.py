"""The privacy loss of the Brownian mechanism (Lemma bm_nr, Lemma ploss_fix, Theorem bm_ploss), in any dimension."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from nrverify.ledger import derivation, holds, misprint, proof_wrong, supports
from nrverify.ledger.assumptions import BROWNIAN, DENSITIES, GAUSSIAN
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.gaussian_paths import covariance, motion
from nrverify.symbolic.tools.inner_products import Vector, vector

LATER, GAP = sp.symbols("s h", positive=True)
"""The next, less noisy time s, and the time h = t − s rewound to reach it."""


def bridge_mean(s: Expr, t: Expr) -> Expr:
    """s/t, the share of the last noise that is kept."""
    return s / t


def inverted_mean(s: Expr, t: Expr) -> Expr:
    """A wrong share: times swapped."""
    return t / s


def bridge_variance(s: Expr, t: Expr) -> Expr:
    """s(t−s)/t."""
    return s * (t - s) / t


def increment_variance(s: Expr, t: Expr) -> Expr:
    """A wrong variance: that of the forward increment."""
    return t - s


def printed_variance(s: Expr, t: Expr) -> Expr:
    """The variance that the printed exponent of Lemma ploss_fix stands for: (t−s)t/s."""
    return (t - s) * t / s


@derivation(
    {"E09": holds, "A13": supports},
    rejects={
        "times swapped in the mean": {"share": inverted_mean},
        "variance of the forward increment": {"spread": increment_variance},
        "the variance behind the printed factor T_{n+1}/T_n": {"spread": printed_variance},
    },
    assumes=(
        BROWNIAN,
        GAUSSIAN,
    ),
)
def next_release(
    proof: Proof,
    share: Callable[..., Expr] = bridge_mean,
    spread: Callable[..., Expr] = bridge_variance,
) -> None:
    """Given all releases so far, the next is N(f + (s/t)(y − f), s(t−s)/t) per coordinate, y the last release."""
    s, t, older = LATER, LATER + GAP, LATER + GAP + sp.Symbol("k", positive=True)
    innovation = motion(s) - share(s, t) * motion(t)
    proof.note("Times", "s < t = s + h ≤ u = t + k: the next look, the last look, any earlier (noisier) look")
    proof.equal("B_s − (s/t) B_t is uncorrelated with the last noise", covariance(innovation, motion(t)), 0, sp.cancel)
    proof.equal("and with every noisier look", covariance(innovation, motion(older)), 0, sp.cancel)
    proof.note("Hence", "jointly Gaussian and uncorrelated: independent of all releases seen, which also fix s")
    proof.equal("Its variance is s(t−s)/t", covariance(innovation, innovation), spread(s, t), sp.cancel)
    value, last = sp.symbols("f y", real=True)
    mean = value + share(s, t) * (last - value)
    kept = value * (1 - s / t) + last * s / t
    proof.equal("The release f + B_s has mean f + (s/t)(y − f): between f and the last release", mean, kept)


def bridge_factor(s: Expr, t: Expr) -> Expr:
    """t/s, so that ‖·‖²/(2(t−s)) · t/s is the exponent of variance s(t−s)/t."""
    return t / s


def printed_factor(s: Expr, t: Expr) -> Expr:
    """The factor printed in the proof of Lemma ploss_fix, T_{n+1}/T_n."""
    return s / t


def no_factor(s: Expr, t: Expr) -> Expr:
    """A wrong factor: none."""
    return sp.Integer(1)


@derivation(
    {
        "A13": proof_wrong("the printed factor T_{n+1}/T_n"),
        "B01": proof_wrong("the printed factor T_{n+1}/T_n"),
        "A01": supports,
    },
    rejects={
        "the printed factor T_{n+1}/T_n": {"factor": printed_factor},
        "no factor": {"factor": no_factor},
        "increments weighted by the less noisy time": {"rewound": lambda s, t: s},
    },
    uses=("privacy_loss.next_release",),
    assumes=(DENSITIES,),
)
def telescoping(
    proof: Proof,
    factor: Callable[..., Expr] = bridge_factor,
    rewound: Callable[..., Expr] = lambda s, t: t - s,
) -> None:
    """The joint density of n adaptive looks is N(y_n; ν, T_n) times increments free of ν, by induction on n."""
    s, t = LATER, LATER + GAP
    last, new = vector("u"), vector("v")
    proof.note("Claim for n", "−log p_{1:n} = ‖y_n − ν‖²/2T_n + Σ ‖y_{m−1} − y_m‖²/2(T_{m−1} − T_m) + normaliser")
    proof.note("n = 1", "T_1 is constant and y_1 ~ N(ν, T_1 I): the claim with an empty sum")
    proof.note("n → n + 1", "t = T_n and s = T_{n+1}(y_1..y_n) = t − h are fixed by what was seen")
    proof.note("Notation", "u = y_n − ν, v = y_{n+1} − ν, so that u − v = y_n − y_{n+1} is free of ν")
    deviation = new - bridge_mean(s, t) * last
    bridge = deviation.square() / (2 * (t - s)) * factor(s, t)
    after = new.square() / (2 * s) + (last - new).square() / (2 * rewound(s, t))
    proof.equal(
        "‖u‖²/2t + (t/s)‖v − (s/t)u‖²/2(t−s) = ‖v‖²/2s + ‖u − v‖²/2(t−s): the claim for n + 1",
        sp.cancel(last.square() / (2 * t) + bridge),
        after,
        sp.cancel,
    )
    variance = (t - s) / factor(s, t)
    proof.equal("The normalisers telescope as well: T_n · s(t−s)/t = s · (t−s)", t * variance, s * rewound(s, t))

    seen, value, other = vector("y_{n+1}"), vector("ν"), vector("μ")
    increments = (last - new).square() / (2 * rewound(s, t)) + sp.Symbol("R", real=True)
    under_value, under_other = ((seen - mean).square() / (2 * s) + increments for mean in (value, other))
    gaussian = ((seen - other).square() - (seen - value).square()) / (2 * s)
    proof.note("Ratio", "R collects the older increments and the normalisers, the same under ν and under μ")
    proof.equal(
        "log p^ν_{1:n+1}/p^μ_{1:n+1} is the log-ratio of one look at T_{n+1}", under_other - under_value, gaussian
    )


def whole_release(value: Vector, noise: Vector) -> Vector:
    """f(x) + B."""
    return value + noise


def bare_noise(value: Vector, noise: Vector) -> Vector:
    """The printed first display of the proof: B alone where the release f(x) + B belongs."""
    return noise


@derivation(
    {"B03": holds, "A19": misprint("the release printed without f(x)"), "B01": supports},
    rejects={
        "the release printed without f(x)": {"release": bare_noise},
        "a drift of ‖v‖²/T": {"drift": lambda square, time: square / time},
        "the drift with a minus sign": {"drift": lambda square, time: -square / (2 * time)},
    },
    uses=("privacy_loss.telescoping",),
    assumes=(GAUSSIAN,),
)
def loss_of_a_release(
    proof: Proof,
    release: Callable[..., Vector] = whole_release,
    drift: Callable[..., Expr] = lambda square, time: square / (2 * time),
) -> None:
    """L = ‖v‖²/2T + (‖v‖/T) W_T with v = f(x) − f(x') and W = ⟨v, B⟩/‖v‖ a standard Brownian motion."""
    time = sp.Symbol("T", positive=True)
    value, neighbour, noise = vector("f"), vector("f'"), vector("B")
    difference = value - neighbour
    seen = release(value, noise)
    gaussian = ((seen - neighbour).square() - (seen - value).square()) / (2 * time)
    proof.note("Start", "the loss is the Gaussian log-ratio at (T_N, release), the release being f(x) + B_{T_N}")
    linear = drift(difference.square(), time) + difference.dot(noise) / time
    proof.equal("Expanding the squares: ‖v‖²/2T + ⟨v, B⟩/T", gaussian, linear, sp.cancel)
    proof.note("Projection", "W_t = ⟨v, B_t⟩/‖v‖ if v ≠ 0; if v = 0 both sides vanish")

    size, s, h = sp.symbols("‖v‖ s h", positive=True)
    i, j, d = sp.symbols("i j d", integer=True, positive=True)
    v = sp.IndexedBase("v", real=True)
    terms = sp.Sum(v[i] * v[j] * sp.KroneckerDelta(i, j) * covariance(motion(s), motion(s + h)), (j, 1, d), (i, 1, d))
    # The branch i > d of the Kronecker sum lies outside the range of the outer summation.
    projected = terms.doit().replace(lambda part: isinstance(part, sp.Piecewise), lambda part: part.args[0].expr)
    square = sp.Sum(v[i] ** 2, (i, 1, d))
    proof.equal("Cov(⟨v,B_s⟩, ⟨v,B_t⟩) = Σ_ij v_i v_j δ_ij min(s,t) = s‖v‖² for s ≤ t, any d", projected, s * square)
    proof.note("Hence", "Cov(W_s, W_t) = min(s, t) and W is continuous and Gaussian: a standard Brownian motion")

    w = sp.Symbol("W", real=True)
    projection = {sp.Symbol("⟨B,f⟩", real=True): size * w + noise.dot(neighbour)}
    length = {sp.Symbol("‖f‖²", nonnegative=True): size**2 + 2 * value.dot(neighbour) - neighbour.square()}
    by_w = sp.expand(gaussian.subs(projection).subs(length))
    proof.equal(
        "L = ‖v‖²/2T + (‖v‖/T) W_T, at every time and hence at T_N", by_w, drift(size**2, time) + size * w / time
    )


@derivation(
    {"B04": holds},
    rejects={"W in place of its positive part": {"positive_part": lambda w: w}},
    uses=("privacy_loss.loss_of_a_release",),
)
def loss_bound(
    proof: Proof, positive_part: Callable[..., Expr] = lambda w: w if w.is_nonnegative else sp.Integer(0)
) -> None:
    """If ‖v‖ ≤ Δ then ‖v‖²/2T + ‖v‖W/T ≤ Δ²/2T + ΔW⁺/T, for every sign of W."""
    size, slack, absolute = sp.symbols("‖v‖ k W", nonnegative=True)
    sensitivity = size + slack
    proof.note("Setting", "Δ = ‖v‖ + k with k ≥ 0; both sides times T; below, W stands for |W|")
    for name, w in (("W ≥ 0", absolute), ("W ≤ 0", -absolute)):
        bound = sensitivity**2 / 2 + sensitivity * positive_part(w)
        loss = size**2 / 2 + size * w
        proof.nonnegative(f"{name}: bound − loss ≥ 0", sp.expand(bound - loss))


@derivation(
    {"B06": holds},
    rejects={
        "mean Δ²/t": {"mean": lambda delta, t: delta**2 / t},
        "variance Δ²/2t": {"variance": lambda delta, t: delta**2 / (2 * t)},
        "variance Δ²": {"variance": lambda delta, t: delta**2},
    },
    uses=("privacy_loss.loss_of_a_release",),
)
def loss_at_a_fixed_time(
    proof: Proof,
    mean: Callable[..., Expr] = lambda delta, t: delta**2 / (2 * t),
    variance: Callable[..., Expr] = lambda delta, t: delta**2 / t,
) -> None:
    """At a fixed time the loss is N(Δ²/2t, Δ²/t): the loss of the Gaussian mechanism."""
    sensitivity, t = sp.symbols("Delta t", positive=True)
    theta, w = sp.symbols("theta W", real=True)
    loss = sensitivity**2 / (2 * t) + sensitivity * w / t
    exponent = theta * loss - w**2 / (2 * t)
    centre = theta * sensitivity
    completed = -((w - centre) ** 2) / (2 * t)
    log_mgf = sp.expand(exponent - completed)
    proof.equal("Completing the square: θL − W²/2t + (W − θΔ)²/2t is free of W", sp.diff(log_mgf, w), 0)
    gaussian = theta * mean(sensitivity, t) + theta**2 * variance(sensitivity, t) / 2
    proof.equal("log E exp(θL) = θΔ²/2t + θ²Δ²/2t, that of N(Δ²/2t, Δ²/t), for every θ", log_mgf, gaussian)
    proof.equal("At θ = −1: E_x e^{−L} = 1, the law under x' has total mass 1", log_mgf.subs(theta, -1), 0)
    swapped = log_mgf.subs(theta, -1 - theta)
    proof.equal("Under x' the loss is mirrored: E_x' e^{−θL} = E_x e^{θL}", swapped, log_mgf)
