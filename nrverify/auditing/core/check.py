"""What a check is: it takes in batches of what was drawn and says what they exclude.

Batches are scored where they are drawn: an empty copy of a check observes one, and the check of the run merges it, in
the order in which batches were laid out and not in the order in which they come. A bet that learns is made with what
the check of the run had learned when it was copied, or at the merge.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeGuard, TypeVar, runtime_checkable

from nrverify.auditing.core.declaration import Declaration
from nrverify.auditing.core.results import CheckResult

T = TypeVar("T", contravariant=True)


class Check(Protocol):
    """A question put to a subject; its class docstring says what it catches and what it misses."""

    @property
    def declaration(self) -> Declaration:
        """What was declared on its class."""

    def refuted(self, alpha: float) -> bool:
        """Whether what was seen excludes the claim at this error probability, valid at every look."""

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict so far at this error probability."""

    def empty_copy(self) -> Self:
        """An empty copy with the same configuration and learned parameters; cheap to pickle."""

    def merge(self, other: Self) -> None:
        """Merges the observations of an empty copy."""


@runtime_checkable
class Observes(Check, Protocol[T]):
    """A check that takes in what was drawn."""

    def observe(self, drawn: T, /) -> None:
        """Takes it in."""


@runtime_checkable
class ObservesLabelled(Check, Protocol[T]):
    """A check that takes in what was drawn of two neighbours chosen by a coin."""

    def observe_labelled(self, drawn: T, /) -> None:
        """Takes it in."""


def observes(check: object) -> TypeGuard[Observes[Any]]:
    """Whether a check takes in what was drawn, by its method: `isinstance` of a protocol compares all of them."""
    return hasattr(check, "observe")


def observes_labelled(check: object) -> TypeGuard[ObservesLabelled[Any]]:
    """Whether a check takes in what was drawn of two neighbours."""
    return hasattr(check, "observe_labelled")
