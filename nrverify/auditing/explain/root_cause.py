"""Which refutation implies the others, so that a fault is named once and where it is. Works on faults, not on text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from nrverify.auditing.core.effects import UNPRICED, Priced
from nrverify.auditing.core.faults import Effect, Fault
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.faults.recursion import ALL_SCALED, TIME_FOR_DEVIATION
from nrverify.auditing.core.finding import LATER_RELEASE, LEAST_NOISY, LEAST_NOISY_ERROR, Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.suspect import Suspect
from nrverify.statistics.estimate import Measure

REPEATED, LATTICE, STREAMS, VALUE = "ties.repeated-time", "lattice", "randomness.streams", "law.value"
"""Ids of checks, as declared."""
RELEASE, TRANSCRIPT, ADAPTIVE, TIES = "law.release", "law.transcript", "law.adaptive", "ties"
ANY_ORDER = "law.any-order"
"""Ids of checks, as declared."""
INDEPENDENCE = ("independence.coordinates", "independence.sessions")
"""Ids of checks, as declared."""
PRIMARY = (RELEASE, TIES, TRANSCRIPT, ADAPTIVE, ANY_ORDER, REPEATED)
"""Checks that show a fault of the law directly, in the order in which one is taken for the root."""
LAWS = (RELEASE, TRANSCRIPT, ADAPTIVE, TIES, ANY_ORDER, REPEATED, VALUE)
"""A fault that explains the second moments is named in the first of these that is refuted."""
CLEARER = 1.2
"""A check that tests the very fault has so much more evidence than those that see what comes of it."""
MIXED = 3.0
"""A suspect that gains so many times the evidence of the whole law is told from what the whole law names."""
FORGETS = (of_noise.FRESH_NOISE, of_noise.FORGETFUL_SESSIONS)
"""Faults that answer a time asked for again with other noise."""
JUMPS_APART = 0.25
"""By how much, relative, the scale of jumps may differ from that of all noise where all noise is scaled alike."""
TOLD_APART = 3.0
"""Standard errors from which on a scale is another."""
SCALED = {TIME_FOR_DEVIATION.id: 0.5}
"""Ratios of variances of faults that scale all noise alike by a constant of their own."""
OF_ANOTHER_LAW = (
    of_noise.WRONG_SHAPE,
    of_noise.CLIPPED,
    of_noise.ROUNDED_NORMALS,
    of_noise.WRONG_STAY_PROBABILITY,
)
"""Faults that exact likelihoods tell from a wrong constant, and second moments of noise that is not normal do not."""
MOST = 0.9
"""So large a share of what was counted is most of it."""
IN_CLEAR = (of_noise.VALUE_IN_CLEAR, of_noise.NO_NOISE)
"""Faults that show the value itself: equal releases then come of them, and not of equal streams."""
ON_GRID = (of_noise.ROUNDED, of_noise.NOISE_ROUNDED)
"""Faults of rounding: releases on a grid come again, whatever their streams."""
SAME_SIZES = (of_noise.FEW_STREAMS, of_noise.ONE_NUMBER_AGAIN)
"""Faults of noises with the same size again and again, which a limit on the noise also causes."""
NOT_OF_SECOND_MOMENTS = (of_noise.SHIFTED, of_noise.RARE_RELEASES, of_noise.RARE_SESSIONS)
"""A shift, or rare releases of another scale, are no matter of second moments."""


@dataclass(frozen=True)
class RootCause:
    """The root-cause check, the fault that explains it, if one does, and the refutations it implies."""

    check: str | None = None
    suspect: Suspect | None = None
    follow: frozenset[str] = field(default_factory=frozenset)


def root_cause(
    results: Sequence[CheckResult],
    suspect: Suspect | None,
    implied_by: Mapping[str, tuple[str, ...]],
    integer: bool,
) -> RootCause:
    """The root of the refuted results; `suspect` fits their second moments, `integer` for integer noise."""
    refuted = {r.id: r.finding for r in results if r.verdict is CheckVerdict.REFUTED and r.finding is not None}
    evidence = {result.id: result.statistic or 0.0 for result in results if result.id in refuted}
    source = _source(refuted, evidence, integer, suspect)
    if source is None:
        return _unnamed(refuted, implied_by)
    shared = _shared(refuted, evidence, source)
    certainly = shared is not None and refuted[shared].estimate.measure is Measure.COUNT
    if shared is not None and (certainly or not (suspect is not None and _explains(suspect, refuted))):
        return RootCause(shared, None, frozenset(id for id in refuted if id in LAWS or id in INDEPENDENCE) - {shared})
    by_value = source == VALUE and not refuted.keys().isdisjoint(PRIMARY)
    if source not in LAWS or (by_value and (suspect is None or suspect.gain < evidence[VALUE])):
        suspect = None
    if suspect is not None and (unusual := _after_unusual(suspect, refuted, evidence)) is not None:
        source, suspect = unusual, None
    if suspect is not None and not (_explains(suspect, refuted) and _of_scale(suspect, refuted, evidence)):
        suspect = None
    if suspect is not None:
        source = next(id for id in LAWS if id in refuted)
        others = _as_likely(suspect, refuted, evidence)
        priced = _price_of_both(suspect, refuted[TIES]) if of_noise.WRONG_JUMPS in others else suspect.priced
        suspect = replace(suspect, faults=(*suspect.faults, *others), priced=priced)
    return RootCause(source, suspect, frozenset(_follow(source, refuted, suspect, implied_by)))


def _unnamed(refuted: Mapping[str, Finding], implied_by: Mapping[str, tuple[str, ...]]) -> RootCause:
    """The first refuted check that no other explains, and those that it explains."""
    for source in refuted:
        if refuted.keys().isdisjoint(implied_by.get(source, ())) and (follow := _implied(source, refuted, implied_by)):
            return RootCause(source, None, frozenset(follow))
    return RootCause()


def _as_likely(suspect: Suspect, refuted: Mapping[str, Finding], evidence: Mapping[str, float]) -> list[Fault]:
    """What the transcript names by its whole law, where second moments do not tell the suspect from it."""
    found = []
    if of_noise.FORGETFUL_SESSIONS in _named(refuted, TRANSCRIPT) and suspect.gain < MIXED * evidence[TRANSCRIPT]:
        # A mixture of two laws has second moments between theirs.
        found.append(of_noise.FORGETFUL_SESSIONS)
    fresh = of_noise.FRESH_NOISE in _named(refuted, TRANSCRIPT) and not suspect.redraws_repeated
    if fresh and not suspect.normal and suspect.gain < MIXED * evidence[TRANSCRIPT]:
        found.append(of_noise.FRESH_NOISE)
    if _is(refuted, TIES, of_noise.WRONG_JUMPS) and _ratio_of(suspect) is not None and _reaches(refuted[TIES], 1.0):
        found.append(of_noise.WRONG_JUMPS)
    return found


def _shared(refuted: Mapping[str, Finding], evidence: Mapping[str, float], source: str) -> str | None:
    """A check of independence that sees clearly more than those of the law, which follow from what it sees."""
    if source not in LAWS:
        return None
    if not any(of_noise.CLIPPED in _named(refuted, id) for id in LAWS):
        # Equal noises are no matter of evidence; noise cut off at one limit has them too.
        equal = [id for id in INDEPENDENCE if id in refuted and refuted[id].estimate.measure is Measure.COUNT]
        if equal:
            return equal[0]
    most = max(evidence.get(id, 0.0) for id in refuted if id in LAWS)
    # What is certain has no evidence that could be compared.
    seen = [id for id in INDEPENDENCE if id in refuted and most and evidence[id] >= CLEARER * most]
    return max(seen, key=evidence.__getitem__, default=None)


def _after_unusual(suspect: Suspect, refuted: Mapping[str, Finding], evidence: Mapping[str, float]) -> str | None:
    """The check that shows a fault after unusual releases clearly more than anything else is shown, if there is one.

    Pooled second moments of such a fault are those of steps that are a little wrong everywhere; steps that are wrong
    everywhere show as much in them as after unusual releases.
    """
    laws = {id: evidence[id] for id in refuted if id in LAWS}
    others = max((value for id, value in laws.items() if id != ADAPTIVE), default=0.0)
    if _is(refuted, ADAPTIVE, of_noise.AFTER_UNUSUAL) and laws[ADAPTIVE] >= CLEARER * others:
        return ADAPTIVE
    leading = max(laws, key=laws.__getitem__, default=None)
    if leading is None or not _is(refuted, leading, of_noise.AFTER_UNUSUAL):
        return None
    rest = [value for id, value in laws.items() if not _is(refuted, id, of_noise.AFTER_UNUSUAL)]
    return leading if laws[leading] >= CLEARER * max([suspect.gain, *rest]) else None


def _implied(source: str, refuted: Mapping[str, Finding], implied_by: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Refuted checks that the source explains, or that others explain which it explains."""
    found: set[str] = set()
    while True:
        more = {id for id in refuted if not found.union({source}).isdisjoint(implied_by.get(id, ()))} - {source}
        if more <= found:
            return found
        found |= more


