"""From events to privacy for a kernel: any index, composition, and probabilistic privacy."""

from __future__ import annotations

from nrverify.ledger import kernel, supports
from nrverify.ledger.coq.kernel import Kernel
from nrverify.symbolic.kernel import PAPER

ANY_INDEX = (
    "forall (p : probability bool) (loss bound : nat -> bool -> R) (N : bool -> nat) delta, "
    "p (fun o => {event}) <= delta -> p (fun o => bound (N o) o <= loss (N o) o) <= delta"
)
AT_ONCE, FIRST = "exists n, bound n o <= loss n o", "bound O o <= loss O o"

COMPOSED = (
    "forall (p : probability bool) (loss1 loss2 bound1 bound2 : bool -> R) delta1 delta2, "
    "p (fun o => bound1 o < loss1 o) <= delta1 -> p (fun o => bound2 o < loss2 o) <= delta2 -> "
    "p (fun o => bound1 o + bound2 o < loss1 o + loss2 o) <= {total}"
)
SUM, LARGER = "delta1 + delta2", "Rmax delta1 delta2"

PRIVATE = (
    "forall (m : integration unit) p q e delta A, "
    "(forall o, 0 <= p o) -> (forall o, 0 <= q o) -> (forall o, 0 <= A o <= 1) -> "
    "integrable unit m (fun o => p o * exceeds unit e p q o) -> integrable unit m (fun o => q o * A o) -> "
    "m (fun o => p o * exceeds unit e p q o) <= delta -> "
    "m (fun o => p o * A o) <= {factor}m (fun o => q o * A o) + delta"
)
FACTOR = "exp e * "


@kernel(
    dict.fromkeys(("B10", "B11", "B12", "E13", "P03"), supports),
    rejects={
        "a bound at the first look only": {"event": FIRST},
        "the larger δ for the sum": {"total": LARGER},
        "e^ε left out": {"factor": ""},
    },
    source=PAPER / "composition.v",
    theorems=(
        "bound_at_any_index",
        "looks_of_a_path",
        "composition",
        "first_look_is_not_enough",
        "larger_delta_is_not_enough",
        "probabilistic_privacy",
        "factor_is_needed",
        "converse_fails",
    ),
    unsaid=(
        "a probability is any monotone, subadditive function of events, an integral any functional that is monotone, "
        "additive and homogeneous where it is finite: no measure is constructed",
        "that a mechanism has such densities, and that its path keeps below a curve, are premises",
        "E13: of two mechanisms whose losses add; that losses of adaptive mechanisms add is not in it",
    ),
)
def events(kernel: Kernel, event: str = AT_ONCE, total: str = SUM, factor: str = FACTOR) -> None:
    """A bound for all looks at once holds at any index; bounds and δs add up; P(L > ε) ≤ δ implies (ε, δ)-privacy."""
    any_index = ANY_INDEX.format(event=event), ANY_INDEX.format(event=AT_ONCE)
    kernel.states("at any index", *any_index, "(bound_at_any_index bool)", "first_look_is_not_enough")
    composed = COMPOSED.format(total=total), COMPOSED.format(total=SUM)
    kernel.states("composition", *composed, "(composition bool)", "larger_delta_is_not_enough")
    private = PRIVATE.format(factor=factor), PRIVATE.format(factor=FACTOR)
    kernel.states("probabilistic privacy", *private, "(probabilistic_privacy unit)", "factor_is_needed")
