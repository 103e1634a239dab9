"""Skellam noise: its pmf, bridge, sampler, log-concavity and the guarantee the paper does not state (N13, N14)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy as sp

from nrverify.ledger import derivation, needs, supports
from nrverify.ledger.assumptions import DOOB, POISSON
from nrverify.ledger.proof import Expr, Proof

RATE, EARLY, S, STEP, X, THETA = sp.symbols("lambda mu s h x theta", positive=True)
M, K, N = sp.symbols("m k n", integer=True, nonnegative=True)
INTEGER, SECOND = sp.Symbol("d", integer=True), sp.Symbol("lambda_2", positive=True)


def poisson(count: Expr, mean: Expr) -> Expr:
    """e^{−mean} mean^count/count!."""
    return sp.exp(-mean) * mean**count / sp.factorial(count)


def bessel_term(order: Expr, x: Expr, m: Expr) -> Expr:
    """The mth term of I_order(x): (x/2)^{2m+order}/(m!(m+order)!)."""
    return (x / 2) ** (2 * m + order) / (sp.factorial(m) * sp.factorial(m + order))


def log_transform(mean: Expr, z: Expr) -> Expr:
    """log E z^Y for a Poisson variable Y: its terms are e^{−mean} wⁿ/n! with w = mean·z, and Σ wⁿ/n! = e^w."""
    w, total = exponential_series()
    outside = sp.simplify(poisson(N, mean) * z**N / ((mean * z) ** N / sp.factorial(N)))
    return sp.log(outside).expand(force=True) + sp.log(total).subs(w, mean * z)


@cache
def exponential_series() -> tuple[Expr, Expr]:
    """w and Σ wⁿ/n!."""
    w = sp.Symbol("w", positive=True)
    return w, sp.summation(w**N / sp.factorial(N), (N, 0, sp.oo))


def reduced(expression: Expr) -> Expr:
    """Factorials and powers combined."""
    return sp.combsimp(sp.powsimp(sp.expand_power_base(expression, force=True), force=True))


@derivation(
    {"N14": needs("a query that is not integer-valued"), "N13": supports},
    rejects={
        "a query that is not integer-valued": {"difference": sp.Rational(1, 2)},
        "a process without negative jumps, λ₂ = 0": {"second_rate": sp.Integer(0)},
        "I_k(λt) for I_k(2λt)": {"argument": lambda a, b: sp.sqrt(a * b)},
    },
    assumes=(POISSON,),
)
def skellam_noise(
    proof: Proof,
    difference: Expr = INTEGER,
    second_rate: Expr = SECOND,
    argument: Callable[[Expr, Expr], Expr] = lambda a, b: 2 * sp.sqrt(a * b),
) -> None:
    """X_t ~ Skell(λ₁t, λ₂t) with independent increments; f + X has one support for all f only if f is an integer."""
    first, z = sp.symbols("lambda_1 z", positive=True)
    positive = SECOND

    whole = log_transform(first * S, z) + log_transform(positive * S, 1 / z)
    exponent = S * (first * (z - 1) + positive * (1 / z - 1))
    proof.equal("E z^{X_t} = exp(λ₁t(z−1) + λ₂t(1/z−1)), from the two Poisson laws", whole, exponent, sp.expand)
    apart = exponent.subs(S, S + STEP) - exponent
    proof.equal(
        "X_{t+h} = X_t plus an independent Skell(λ₁h, λ₂h): so X is Markov", apart, exponent.subs(S, STEP), sp.expand
    )
    mean = sp.diff(exponent, z).subs(z, 1)
    proof.equal("Its mean is (λ₁ − λ₂)t: the noise is centred for λ₁ = λ₂ only", mean, (first - positive) * S)
    a, b = first * S, positive * S
    joint = poisson(M + K, a) * poisson(M, b)
    series = sp.exp(-a - b) * (first / positive) ** (K / 2) * bessel_term(K, argument(a, b), M)
    proof.equal(
        "P(Y₁ = m+k, Y₂ = m) is the mth term of e^{−(λ₁+λ₂)t}(λ₁/λ₂)^{k/2} I_k(2t√(λ₁λ₂))", reduced(joint / series), 1
    )
    least = poisson(K, a) * poisson(sp.Integer(0), second_rate * S)
    proof.positive("Every k ≥ 0 has positive probability: Y₁ = k, Y₂ = 0", least)
    proof.positive(
        "and every −k with k ≥ 1: Y₁ = 0, Y₂ = k", poisson(sp.Integer(0), a) * poisson(K + 1, second_rate * S)
    )
    full_turn = sp.exp(exponent.subs(z, sp.exp(2 * sp.pi * sp.I)))
    proof.equal("X lives on the integers: E e^{2πiX} = 1", full_turn, 1)
    phase = sp.exp(2 * sp.pi * sp.I * difference)
    proof.equal("so f + X and f' + X share their support exactly when e^{2πi(f−f')} = 1", phase, 1)


def bridge_term(a: Expr, n: Expr, fraction: Expr) -> Expr:
    """The binomial law of a among n at the given fraction."""
    return sp.binomial(n, a) * fraction**a * (1 - fraction) ** (n - a)


@derivation(
    {"N14": supports},
    rejects={
        "thinning at √(s/t)": {"fraction": lambda s, t: sp.sqrt(s / t)},
        "weights with (λt)^{m+k}": {
            "weight": lambda m, k, mean: mean ** (m + k) / sp.factorial(m) / sp.factorial(m + k)
        },
        "argument 2λ(t+s) after s": {"rest": lambda s, t: t + s},
    },
    uses=("skellam_process.skellam_noise",),
    assumes=(POISSON,),
)
def skellam_bridge(
    proof: Proof,
    fraction: Callable[[Expr, Expr], Expr] = lambda s, t: s / t,
    weight: Callable[..., Expr] = lambda m, k, mean: mean ** (2 * m + k) / sp.factorial(m) / sp.factorial(m + k),
    rest: Callable[[Expr, Expr], Expr] = lambda s, t: t - s,
) -> None:
    """P(X_s = j | X_t = k) = I_j(2λs)I_{k−j}(2λ(t−s))/I_k(2λt), and thinning both counts at s/t draws from it."""
    t = S + STEP
    z = sp.Symbol("z", positive=True)
    proof.note(
        "Bayes", "X_s and X_t − X_s are independent, so the bridge is the product of their pmfs over that of X_t"
    )
    exponents = [-2 * RATE * time for time in (S, rest(S, t), t)]
    proof.equal("The factors e^{−2λs}e^{−2λ(t−s)}/e^{−2λt} cancel", exponents[0] + exponents[1] - exponents[2], 0)
    generating = sp.exp(X * (z + 1 / z) / 2)
    left = generating.subs(X, 2 * RATE * S) * generating.subs(X, 2 * RATE * rest(S, t))
    proof.equal(
        "It sums to 1: Σ_j I_j(x)z^j = e^{x(z+1/z)/2} turns the sum over j into I_k at 2λs + 2λ(t−s)",
        sp.powsimp(left / generating.subs(X, 2 * RATE * t)),
        1,
    )
    mean = RATE * t
    counts = poisson(M + K, mean) * poisson(M, mean)
    first = counts.subs(M, 0)
    proof.equal(
        "Given X_t = k the down-count is m with weight (λt)^{2m+k}/(m!(m+k)!)",
        reduced(counts / first),
        reduced(weight(M, K, mean) / weight(sp.Integer(0), K, mean)),
        reduced,
    )
    some, others = sp.symbols("a b", integer=True, nonnegative=True)
    split = poisson(some, RATE * S) * poisson(others, RATE * STEP) / poisson(some + others, mean)
    thinned = bridge_term(some, some + others, fraction(S, t)).rewrite(sp.factorial)
    base = sp.powsimp(sp.powdenest(reduced(split / thinned), force=True), force=True)
    proof.equal("Given n = a + b arrivals up to t, those up to s are Binomial(n, s/t)", base, 1)


@derivation(
    {"N14": supports},
    rejects={
        "log-convex instead: the ratio inverted": {"ratio": lambda k, n: (k + n + 1) / (k + n)},
        "a factor (k+n)/(k+n+2)": {"ratio": lambda k, n: (k + n) / (k + n + 2)},
        "no growth of I_k/I_{k+1} with k": {"growth": lambda k, x: 2 / x},
    },
)
def log_concave_and_unbounded(
    proof: Proof,
    ratio: Callable[[Expr, Expr], Expr] = lambda k, n: (k + n) / (k + n + 1),
    growth: Callable[[Expr, Expr], Expr] = lambda k, x: 2 * (k + 1) / x,
) -> None:
    """I_k² > I_{k−1}I_{k+1}, so the loss grows with the release, and without bound: no guarantee with δ = 0."""
    a, b, i = sp.symbols("a b i", integer=True, nonnegative=True)
    j = sp.Symbol("j", integer=True, nonnegative=True)
    product = bessel_term(a, X, i) * bessel_term(b, X, j)
    chosen = sp.binomial(a + i + j, j).rewrite(sp.factorial) * sp.binomial(b + i + j, i).rewrite(sp.factorial)
    scale = (X / 2) ** (a + b + 2 * (i + j)) / (sp.factorial(a + i + j) * sp.factorial(b + i + j))
    proof.equal(
        "A product of terms of I_a and I_b, i + j = n, is C(a+n, j)C(b+n, i) times (x/2)^{a+b+2n}/((a+n)!(b+n)!)",
        reduced(product / (chosen * scale)),
        1,
    )
    proof.note("Vandermonde", "Σ_{i+j=n} C(a+n, j)C(b+n, i) = C(a+b+2n, n): coefficients of (1+z)^{a+n}(1+z)^{b+n}")

    def coefficient(a: Expr, b: Expr) -> Expr:
        return sp.binomial(a + b + 2 * N, N) / (sp.factorial(a + N) * sp.factorial(b + N))

    order = K + 1
    quotient = sp.combsimp(coefficient(order - 1, order + 1) / coefficient(order, order))
    proof.equal(
        "The nth coefficients of I_{k−1}I_{k+1} and I_k² have the ratio (k+n)/(k+n+1)", quotient, ratio(order, N)
    )
    proof.positive("which is below 1: I_k² > I_{k−1}I_{k+1} for k ≥ 1 (Turán)", sp.together(1 - ratio(order, N)))
    centre = sp.combsimp(coefficient(1, 1) / coefficient(0, 0).subs(N, N + 1))
    proof.equal(
        "At k = 0, I_{−1}I_1 = I_1² begins one power of (x/2)² later: n/(n+1) with n ≥ 1, written n + 1",
        centre,
        ratio(0, N + 1),
    )
    proof.note(
        "Hence", "log I_|X| − log I_|X+m| increases in X for m > 0: each difference of log I falls with the order"
    )
    term = bessel_term(K, X, M + 1)
    parts = [reduced(part / term) for part in (bessel_term(K + 2, X, M), growth(K, X) * bessel_term(K + 1, X, M + 1))]
    proof.equal(
        "I_k − I_{k+2} = (2(k+1)/μ)I_{k+1}: the terms of power k + 2m + 2 over that of I_k, for all m ≥ 0",
        1 - parts[0],
        parts[1],
        sp.cancel,
    )
    lowest = bessel_term(K, X, 0) - growth(K, X) * bessel_term(K + 1, X, 0)
    proof.equal("and its first term, where I_{k+2} has none", reduced(lowest / bessel_term(K, X, 0)), 0)
    proof.true(
        "So the loss at X = k for m = 1 is at least log(2(k+1)/μ), which grows without bound",
        sp.limit(growth(X, EARLY), X, sp.oo) == sp.oo,
    )


def line(mu: Expr, level: Expr, theta: Expr) -> Expr:
    """B = (ℓ + μ(cosh θ − 1))/θ."""
    return (level + mu * (sp.cosh(theta) - 1)) / theta


@derivation(
    {"N14": supports},
    rejects={
        "sinh θ for cosh θ − 1": {"boundary": lambda mu, level, theta: (level + mu * sp.sinh(theta)) / theta},
        "half the variance": {"boundary": lambda mu, level, theta: line(mu / 2, level, theta)},
        "ℓ/2 for ℓ": {"boundary": lambda mu, level, theta: line(mu, level / 2, theta)},
    },
    uses=("martingales.ville",),
)
def time_uniform_line(proof: Proof, boundary: Callable[..., Expr] = line) -> None:
    """For θ fixed in advance X_t < B(t) = (ℓ + μ(cosh θ − 1))/θ for all t with probability ≥ 1 − δ, μ = 2λt."""
    level, mu, more = sp.symbols("ell mu nu", positive=True)
    total = log_transform(mu / 2, sp.exp(THETA)) + log_transform(mu / 2, sp.exp(-THETA))
    exponent = mu * (sp.cosh(THETA) - 1)
    proof.equal("E e^{θX_t} = e^{μ(cosh θ−1)}", total, exponent.rewrite(sp.exp), sp.expand)
    ratio = exponent.subs(mu, mu + more) - exponent - exponent.subs(mu, more)
    proof.equal(
        "e^{θX_t − μ(cosh θ−1)} is a martingale: independent increments, and exponents add", ratio, 0, sp.expand
    )
    proof.equal(
        "X_t = B(t) is where it reaches 1/δ = e^ℓ", THETA * boundary(mu, level, THETA) - exponent, level, sp.expand
    )
    proof.note("Ville", "a nonnegative right-continuous martingale of mean 1 reaches 1/δ with probability at most δ")
    proof.note("Bound", "X_t is an integer below B(t): X_t ≤ k = ⌈B(t)⌉ − 1, and the loss is at most log I_k/I_{k+Δ}")


def renyi_exponent(order: Expr, level: Expr, divergence: Expr) -> Expr:
    """−α(ε − D_{1+α}(t₀))."""
    return -order * (level - divergence)


@derivation(
    {"N14": supports, "E06": supports},
    rejects={
        "D_{1+α} weighted by 1 + α": {
            "exponent": lambda order, level, divergence: -order * level + (1 + order) * divergence
        },
        "no α before ε": {"exponent": lambda order, level, divergence: -level + order * divergence},
    },
    uses=("preliminaries.reference_measure",),
    assumes=(DOOB,),
)
def renyi_bound_for_all_looks(proof: Proof, exponent: Callable[..., Expr] = renyi_exponent) -> None:
    """(R): P(sup over t ≥ t₀ of L_t ≥ ε) ≤ exp(−α(ε − D_{1+α}(t₀))), for every noise-reduction mechanism."""
    order, p, q, y, level, value = sp.symbols("alpha p q y epsilon D", positive=True)
    proof.equal(
        "p·e^{−L} = q: under x, e^{−L_t} integrates the density of x' over what was seen", p * sp.exp(-sp.log(p / q)), q
    )
    proof.note("Martingale", "so e^{−L_t} = E[e^{−L_{t₀}} | looks at times ≥ t]: a martingale as t decreases to t₀")
    proof.positive("y ↦ y^{−α} is convex: e^{αL_t} is a submartingale", sp.diff(y**-order, y, 2))
    moment = sp.simplify(p * sp.exp(order * sp.log(p / q)))
    proof.equal("E_x e^{αL} = Σ p^{1+α}q^{−α} = e^{αD_{1+α}}", moment, p ** (1 + order) * q**-order)
    proof.equal(
        "Doob: P(sup e^{αL} ≥ e^{αε}) ≤ E e^{αL_{t₀}}/e^{αε}",
        sp.exp(exponent(order, level, value)),
        sp.exp(order * value) / sp.exp(order * level),
    )
