"""What can go wrong in reaching a subject."""

from __future__ import annotations

from nrverify.plain_text import plain_text


class UnknownScheme(ValueError):
    """The address has no scheme that is known: a usage error."""


class _Said(Exception):
    """What a subject says, or is said of it: nothing in it commands a terminal."""

    def __init__(self, words: object = "") -> None:
        super().__init__(plain_text(str(words)))


class SubjectFailed(_Said):
    """The subject could not be run: it is missing, raised, hung, died, or answered in a wrong shape or type."""


class SubjectRefused(_Said):
    """The subject refused a setting at the first release of a session, or a time that it was asked for again."""


class ReleaseRefused(SubjectRefused):
    """The subject refused a later release of a session: it makes no more, or it could not be run."""
