"""The comparison: every auditor that is installed, on every claim, at every level, from the same seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nrverify.benchmark.peers import LISTED
from nrverify.benchmark.peers.cases import CASES, Case
from nrverify.benchmark.peers.found import Found, Needed, by_doubling
from nrverify.benchmark.peers.own import LAW_AWARE, LAW_FREE, law_aware, law_free
from nrverify.benchmark.peers.peer import Listed, Peer

LEVELS = (0.05, 1e-6)
"""The level of most papers, and nrverify's default."""
SEEDS, QUICK_SEEDS = 10, 3
"""Enough for a median that one lucky seed does not move, and the fewest that have one."""
MOST = 2**17
"""Runs after which an auditor is given up: 131,072, two and a half times what the hardest claim took at 1e-6."""
SHARE = 0.5
"""Of the best peer's runs: what nrverify has to reach."""


@dataclass(frozen=True)
class Standing:
    """nrverify's median beside the best peer's with the same knowledge."""

    case: str
    alpha: float
    told: bool
    own: float
    best: float
    peer: str

    @property
    def ratio(self) -> float:
        """Of the runs; NaN, which meets nothing, where neither refuted."""
        return self.own / self.best if self.own < float("inf") else float("nan")

    @property
    def met(self) -> bool:
        """Whether at most half of the best peer's runs were needed."""
        return self.own < float("inf") and self.own <= SHARE * self.best


def compare(
    peers: Sequence[Peer],
    seeds: int = SEEDS,
    cases: Sequence[Case] = CASES,
    levels: Sequence[float] = LEVELS,
    most: int = MOST,
) -> Iterator[Needed]:
    """What every installed auditor needs, claim by claim."""
    for case in cases:
        for alpha in levels:
            yield _needed(case, alpha, LAW_FREE, False, seeds, lambda c, a, s: law_free(c, a, s, most))
            if case.law_aware is None:
                yield Needed(case.name, alpha, LAW_AWARE, True, True, (), "nrverify has no law of this mechanism")
            else:
                yield _needed(case, alpha, LAW_AWARE, True, seeds, lambda c, a, s: law_aware(c, a, s, most))
            for peer in peers:
                if peer.available():
                    yield _of_peer(peer, case, alpha, seeds, most)


def _needed(
    case: Case, alpha: float, name: str, told: bool, seeds: int, attempt: Callable[[Case, float, int], Found]
) -> Needed:
    return Needed(case.name, alpha, name, told, True, tuple(attempt(case, alpha, seed) for seed in range(seeds)))


def _of_peer(peer: Peer, case: Case, alpha: float, seeds: int, most: int) -> Needed:
    reason = peer.cannot(case)
    if reason is not None:
        return Needed(case.name, alpha, peer.name, peer.told, False, (), reason)

    def attempt(seed: int) -> Found:
        return by_doubling(lambda runs: peer.refutes(case, runs, alpha, seed), peer.first, most)

    return Needed(case.name, alpha, peer.name, peer.told, False, tuple(attempt(seed) for seed in range(seeds)))


def standings(found: Sequence[Needed]) -> Iterator[Standing]:
    """nrverify and the best peer, where both can judge; one that is told the law beside one that is."""
    for own in (one for one in found if one.own and not one.reason):
        rivals = [
            one
            for one in found
            if (one.case, one.alpha, one.told) == (own.case, own.alpha, own.told) and not one.own and not one.reason
        ]
        if rivals:
            best = min(rivals, key=lambda one: one.median)
            yield Standing(own.case, own.alpha, own.told, own.median, best.median, best.auditor)


def presence(peers: Sequence[Peer], listed: Sequence[Listed] = LISTED) -> list[tuple[str, str]]:
    """Each public auditor looked for, with its version, or with what is missing."""
    adapted = {peer.module for peer in peers}
    return [(one.name, _state(one, one.module in adapted)) for one in listed]


def _state(one: Listed, adapted: bool) -> str:
    if not one.installed():
        return "not installed"
    return one.version() if adapted else f"{one.version()}, no adapter"
