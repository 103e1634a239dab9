"""The attack on the last bits of outputs: which doubles come out of a sum with the data tells the data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.auditing.claims.columns import Columns, Floats, Path
from nrverify.auditing.claims.context import Claim, ClaimContext
from nrverify.auditing.claims.pairs import Case
from nrverify.auditing.claims.sample import Labelled
from nrverify.auditing.claims.streams import continuous
from nrverify.auditing.core.alpha import Level
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults.noise import LAST_BITS
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.numerics.evidence import Attack
from nrverify.auditing.numerics.features import ADD, Transcripts
from nrverify.auditing.numerics.labelled_bits import LabelledBits
from nrverify.auditing.numerics.words import UNEXAMINED, advice_words, bound_words, example_words, seen_words
from nrverify.statistics.estimate import Estimate, Measure

WEIGHT = 0.02
"""Its share of α: a bet on an output that the other data cannot give gains a third of a nat at ε = 1, so a smaller
share costs a few dozen runs."""
FEWEST_RUNS = 300
"""With fewer, most attacks would not have been found yet."""
MOST_ENTRIES = 8
"""Entries of an output that are looked at: noise added in the ninth alone is a rare design."""
VALUES = ("number", "entries", "sum", "mean", "length", "changed entry")
"""What of the data the noise may have been added to; each is tried with its own part of the level."""
QUANTITY = "probability of last bits that the neighbouring data cannot give"


@dataclass(frozen=True)
class Added:
    """What of a pair of data the noise may have been added to, by label."""

    low: tuple[float, ...]
    high: tuple[float, ...]


def _numbers(data: Any) -> list[float] | None:
    """The numbers in a list or dictionary, however deep; None where there are none, or one is no finite double."""
    if not isinstance(data, (list, dict)):
        return None
    try:
        found = [float(entry) for entry in _leaves(data) if type(entry) in (int, float)]
    except OverflowError:
        return None
    return found if found and all(map(math.isfinite, found)) else None


def _leaves(data: Any) -> Iterator[Any]:
    if not isinstance(data, (list, dict)):
        yield data
        return
    for entry in data.values() if isinstance(data, dict) else data:
        yield from _leaves(entry)


def candidates(case: Case) -> dict[str, Added]:
    """What of the data the noise may have been added to, where both have it and it differs."""
    pair = case.sides
    found: dict[str, Added] = {}
    single = [_numbers([side]) if not isinstance(side, (list, dict)) else None for side in pair]
    if single[0] is not None and single[1] is not None:
        found["number"] = Added((single[0][0],), (single[1][0],))
    lists = [_numbers(side) for side in pair]
    if lists[0] is not None and lists[1] is not None:
        first, second = lists[0], lists[1]
        found["sum"] = Added((math.fsum(first),), (math.fsum(second),))
        found["mean"] = Added((math.fsum(first) / len(first),), (math.fsum(second) / len(second),))
        found["length"] = Added((float(len(first)),), (float(len(second)),))
        if len(first) == len(second):
            found["entries"] = Added(tuple(first), tuple(second))
            changed = [place for place in range(len(first)) if first[place] != second[place]]
            if len(changed) == 1:
                found["changed entry"] = Added((first[changed[0]],), (second[changed[0]],))
    return {name: added for name, added in found.items() if added.low != added.high}


@check(
    id="numerics.last-bits",
    kind=CheckKind.NUMERICS,
    sentence="The last bits of the outputs say no more of the data than is claimed.",
    mechanisms=("any",),
    weight=WEIGHT,
    order=95,
    expected="no sum in floating-point arithmetic tells two neighbouring data apart",
    templates={
        LAST_BITS.id: (
            "last bits that say no more of the data than is claimed",
            "{added} {seen}; bets on these bits win more than the claim allows (confidence 1 − {level:.2g}), and "
            "{bound}. {example}. Found after {found_after:.0f} runs; {cause}",
        )
    },
    implied_by=("privacy.claim",),
    not_covered="no output holds a number of continuous noise beside data that hold different numbers",
)
class OutputBits(Declared):
    """Outputs as doubles: a sum of a number and a double cannot be every double, and which it can be tells the number.

    Bets on the data that an output came from, by whether some double added to the data (a number; of a list the sum,
    the mean, the length, its entries, the one that changed) gives it. Catches noise added to such a number in ordinary
    floating-point arithmetic (Mironov 2012). Misses noise added to any other function of the data, supports of single
    samplers, the state of the generator, and timing. Under numerics = "idealized" an attack is advice, at an error
    probability of its own; under "exact" it refutes.
    """

    def __init__(self, claim: Claim, cases: tuple[Case, ...], exact: bool = False, alpha: float = 1e-6) -> None:
        self.claim = claim
        self.cases = cases
        self.exact = exact
        self.runs = 0
        """Runs whose output holds a number of continuous noise, beside data that hold different numbers."""
        self.bits: dict[str, LabelledBits] = {}
        """By what of the data the noise may have been added to."""
        self._alpha = alpha

    @classmethod
    def build(cls, context: ClaimContext) -> OutputBits:
        """Over all pairs."""
        return cls(context.claim, context.cases, context.exact)

    def at_level(self, alpha: float) -> None:
        """The error probability at which an attack counts: its own, or its share of the run's."""
        self._alpha = alpha

    def observe_labelled(self, drawn: Labelled) -> None:
        """Bets on the data of new runs; without a number of continuous noise nothing is staked, and δ is paid for."""
        case = self.cases[drawn.case]
        added, releases = candidates(case), _releases(drawn.columns)
        if not added or releases is None:
            return
        releases[~continuous(drawn.columns)] = np.nan
        seen = int(np.isfinite(releases).any(axis=1).sum())
        self.runs += seen
        charged = np.maximum(drawn.charged, self.claim.main.smallest)
        for name, one in added.items():
            shaped = releases[:, None, :] if name == "entries" else releases[:, :, None]
            if name == "entries" and releases.shape[1] != len(one.low):
                continue
            if name not in self.bits:
                point = self.claim.main
                features = {ADD.name: ADD}
                self.bits[name] = LabelledBits(features, self._alpha / len(VALUES), (point.delta, point.smallest))
            transcripts = Transcripts(shaped, np.array(one.low), np.array(one.high))
            self.bits[name].observe(case.name, transcripts, charged, drawn.label)

    def empty_copy(self) -> OutputBits:
        """An empty copy."""
        blank = copy(self)
        blank.runs, blank.bits = 0, {name: one.empty_copy() for name, one in self.bits.items()}
        return blank

    def merge(self, other: OutputBits) -> None:
        """Takes in what another has seen."""
        self.runs += other.runs
        for name, one in other.bits.items():
            if name not in self.bits:
                self.bits[name] = one.empty_copy()
            self.bits[name].merge(one)

    @property
    def attacked(self) -> str | None:
        """By what of the data the last bits were shown to betray it; None where they were not."""
        found = {name: one for name, one in self.bits.items() if one.attacked}
        return max(found, key=lambda name: found[name].log_e) if found else None

    @property
    def log_e(self) -> float:
        """The largest log e-value, of bets that have a part of the level each."""
        return max((one.log_e for one in self.bits.values() if one.samples), default=0.0)

    def refuted(self, alpha: float) -> bool:
        """Whether an attack was shown, of a subject whose last bits are claimed to be safe."""
        return self.exact and self.attacked is not None

    def conclude(self, alpha: float) -> CheckResult:
        """Advice or refuted where attacked; else what would have been found."""
        if self.runs == 0:
            return concluded(self, CheckVerdict.NOT_COVERED, message=self.declaration.not_covered)
        fields: dict[str, Any] = {
            "samples": self.runs,
            "e_value": math.exp(min(self.log_e, 700.0)),
            "statistic": self.log_e,
            "alpha": self._alpha,
            "enough": self.runs >= FEWEST_RUNS,
        }
        name = self.attacked
        attack = None if name is None else self.bits[name].attack()
        if name is not None and attack is not None:
            verdict = CheckVerdict.REFUTED if self.exact else CheckVerdict.ADVICE
            point = self.claim.main
            words = f"{_words(name)} {advice_words(attack, point.epsilon or point.smallest, point.delta)}"
            message = None if self.exact else words
            return concluded(self, verdict, finding=self._finding(name, attack), message=message, **fields)
        if not fields["enough"]:
            return concluded(self, CheckVerdict.INCONCLUSIVE, message="too few runs to attack with", **fields)
        percent = 100 * max(one.least_share(self._alpha / len(VALUES)) for one in self.bits.values() if one.samples)
        if percent >= 100:
            return concluded(self, CheckVerdict.INCONCLUSIVE, message="too few runs to attack with", **fields)
        tried = ", ".join(name for name in VALUES if name in self.bits)
        detectable = f"{QUANTITY} above {percent:.2g} %, where noise is added to its {tried}; {UNEXAMINED}"
        return concluded(
            self, CheckVerdict.CONSISTENT, sizes=(Size(QUANTITY, percent, "%"),), detectable=detectable, **fields
        )

    def _finding(self, name: str, attack: Attack) -> Finding:
        event, point = attack.event, self.claim.main
        epsilon, delta = point.epsilon or point.smallest, point.delta
        low, _ = event.limits
        numbers = {
            **attack.numbers,
            "epsilon": epsilon,
            "delta_at_least": event.delta_at(epsilon),
            "delta": delta,
            "epsilon_at_least": event.epsilon_at(delta),
            "level": self._alpha,
        }
        texts = {
            "feature": attack.feature,
            "cause": attack.cause,
            "added": _words(name),
            "seen": seen_words(attack),
            "bound": bound_words(attack, epsilon, delta),
            "example": example_words(attack) or "No single output shows it",
        }
        share = event.hits / max(event.of, 1)
        estimate = Estimate(Measure.PROBABILITY, 0.0, share, max(share - low, 0.0), event.of, numbers)
        # The bets are against the claim itself: who wins them has shown its violation.
        return Finding(QUANTITY, estimate, LAST_BITS, effect=Effect.LEAK, texts=texts)


