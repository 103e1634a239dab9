"""What can go wrong in reaching a subject."""


class UnknownScheme(ValueError):
    """The address has no scheme that is known: a mistake in the command."""


class SubjectFailed(Exception):
    """The subject could not be run: it is missing, raised, hung, died, or answered in a wrong shape or type."""


class SubjectRefused(Exception):
    """The subject refused a setting at the first release of a session."""
