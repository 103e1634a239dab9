"""What every right variant refuses."""

from mpmath import mp


def finite(*numbers):
    """Every number, in lists too, is finite."""
    for number in numbers:
        if isinstance(number, (list, tuple)):
            finite(*number)
        elif not mp.isfinite(number):
            raise ValueError("not finite")


def positive(*numbers):
    """Every number is finite and above 0."""
    finite(*numbers)
    if any(number <= 0 for number in numbers):
        raise ValueError("not positive")


def probability(delta):
    """0 < delta < 1."""
    finite(delta)
    if not 0 < delta < 1:
        raise ValueError("no probability")


def whole(*numbers):
    """Every number, in lists too, is an integer."""
    finite(*numbers)
    for number in numbers:
        if isinstance(number, (list, tuple)):
            whole(*number)
        elif number != int(number):
            raise ValueError("no integer")


def times(s, t):
    """0 < s ≤ t."""
    positive(s, t)
    if s > t:
        raise ValueError("the time increases")


def same_length(*lists):
    """Lists of one length, not empty."""
    if len({len(entries) for entries in lists}) != 1 or not lists[0]:
        raise ValueError("lengths differ")
