"""One concrete session of a refuted audit: the most unusual one, if it is unusual among so many. It decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammainc, gammaincc

from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.transforms.rosenblatt import LARGEST_SCORE
from nrverify.auditing.noise_reduction.design.batch import Batch

SHOWN = 1e-3
"""A session is shown where the most unusual of as many right ones would be so unusual with a smaller probability."""


@dataclass(frozen=True)
class Session:
    """What was asked and released in one coordinate of a session, up to the release that stands out most."""

    unusual: float
    """How far its mean square lies from 1, in standard deviations (Wilson and Hilferty)."""
    count: int
    square: float
    """The number of innovations in all coordinates, and the sum of their squares."""
    value: float
    asked: tuple[float, ...]
    released: tuple[float, ...]
    score: float
    """The innovation of the last of these releases."""

    @property
    def tail(self) -> float:
        """The probability of a sum of squares as far off, on either side."""
        half = 0.5 * self.count, 0.5 * self.square
        return 2 * float(min(gammainc(*half), gammaincc(*half)))


class MostUnusual:
    """The most unusual session met, and among how many; merging keeps the earlier of two alike."""

    def __init__(self) -> None:
        self.sessions = 0
        self.session: Session | None = None

    def observe(self, batch: Batch) -> None:
        """Takes in sessions whose innovations are known."""
        if batch.innovations is None:
            return
        count = batch.innovations.present.sum(axis=(1, 2))
        squares = (batch.innovations.filled**2).sum(axis=(1, 2))
        self.sessions += batch.sessions
        if not count.any():
            return
        spread = 2 / (9 * np.maximum(count, 1))
        unusual = np.where(count > 0, np.abs(np.cbrt(squares / np.maximum(count, 1)) - 1 + spread) / np.sqrt(spread), 0)
        row = int(np.argmax(unusual))
        self._offer(_session(batch, row, float(unusual[row]), int(count[row]), float(squares[row])))

    def _offer(self, session: Session) -> None:
        if self.session is None or session.unusual > self.session.unusual:
            self.session = session

    def empty_copy(self) -> MostUnusual:
        """An empty copy."""
        return MostUnusual()

    def merge(self, other: MostUnusual) -> None:
        """Keeps the more unusual of both."""
        self.sessions += other.sessions
        if other.session is not None:
            self._offer(other.session)


def _session(batch: Batch, row: int, unusual: float, count: int, square: float) -> Session:
    """The coordinate and the release with the largest innovation, and what was asked and released until then."""
    assert batch.innovations is not None
    z = np.abs(batch.innovations.filled[row])
    last, coordinate = (int(part) for part in np.unravel_index(int(np.argmax(z)), z.shape))
    return Session(
        unusual,
        count,
        square,
        float(batch.case.array[coordinate]),
        tuple(batch.asked[row, : last + 1].tolist()),
        tuple(batch.releases[row, : last + 1, coordinate].tolist()),
        float(batch.innovations.filled[row, last, coordinate]),
    )


def with_session(results: Sequence[CheckResult], found: MostUnusual | None, unit: str) -> list[CheckResult]:
    """Refutations of the law with the session in words; where no single session stands out they stay as they are."""
    if found is None or found.session is None or found.session.tail * found.sessions >= SHOWN:
        return list(results)
    words = words_of(found.session, found.sessions, unit)
    return [_with(result, words) for result in results]


def _with(result: CheckResult, words: str) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or result.kind != "law":
        return result
    return replace(result, finding=replace(finding, texts={**finding.texts, "session": words}))


def words_of(session: Session, sessions: int, unit: str) -> str:
    """The session as a sentence; `unit` is what is asked for, "t" or "ε"."""
    asked = ", then ".join(told_apart(session.asked[-2:], least=4))
    noise = ", then ".join(told_apart(tuple(one - session.value for one in session.released[-2:]), least=4))
    if session.square > session.count:
        cut = abs(session.score) > LARGEST_SCORE - 1e-6
        size = f"more than {LARGEST_SCORE - 0.2:g}" if cut else f"{abs(session.score):.2g}"
        given = "given the first, the second" if len(session.asked) > 1 else "it"
        seen = f"{given} is {size} standard deviations off its claimed mean"
    else:
        seen = f"the mean square of its {session.count} innovations is {session.square / session.count:.2g}, claimed 1"
    return (
        f"at the value {session.value:.5g}, asked for {unit} = {asked}, the noise was {noise}: {seen} "
        f"(the most unusual of {sessions})"
    )
