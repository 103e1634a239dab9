"""The check that runs have noise of their own: numbers with all their digits do not come again."""

from __future__ import annotations

import math
from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from nrverify.auditing.claims.columns import TAGS, Columns, Floats, Keys, digest, mixed
from nrverify.auditing.claims.context import Claim, ClaimContext
from nrverify.auditing.claims.faults import FEW_STREAMS
from nrverify.auditing.claims.sample import Labelled, Labels
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded, from_bets
from nrverify.statistics.detectable import detectable_count
from nrverify.statistics.estimate import Estimate, Measure

DIGITS = 12
"""A number with more significant digits than this is taken for one of continuous noise."""
CONFIDENT = 0.99
"""The probability of the bet that an output which comes again comes for the same data."""
MOST_KEPT = 200_000
"""Outputs of a pair that are remembered."""


@check(
    id="randomness.streams",
    kind=CheckKind.RANDOMNESS,
    sentence="Runs with different seeds have different noise.",
    mechanisms=("any",),
    weight=0.05,
    order=20,
    expected="outputs with all their digits do not come again",
    templates={
        "count": (
            "outputs with all their digits do not come again for the same data only",
            "{observed:.0f} of {count} outputs came again with all their digits, {same:.0f} of them for the same data",
        )
    },
    not_covered="no output holds a number of continuous noise (more than 12 significant digits)",
)
class OutputStreams(Declared):
    """A bet that an output of continuous noise which comes again comes for the same data as before.

    Catches seeds that are ignored, cut down or shared. Outputs without a number of more than 12 digits are not looked
    at, and neither are those that come again for both data, as from a fixed list of candidates. Misses noise that
    repeats in a part of the output alone.
    """

    def __init__(self, claim: Claim, cases: int) -> None:
        self.claim = claim
        self.runs = self.again = self.same = 0
        self.log_e = 0.0
        self._seen: list[dict[int, bool]] = [{} for _ in range(cases)]
        self._new: list[tuple[int, Keys, Labels, Labels, Floats]] = []

    @classmethod
    def build(cls, context: ClaimContext) -> OutputStreams:
        """Pair by pair."""
        return cls(context.claim, len(context.cases))

    def observe_labelled(self, drawn: Labelled) -> None:
        """Keeps the keys of outputs, and which have all their digits."""
        rows = continuous(drawn.columns)
        self._new.append((drawn.case, coarse(drawn.columns), rows, drawn.label, drawn.charged))

    def empty_copy(self) -> OutputStreams:
        """An empty copy with the same configuration."""
        blank = copy(self)
        blank._seen, blank._new = [], []
        return blank

    def merge(self, other: OutputStreams) -> None:
        """Bets on the observations of another, in their order."""
        if not self._seen:
            self._new += other._new
            return
        for case, keys, rows, label, charged in other._new:
            self._take(self._seen[case], keys, rows, label, charged)

    def _take(self, seen: dict[int, bool], keys: Keys, rows: Labels, label: Labels, charged: Floats) -> None:
        judged = int(rows.sum())
        self.runs += judged
        cap = self._cap
        self.log_e -= judged * self._price
        every = (keys.tolist(), rows.tolist(), label.tolist(), charged.tolist())
        for key, digits, own, claim in zip(*every, strict=True):
            before = seen.get(key)
            if before is None:
                if len(seen) < MOST_KEPT:
                    seen[key] = own
                continue
            if not digits:  # the same to twelve digits, as on a grid: it tells that the noise is not continuous
                continue
            self.again += 1
            self.same += before == own
            stake = min(max(CONFIDENT * (1 + np.exp(-claim)) - 1, 0.0), cap)
            self.log_e += float(np.log1p(stake if before == own else -stake * np.exp(claim)))

    @property
    def _cap(self) -> float:
        """The largest stake, which is that at the smallest ε."""
        return max(CONFIDENT * (1 + math.exp(-self.claim.main.smallest)) - 1, 0.0)

    @property
    def _price(self) -> float:
        """With δ > 0 the largest stake is paid for at every run."""
        return math.log1p(self.claim.main.delta * self._cap)

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with how often outputs came again."""
        if self.runs == 0:
            return concluded(self, CheckVerdict.NOT_COVERED, message=self.declaration.not_covered)
        estimate = Estimate(Measure.COUNT, 0.0, float(self.again), None, self.runs, {"same": float(self.same)})
        streams = self._noticed(alpha)
        return from_bets(
            self,
            self.log_e,
            alpha,
            samples=self.runs,
            enough=True,
            finding=Finding("outputs that came again", estimate, FEW_STREAMS),
            sizes=(Size("different streams", streams, "streams"),) if streams >= 2 else (),
        )

    def _noticed(self, alpha: float) -> float:
        """How few streams would have been noticed half of the time, by outputs that come again for the same data."""
        won = math.log1p(self._cap)
        if won <= 0 or self.runs == 0:
            return 0.0
        enough = math.ceil((-math.log(alpha) + self.runs * self._price) / won)
        runs = self.runs / len(self._seen)
        # Of K streams and two data there are 2K outputs, of which n runs give 2K(1 − e^(−n/2K)): the others come again.
        again = detectable_count(enough) / len(self._seen)
        if again >= 0.99 * runs:
            return 0.0
        filled = float(brentq(lambda x: runs * (1 + math.expm1(-x) / x) - again, 1e-9, 200.0))
        return runs / (2 * filled)


def coarse(columns: Columns) -> Keys:
    """Keys of outputs by their numbers to so many digits, and by everything else: of noise that comes again.

    What the last digits of a number on a grid say of the data is no noise that comes again.
    """
    found = np.zeros(columns.size, dtype=np.uint64)
    for path, values in columns.values.items():
        if any(isinstance(step, str) and step[:1] in "#@" for step in path):
            continue
        number = np.isfinite(values) & (values != 0)
        size = np.where(number, np.abs(values), 1.0)
        with np.errstate(all="ignore"):
            unit = 10.0 ** (np.floor(np.log10(size)) + 1 - DIGITS)
            rounded = np.where(number & np.isfinite(size / unit), np.rint(values / unit), 0.0)
        exponent = np.where(number, np.floor(np.log10(size)), 0.0)
        payload = _mixed_bits(rounded) ^ (_mixed_bits(exponent) << np.uint64(1))
        keys = np.where(number & (rounded != 0), payload, columns.keys[path])
        with np.errstate(over="ignore"):
            found += mixed(keys, digest(repr(path)) % 2**32)
    return found


def _mixed_bits(values: Floats) -> Keys:
    return mixed(np.ascontiguousarray(values, dtype=np.float64).view(np.uint64), TAGS[float])


def continuous(columns: Columns) -> NDArray[np.bool_]:
    """Rows that hold a number with more significant digits than a rounded one has."""
    found = np.zeros(columns.size, dtype=bool)
    for path, values in columns.values.items():
        if any(isinstance(step, str) and step.startswith("#") for step in path):
            continue  # a property, a feature or a price, and not an entry
        with np.errstate(all="ignore"):
            size = np.where(np.isfinite(values) & (values != 0), np.abs(values), 1.0)
            scaled = size / 10.0 ** (np.floor(np.log10(size)) + 1 - DIGITS)
            found |= np.isfinite(scaled) & (np.abs(scaled - np.rint(scaled)) > 1e-3)
    return found
