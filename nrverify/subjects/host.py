"""What a host is: the subject as the engines see it, whatever language it is written in and however it is reached."""

from __future__ import annotations

from typing import Protocol

from nrverify.subjects.description import Description
from nrverify.subjects.requests import A_co, Request


class Host(Protocol):
    """Answers requests to a subject, each under a time limit; counts the time the subject took."""

    description: Description
    timeout: float
    seconds: float

    def ask(self, request: Request[A_co]) -> A_co:
        """The answer; may raise `SubjectFailed`, and `SubjectRefused` where a setting may be refused.

        That is by `Sample`, and by the first release of a session of `Play`.
        """

    def close(self) -> None:
        """Ends the subject and everything it started."""
