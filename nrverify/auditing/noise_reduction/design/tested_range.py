"""In words, what an audit asks of a subject: times or ε's, values, dimensions and lengths."""

from __future__ import annotations

from nrverify.auditing.noise_reduction.design import values
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob


def tested_range(cases: tuple[Case, ...], knob: Knob, integer: bool) -> tuple[str, ...]:
    """Times or ε's, values, dimensions and lengths of the cases."""
    if not cases:
        return ()
    return (
        f"{'times' if knob.falling else 'ε'} from {knob.low:g} to {knob.high:g}",
        _values(cases, integer),
        _numbers(sorted({len(case.value) for case in cases}), "dimension"),
        _numbers(sorted({case.rule.length for case in cases}), "release"),
    )


def _values(cases: tuple[Case, ...], integer: bool) -> str:
    """How large values are: drawn anew from look to look where some case has one."""
    largest = max(abs(x) for case in cases for x in case.every_value)
    drawn = [case.largest for case in cases if not case.one_by_one and any(case.value)]
    if not drawn:
        return f"values up to {largest:g} in size"
    smallest = 1.0 if integer else values.SMALLEST
    return f"values from {smallest:g} to {max(largest, *drawn):g} in size"


def _numbers(found: list[int], what: str) -> str:
    words = f"{found[0]} to {found[-1]}" if len(found) > 2 else " and ".join(map(str, found))
    return f"{words} {what}" if found == [1] else f"{words} {what}s"
