"""Stopping, ties and restarts at random times (Prop. target_ploss; Lemma strong_markov step 3; Lemma ploss_fix)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import sympy as sp

from nrverify.ledger import derivation, gap, holds, misprint, refuted, supports
from nrverify.ledger.assumptions import CONVERGENCE, DENSITIES, STRONG_MARKOV
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.inner_products import Vector, vector

LATER, GAP = sp.symbols("s h", positive=True)

LOOKS = 3
"""The longest transcript of the finite model, whose releases are + or −; every stopping rule on it is enumerated."""

Transcript = tuple[str, ...]
Table = dict[Transcript, int]
"""A stopping function: N for each full transcript."""


def stopping_rules() -> Iterator[Table]:
    """Every stopping function with 1 ≤ N ≤ LOOKS on transcripts of + and −: N as a table over full transcripts."""
    prefixes = [prefix for length in range(1, LOOKS) for prefix in product("+−", repeat=length)]
    seen = set()
    for stops in product((False, True), repeat=len(prefixes)):
        decision = dict(zip(prefixes, stops, strict=True))
        table = {
            full: next((n for n in range(1, LOOKS) if decision[full[:n]]), LOOKS)
            for full in product("+−", repeat=LOOKS)
        }
        if (key := tuple(table.values())) not in seen:
            seen.add(key)
            yield table


def rules_that_look_ahead() -> Iterator[Table]:
    """No stopping functions: stop just before the first −."""
    yield {
        full: max(1, next((n for n, release in enumerate(full) if release == "−"), LOOKS))
        for full in product("+−", repeat=LOOKS)
    }


def at_the_stop(transcript: Transcript, stop: int) -> Transcript:
    """What the analyst has seen: y_1..y_N."""
    return transcript[:stop]


def one_look_fewer(transcript: Transcript, stop: int) -> Transcript:
    """A wrong transcript: the look at which the analyst stops is left out."""
    return transcript[: max(1, stop - 1)]


@derivation(
    {"A01": holds, "B01": supports},
    rejects={
        "a rule that looks ahead": {"rules": rules_that_look_ahead},
        "the last look left out": {"stopped": one_look_fewer},
        "the ratio of the first look": {"ratio_at": lambda stop: 1},
    },
    uses=("privacy_loss.telescoping",),
    assumes=(DENSITIES,),
)
def stopped_transcripts(
    proof: Proof,
    rules: Callable[[], Iterator[Table]] = stopping_rules,
    stopped: Callable[[Transcript, int], Transcript] = at_the_stop,
    ratio_at: Callable[[int], int] = lambda stop: stop,
) -> None:
    """Stopped transcripts have density Σ_n 1{N=n} p_{1:n} on ⊔_n (R^d)^n: the loss at N is the n-look loss at n = N."""
    s, t = LATER, LATER + GAP
    last, new, value, other = vector("y_n"), vector("y_{n+1}"), vector("ν"), vector("μ")

    def bridge_exponent(centre: Vector) -> Expr:
        return ((new - centre) - (s / t) * (last - centre)).square() * t / (2 * s * (t - s))

    def loss(seen: Vector, time: Expr) -> Expr:
        return ((seen - other).square() - (seen - value).square()) / (2 * time)

    gained = sp.cancel(bridge_exponent(other) - bridge_exponent(value))
    proof.equal(
        "One more look adds the log-ratio of its bridge, L_{n+1} − L_n", gained, loss(new, s) - loss(last, t), sp.cancel
    )
    proof.note("So", "on transcripts of exact length n, log p^ν_{1:n}/p^μ_{1:n} = L_n, whatever the schedule")

    tables = list(rules())
    count = len(tables)
    proof.note(
        "Bookkeeping", f"all {count} rules on {LOOKS} looks of + or −, transition probabilities arbitrary symbols"
    )
    seen = [{stopped(full, stop): stop for full, stop in table.items()} for table in tables]
    full_mass = sum(sp.expand(sum(_density(y, VALUE) for y in transcripts) - 1) == 0 for transcripts in seen)
    proof.equal("Rules for which the densities 1{N=n} p_{1:n} have total mass 1", full_mass, count)
    matched = sum(all(_same_ratio(y, y[: ratio_at(n)]) for y, n in transcripts.items()) for transcripts in seen)
    proof.equal(
        "Rules for which the density ratio of every stopped transcript is the ratio at its last look", matched, count
    )


@derivation(
    {"A18": holds, "P13": supports},
    rejects={"a rule that looks ahead": {"rules": rules_that_look_ahead}},
    uses=("stopping.stopped_transcripts",),
)
def padded_schedule(proof: Proof, rules: Callable[[], Iterator[Table]] = stopping_rules) -> None:
    """S_m = T_{m∧N} is a sequence of time functions, and padding with the last release keeps all densities."""
    tables = list(rules())
    count = len(tables)
    proof.note("Setting", f"all {count} rules on {LOOKS} looks of + or −; after the stop the last release is repeated")
    known, kept = 0, 0
    for table in tables:
        indices = {(full[: m - 1], min(m, stop)) for full, stop in table.items() for m in range(1, LOOKS + 1)}
        known += len(indices) == len({prefix for prefix, _ in indices})
        stopped = {at_the_stop(full, stop) for full, stop in table.items()}
        padded = {y + y[-1:] * (LOOKS - len(y)) for y in stopped}
        kept += len(padded) == len(stopped) and sp.expand(sum(_density(y, VALUE) for y in stopped) - 1) == 0
    proof.equal("Rules for which m∧N is known before look m", known, count)
    proof.note("Hence", "S_m = T_{m∧N} depends on y_1..y_{m−1} only, and m∧N grows with m, so S_m does not increase")
    proof.equal("Rules for which padding is one-to-one and no mass is lost", kept, count)
    proof.note(
        "Densities", "each repeated release has density 1 against the unit mass at the last one, under ν and under μ"
    )


@derivation(
    {"A17": gap("only transcripts up to a bound"), "B01": supports},
    rejects={"only transcripts up to a bound": {"longest": sp.Symbol("n", integer=True, positive=True)}},
    uses=("stopping.stopped_transcripts",),
    assumes=(CONVERGENCE,),
)
def unbounded_stopping(proof: Proof, longest: Expr = sp.oo) -> None:
    """For any N finite almost surely the masses of {N = n} sum to 1, so no limit of bounded stopping is needed."""
    n = sp.Symbol("m", integer=True, positive=True)
    go_on = 1 / (1 + sp.Symbol("q", positive=True))
    proof.note("Model", "after each look the analyst goes on with probability 1/(1+q), q > 0, so that N is finite")
    mass = sp.summation((1 - go_on) * go_on ** (n - 1), (n, 1, longest))
    proof.equal("The densities 1{N=m} p_{1:m} on ⊔_m (R^d)^m have total mass 1", sp.simplify(mass), 1)
    proof.note("So", "the ratio on {N = n} is p^ν_{1:n}/p^μ_{1:n} for every n at once: the loss at N is L_N")


@derivation(
    {"A14": misprint("the printed sign T_m − T_{m−1}")},
    rejects={
        "the printed sign T_m − T_{m−1}": {"elapsed": lambda s, t: s - t},
        "a mean that keeps the value": {"share": lambda s, t: s / (2 * t)},
    },
    uses=("privacy_loss.telescoping",),
    assumes=(DENSITIES,),
)
def ties(
    proof: Proof,
    elapsed: Callable[..., Expr] = lambda s, t: t - s,
    share: Callable[..., Expr] = lambda s, t: s / t,
) -> None:
    """At equal times the next release repeats the last under every value: reference kernel δ, density 1, no loss."""
    t, h, distance = sp.symbols("t h r", positive=True)
    s = t - h
    exponent = -(distance**2) / (2 * elapsed(s, t))
    weight = sp.exp(exponent)
    proof.positive("−(T_{m−1} − T_m) × the exponent is positive: the exponent falls to −∞", -h * exponent)
    proof.equal("Another release: exp(−r²/2(T_{m−1} − T_m)) → 0 as the times meet", sp.limit(weight, h, 0, "+"), 0)
    proof.equal("The same release: the exponential is 1", weight.subs(distance, 0), 1)
    value, last = sp.symbols("nu y", real=True)
    mean = value + share(s, t) * (last - value)
    proof.equal("The bridge at equal times has mean y, free of ν", mean.subs(h, 0), last)
    proof.equal("and variance 0: its law is the unit mass at y", (s * elapsed(s, t) / t).subs(h, 0), 0)
    other = sp.Symbol("mu", real=True)

    def loss(time: Expr, release: Expr) -> Expr:
        return ((release - other) ** 2 - (release - value) ** 2) / (2 * time)

    gained = loss(s, mean) - loss(t, last)
    proof.equal("The loss of the repeated look is the loss before it", gained.subs(h, 0), 0)


@derivation(
    {"A10": gap("the sum printed from k = 1")},
    rejects={"the sum printed from k = 1": {"first": 1}},
)
def dyadic_sum(proof: Proof, first: int = 0) -> None:
    """The events E_n^k = {(k−1)2^{−n} < τ ≤ k2^{−n}} exhaust the stopping time only with k = 0, the event {τ = 0}."""
    at_zero, n = sp.Symbol("pi", nonnegative=True), sp.Symbol("n", integer=True, positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    proof.note("Model", "P(τ = 0) = π; otherwise τ is uniform on (0, 1], so P(E_n^k) = (1 − π)2^{−n} for k ≥ 1")
    later = sp.summation((1 - at_zero) / 2**n, (k, 1, 2**n))
    total = (at_zero if first == 0 else sp.Integer(0)) + later
    proof.equal("Σ_k P(E_n^k) = 1", sp.simplify(total), 1)
    used = total.subs(at_zero, 1)
    proof.equal("In the use τ_1 = T_1 − T_1 = 0, so all mass sits at k = 0", used, 1)


UNKNOWN_CHANCE = sp.Symbol("w", positive=True) / (1 + sp.Symbol("w", positive=True))
"""Any chance strictly between 0 and 1."""


@derivation(
    {"A12": refuted("arbitrary stopping times, not given")},
    rejects={"arbitrary stopping times, not given": {"chances": (UNKNOWN_CHANCE,)}},
    uses=("bridges.restart_is_a_bridge",),
    assumes=(STRONG_MARKOV,),
)
def times_must_be_known(proof: Proof, chances: tuple[Expr, ...] = (sp.S.Zero, sp.S.One)) -> None:
    """Given X_τ = y the rest is a bridge if y fixes τ (as T_1 − T_m(y) does); if τ stays random it is not Gaussian."""
    early, wait, until, rest = sp.symbols("tau_1 h k r", positive=True)
    late, look = early + wait, early + wait + until
    end = look + rest
    proof.note("Setting", "bridge on [0, T] to 0; τ is τ_1 with chance w, else τ_1 + h, and X_τ = 0 in both cases")

    def variance(start: Expr) -> Expr:
        return (look - start) * (end - look) / (end - start)

    first, second = variance(early), variance(late)
    proof.equal(
        "The two bridges differ in variance",
        sp.factor(first - second),
        sp.factor(wait * rest**2 / ((end - early) * (end - late))),
    )
    for w in chances:
        square = w * first + (1 - w) * second
        fourth = 3 * (w * first**2 + (1 - w) * second**2)
        excess = sp.factor(fourth - 3 * square**2)
        proof.equal(f"τ = τ_1 with chance {w}: E X⁴ = 3 (E X²)², as for a Gaussian", excess, 0)


@derivation(
    {"A15": gap()},
    rejects={"times that may increase": {"ordered": False}},
)
def backward_stopping_times(proof: Proof, ordered: bool = True) -> None:
    """τ_m = T_1 − T_m is a stopping time: known at τ_{m−1} and not before it, so {τ_m ≤ t} is decided at t."""
    this, previous, decided = sp.symbols("{τ_m≤t} {τ_{m−1}≤t} F")
    proof.note("τ_1 = 0", "constant; suppose τ_{m−1} is a stopping time")
    proof.note(
        "Known at τ_{m−1}", "τ_m is a function of X at τ_1..τ_{m−1}: for events F of that past, F ∩ {τ_{m−1} ≤ t} ∈ G_t"
    )
    order = sp.Implies(this, previous) if ordered else sp.true
    proof.note("Order", "T_m ≤ T_{m−1} gives τ_m ≥ τ_{m−1}, so {τ_m ≤ t} implies {τ_{m−1} ≤ t}")
    event = sp.Implies(sp.And(order, sp.Equivalent(decided, this)), sp.Equivalent(this, sp.And(decided, previous)))
    exceptions = sp.satisfiable(sp.Not(event))
    proof.equal("Cases in which {τ_m ≤ t} differs from F ∩ {τ_{m−1} ≤ t}, F = {τ_m ≤ t}", int(bool(exceptions)), 0)


@derivation(
    {"A05": gap("the law of Y alone")},
    rejects={"the law of Y alone": {"coupling": sp.Symbol("c", nonzero=True)}},
    assumes=(DENSITIES,),
)
def random_start(proof: Proof, coupling: Expr = sp.S.Zero) -> None:
    """From a constant start to a random one: P(Y ∈ E, G) = E[P(Y ∈ E) P(G | A)] = P(Y ∈ E) P(G)."""
    a, size = sp.symbols("a n", integer=True, positive=True)
    law, start, event = sp.Symbol("P(E)", positive=True), sp.IndexedBase("pi"), sp.IndexedBase("g")
    proof.note("Given A = a", "P(Y ∈ E) does not depend on a; independence of G_τ says P(E ∩ G | a) = P(E) g_a")
    proof.note("The law alone", "would allow P(E ∩ G | a) = P(E) g_a + c: the tower rule for E says nothing of G")
    joint = sp.Sum(start[a] * law * event[a], (a, 1, size)) + coupling
    expected = law * sp.Sum(start[a] * event[a], (a, 1, size))
    difference = sp.factor_terms(joint - expected).doit()
    proof.equal("Σ_a π_a P(E ∩ G | a) − P(E) Σ_a π_a g_a, with Σ_a π_a = 1", sp.simplify(difference), 0)


VALUE, NEIGHBOUR = 0, 1


def _density(transcript: Transcript, law: int) -> Expr:
    """Product of the chances of its releases, each a free symbol of the releases before it."""
    density = sp.Integer(1)
    for n, release in enumerate(transcript):
        history = "".join("p" if earlier == "+" else "m" for earlier in transcript[:n])
        chance = sp.Symbol(f"{'ab'[law]}_{history}", positive=True)
        density *= chance if release == "+" else 1 - chance
    return density


def _same_ratio(one: Transcript, two: Transcript) -> bool:
    """Whether p^ν/p^μ agree at two transcripts, by cross-multiplication."""
    left = _density(one, VALUE) * _density(two, NEIGHBOUR)
    right = _density(two, VALUE) * _density(one, NEIGHBOUR)
    return bool(sp.expand(left - right) == 0)
