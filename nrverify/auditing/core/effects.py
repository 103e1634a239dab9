"""What a fault means for privacy, computed: the effect, and the loss beside the one claimed."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.faults import Effect

IDEAL = "times the ideal loss at the last time"
"""At what a loss is reached that is measured by the ideal one, where no ε is claimed."""


@dataclass(frozen=True)
class Priced:
    """An effect with the numbers and the reason it rests on."""

    effect: Effect
    loss: float | None = None
    """The loss if this is the fault, at the confidence limit of the run; None where it was not computed."""
    claim: float | None = None
    """The loss that is claimed there, or that the noise claimed would have."""
    where: str = ""
    """At what the loss is reached."""
    quantity: str = "loss"
    """What is called a loss here, where it is a probability."""
    why: str = ""
    """Why nothing more is learned, or why it is not proved; of a leak that no one fault explains, what shows it."""

    @property
    def relative(self) -> bool:
        """Whether the loss is measured by the ideal one."""
        return self.where.startswith(IDEAL) and self.loss != float("inf")

    @property
    def numbers(self) -> dict[str, float | str]:
        """For a JSON report."""
        found = {"loss": self.loss, "claimed_loss": self.claim, "loss_where": self.where or None}
        return {key: value for key, value in found.items() if value is not None}

    @property
    def words(self) -> str:
        """What follows if this is the fault."""
        match self.effect:
            case Effect.LEAK if self.why:
                return f"{self.why}: a leak"
            case Effect.LEAK:
                found, allowed = self._numbers
                if self.relative:
                    return f"if this is the fault, the {self.quantity} is at least {found}{self._at}: a leak"
                comma = "," if "," in self.where else ""
                claimed = "" if self.loss == float("inf") else f"{comma} where {allowed} is claimed"
                return f"if this is the fault, the {self.quantity} is {found}{self._at}{claimed}: a leak"
            case Effect.INACCURACY:
                return f"if this is the fault, nothing more is learned than claimed ({self.why}): only accuracy suffers"
            case _:
                return f"no violation of the privacy claim was shown{': ' if self.why else ''}{self.why}"

    @property
    def _numbers(self) -> tuple[str, str]:
        """The loss and the claim with so many digits that the larger is seen to be so."""
        if self.loss is None or self.claim is None:
            return _number(self.loss), _number(self.claim)
        found, allowed = told_apart((self.loss, self.claim), least=3)
        return "infinite" if self.loss == float("inf") else found, allowed

    @property
    def _at(self) -> str:
        return f" {self.where}" if self.where else ""


def _number(value: float | None) -> str:
    return "not known" if value is None else "infinite" if value == float("inf") else f"{value:.3g}"


UNPRICED = Priced(Effect.UNPROVED)
"""Where nothing was computed."""
