"""Keys that were seen of transcripts or noise, how many of them come again, and how likely that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from nrverify.auditing.core.streams import FEWEST_STREAMS
from nrverify.auditing.noise_reduction.checks.fingerprints import Keys

KEY_COLLISION = 2.0**-120
"""How likely two different transcripts have the same key of 128 bits, with a margin of 2^8."""


@dataclass
class Seen:
    """Transcripts, or noise, by their keys (n, 2), where each comes from (n,), and how likely keys agree.

    A session has one key, or one for each of its numbers.
    """

    keys: list[Keys] = field(default_factory=list)
    requests: list[NDArray[np.int64]] = field(default_factory=list)
    owners: list[NDArray[np.int64]] = field(default_factory=list)
    """The session of each key."""
    count: int = 0
    """How many keys."""
    sources: int = 0
    """How many requests: a session that was opened is one."""
    sessions: int = 0
    equal: float = 0.0
    """The largest P(a key is a given one)."""
    _ordered: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64), repr=False)
    """The first halves of the first of the keys, in order: those that came since are sorted in."""
    _sorted: int = 0
    """So many lots of keys."""

    def add(self, keys: Keys, requests: NDArray[np.int64], owners: NDArray[np.int64]) -> None:
        """Keeps keys, with the number of each one's request and session among these."""
        self.keys.append(keys)
        self.requests.append(self.sources + requests)
        self.owners.append(self.sessions + owners)
        self.count += len(keys)
        self.sources += int(requests.max(initial=-1)) + 1
        self.sessions += int(owners.max(initial=-1)) + 1

    def repeats(self) -> tuple[int, int]:
        """Sessions equal to an earlier one of their own request, and requests with one equal to another request's."""
        if self.count < 2:
            return 0, 0
        repeated = self._repeated()
        if repeated.size == 0:
            return 0, 0
        keys, requests, owners = (np.concatenate(part) for part in (self.keys, self.requests, self.owners))
        some = np.isin(keys[:, 0], repeated)
        one, other, request, owner = keys[some, 0], keys[some, 1], requests[some], owners[some]
        order = np.lexsort((owner, request, other, one))
        owner = owner[order]
        same_key = _as_before(one[order]) & _as_before(other[order])
        same_request = same_key & _as_before(request[order])
        # Of sessions of one request with equal keys every one but the first is a repeat, however many keys it has.
        within = np.unique(owner[same_request & ~_as_before(owner)]).size
        # In groups of equal keys, every request but the first has met an earlier one.
        between = np.unique(request[order][same_key & ~same_request]).size
        return int(within), int(between)

    def _repeated(self) -> NDArray[np.uint64]:
        """The first halves of keys that come again, each as often as it does."""
        new = np.concatenate([self._ordered[:0], *(keys[:, 0] for keys in self.keys[self._sorted :])])
        # Two ordered runs are merged by one pass of the stable sort.
        self._ordered = np.sort(np.concatenate([self._ordered, np.sort(new)]), kind="stable")
        self._sorted = len(self.keys)
        return np.asarray(self._ordered[1:][self._ordered[1:] == self._ordered[:-1]])

    @property
    def all_of_one(self) -> bool:
        """Whether all repeats are of one key, as those of noise that is clipped are."""
        again = self._repeated()
        return bool(again.size > 1 and (again == again[0]).all())

    def p_value(self, within: int, between: int) -> float:
        """A bound on P(as many repeats) when all streams are independent and seeds lead to 2^31 of them or more."""
        return min(1.0, 2 * min(self._unlikely(within), self._unlikely(between)))

    def noticed(self, compared: int, level: float) -> float:
        """Fewer different ones than this lead to so many repeats among as many compared that they are noticed."""
        counts = np.geomspace(1, 1e6, 200)
        return 0.5 * compared**2 / next((n for n in counts if self.p_value(0, int(n)) <= level), np.inf)

    def _unlikely(self, repeats: int) -> float:
        """A bound on P(so many repeats) of one kind; requests count once, however many of their sessions repeat.

        Whatever came before, each of n keys meets one of fewer than n earlier streams with probability at most n 2^-31,
        or is one of fewer than n earlier keys with n times the probability of the likeliest.
        """
        likely = min(self.count * (1 / FEWEST_STREAMS + self.equal + KEY_COLLISION), 1.0)
        return float(bdtrc(repeats - 1, self.count, likely)) if repeats else 1.0


def _as_before(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each is equal to the one before it; the first is not."""
    return np.concatenate([[False], column[1:] == column[:-1]])
