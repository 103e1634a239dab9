"""Exchanges: what a request came to, and the host that leaves every request to a function that knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nrverify.subjects.description import Description
from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host
from nrverify.subjects.requests import A_co, Request


@dataclass(frozen=True)
class Exchange:
    """What a request came to: an answer, or words of a refusal or a failure; and the seconds the subject took."""

    outcome: str
    answer: Any
    seconds: float

    def result(self) -> Any:
        """The answer, or the exception the host raised."""
        if self.outcome == "refused":
            raise SubjectRefused(self.answer)
        if self.outcome == "withheld":
            raise ReleaseRefused(self.answer)
        if self.outcome == "failed":
            raise SubjectFailed(self.answer)
        return self.answer


def outcome_of(host: Host, request: Request[Any]) -> tuple[str, Any]:
    """What a request comes to, by name, and the answer or the words."""
    try:
        return "answered", host.ask(request)
    except ReleaseRefused as refusal:
        return "withheld", str(refusal)
    except SubjectRefused as refusal:
        return "refused", str(refusal)
    except SubjectFailed as failure:
        return "failed", str(failure)


class ExchangeHost:
    """A host that leaves every request to one function; its seconds are those of the exchanges."""

    def __init__(
        self,
        description: Description,
        timeout: float,
        exchange: Callable[[Request[Any]], Exchange],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.description = description
        self.timeout = timeout
        self.seconds = 0.0
        self.exchanges = 0
        """How many there were."""
        self.replays = False
        """Whether the answers are those of a record."""
        self.cut: tuple[int, ...] | None = None
        """The place of the run where its time was up, if it was."""
        self.late_cut: tuple[int, ...] | None = None
        """The same of what is tried after all looks, which has time of its own."""
        self._exchange = exchange
        self._close = close

    def ask(self, request: Request[A_co]) -> A_co:
        """What the exchange came to."""
        found = self._exchange(request)
        self.seconds += found.seconds
        self.exchanges += 1
        answer: A_co = found.result()
        return answer

    def close(self) -> None:
        """Closes what lies behind."""
        self._close()
