"""A demonstrated attack in sentences: both values, counts, the bound with its confidence, and what to check by hand."""

from __future__ import annotations

from nrverify.auditing.numerics.evidence import USUAL_DELTA, USUAL_EPSILON, Attack

UNEXAMINED = "samplers that are not named here, the state of the generator, and timing are not examined"
REMEDY = (
    "What helps: round releases to a grid of about 2^-20 of the noise after the noise is added (granularity), sample "
    "exactly (nrverify.reference.exact), or use integer noise; rounding the noise itself, or adding up more random "
    "numbers, does not"
)


def seen_words(attack: Attack) -> str:
    """The event and its counts."""
    event = attack.event
    own, other = (value_words(attack.values[label]) for label in (event.side, 1 - event.side))
    where = "" if attack.asked is None else f" at {', '.join(f'{at:g}' for at in attack.asked)}"
    others = str(event.others) if event.others else "none"
    return (
        f"of {event.of} transcripts of the value {own}{where}, {event.hits} hold "
        f"{attack.event_words.format(other=other)}; of {event.of_others} of {other} itself, {others}"
    )


def bound_words(attack: Attack, epsilon: float = USUAL_EPSILON, delta: float = USUAL_DELTA) -> str:
    """The (ε, δ) that the counts exclude."""
    event = attack.event
    confidence = f"with confidence 1 − {event.alpha:.1g}"
    parts = []
    if (least := event.delta_at(epsilon)) > 0:
        parts.append(f"at ε = {epsilon:.3g}, δ is at least {least:.2g}")
    if (paid := event.epsilon_at(delta)) > 0:
        parts.append(f"at δ = {delta:g}, ε is at least {paid:.2g}")
    if not parts:
        return f"too few were counted for a bound on ε and δ {confidence}"
    return f"whoever reads all digits tells the two apart: {'; '.join(parts)} ({confidence})"


def example_words(attack: Attack) -> str:
    """One release a reader checks by hand."""
    example = attack.example
    if example is None:
        return ""
    what = "the mean of its bridge" if example.bridged else value_words((example.base,))
    return (
        f"Look: y = {example.release.hex()} was released; with m = {example.base.hex()}, {what}, m + (y - m) == y is "
        "False in double precision"
    )


def advice_words(attack: Attack, epsilon: float = USUAL_EPSILON, delta: float = USUAL_DELTA) -> str:
    """The whole of it, where real arithmetic is claimed."""
    bound = bound_words(attack, epsilon, delta)
    sentences = [
        "the last bits of the releases betray the value",
        "In real arithmetic nothing above changes. As released, in double precision: " + seen_words(attack),
        f"{bound[0].upper()}{bound[1:]}",
        f"Found after {attack.found_after} transcripts; the likely cause: {attack.cause}",
        example_words(attack),
        REMEDY,
        'A subject that means its last bits to be safe says numerics = "exact", and is then refuted by this',
    ]
    return ". ".join(sentence for sentence in sentences if sentence)


def value_words(value: tuple[float, ...]) -> str:
    """A value in a few digits."""
    words = ", ".join(f"{x:.6g}" for x in value)
    return words if len(value) == 1 else f"({words})"
