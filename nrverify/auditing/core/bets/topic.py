"""What a bet is about: the key of a portfolio, with the fault that the bet shows when it wins."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.faults import Fault


@dataclass(frozen=True, eq=False)
class Topic:
    """Two topics are the same if they measure the same quantity."""

    quantity: str
    """As a noun phrase, for people."""
    fault: Fault
    shift: Topic | None = None
    """The topic of a shift of the same numbers: it may explain a surplus of variance."""
    broad: bool = False
    """Whether it is about all releases: preferred where it is as good as a topic about some."""
    narrow: bool = False
    """Whether it is about some releases only, such as those after an unusual one."""
    channel: str = ""
    """The method of the subject it is about, where it is about one alone."""
    alone: bool = False
    """Whether it is about a release by itself, not given the one before."""
    position: int | None = None
    """The number of the release it is about, where it is about one after the first."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Topic) and self.quantity == other.quantity

    def __hash__(self) -> int:
        return hash(self.quantity)