def _words(name: str) -> str:
    value = {"number": "the number that is the data", "entries": "the entries of the data"}
    return f"with {value.get(name, f'the {name} of the data')} as the value:"


def _releases(columns: Columns) -> Floats | None:
    """The numbers of the outputs (runs, entries), NaN where an output has none; None where no column has any."""
    paths = [path for path, value in columns.values.items() if _is_entry(path) and np.isfinite(value).any()]
    if not paths:
        return None
    found = np.column_stack([columns.values[path] for path in paths[:MOST_ENTRIES]]).astype(float)
    return np.where(np.isfinite(found), found, np.nan)


def _is_entry(path: Path) -> bool:
    """Whether a column is the output itself, or an entry of it, however deep."""
    return all(isinstance(step, int) or step.startswith("=") for step in path)


def give_levels(checks: Sequence[Any], level: Level, alpha: float) -> None:
    """To the attack its error probability: its share where it refutes, the run's, beside it, where it is advice."""
    for one in checks:
        if isinstance(one, OutputBits):
            one.at_level(level(one) if one.exact else alpha)


def without_coarse(results: Sequence[CheckResult]) -> list[CheckResult]:
    """The results without advice on last bits where the claim is refuted.

    An output that betrays the data by its size betrays them by its last bits too: nothing would be said of the bits.
    """
    refuted = any(one.id == CLAIM and one.verdict is CheckVerdict.REFUTED for one in results)
    why = "the claim is refuted without the last bits, so that what they betray besides is not told apart"
    return [
        CheckResult(one.id, CheckKind.NUMERICS, CheckVerdict.NOT_COVERED, message=why)
        if refuted and one.id == OutputBits.id and one.verdict is CheckVerdict.ADVICE
        else one
        for one in results
    ]


CLAIM = "privacy.claim"
"""The id of the check of the claim itself."""
