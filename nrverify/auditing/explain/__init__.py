"""From refutations to their root cause, its effect, and the words of a report."""
