"""The Laplace process: the walk, the Poisson construction and its marginals (Section 4; Appendix C, first theorem)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy as sp

from nrverify.ledger import derivation, gap, holds, misprint, needs, refuted, supports
from nrverify.ledger.assumptions import CHARACTERISTIC, CONVERGENCE, POISSON
from nrverify.ledger.proof import Expr, Proof

ETA, S, T, LATER, STEP, U, X = sp.symbols("eta s t v h u x", positive=True)
"""Times s < t < v; identities that are rational in them need no order, and where it matters t = s + h."""

FREQUENCY, SPARE = sp.Symbol("lambda", real=True), sp.Symbol("h", nonnegative=True)
INVERSE_ROOT = sp.Rational(-1, 2)
"""The power of U in the recipe."""


def characteristic(scale: Expr) -> Expr:
    """φ_b(λ) = 1/(1 + λ²b²), the characteristic function of Lap(b)."""
    return 1 / (1 + FREQUENCY**2 * scale**2)


def jumps_of_two_coordinates(scale: Expr) -> Expr:
    """The characteristic function at (λ, λ) of two independent Lap(b) variables that jump together."""
    return characteristic(scale) ** 2


def arrivals(start: Expr, end: Expr) -> Expr:
    """∫ (2/u) du from start to end: the mean number of arrivals of the clock."""
    return sp.integrate(2 / U, (U, start, end))


def squared_ratio(s: Expr, t: Expr) -> Expr:
    """(s/t)²."""
    return (s / t) ** 2


@derivation(
    {"N01": holds},
    rejects={
        "staying with probability s/t": {"stay": lambda s, t: s / t},
        "a jump of the earlier scale": {"jump_scale": lambda s, t: s},
        "t₀ = t₁ in the first step": {"first": lambda t: t},
    },
    assumes=(CHARACTERISTIC,),
)
def walk_keeps_laplace_laws(
    proof: Proof,
    stay: Callable[..., Expr] = squared_ratio,
    jump_scale: Callable[..., Expr] = lambda s, t: t,
    first: Callable[..., Expr] = lambda t: sp.Integer(0),
) -> None:
    """If ζ_{n−1} ~ Lap(s), s = t_{n−1} < t = t_n, one step of the walk gives Lap(t); so all marginals are Laplace."""
    wave, fall = FREQUENCY * X, sp.exp(-X / S)
    primitive = fall * (FREQUENCY * S * sp.sin(wave) - sp.cos(wave)) * characteristic(S)
    proof.equal(
        "A primitive of 2cos(λx)e^{−x/s}/2s", sp.diff(primitive, X), 2 * sp.cos(wave) * fall / (2 * S), _cleared
    )
    proof.equal("vanishes at infinity: its factor e^{−x/s} does, the other is bounded", sp.limit(fall, X, sp.oo), 0)
    proof.equal("So Lap(s) has characteristic function φ_s = 1/(1 + λ²s²)", -primitive.subs(X, 0), characteristic(S))
    start = stay(first(T), T)
    proof.equal(
        "First step, from ζ₀ = 0 with t₀ = 0: it always jumps, to Lap(t₁)",
        start + (1 - start) * characteristic(jump_scale(S, T)),
        characteristic(T),
        sp.cancel,
    )
    r = stay(S, T)
    proof.nonnegative("(s/t)² leaves a probability for the jump, t = s + h", 1 - stay(S, S + STEP))
    step = r + (1 - r) * characteristic(jump_scale(S, T))
    proof.equal(
        "Induction step: φ_s·((s/t)² + (1 − (s/t)²)φ_t) = φ_t", characteristic(S) * step, characteristic(T), sp.cancel
    )
    proof.note("Markov", "ζ_n is a function of ζ_{n−1}, a fresh coin and a fresh Laplace variable")


@derivation(
    {"N03": misprint("the printed level ε_n")},
    rejects={"the printed level ε_n": {"index": lambda n, length: n}},
)
def level_of_a_component(proof: Proof, index: Callable[[Expr, Expr], Expr] = lambda n, length: length + 1 - n) -> None:
    """The nth component of (f + ζ_K, …, f + ζ_1) carries noise of scale Δ₁/ε_{K+1−n}: its level is ε_{K+1−n}."""
    n, length = sp.symbols("n K", integer=True, positive=True)
    level, sensitivity = sp.Function("epsilon", positive=True), sp.Symbol("Delta_1", positive=True)

    def scale(m: Expr) -> Expr:
        return sensitivity / level(m)

    steps_down = length - (n - 1)
    proof.note(
        "List", "it starts at ζ_K and goes down by one index a component: the nth is ζ_{K−(n−1)} ~ Lap(t_{K−(n−1)})"
    )
    proof.equal("First component: ζ_K", index(sp.Integer(1), length), steps_down.subs(n, 1))
    proof.equal("Last component: ζ_1", index(length, length), steps_down.subs(n, length))
    proof.equal(
        "Level of the nth component, Δ₁ over its scale", sensitivity / scale(steps_down), level(index(n, length))
    )


def _cleared(difference: Expr) -> Expr:
    """The numerator, expanded."""
    return sp.expand(sp.numer(sp.together(difference)))


def clock(t: Expr) -> Expr:
    """2 log t, the time at which the unit-rate process is read."""
    return 2 * sp.log(t)


@derivation(
    {"N10": refuted("the printed P̃(e^{t/2})"), "N09": supports},
    rejects={
        "the printed P̃(e^{t/2})": {"time": lambda t: sp.exp(t / 2)},
        "P̃(log t)": {"time": sp.log},
    },
    assumes=(POISSON,),
)
def time_change_of_the_clock(proof: Proof, time: Callable[..., Expr] = clock) -> None:
    """With P̃ of rate 1 on [log η², ∞), the clock is P_t = P̃(2 log t), and conversely P̃(w) = P(e^{w/2})."""
    w = sp.Symbol("w", real=True)
    proof.equal("It begins at P̃'s first time: 2 log η = log η²", time(ETA), sp.expand_log(sp.log(ETA**2)))
    proof.equal("P̃(2 log t) has the intensity of P: d/dt 2 log t = 2/t", sp.diff(time(S), S), 2 / S)
    mean = arrivals(ETA, ETA + STEP)
    proof.equal("and the mean of P_t", time(ETA + STEP) - time(ETA), mean, sp.expand_log)
    proof.equal("The inverse time change is w ↦ e^{w/2}", sp.expand_log(time(sp.exp(w / 2))), w)
    none = sp.exp(-(time(T) - time(S)))
    proof.equal("No arrival in (s, t] has probability (s/t)²", none, (S / T) ** 2)


LOWER, UPPER = sp.symbols("v w", real=True)
ORDER = sp.Symbol("n", integer=True, positive=True)


def log_factor(u: Expr, end: Expr) -> Expr:
    """log g(u) = log((t²/eᵘ)(1 + λ²eᵘ)/(1 + λ²t²)), with t² = e^end."""
    return end - u + sp.log(1 + FREQUENCY**2 * sp.exp(u)) - sp.log(1 + FREQUENCY**2 * sp.exp(end))


@derivation(
    {"N11": misprint("the printed d/du[−log g]ⁿ"), "N09": supports},
    rejects={
        "the printed d/du[−log g]ⁿ": {"antiderivative": lambda log, n: (-log) ** n},
        "no sign at all": {"antiderivative": lambda log, n: log**n},
    },
    assumes=(
        POISSON,
        CONVERGENCE,
    ),
)
def ordered_integrals(proof: Proof, antiderivative: Callable[[Expr, Expr], Expr] = lambda log, n: -(log**n)) -> None:
    """∫ over v ≤ u₁ < … < u_n ≤ w of ∏ 1/(1 + λ²e^{u_i}) is (log g(v))ⁿ/n!; summed over n: φ_t/φ_η."""
    log = log_factor(LOWER, UPPER)
    weight = 1 / (1 + FREQUENCY**2 * sp.exp(LOWER))
    proof.equal("log g vanishes at the end w = log t²", log.subs(LOWER, UPPER), 0)
    for n in (1, 2):
        name = f"The integrand is a derivative, n = {n}: d/du{{−(log g)ⁿ}} = n(log g)ⁿ⁻¹/(1 + λ²eᵘ)"
        proof.equal(name, sp.diff(antiderivative(log, n), LOWER), n * log ** (n - 1) * weight)
    value = sp.Function("L")(LOWER)
    slope = sp.diff(antiderivative(value, ORDER), LOWER).subs(sp.diff(value, LOWER), sp.Symbol("L'"))
    proof.equal("For every n: d/du{−Lⁿ} = −nLⁿ⁻¹L'", slope, -ORDER * value ** (ORDER - 1) * sp.Symbol("L'"))
    proof.equal("and (log g)' = −1/(1 + λ²eᵘ)", sp.diff(log, LOWER), -weight)
    level = sp.Symbol("L", positive=True)
    previous = level ** (ORDER - 1) / sp.factorial(ORDER - 1)
    step = sp.integrate(previous, level)
    proof.equal(
        "Induction step n−1 → n, in the variable L = log g from 0 to log g(v)",
        step - step.subs(level, 0),
        level**ORDER / sp.factorial(ORDER),
        sp.gammasimp,
    )
    count = sp.Symbol("n", integer=True, nonnegative=True)
    series = sp.summation(level**count / sp.factorial(count), (count, 0, sp.oo))
    proof.equal("The series over the number of arrivals", series, sp.exp(level))
    total = series.subs(level, log_factor(2 * sp.log(S), 2 * sp.log(T)))
    proof.equal("(η²/t²)e^{log g(log η²)} = φ_t/φ_η", (S / T) ** 2 * total, characteristic(T) / characteristic(S))


@cache
def jump_primitive(jump: Callable[[Expr], Expr]) -> Expr:
    """A primitive of (jump cf(u) − 1)(2/u)."""
    return sp.integrate(sp.apart(sp.together((jump(U) - 1) * 2 / U), U), U)


def increment(jump: Callable[[Expr], Expr], start: Expr, end: Expr, rate: Expr = 1) -> Expr:
    """exp rate·∫ (jump cf(u) − 1)(2/u) du: the characteristic function of the sum of the jumps between two times."""
    exponent = jump_primitive(jump)
    return sp.exp(sp.expand(rate * (exponent.subs(U, end) - exponent.subs(U, start))))


@derivation(
    {
        "N04": needs("one clock for two coordinates"),
        "N09": needs("one clock for two coordinates"),
        "N12": needs("one clock for two coordinates"),
        "N05": holds,
    },
    rejects={
        "one clock for two coordinates": {"jump": jumps_of_two_coordinates, "coordinates": 2},
        "intensity 1/t": {"rate": sp.Rational(1, 2)},
        "a jump of twice the scale": {"jump": lambda u: characteristic(2 * u)},
    },
    uses=(
        "laplace_process.walk_keeps_laplace_laws",
        "laplace_process.time_change_of_the_clock",
    ),
    assumes=(
        POISSON,
        CHARACTERISTIC,
    ),
)
def clock_gives_the_walk(
    proof: Proof,
    jump: Callable[[Expr], Expr] = characteristic,
    rate: Expr = 1,
    coordinates: int = 1,
) -> None:
    """In each coordinate Z has independent increments, 0 with probability (s/t)² and else Lap(t), as the walk has."""
    mass, other, phi = sp.symbols("m m' phi", positive=True)
    n, k = sp.symbols("n k", integer=True, nonnegative=True)

    def poisson(count: Expr, mean: Expr) -> Expr:
        return sp.exp(-mean) * mean**count / sp.factorial(count)

    placed = poisson(n + k, mass + other) * sp.binomial(n + k, n).rewrite(sp.factorial)
    placed *= (mass / (mass + other)) ** n * (other / (mass + other)) ** k
    apart = sp.powsimp(sp.expand_power_base(placed / (poisson(n, mass) * poisson(k, other)), force=True), force=True)
    proof.equal(
        "Of n + k arrivals thrown on two intervals, n and k fall in them: two independent Poisson counts", apart, 1
    )
    proof.note("Markov", "each jump depends on its arrival alone, so Z has independent increments, and so is Markov")
    thrown = sp.exp(-mass) * sp.summation((mass * phi) ** n / sp.factorial(n), (n, 0, sp.oo))
    proof.equal("A Poisson number of jumps of mean cf φ: Σ P(n)φⁿ = e^{m(φ−1)}", thrown, sp.exp(mass * (phi - 1)))

    def target(scale: Expr) -> Expr:
        return characteristic(scale) ** coordinates

    moved = increment(jump, S, T, rate)
    proof.equal("E exp(iλ(Z_t − Z_s)) = exp ∫(φ_u − 1)(2/u)du = φ_t/φ_s", moved, target(T) / target(S), sp.cancel)
    none = sp.exp(-rate * arrivals(S, T))
    proof.equal("Z_t = Z_s, no arrival, has probability (s/t)²", none, (S / T) ** 2, sp.cancel)
    given_arrivals = (moved - none) / (1 - none)
    proof.equal("Given any arrival the increment is Lap(t), however many came", given_arrivals, target(T), sp.cancel)
    proof.equal("Marginal, with s = η: φ_η·φ_t/φ_η = φ_t", target(S) * moved, target(T), sp.cancel)

    def walk(start: Expr, end: Expr) -> Expr:
        return (start / end) ** 2 + (1 - (start / end) ** 2) * target(end)

    proof.equal("So Z moves as the walk does", moved, walk(S, T), sp.cancel)
    proof.equal(
        "and steps s→t, t→v of the walk make its step s→v", walk(S, T) * walk(T, LATER), walk(S, LATER), sp.cancel
    )


@derivation(
    {"N06": needs("a time below η")},
    rejects={
        "a time below η": {"time": ETA / 2},
        "a clock of intensity 1/t": {"intensity": lambda u: 1 / u},
    },
    uses=("laplace_process.clock_gives_the_walk",),
    assumes=(CONVERGENCE,),
)
def times_from_eta_or_from_zero(
    proof: Proof,
    time: Expr = ETA + SPARE,
    intensity: Callable[[Expr], Expr] = lambda u: 2 / u,
) -> None:
    """The construction from η needs t ≥ η; letting η → 0 it exists on (0, ∞), since its jumps are summable."""
    proof.nonnegative("Mean number of arrivals between η and t", 2 * sp.log(sp.expand(time / ETA)))
    size = sp.integrate(2 * X * sp.exp(-X / U) / (2 * U), (X, 0, sp.oo))
    proof.equal("A jump at time u has mean size E|Lap(u)| = u", size, U)
    total = sp.integrate(sp.expand(size * intensity(U)), (U, 0, S))
    proof.equal("Mean total size of the jumps in (0, t]: ∫ u·(2/u) du = 2t", total, 2 * S)
    square = sp.integrate(2 * X**2 * sp.exp(-X / U) / (2 * U), (X, 0, sp.oo))
    proof.equal(
        "Their squares add up to the variance of Lap(t)", sp.integrate(square * intensity(U), (U, 0, S)), 2 * S**2
    )
    limit = sp.limit(characteristic(S) / characteristic(ETA), ETA, 0)
    proof.equal("So Z_t = the sum of all jumps in (0, t] has law Lap(t)", limit, characteristic(S))


@derivation(
    {"E10": gap("the printed recipe, without Y₀")},
    rejects={
        "the printed recipe, without Y₀": {"initial": lambda scale: sp.Integer(1)},
        "arrivals 𝒯_{n−1}/U": {"power": sp.Integer(-1)},
        "arrivals 𝒯_{n−1}√U": {"power": sp.Rational(1, 2)},
    },
    uses=("laplace_process.clock_gives_the_walk",),
    assumes=(POISSON,),
)
def sampling_recipe(
    proof: Proof,
    initial: Callable[[Expr], Expr] = characteristic,
    power: Expr = INVERSE_ROOT,
) -> None:
    """𝒯_n = 𝒯_{n−1}U^{−1/2} from 𝒯₀ = η, jumps Y_n ~ Lap(𝒯_n) and the starting value Y₀ ~ Lap(η) give Z_t ~ Lap(t)."""
    silent = sp.exp(-arrivals(S, T))
    proof.equal("P(next arrival > t | last at s) = e^{−∫2/u} = (s/t)²", silent, (S / T) ** 2)
    uniform = sp.Symbol("U", positive=True)
    level = sp.solve(sp.Eq(S * uniform**power, T), uniform)[0]
    proof.equal("sU^p exceeds t exactly when U < (s/t)²: the level where they meet", level, (S / T) ** 2)
    proof.equal("U below that level has the same probability", level, silent)
    proof.positive("and sU^p falls in U, so small U means a late arrival", -sp.diff(S * uniform**power, uniform))

    def variance(cf: Expr) -> Expr:
        return -sp.diff(cf, FREQUENCY, 2).subs(FREQUENCY, 0)

    proof.equal("The noise at η itself has variance 2η²", variance(initial(ETA)), 2 * ETA**2)
    later = sp.integrate(2 * U**2 * (2 / U), (U, ETA, ETA + STEP))
    proof.equal("With the jumps of (η, t]: 2t²", variance(initial(ETA)) + later, 2 * (ETA + STEP) ** 2)
    whole = initial(S) * increment(characteristic, S, T)
    proof.equal("and the law at t is Lap(t)", whole, characteristic(T), sp.cancel)