def _is(refuted: Mapping[str, Finding], id: str, *faults: Fault) -> bool:
    """Whether a check is refuted by one of these faults."""
    return id in refuted and refuted[id].fault in faults


def _named(refuted: Mapping[str, Finding], id: str) -> tuple[Fault | None, ...]:
    """All faults that a check names, the likeliest first."""
    return (refuted[id].fault, *refuted[id].nearest) if id in refuted else ()


def _most(finding: Finding) -> bool:
    """Whether most of what was counted shows it; where nothing is counted, all does."""
    return finding.share is None or finding.share > MOST


def _source(
    refuted: Mapping[str, Finding], evidence: Mapping[str, float], integer: bool, suspect: Suspect | None
) -> str | None:
    """The refuted check that most likely implies the other refutations."""
    # Integers of a wrong law may come again by chance, where those of the claimed law would not.
    by_chance = integer and _is(refuted, STREAMS, of_noise.EQUAL_TRANSCRIPTS) and not refuted.keys().isdisjoint(PRIMARY)
    # Releases on a grid, or without noise, come again whatever their streams.
    on_grid = _is(refuted, LATTICE, *ON_GRID) and _most(refuted[LATTICE])
    in_clear = _is(refuted, LATTICE, *IN_CLEAR)
    if STREAMS in refuted and in_clear:
        return LATTICE
    # One number for all steps of a session comes again in each of them, whatever its stream.
    one_number = suspect is not None and suspect.ties and TIES in refuted
    elsewhere = by_chance or on_grid or one_number
    if STREAMS in refuted and not elsewhere and not _is(refuted, STREAMS, *SAME_SIZES):
        return STREAMS
    if LATTICE in refuted and not in_clear:
        return LATTICE
    laws = [evidence[id] for id in (RELEASE, TRANSCRIPT, ADAPTIVE) if id in evidence]
    # A shift that lies along the value shows as a shift of single releases too, and no more clearly.
    pull = _is(refuted, VALUE, of_noise.DEPENDS_ON_VALUE) and refuted[VALUE].estimate.measure is Measure.SHIFT
    clearly = laws and evidence.get(VALUE, 0.0) >= (1.0 if pull else CLEARER) * max(laws)
    # Noise with a shift of its own is not centred at any value; on one side of 0 that is a pull, and less clear.
    shifted = _is(refuted, RELEASE, of_noise.SHIFTED) and evidence[RELEASE] >= CLEARER * evidence.get(VALUE, 0.0)
    if (_is(refuted, VALUE, of_noise.PULLED_TO_ZERO) and not shifted) or clearly:
        return VALUE
    if _is(refuted, TIES, of_noise.REPEATED_RELEASE):
        # A release that comes again has the noise of another time, and so a wrong law.
        return TIES
    later = RELEASE in refuted and LATER_RELEASE in refuted[RELEASE].estimate.numbers
    if _coins(refuted) and not later:
        # Coins that fall too often or too seldom give every release a wrong law.
        return TIES
    measured = _is(refuted, TIES, of_noise.WRONG_JUMPS) and LEAST_NOISY in refuted[TIES].estimate.numbers
    if measured and _reaches(refuted[TIES], 1.0):
        # What no jump has reached is right: other releases are wrong by their jumps.
        return TIES
    if later:
        # One release after the first is wrong by itself where the step to it is: what shows most is taken.
        return max((id for id in PRIMARY if id in refuted), key=lambda id: evidence[id])
    return next((id for id in (*PRIMARY, VALUE) if id in refuted), None)


