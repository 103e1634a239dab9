"""Several private mechanisms under one budget: each request is refused before it would exceed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum
from typing import Any, NamedTuple

import numpy.typing as npt

from nrverify.accounting.noise_reduction import Boundary, NoiseReduction, Paid
from nrverify.laws.boundary import SkellamLinear
from nrverify.reference.arguments import finite, positive
from nrverify.reference.noise_reduction import Rng
from nrverify.reference.threshold import AboveThreshold

ROUNDING = 1e-12
"""Relative: three charges of 0.1 exhaust a budget of 0.3, though their sum in doubles is above it."""


class BudgetExceeded(ValueError):
    """A request that was refused because the budget does not suffice; nothing was released or charged.

    Examples
    --------
    >>> from nrverify import BudgetExceeded, Composition
    >>> budget = Composition(epsilon=1.0)
    >>> try:
    ...     budget.spend(epsilon=1.5)
    ... except BudgetExceeded as refused:
    ...     print(refused)
    epsilon would be 1.5 of 1.0: 1.0 is left
    """


class Charge(NamedTuple):
    """An ε with its δ, or a ρ of zero-concentrated differential privacy; what does not apply is 0."""

    epsilon: float = 0.0
    delta: float = 0.0
    rho: float = 0.0


@dataclass
class _Account:
    """One mechanism under the budget, and what it costs so far."""

    charge: Callable[[], Charge]


@dataclass
class Composition:
    """A budget, either (ε, δ) or ρ, that several mechanisms share, in any order, each chosen after what was seen.

    With `epsilon` and `delta` losses add up: with probability at least 1 − δ the loss of all releases together is at
    most ε. Noise-reduction sessions are charged the ε of their last release and their boundary's δ. With `rho` the
    whole is ρ-zCDP: Brownian sessions are charged Δ²/(2t) at the time t of their last release, whatever boundary asked
    for it. Either way a request is judged by what it *will* cost, before anything is drawn: judged afterwards, the
    last release would already have been seen.

    Parameters
    ----------
    epsilon, delta
        The budget: the loss of everything together exceeds `epsilon` with probability at most `delta`.
    rho
        In their place: everything together is ρ-zCDP.

    Examples
    --------
    >>> from nrverify import Composition, Linear
    >>> budget = Composition(epsilon=2.0, delta=1e-5)
    >>> boundary = Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    >>> first = budget.noise_reduction(412.0, boundary, rng=1)
    >>> second = budget.noise_reduction(88.0, boundary, rng=2)
    >>> _ = first.refine(0.5), second.refine(1.0), first.refine(1.0)
    >>> budget.left.epsilon
    0.0
    >>> second.refine(1.5)
    Traceback (most recent call last):
    ...
    nrverify.accounting.composition.BudgetExceeded: epsilon would be 2.5 of 2.0: 0.0 is left
    """

    epsilon: float | None = None
    delta: float = 0.0
    rho: float | None = None
    _accounts: list[_Account] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError(f"epsilon is {self.epsilon!r} and rho is {self.rho!r}: exactly one of them is the budget")
        if self.rho is not None and self.delta:
            raise ValueError(
                f"delta is {self.delta!r}: a budget of rho has none; zCDP converts to any delta at the end"
            )
        for name in ("epsilon", "rho"):
            if (budget := getattr(self, name)) is not None:
                setattr(self, name, positive(name, budget))
        self.delta = finite("delta", self.delta)
        if not 0 <= self.delta < 1:
            raise ValueError(f"delta is {self.delta!r}: it must be at least 0 and below 1")

    @property
    def paid(self) -> Charge:
        """What all mechanisms together cost so far."""
        return _total([account.charge() for account in self._accounts])

    @property
    def left(self) -> Charge:
        """What may still be spent."""
        paid = self.paid
        if self.rho is not None:
            return Charge(rho=max(0.0, self.rho - paid.rho))
        assert self.epsilon is not None
        return Charge(max(0.0, self.epsilon - paid.epsilon), max(0.0, self.delta - paid.delta))

    def noise_reduction(self, value: npt.ArrayLike, boundary: Boundary, rng: Rng = None) -> NoiseReduction:
        """A session under the budget: its `refine` raises `BudgetExceeded` before it would exceed it."""
        if self.rho is not None and isinstance(boundary, SkellamLinear):
            raise ValueError(
                "a budget of rho is for Brownian noise: give Skellam sessions a budget of epsilon and delta"
            )
        session = NoiseReduction(value, boundary, rng)
        account = _Account(
            lambda: self._charge(session, session.paid, session.history[-1].time) if session.history else Charge()
        )
        self._accounts.append(account)

        def admit(cost: Paid, time: float) -> None:
            if self.rho is not None and session.private:
                raise ValueError("a budget of rho does not cover private stopping: use one of epsilon and delta")
            self._admit(self._charge(session, cost, time), instead_of=account)

        session._admit = admit
        return session

    def above_threshold(self, epsilon: float, threshold: float, sensitivity: float, rng: Rng = None) -> AboveThreshold:
        """An AboveThreshold session, charged at once: ε, or ε²/2 of a budget of ρ."""
        answering = AboveThreshold(epsilon, threshold, sensitivity, rng)
        self.spend(epsilon=epsilon)
        return answering

    def spend(self, *, epsilon: float = 0.0, delta: float = 0.0, rho: float = 0.0) -> None:
        """Charges a mechanism of one's own; call it before it runs.

        Of a budget of ε: its loss exceeds `epsilon` with probability at most `delta`. That is more than
        (ε, δ)-differential privacy, which allows larger losses a larger probability. Of a budget of ρ: a mechanism with
        ρ-zCDP, or a pure one (`epsilon`, δ = 0), which costs ε²/2.
        """
        epsilon, delta, rho = (
            _not_negative(name, number) for name, number in (("epsilon", epsilon), ("delta", delta), ("rho", rho))
        )
        if self.rho is None and rho:
            raise ValueError(f"rho is {rho!r}: this budget is of epsilon and delta")
        if self.rho is not None:
            if delta:
                raise ValueError(f"delta is {delta!r}: a budget of rho takes pure mechanisms and those with rho-zCDP")
            charge = Charge(rho=rho + epsilon**2 / 2)
        else:
            charge = Charge(epsilon, delta)
        self._admit(charge)
        self._accounts.append(_Account(lambda: charge))

    def _charge(self, session: NoiseReduction, cost: Paid, time: float) -> Charge:
        """What a session costs whose least noisy release is at a time, in the unit of the budget."""
        if self.rho is None:
            return Charge(cost.epsilon, cost.delta)
        return Charge(rho=session.boundary.sensitivity**2 / (2 * time))

    def _admit(self, charge: Charge, instead_of: _Account | None = None) -> None:
        """`BudgetExceeded` unless the budget suffices for the charge beside those of all other accounts."""
        others = [account.charge() for account in self._accounts if account is not instead_of]
        total = _total([*others, charge])
        for name, budget in (("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho)):
            found = getattr(total, name)
            if budget is not None and found > budget * (1 + ROUNDING):
                left = getattr(self.left, name)
                raise BudgetExceeded(f"{name} would be {found:.12g} of {budget!r}: {left!r} is left")

    def __repr__(self) -> str:
        """How much is paid of what."""
        paid, count = self.paid, len(self._accounts)
        spent = (
            f"ρ = {paid.rho:g} of {self.rho:g}"
            if self.rho is not None
            else f"ε = {paid.epsilon:g} of {self.epsilon:g}, δ = {paid.delta:g} of {self.delta:g}"
        )
        return f"<Composition: paid {spent}, by {count} mechanism{'s' if count != 1 else ''}>"


def _not_negative(name: str, number: float) -> float:
    real = finite(name, number)
    if real < 0:
        raise ValueError(f"{name} is {number!r}: it must be at least 0 and finite")
    return real


def _total(charges: list[Charge]) -> Charge:
    """The sum of each part, rounded once."""
    columns: Any = zip(*charges, strict=True) if charges else ((), (), ())
    return Charge(*(fsum(column) for column in columns))
