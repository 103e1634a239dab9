"""How often the cause that an audit names is the true one: for every mutant, at the first refutation and beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nrverify.auditing.core.faults import fault_of
from nrverify.calibrate.matrix import Kill
from nrverify.calibrate.trial import Trial
from nrverify.calibrate.true_faults import true_faults

MOST_FALSE = 0.02
"""A false cause costs a user more than none: at most so large a share of the mutants may have one."""


@dataclass(frozen=True)
class Naming:
    """What was named for one mutant, likeliest first, over the refutations that have a cause of their own."""

    mutant: str
    named: tuple[str, ...]
    true: tuple[str, ...]

    @property
    def first(self) -> bool:
        """Whether the true fault is named first."""
        return bool(self.named) and self.named[0] in self.true

    @property
    def among(self) -> bool:
        """Whether it is among the named."""
        return any(id in self.true for id in self.named)

    @property
    def false(self) -> bool:
        """Whether faults are named and none of them is true."""
        return bool(self.named) and not self.among


@dataclass(frozen=True)
class Causes:
    """Shares over the mutants that were refuted."""

    when: str
    namings: tuple[Naming, ...]

    def _share(self, name: str) -> float:
        return sum(bool(getattr(one, name)) for one in self.namings) / max(len(self.namings), 1)

    @property
    def first(self) -> float:
        """With the true fault first."""
        return self._share("first")

    @property
    def among(self) -> float:
        """With the true fault among the named."""
        return self._share("among")

    @property
    def false(self) -> float:
        """With false causes only."""
        return self._share("false")

    @property
    def mistaken(self) -> tuple[Naming, ...]:
        """Those with false causes only."""
        return tuple(one for one in self.namings if one.false)

    @property
    def green(self) -> bool:
        """Whether hardly any cause is false."""
        return self.false <= MOST_FALSE


def naming(mutant: str, trial: Trial) -> Naming:
    """What a trial names; rows of the table that stand for no one mistake name nothing."""
    named = [id for faults in trial.named for id in faults if fault_of(id).specific]
    return Naming(mutant, tuple(dict.fromkeys(named)), true_faults(mutant))


def causes(kills: Sequence[Kill]) -> tuple[Causes, ...]:
    """At the first refutation, and where audits went on after it."""
    first = tuple(naming(kill.mutant.name, kill.first) for kill in kills if kill.first.alarm)
    whole = tuple(naming(kill.mutant.name, kill.whole) for kill in kills if kill.whole is not None and kill.whole.alarm)
    found = [Causes("at the first refutation", first)]
    return tuple([*found, Causes("with --keep-going", whole)] if whole else found)