def _explains(suspect: Suspect, refuted: Mapping[str, Finding]) -> bool:
    """Whether a fault that fits the second moments may be what went wrong, by what else was found."""
    if _is(refuted, VALUE, of_noise.PULLED_TO_ZERO):
        return False
    if any(fault in NOT_OF_SECOND_MOMENTS for id in refuted for fault in _named(refuted, id)):
        return False
    # Continuous noise that is drawn anew at every step never comes again.
    if _is(refuted, TIES, of_noise.REPEATED_RELEASE) and not suspect.ties:
        return False
    # It says nothing of coins that fall too often or too seldom, nor of a time asked twice unless it changes those.
    coins = _coins(refuted) and RELEASE not in refuted
    if _is(refuted, TIES, of_noise.WRONG_JUMPS) and not _scales_jumps(suspect, refuted[TIES]):
        return False
    return not coins and (REPEATED not in refuted or suspect.redraws_repeated)


def _coins(refuted: Mapping[str, Finding]) -> bool:
    """Whether ties were counted, and are too many or too few; without any the noise is another one altogether."""
    if not _is(refuted, TIES, of_noise.WRONG_STAY_PROBABILITY):
        return False
    return refuted[TIES].estimate.measure is Measure.EVENTS and refuted[TIES].estimate.observed != 0


