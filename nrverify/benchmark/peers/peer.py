"""What an adapter to a public auditor is: whether it is installed, whether it can judge a claim, whether it refutes."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from nrverify.benchmark.peers.cases import Case


@dataclass(frozen=True)
class Listed:
    """A public auditor by name, and the module it is imported as."""

    name: str
    module: str

    def installed(self) -> bool:
        """Whether Python finds it; nothing is imported."""
        return importlib.util.find_spec(self.module) is not None

    def version(self) -> str:
        """As its distribution says, else `unknown`."""
        for distribution in importlib.metadata.packages_distributions().get(self.module, ()):
            return importlib.metadata.version(distribution)
        return "unknown"


class Peer(ABC):
    """One way to use a public auditor."""

    name: str
    """As the table calls it."""
    module: ClassVar[str]
    """What Python imports: it decides whether the auditor is installed."""
    first = 64
    """Runs of the first attempt; the number doubles from here."""
    told = False
    """Whether it is given the likelihood ratio, which follows from the law: then it is compared with the audit that
    knows the law."""

    def available(self) -> bool:
        """Whether it is installed."""
        return Listed(self.name, self.module).installed()

    def version(self) -> str:
        """Of the installed distribution."""
        return Listed(self.name, self.module).version()

    def cannot(self, case: Case) -> str | None:
        """Why it cannot judge this claim; None where it can."""
        return None

    @abstractmethod
    def refutes(self, case: Case, runs: int, alpha: float, seed: int) -> bool:
        """Whether so many runs of the mechanism in all, of both data together, refute the claim at level α."""
