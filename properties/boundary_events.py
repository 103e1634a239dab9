"""Events of a boundary over exact finite paths: a chosen look passes its bound only where the path crosses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from nrverify.ledger import property_, supports
from nrverify.ledger.search import Search

Path = list[tuple[Fraction, Fraction]]
"""Pairs of a time and a value."""

Boundary = tuple[Fraction, Fraction, Fraction]
"""(a, b, Δ) of a linear boundary."""


def eighths(smallest: int, largest: int) -> st.SearchStrategy[Fraction]:
    """Multiples of 1/8, given by their numerators."""
    return st.integers(smallest, largest).map(lambda numerator: Fraction(numerator, 8))


LOOKS = st.lists(st.tuples(eighths(1, 99), eighths(-24, 12)), min_size=1, max_size=5, unique_by=lambda look: look[0])
"""Times, and how far the path is above the line there."""

SHARES = st.sampled_from([Fraction(1), Fraction(7, 8), Fraction(1, 4)])
"""The neighbours' distance as a share of the sensitivity."""

BOUNDARIES = st.tuples(eighths(1, 16), eighths(1, 64), eighths(4, 32))
"""a up to 2, b up to 8, Δ from ½ to 4: all of the order of the looks."""


def psi(boundary: Boundary, t: Fraction) -> Fraction:
    """(Δ/t)(Δ/2 + b) + Δa."""
    a, b, d = boundary
    return d / t * (d / 2 + b) + d * a


def loss(shift: Fraction, t: Fraction, value: Fraction) -> Fraction:
    """d²/2t + (d/t)W_t, for neighbours at distance d."""
    return shift * shift / (2 * t) + shift / t * value


def worst_look(losses: Sequence[Fraction], bounds: Sequence[Fraction]) -> int:
    """A choice that has seen everything: the look whose loss most exceeds its bound."""
    return max(range(len(losses)), key=lambda n: losses[n] - bounds[n])


def first_passing_look(losses: Sequence[Fraction], bounds: Sequence[Fraction]) -> int:
    """A stopping time of the releases: the first look whose loss passes its bound, else the last."""
    return next((n for n in range(len(losses)) if losses[n] >= bounds[n]), len(losses) - 1)


def any_look(crossed: Sequence[bool]) -> bool:
    """The event of the definition: at some look the path is on or above at + b."""
    return any(crossed)


@property_(
    {"B10": supports, "B11": supports, "B12": supports, "B04": supports},
    rejects={
        "a guarantee at the first look only": {"event": lambda crossed: crossed[0]},
        "a guarantee at the last look only": {"event": lambda crossed: crossed[-1]},
        "the curve at + b + Δ/2": {"shift_of_curve": Fraction(1, 2)},
    },
)
def chosen_looks_pass_only_where_the_path_crosses(
    search: Search,
    event: Callable[[Sequence[bool]], bool] = any_look,
    shift_of_curve: Fraction = Fraction(0),
) -> None:
    """{L_N ≥ ψ(T_N)} ⊂ {∃n: W_{T_n} ≥ aT_n + b} for neighbours at any distance up to Δ and any choice of N."""

    def check(looks: Path, boundary: Boundary, share: Fraction) -> None:
        a, b, d = boundary
        path = [(t, a * t + b + above) for t, above in sorted(looks, reverse=True)]
        losses = [loss(d * share, t, value) for t, value in path]
        bounds = [psi(boundary, t) for t, _ in path]
        crossed = [value >= a * t + b + shift_of_curve * d for t, value in path]
        for choose in (worst_look, first_passing_look):
            n = choose(losses, bounds)
            if losses[n] >= bounds[n]:
                search.require(event(crossed), f"look {n} passes its bound without a crossing: {path}, {boundary}")

    search.for_all("every finite path, boundary and distance", check, LOOKS, BOUNDARIES, SHARES, examples=150)


@property_(
    {"B09": supports, "B12": supports},
    rejects={
        "Δ²/t in the loss": {"passes": lambda d, t, value, bound: d * d / t + d / t * value >= bound},
        "Δ without its square": {"passes": lambda d, t, value, bound: d / (2 * t) + d / t * value >= bound},
    },
)
def loss_passes_exactly_where_the_path_crosses(
    search: Search,
    passes: Callable[[Fraction, Fraction, Fraction, Fraction], bool] = lambda d, t, value, bound: (
        loss(d, t, value) >= bound
    ),
) -> None:
    """At distance Δ: L_t ≥ ψ(t) if and only if W_t ≥ at + b, also on the line itself."""

    def check(t: Fraction, above: Fraction, boundary: Boundary) -> None:
        a, b, d = boundary
        value = a * t + b + above
        search.require(
            passes(d, t, value, psi(boundary, t)) == (above >= 0), f"t = {t}, W − line = {above}, {boundary}"
        )

    search.for_all("every time, offset and boundary", check, eighths(1, 99), eighths(-12, 12), BOUNDARIES, examples=80)