def _of_scale(suspect: Suspect, refuted: Mapping[str, Finding], evidence: Mapping[str, float]) -> bool:
    """Whether a wrong constant may be meant; of noise that is not normal the exact bets tell it from another law."""
    if suspect.normal or _ratio_of(suspect) is None:
        return True
    clearest = max((id for id in LAWS if id in refuted), key=lambda id: evidence[id])
    measure = refuted[clearest].estimate.measure
    # A whole law that says clearly more than second moments do is another law, and a slope on the past is no constant.
    another = measure is Measure.ALTERNATIVE and evidence[clearest] >= CLEARER * suspect.gain
    return refuted[clearest].fault not in OF_ANOTHER_LAW and measure is not Measure.SLOPE and not another


def _ratio_of(suspect: Suspect) -> float | None:
    """The ratio of variances by which a fault scales all noise alike, where it does."""
    return suspect.ratios.get(ALL_SCALED.id, SCALED.get(suspect.faults[0].id))


def _price_of_both(suspect: Suspect, jumps: Finding) -> Priced:
    """What is said where all noise or the jumps alone may be wrong: a leak only if both are, with its least loss."""
    both = [priced for priced in (suspect.priced, jumps.priced) if priced is not None and priced.effect is Effect.LEAK]
    return min(both, key=lambda priced: priced.loss or 0.0) if len(both) == 2 else UNPRICED


def _scales_jumps(suspect: Suspect, jumps: Finding) -> bool:
    """Whether a fault that scales all noise alike has the scale that jumps have, and releases no jump has reached."""
    ratio, estimate = _ratio_of(suspect), jumps.estimate
    if ratio is None:
        return True
    apart = estimate.measure is Measure.SCALE and estimate.observed is not None
    if apart and abs((estimate.observed or 0.0) ** 2 / ratio - 1) > JUMPS_APART:
        return False
    return _reaches(jumps, ratio**0.5)


def _reaches(jumps: Finding, scale: float) -> bool:
    """Whether releases that no jump has reached may have this scale, over the claimed one."""
    least, error = (jumps.estimate.numbers.get(name) for name in (LEAST_NOISY, LEAST_NOISY_ERROR))
    return least is None or error is None or abs(least / scale - 1) <= TOLD_APART * error


def _follow(
    source: str,
    refuted: Mapping[str, Finding],
    suspect: Suspect | None,
    implied_by: Mapping[str, tuple[str, ...]],
) -> set[str]:
    """Checks whose refutation comes of this one's: as declared, and all of the law where one fault explains it."""
    others = _implied(source, refuted, implied_by)
    if source in LAWS:
        # A wrong law shows in every check of the law: what each would say of its own accord is one guess too many.
        # Noise that is forgotten is drawn anew; a repeated release that only moves a little has another cause.
        redrawn = _is(refuted, REPEATED, of_noise.REPEATED_TIME_REDRAWN)
        forgets = redrawn and not set(_named(refuted, source)).isdisjoint(FORGETS)
        others |= {id for id in LAWS if id in refuted and (id != REPEATED or forgets)}
    if _is(refuted, STREAMS, *SAME_SIZES):
        # Noise cut off at a limit repeats itself whatever its streams.
        others.add(STREAMS)
    if suspect is not None:
        others |= {id for id in LAWS if id in refuted and (id != REPEATED or suspect.redraws_repeated)}
        if suspect.ties and TIES in refuted and STREAMS in refuted:
            others.add(STREAMS)
    return others - {source}
